#include "agent/formats/layouts/parts_by_name.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kSeparators = "-_. ";

// The last word in front of a place, in small letters, and what stands before it.
struct WordBefore {
  std::string word;
  std::string_view rest;
};

WordBefore word_in_front(std::string_view text) {
  while (!text.empty() && kSeparators.contains(text.back())) text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && std::isalpha(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
  std::string word(text.substr(begin));
  std::ranges::transform(word, word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return {.word = std::move(word), .rest = text.substr(0, begin)};
}

// "step 40 of 100" is no part, and the model of fold 1 of 5 is whole without the others.
bool counts_something_else(std::string_view word) {
  constexpr std::array<std::string_view, 24> kOthers{"epoch", "epochs", "ep",      "iter",  "iteration", "iterations",
                                                     "batch", "ba",     "fold",    "folds", "split",     "stage",
                                                     "phase", "task",   "seed",    "run",   "trial",     "round",
                                                     "cycle", "exp",    "attempt", "day",   "level",     "member"};
  return word.ends_with("step") || word.ends_with("steps") || std::ranges::find(kOthers, word) != kOthers.end();
}

// Shards of one model, as many as its size asks for, whoever has written them.
bool are_weights(std::string_view path) {
  constexpr std::array<std::string_view, 2> kOfWeights{".safetensors", ".bin"};
  constexpr std::array<std::string_view, 8> kWordsForRanks{"rank", "worker", "process", "proc",
                                                           "node", "host",   "gpu",     "size"};
  const std::string_view name = last_part(path);
  if (std::ranges::none_of(kOfWeights, [&](auto ending) { return name.ends_with(ending); })) return false;
  return std::ranges::none_of(parts_of_name(name), [&](const NamePart& part) {
    return std::ranges::find(kWordsForRanks, part.text) != kWordsForRanks.end();
  });
}

}  // namespace

std::optional<std::int64_t> count_in_name(std::string_view path) {
  constexpr std::int64_t kMostParts = 1'000'000;
  const std::string_view name = last_part(path);
  const auto numbers = numbers_in(name);
  for (std::size_t at = 0; at < numbers.size(); ++at) {
    const auto [word, rest] = word_in_front(name.substr(0, numbers[at].begin));
    const auto& value = numbers[at].value;
    if (!value || *value < 1 || *value > kMostParts) continue;
    if (word == "size" && word_in_front(rest).word == "world") return value;
    if (word != "of" || at == 0 || rest.empty() || !kSeparators.contains(rest.back())) continue;
    const std::string_view before = rest.substr(0, rest.find_last_not_of(kSeparators) + 1);
    if (before.size() == numbers[at - 1].end &&
        !counts_something_else(word_in_front(name.substr(0, numbers[at - 1].begin)).word))
      return value;
  }
  return std::nullopt;
}

void PartsByName::add(const std::string& path) {
  Alike& alike = alike_[naming_of(path)];
  alike.paths.insert(path);
  if (const auto count = count_in_name(path)) alike.by_count[*count].insert(path);
}

std::optional<PartsByName::TooFew> PartsByName::too_few(HeldParts held) const {
  for (const auto& [naming, alike] : alike_) {
    for (const auto& [count, paths] : alike.by_count) {
      const std::int64_t needed = are_weights(*paths.begin()) ? count : held.of(count);
      if (static_cast<std::int64_t>(paths.size()) < needed)
        return TooFew{.path = *paths.begin(), .there = paths.size(), .needed = needed};
    }
  }
  return std::nullopt;
}

std::optional<std::string> PartsByName::lacks_kind(const PartsByName& other) const {
  for (const auto& [naming, theirs] : other.alike_)
    if (!alike_.contains(naming)) return *theirs.paths.begin();
  return std::nullopt;
}

std::vector<StateFiles> PartsByName::kinds() const {
  std::vector<StateFiles> kinds;
  for (const auto& [naming, alike] : alike_)
    kinds.push_back({.kind = naming,
                     .count = static_cast<std::int64_t>(alike.paths.size()),
                     .counts_itself = !alike.by_count.empty(),
                     .first = *alike.paths.begin(),
                     .last = *alike.paths.rbegin()});
  return kinds;
}

}  // namespace reprise::agent
