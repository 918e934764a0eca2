// Writes protobuf messages field by field: the counterpart of runtime/kube/protobuf/protobuf.h, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reprise::kube::internal {

class WireWriter {
 public:
  WireWriter& number(std::uint32_t field, std::int64_t value) {
    varint(field << 3U);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  // Text, bytes or a message.
  WireWriter& bytes(std::uint32_t field, std::string_view value) {
    varint(field << 3U | 2U);
    varint(value.size());
    out_.append(value);
    return *this;
  }
  WireWriter& message(std::uint32_t field, const WireWriter& value) { return bytes(field, value.out_); }
  WireWriter& entry(std::uint32_t field, std::string_view key, std::string_view value) {
    return message(field, WireWriter().bytes(1, key).bytes(2, value));
  }
  WireWriter& quantity(std::uint32_t field, std::string_view key, std::string_view value) {
    return message(field, WireWriter().bytes(1, key).message(2, WireWriter().bytes(1, value)));
  }
  WireWriter& time(std::uint32_t field, std::int64_t seconds, std::int32_t nanoseconds = 0) {
    return message(field, WireWriter().number(1, seconds).number(2, nanoseconds));
  }
  WireWriter& raw(std::string_view bytes_as_they_are) {
    out_.append(bytes_as_they_are);
    return *this;
  }
  [[nodiscard]] const std::string& str() const { return out_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) out_ += static_cast<char>(value | 0x80U);
    out_ += static_cast<char>(value);
  }
  std::string out_;
};

// The envelope in which objects travel.
[[nodiscard]] inline std::string wire_envelope(std::string_view api_version, std::string_view kind,
                                               std::string_view object) {
  return std::string("k8s\0", 4) +
         WireWriter().message(1, WireWriter().bytes(1, api_version).bytes(2, kind)).bytes(2, object).str();
}

}  // namespace reprise::kube::internal
