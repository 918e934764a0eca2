#include "protocol/record.h"

#include "runtime/kube/internal/archive.h"

namespace reprise::protocol {

namespace {

std::expected<Record, kube::DecodeError> decode_whole(std::string_view json) {
  return kube::internal::decode_with(json, [](const kube::internal::Field& object) {
    // A trainer may leave JSON of its own in its termination message: these three make a record.
    for (const std::string_view key : {"attempt", "index", "exitCode"}) {
      const kube::internal::Field field = object[key];
      if (!field.present()) field.fail("must be set");
    }
    return kube::internal::In::read<Record>(object);
  });
}

}  // namespace

// The messages of a pod's containers have 12 KiB together: where it has many the kubelet cuts the end off, which is
// what the trainer printed.
std::expected<Record, kube::DecodeError> decode_record(std::string_view json) {
  auto whole = decode_whole(json);
  const std::size_t output = json.find(R"(,"output":")");  // within a text its quotes would be escaped
  if (whole || output == std::string_view::npos) return whole;
  return decode_whole(std::string(json.substr(0, output)) + "}");
}

std::string encode_record(const Record& record) {
  return kube::internal::to_text(kube::internal::Out::write(record, kube::internal::Absent::LeaveOut));
}

}  // namespace reprise::protocol
