#include "protocol/record.h"

#include <span>

#include "protocol/whole_fields.h"
#include "runtime/kube/internal/archive.h"

namespace reprise::protocol {

namespace {

// A trainer may leave JSON of its own in its termination message: these make a record.
constexpr std::string_view kOfEachRecord[] = {"attempt", "index", "exitCode"};
// Without these a cut record would tell of an end that nobody has asked for.
constexpr std::string_view kOfEachCutRecord[] = {"attempt", "index", "exitCode", "finished", "asked"};

std::expected<Record, kube::DecodeError> decode_with(std::string_view json, std::span<const std::string_view> keys) {
  return kube::internal::decode_with(json, [keys](const kube::internal::Field& object) {
    for (const std::string_view key : keys) {
      const kube::internal::Field field = object[key];
      if (!field.present()) field.fail("must be set");
    }
    return kube::internal::In::read<Record>(object);
  });
}

}  // namespace

// The messages of a pod's containers have 12 KiB together: where it has many the kubelet cuts the end off.
std::expected<Record, kube::DecodeError> decode_record(std::string_view json) {
  if (const auto cut = up_to_last_whole_field(json)) return decode_with(*cut, kOfEachCutRecord);
  return decode_with(json, kOfEachRecord);
}

std::string encode_record(const Record& record) {
  return kube::internal::to_text(kube::internal::Out::write(record, kube::internal::Absent::LeaveOut));
}

}  // namespace reprise::protocol
