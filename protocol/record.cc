#include "protocol/record.h"

#include "runtime/kube/internal/archive.h"

namespace reprise::protocol {

template <class A>
void fields(A& a, kube::internal::Ref<A, Record> v) {
  a("attempt", v.attempt);
  a("index", v.index);
  a("exitCode", v.exit_code);
  a("finished", v.finished);
  a("asked", v.asked);
  a("saved", v.saved);
  a("step", v.step);
  a("path", v.path);
  a("sizeBytes", v.size_bytes);
  a("checkpointTime", v.checkpoint_time);
  a("durable", v.durable);
  a("resumedFromStep", v.resumed_from);
  a("reason", v.reason);
  a("message", v.message);
  a("warning", v.warning);
}

std::expected<Record, kube::DecodeError> decode_record(std::string_view json) {
  return kube::internal::decode_with(json, [](const kube::internal::Field& object) {
    // A trainer may leave JSON of its own in its termination message: these three make a record.
    for (const std::string_view key : {"attempt", "index", "exitCode"}) {
      const kube::internal::Field field = object[key];
      if (!field.present()) field.fail("must be set");
    }
    return kube::internal::In::read<Record>(object);
  });
}

std::string encode_record(const Record& record) {
  return kube::internal::to_text(kube::internal::Out::write(record, kube::internal::Absent::LeaveOut));
}

}  // namespace reprise::protocol
