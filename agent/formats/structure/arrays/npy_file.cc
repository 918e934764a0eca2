#include "agent/formats/structure/arrays/npy_file.h"

#include <charconv>
#include <optional>

#include "agent/formats/structure/little_endian.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kNpyMark{"\x93NUMPY", 6};
constexpr std::size_t kNpyFixed = 12;  // size of the longer form
constexpr std::uint64_t kLongestNpyHead = std::uint64_t{1} << 20U;

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// The bytes of an element: '<f4' has 4. The head is a dict as Python prints it.
std::optional<std::uint64_t> bytes_of_element(std::string_view head) {
  constexpr std::string_view kKey = "'descr': '";
  const std::size_t at = head.find(kKey);
  if (at == std::string_view::npos || at + kKey.size() + 2 > head.size()) return std::nullopt;
  std::string_view type = head.substr(at + kKey.size() + 1);
  constexpr std::string_view kInBytes = "fiucbSVMm", kInLetters = "U";
  constexpr std::uint64_t kBytesOfLetter = 4;
  const bool is_text = kInLetters.contains(type.front());
  if (!is_text && !kInBytes.contains(type.front())) return std::nullopt;
  type.remove_prefix(1);
  const auto number = take_number(type);
  return number ? std::optional(*number * (is_text ? kBytesOfLetter : 1)) : std::nullopt;
}

// How many there are: the product of "(3, 4)".
std::optional<std::uint64_t> elements_of(std::string_view head) {
  constexpr std::string_view kKey = "'shape': (";
  const std::size_t at = head.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  head.remove_prefix(at + kKey.size());
  std::uint64_t elements = 1;
  while (!head.empty() && head.front() != ')') {
    if (head.front() == ',' || head.front() == ' ') {
      head.remove_prefix(1);
      continue;
    }
    const auto length = take_number(head);
    if (!length || __builtin_mul_overflow(elements, *length, &elements)) return std::nullopt;
  }
  return head.empty() ? std::nullopt : std::optional(elements);
}

}  // namespace

bool begins_as_npy(std::string_view head) {
  return head.starts_with(kNpyMark);
}

Flawed check_npy(const CheckedFile& file) {
  const auto fixed = file.bytes(0, kNpyFixed);
  if (!fixed) return std::unexpected(fixed.error());
  const bool is_short = fixed->size() > kNpyMark.size() && (*fixed)[kNpyMark.size()] == '\1';
  const std::size_t begin = is_short ? kNpyFixed - 2 : kNpyFixed;
  const std::uint64_t length = little_endian(*fixed, 8, is_short ? 2 : 4);
  if (fixed->size() < begin || begin + length > file.size)
    return corrupt(file.name + ": its head is longer than the file");
  if (length > kLongestNpyHead) return std::nullopt;
  const auto head = file.bytes(begin, length);
  if (!head) return std::unexpected(head.error());
  const auto each = bytes_of_element(*head), elements = elements_of(*head);
  std::uint64_t needed = 0;
  if (!each || !elements || __builtin_mul_overflow(*each, *elements, &needed)) return std::nullopt;
  const std::uint64_t there = file.size - begin - length;
  if (there >= needed) return std::nullopt;
  return corrupt(file.name + ": has " + std::to_string(there) + " of " + std::to_string(needed) + " bytes");
}

}  // namespace reprise::agent
