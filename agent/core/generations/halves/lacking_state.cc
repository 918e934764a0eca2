#include "agent/core/generations/halves/lacking_state.h"

#include <algorithm>

#include "agent/core/generations/halves/words/words_of_parts.h"
#include "agent/formats/names/name_words.h"
#include "agent/formats/pieces/loose_file.h"

namespace reprise::agent {
namespace {

Words words_of(const StateFiles& files) {
  Words words;
  for (const NamePart& part : parts_of_name(files.kind))
    if (!part.is_number) words.insert(part.text);
  return words;
}

const StateFiles* find_kind(const StateKinds& kinds, const std::string& kind) {
  const auto found = std::ranges::find(kinds, kind, &StateFiles::kind);
  return found == kinds.end() ? nullptr : &*found;
}

// Words for a state that it has, and none of those.
bool has_word_of_its_own(const StateFiles& files, const StateKinds& others) {
  const Words words = words_of(files);
  return say_state(words, {}) &&
         std::ranges::all_of(others, [&](const StateFiles& other) { return say_state(words, words_of(other)); });
}

}  // namespace

// A training may have a buffer of its own for its tests ("test_buffer_300.npz").
bool never_has_to_be(const StateFiles& files) {
  Words words = words_of(files);
  if (names_training_data(files.kind))
    for (const char* each : {"test", "val", "eval", "evaluation"}) words.erase(each);
  return say_copy(words, {}) || say_output(words);
}

StateKinds lacking_state(const StateKinds& now, const StateKinds& before) {
  StateKinds missing, fewer, more;
  bool has_any_of_them = false;
  for (const StateFiles& each : before) {
    if (never_has_to_be(each)) continue;
    const StateFiles* there = find_kind(now, each.kind);
    has_any_of_them = has_any_of_them || there != nullptr;
    if (there == nullptr)
      missing.push_back(each);
    else if (!there->counts_itself && there->count < each.count)
      fewer.push_back(each);
  }
  for (const StateFiles& each : now)
    if (find_kind(before, each.kind) == nullptr && !never_has_to_be(each)) more.push_back(each);
  const bool may_be_renamed = more.size() >= missing.size();
  std::erase_if(missing, [&](const StateFiles& each) {
    return may_be_renamed && (!has_any_of_them || !has_word_of_its_own(each, more));
  });
  missing.insert(missing.end(), fewer.begin(), fewer.end());
  return missing;
}

bool is_of_state(const StateFiles& files) {
  return say_state(words_of(files), {});
}

bool say_ranks(const std::string& path) {
  return std::ranges::any_of(parts_of_name(path),
                             [](const NamePart& part) { return meaning_of(part.text) == WordFor::Ranks; });
}

bool are_of_ranks(const StateFiles& files) {
  return say_ranks(files.kind);
}

std::int64_t count_of(const StateKinds& kinds, const std::string& kind) {
  const StateFiles* found = find_kind(kinds, kind);
  return found == nullptr ? 0 : found->count;
}

const std::string& one_of(const StateFiles& lacking, const StateKinds& now) {
  return count_of(now, lacking.kind) == 0 ? lacking.first : lacking.last;
}

}  // namespace reprise::agent
