#include "protocol/record.h"

#include "runtime/kube/internal/archive.h"

namespace reprise::protocol {

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
