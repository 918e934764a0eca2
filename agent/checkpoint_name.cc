#include "agent/checkpoint_name.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace reprise::agent {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::array<std::string_view, 7> kWords{"step", "checkpoint", "ckpt", "epoch", "iter", "save", "snapshot"};

}  // namespace

std::optional<std::int64_t> step_of(std::string_view name) {
  if (name.starts_with('.')) return std::nullopt;
  const auto last = std::find_if(name.rbegin(), name.rend(), is_digit);
  if (last == name.rend()) return std::nullopt;
  const auto before = std::find_if_not(last, name.rend(), is_digit);
  const char* begin = name.data() + (name.rend() - before);
  const char* end = name.data() + (name.rend() - last);
  std::int64_t step = 0;
  const auto [stop, problem] = std::from_chars(begin, end, step);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return step;
}

bool names_checkpoint(std::string_view name) {
  if (!step_of(name)) return false;
  if (std::all_of(name.begin(), name.end(), is_digit)) return true;
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), lower);
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return text.contains(word); });
}

}  // namespace reprise::agent
