#include "agent/formats/checkpoint_name.h"

#include <algorithm>

#include "agent/formats/name_numbers.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/names/short_number.h"

namespace reprise::agent {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return lower(c); });
  return text;
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
  return read_save_name(last_part(path)).order;
}

bool names_checkpoint(std::string_view path) {
  const std::string_view name = last_part(path);
  if (!step_of(name)) return false;
  if (std::all_of(name.begin(), name.end(), is_digit)) return true;
  return contains_word_for_checkpoint(lower(name));
}

std::string naming_of(std::string_view name) {
  std::string naming;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (!is_digit(name[at])) {
      naming += name[at];
      continue;
    }
    if (!naming.ends_with('#')) naming += '#';
    const bool begins = at == 0 || !is_digit(name[at - 1]);
    if (const auto more = begins ? read_short_number(name, at) : std::nullopt) at = more->end - 1;
  }
  return naming;
}

}  // namespace reprise::agent
