// The characters of names and numbers in a shell.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace reprise::apps::lint::shell {

// A letter, a decimal digit, or "_".
[[nodiscard]] inline bool is_name_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The number that the whole text is; empty: it is none.
[[nodiscard]] inline std::optional<int> number_in(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace reprise::apps::lint::shell
