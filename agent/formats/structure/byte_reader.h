// Numbers and names from the front of a binary record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace reprise::agent {

// Bytes from the front; after the first that are not there all numbers are 0, and at_fault() says so.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_fault() const { return at_fault_; }
  [[nodiscard]] std::string_view rest() const { return bytes_; }
  void fail() { at_fault_ = true, bytes_ = {}; }

  std::string_view take(std::uint64_t length) {
    if (length > bytes_.size()) fail();
    const std::string_view taken = bytes_.substr(0, at_fault_ ? 0 : length);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  std::uint8_t byte() {
    const std::string_view taken = take(1);
    return taken.empty() ? 0 : static_cast<std::uint8_t>(taken.front());
  }
  std::uint64_t varint() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      number |= std::uint64_t{next & 0x7FU} << shift;
      if ((next & 0x80U) == 0) return number;
    }
    fail();
    return 0;
  }
  // How many entries follow: each takes a byte at least.
  std::size_t count() {
    const std::uint64_t number = varint();
    if (number > bytes_.size()) fail();
    return at_fault_ ? 0 : number;
  }
  std::vector<std::uint64_t> varints(std::size_t many) {
    std::vector<std::uint64_t> numbers;
    for (std::size_t at = 0; at < many && !at_fault_; ++at) numbers.push_back(varint());
    numbers.resize(many);
    return numbers;
  }

 private:
  std::string_view bytes_;
  bool at_fault_ = false;
};

}  // namespace reprise::agent
