#include "agent/formats/checkpoint_name.h"

#include <algorithm>
#include <array>

#include "agent/formats/name_numbers.h"
#include "agent/formats/names/date_in_name.h"

namespace reprise::agent {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr std::array<std::string_view, 7> kWords{"step", "checkpoint", "ckpt", "epoch", "iter", "save", "snapshot"};

std::string lower(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return lower(c); });
  return text;
}

// The name up to the end of the number that follows "step", "steps", "step-", "step=" or "step_".
std::optional<std::string_view> up_to_step(std::string_view name) {
  const std::string text = lower(name);
  for (std::size_t word = text.rfind("step"); word != std::string::npos; word = text.rfind("step", word - 1)) {
    std::size_t at = word + 4;
    if (at < text.size() && text[at] == 's') ++at;
    if (at < text.size() && (text[at] == '-' || text[at] == '=' || text[at] == '_')) ++at;
    const std::size_t digits = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at > digits) return name.substr(0, at);
    if (word == 0) break;
  }
  return std::nullopt;
}

}  // namespace

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::optional<std::int64_t> step_of(std::string_view path) {
  const std::string_view whole = last_part(path);
  if (whole.starts_with('.')) return std::nullopt;
  const auto with_step = up_to_step(whole);
  if (!with_step)
    if (const auto date = date_in_name(whole)) return date;
  const std::string_view name = with_step.value_or(whole);
  const auto numbers = numbers_in(name);
  const auto last = std::find_if(numbers.rbegin(), numbers.rend(),
                                 [](const NameNumber& each) { return each.counts != NameNumber::Counts::Parts; });
  if (last == numbers.rend()) return std::nullopt;
  const std::string_view digits = name.substr(last->begin, last->end - last->begin);
  return value_of(digits.substr(digits.rfind('.') + 1));
}

bool names_checkpoint(std::string_view path) {
  const std::string_view name = last_part(path);
  if (!step_of(name)) return false;
  if (std::all_of(name.begin(), name.end(), is_digit)) return true;
  const std::string text = lower(name);
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return text.contains(word); });
}

std::string naming_of(std::string_view name) {
  std::string naming;
  for (const char c : name) {
    if (!is_digit(c))
      naming += c;
    else if (!naming.ends_with('#'))
      naming += '#';
  }
  return naming;
}

}  // namespace reprise::agent
