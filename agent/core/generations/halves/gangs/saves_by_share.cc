#include "agent/core/generations/halves/gangs/saves_by_share.h"

#include <string_view>
#include <utility>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/generations/halves/gangs/late_ranks.h"
#include "agent/core/generations/halves/places_of_saves.h"
#include "agent/core/generations/halves/words/unclear_words.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/names/name_words.h"

namespace reprise::agent {
namespace {

std::optional<std::int64_t> several_by_name(std::string_view name) {
  const auto numbers = numbers_in(name);
  std::optional<std::int64_t> several;
  for (std::size_t at = 1; at < numbers.size(); ++at) {
    const NameNumber &one = numbers[at - 1], &all = numbers[at];
    const auto between = parts_of_name(name.substr(one.end, all.begin - one.end));
    const bool is_pair = one.counts == NameNumber::Counts::Parts && between.size() == 1 && between.front().text == "of";
    if (is_pair && several) return std::nullopt;  // numbers of two kinds
    if (is_pair) several = all.value;
  }
  return several;
}

// A format without a name of its own is the one format that was asked for, of marks.
bool says_it_ended(std::string_view format) {
  return format.empty() || format == kMarkerFormat || format == "Manifest";
}

Share share_of(const Checkpoint& each, const SaveName& says) {
  Share share{.family = says.family,
              .names = {each.name},
              .complete = each.complete,
              .time = each.time,
              .state = each.state.kinds};
  share.is_torn_file_of_a_format = !each.complete && !each.format.empty() && each.format != kMarkerFormat;
  share.says_it_ended = each.complete && says_it_ended(each.format);
  share.has_metric = std::ranges::any_of(numbers_in(last_part(each.name)), [](const NameNumber& number) {
    return number.counts == NameNumber::Counts::Metric && number.points == 1;
  });
  share.of_several = several_by_name(last_part(each.name));
  for (const NamePart& part : parts_of_name(each.name))
    if (!part.is_number) share.words.insert(part.text);
  return share;
}

void add(Save& save, const std::string& key, Share share) {
  const auto [there, is_new] = save.shares.try_emplace(key, share);
  Share& known = there->second;
  if (is_new || (known.complete && !share.complete)) return;
  if (known.complete == share.complete) share.names.insert(share.names.begin(), known.names.begin(), known.names.end());
  share.time = std::max(share.time, known.time);
  if (known.complete == share.complete) share.attempt = std::max(share.attempt, known.attempt);
  if (known.complete == share.complete && known.state.size() > share.state.size()) share.state = known.state;
  share.says_it_ended = share.says_it_ended && (known.says_it_ended || !known.complete);
  known = std::move(share);
}

// Shares that a training of one process has made, by family: another number of a rank in doubt is a neighbour's.
std::map<std::string, std::set<std::string>> shares_of_one(const MadeCheckpoints& made) {
  std::map<std::string, std::set<std::string>> shares;
  for (const MadeCheckpoint& each : made) {
    if (each.doubtful || !each.gang.is_alone()) continue;
    const SaveName says = read_save_name(each.name);
    shares[says.family].insert(says.share);
  }
  return shares;
}

}  // namespace

bool is_copy(const Share& share, const Share& beside) {
  return (share.has_metric && share.family != beside.family) || say_copy(share.words, beside.words);
}

bool differ_by_state(const Share& one, const Share& other) {
  return say_state(one.words, other.words) || say_state(other.words, one.words);
}

bool lie_beside(const Share& one, const Share& other) {
  return directory_of(one.names.front()) == directory_of(other.names.front());
}

bool lie_in_directories_alike(const Share& one, const Share& other) {
  const auto rest = [](const Share& share) {
    std::vector<std::string> words;
    for (const NamePart& part : parts_of_name(directory_of(share.names.front())))
      if (part.is_number || !say_state({part.text}, {})) words.push_back(part.text);
    return words;
  };
  return rest(one) == rest(other);
}

Saves saves_in(const Checkpoints& found, const MadeCheckpoints& made, StepsBy steps_by) {
  const Appearances appearances = appearances_in(made);
  const auto of_one = shares_of_one(made);
  const auto late = late_shares(made);
  const auto is_neighbours = [&](const Checkpoint& each, const SaveName& says) {
    const auto seen = appearances.find(each.name);
    if (seen == appearances.end() || !seen->second.doubtful || !seen->second.gang.is_alone()) return false;
    const auto own = of_one.find(says.family);
    return own != of_one.end() && !own->second.contains(says.share) && !late.contains(says.share);
  };
  std::map<std::int64_t, Save> by_step;
  for (const Checkpoint& each : found) {
    if (each.complete && steps_by == StepsBy::Names && may_be_none(each, made)) continue;
    const SaveName says = read_save_name(each.name);
    const auto step = steps_by == StepsBy::Names ? says.likely : number_of_unknown_word(each.name);
    if (!step || is_neighbours(each, says)) continue;
    Save& save = by_step[*step];
    save.step = *step;
    Share share = share_of(each, says);
    if (const auto seen = appearances.find(each.name); seen != appearances.end()) {
      share.attempt = seen->second.attempt;
      share.gang = seen->second.gang;
      share.doubtful = seen->second.doubtful;
      if (share.attempt > save.attempt) save.gang = share.gang;
      save.attempt = std::max(save.attempt, share.attempt);
    }
    add(save, says.share, std::move(share));
  }
  Saves saves;
  for (auto& [step, save] : by_step) {
    leave_out_former_places(save);
    saves.push_back(std::move(save));
  }
  return saves;
}

}  // namespace reprise::agent
