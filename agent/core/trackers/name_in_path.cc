#include "agent/core/trackers/name_in_path.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

// The place where a part of a path begins that is that name, or the last one, which may lack its ending.
std::optional<std::size_t> find_name(std::string_view said, std::string_view name) {
  const std::string_view stem = without_file_ending(name);
  for (std::size_t end = said.size(); end > 0;) {
    const std::size_t slash = said.rfind('/', end - 1);
    const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
    const std::string_view part = said.substr(begin, end - begin);
    if (part == name || (end == said.size() && part == stem)) return begin;
    if (slash == std::string_view::npos) break;
    end = slash;
  }
  return std::nullopt;
}

std::string padded(std::int64_t number, std::string_view like) {
  std::string text = std::to_string(number);
  const bool is_padded = like.starts_with('0') && text.size() < like.size();
  return is_padded ? std::string(like.size() - text.size(), '0') + text : text;
}

// Each number in the text that is the step of the one is that of the other.
std::string with_step_of(std::string_view text, std::string_view from, std::string_view to) {
  const auto before = step_of(from), now = step_of(to);
  std::string changed;
  std::size_t copied = 0;
  for (const NamePart& part : parts_of_name(text)) {
    if (!part.is_number || !before || !now || value_of(part.text) != before) continue;
    changed.append(text.substr(copied, part.begin - copied));
    changed += padded(*now, part.text);
    copied = part.begin + part.text.size();
  }
  return changed.append(text.substr(copied));
}

std::optional<std::int64_t> epoch_in(std::string_view name) {
  for (const NameNumber& each : numbers_in(last_part(name)))
    if (each.counts == NameNumber::Counts::Epochs) return each.value;
  return std::nullopt;
}

}  // namespace

bool may_be_meant_by(std::string_view said, std::string_view folder, std::string_view name) {
  const std::string_view directory = directory_of(name);
  const bool lies_below =
      folder.empty() || directory == folder ||
      (directory.size() > folder.size() && directory.starts_with(folder) && directory[folder.size()] == '/');
  const auto begin = find_name(said, last_part(name));
  if (!lies_below || !begin) return false;
  std::string_view before = said.substr(0, *begin);
  while (before.ends_with('/') || before == ".") before.remove_suffix(1);
  return before.empty() || directory.empty() || last_part(before) == last_part(directory);
}

std::optional<std::string> renamed(const std::string& said, const std::string& from, const std::string& to,
                                   const std::function<bool(const std::string& path)>& is_there) {
  const std::string_view old = last_part(from), now = last_part(to);
  const auto begin = find_name(said, old);
  if (!begin) return std::nullopt;
  const std::string_view before = std::string_view(said).substr(0, *begin);
  const std::string_view from_name = std::string_view(said).substr(*begin);
  const bool is_stem = from_name == without_file_ending(old) && from_name != old;
  if (from_name == old || is_stem) return std::string(before) + std::string(is_stem ? without_file_ending(now) : now);
  const std::string rest(from_name.substr(old.size()));
  for (const std::string& each : {rest, with_step_of(rest, from, to)})
    if (each == "/" || is_there(to + each)) return std::string(before) + std::string(now) + each;
  return std::nullopt;
}

std::optional<std::string> number_in_place_of(std::string_view from, std::string_view to, std::string_view digits,
                                              bool is_epoch) {
  const bool alike = naming_of(last_part(from)) == naming_of(last_part(to));
  const auto now = is_epoch ? (alike ? epoch_in(to) : std::nullopt) : step_of(last_part(to));
  return now ? std::optional(padded(*now, digits)) : std::nullopt;
}

}  // namespace reprise::agent
