#include "agent/formats/names/copied_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

using Parts = std::vector<NamePart>;

constexpr std::array<std::string_view, 16> kCopies{"bak",      "bkp",  "bk",        "backup",  "backups",  "old",
                                                   "orig",     "copy", "copies",    "copied",  "original", "prev",
                                                   "previous", "dup",  "duplicate", "archived"};
// Words behind the name of a directory that holds others.
constexpr std::array<std::string_view, 5> kOfPlaces{"bak", "bkp", "backup", "old", "copy"};

bool has(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// "step_20~", "step_20 (1)": as editors and file managers call copies.
bool bears_sign_of_copy(std::string_view name) {
  constexpr std::size_t kLongestNumber = 3;
  if (name.ends_with('~')) return true;
  const std::size_t open = name.rfind('(');
  if (!name.ends_with(')') || open == std::string_view::npos || open == 0) return false;
  const std::string_view inside = name.substr(open + 1, name.size() - open - 2);
  const bool is_count = !inside.empty() && inside.size() <= kLongestNumber &&
                        inside.find_first_not_of("0123456789") == std::string_view::npos;
  // "step(20)" is a name with its number; behind another number it is the number of a copy.
  const Parts before = parts_of_name(name.substr(0, open));
  const bool has_number = std::ranges::any_of(before, &NamePart::is_number);
  return is_count && has_number && (before.back().is_number || meaning_of(before.back().text) == WordFor::Unknown);
}

// "step_20_old", "step_20.bak.2", "step_20-copy-3", "step_20 - Copy (2)", "step_20 (another copy)".
bool is_behind_number(const Parts& parts, std::size_t at) {
  if (at == 0) return false;
  const auto number = std::find_if(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(at),
                                   [](const NamePart& part) { return part.is_number; });
  return number != parts.begin() + static_cast<std::ptrdiff_t>(at) &&
         std::all_of(parts.begin() + static_cast<std::ptrdiff_t>(at), parts.end(),
                     [](const NamePart& part) { return part.is_number || has(kCopies, part.text); });
}

// "old_step_20", "Copy of step_20".
bool is_in_front(const Parts& parts, std::size_t at) {
  constexpr std::string_view kOf = "of";
  if (at != 0 || parts.size() < 3) return false;
  const std::size_t next = parts[1].text == kOf ? 2 : 1;
  return is_word_for_checkpoint(parts[next].text);
}

bool is_called_as_place_of_copies(std::string_view directory) {
  const Parts parts = parts_of_name(directory);
  if (parts.empty()) return false;
  const bool is_old = parts.size() == 1 && parts.front().text == "old";
  const bool is_copy = parts.size() > 1 && has(kOfPlaces, parts.back().text);
  return is_old || is_copy || bears_sign_of_copy(directory);
}

}  // namespace

bool names_copy(std::string_view name) {
  const std::string_view stem = without_file_ending(name);
  if (bears_sign_of_copy(stem) || name.ends_with('~')) return true;
  const Parts parts = parts_of_name(stem);
  for (std::size_t at = 0; at < parts.size(); ++at)
    if (has(kCopies, parts[at].text) && (is_behind_number(parts, at) || is_in_front(parts, at))) return true;
  return false;
}

bool is_place_of_copies(std::string_view directories) {
  for (std::size_t begin = 0; begin < directories.size();) {
    const std::size_t end = std::min(directories.find('/', begin), directories.size());
    const std::string_view directory = directories.substr(begin, end - begin);
    if (is_called_as_place_of_copies(directory) || names_copy(directory)) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace reprise::agent
