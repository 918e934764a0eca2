#include "agent/core/generations/halves/gangs/ranks_of_saves.h"

#include <algorithm>

#include "agent/core/generations/halves/lacking_state.h"
#include "agent/core/generations/smaller_gang.h"

namespace reprise::agent {
namespace {

std::string say_lacking(const Share& there, const Save& save, std::int64_t parts) {
  return there.names.front() + " of the other ranks (" + std::to_string(save.gang.ranks) + " pods trained, parts of " +
         std::to_string(parts) + " ranks are there)";
}

}  // namespace

std::optional<std::string> ranks_lacking_of_first(const Save& save, const std::string& share) {
  const Share& there = save.shares.at(share);
  const auto own = numbered_by(there.names.front());
  if (!own) return std::nullopt;
  NumberedParts parts{.are_processes = own->is_process};
  for (const auto& [key, other] : save.shares) {
    const auto by = other.complete ? numbered_by(other.names.front()) : std::nullopt;
    if (!by) continue;
    ++parts.count;
    if (other.family == there.family) parts.numbers.insert(by->number);
  }
  if (may_be_all_ranks(parts, save.gang)) return std::nullopt;
  return say_lacking(there, save, parts.count);
}

std::optional<std::string> ranks_lacking_of_larger(const Save& save, const std::string& share, const Save& last) {
  const Share& there = save.shares.at(share);
  const PartsBefore before{.one = there.names.front(), .count = last.count(there.family), .gang = last.gang};
  const auto due = parts_of_larger_gang(before, save.gang);
  const std::int64_t have = save.count(there.family);
  return due && have < *due ? std::optional(say_lacking(there, save, have)) : std::nullopt;
}

StateKinds files_lacking_of_larger(const StateKinds& now, GangSize gang, const StateKinds& before,
                                   GangSize gang_before) {
  StateKinds lacking;
  for (const StateFiles& each : before) {
    const auto due = parts_of_larger_gang({.one = each.first, .count = each.count, .gang = gang_before}, gang);
    const std::int64_t have = count_of(now, each.kind);
    if (!due || each.counts_itself || have < each.count || have >= *due) continue;
    lacking.push_back(each);
    lacking.back().count = *due;
  }
  return lacking;
}

bool has_files_of_smaller_gang(const Save& save, const std::string& share, const StateKinds& lacking,
                               GangSize gang_before) {
  const Share& there = *save.whole(share);
  return std::ranges::all_of(lacking, [&](const StateFiles& files) {
    const auto needed = parts_of_smaller_gang(
        {.one = files.first, .other = files.last, .count = files.count, .gang = gang_before}, save.gang);
    return needed && there.attempt == save.attempt && count_of(there.state, files.kind) >= *needed;
  });
}

bool are_ranks_lacking(const Save& save, const Save& last, const std::string& share, const std::string& lacking) {
  const Share *there = last.whole(share), *other = last.whole(lacking);
  if (there == nullptr || other == nullptr || there->family != other->family || other->doubtful) return false;
  const PartsBefore before{.one = there->names.front(),
                           .other = other->names.front(),
                           .count = last.count(there->family),
                           .gang = last.gang};
  const auto due = parts_of_smaller_gang(before, save.gang);
  return due ? save.count_of_its_attempt(there->family) < *due : !may_have_fewer_parts(before, save.gang);
}

}  // namespace reprise::agent
