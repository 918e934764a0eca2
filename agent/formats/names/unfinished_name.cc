#include "agent/formats/names/unfinished_name.h"

#include <algorithm>
#include <array>
#include <optional>

#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

using NameParts = std::vector<NamePart>;

// Nothing else is called so.
constexpr std::array<std::string_view, 4> kAnywhere{"incomplete", "unfinished", "inprogress", "uncommitted"};
// At the end alone: "part-0" is a shard, "temp_0.7" a temperature, "creative-writing-step-5" a data set.
constexpr std::array<std::string_view, 6> kAtTheEnd{"part", "partial", "temp", "writing", "saving", "staging"};
constexpr std::array<std::string_view, 2> kAtTheBegin{"temp", "partial"};

bool is_one_of(const auto& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool says_unfinished(std::string_view name, const NameParts& parts, std::size_t at) {
  const std::string& word = parts[at].text;
  if (parts[at].is_number) return false;
  // "tmp", and what tempfile makes of it: "tmpk3x9".
  if (word.starts_with("tmp") || is_one_of(kAnywhere, word)) return true;
  if (word == "progress") return at > 0 && parts[at - 1].text == "in";
  if (at + 1 == parts.size() && at > 0) return is_one_of(kAtTheEnd, word);
  const std::size_t begin = parts[at].begin;
  if (word == "temp" && begin > 0 && name[begin - 1] == '.') return true;  // "step_20.temp-81"
  return at == 0 && parts.size() > 1 && is_one_of(kAtTheBegin, word) && !parts[1].is_number;
}

std::optional<std::size_t> unfinished_word_in(std::string_view name, const NameParts& parts) {
  for (std::size_t at = 0; at < parts.size(); ++at)
    if (says_unfinished(name, parts, at)) return at;
  return std::nullopt;
}

}  // namespace

bool names_unfinished_save(std::string_view name) {
  const std::string_view stem = without_file_ending(name);
  return unfinished_word_in(stem, parts_of_name(stem)).has_value();
}

std::string_view name_when_finished(std::string_view name) {
  const NameParts parts = parts_of_name(name);
  const auto at = unfinished_word_in(name, parts);
  if (!at) return name;
  if (*at == 0) return parts.size() > 1 ? name.substr(parts[1].begin) : name;
  const std::size_t before = *at - (parts[*at].text == "progress" && *at > 1 ? 2 : 1);
  return name.substr(0, parts[before].begin + parts[before].text.size());
}

}  // namespace reprise::agent
