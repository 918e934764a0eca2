#include "agent/core/generations/generation.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "agent/core/generations/epoch_and_step.h"
#include "agent/core/generations/halves/lacking_state.h"

namespace reprise::agent {
namespace {

using Part = Generation::Part;

// The parts of one kind: by their paths, and by the attempts that made them.
struct Kind {
  std::map<std::string, std::int32_t> attempts;                // by part
  std::map<std::int32_t, std::set<std::string>> by_attempt{};  // parts

  [[nodiscard]] std::size_t most_of_one_attempt() const {
    std::size_t most = 0;
    for (const auto& [attempt, parts] : by_attempt) most = std::max(most, parts.size());
    return most;
  }
};

std::map<std::string, Kind> kinds_of(const Generation& generation) {
  std::map<std::string, Kind> kinds;
  for (const Part& each : generation.parts) {
    Kind& kind = kinds[each.says.series];
    std::int32_t& attempt = kind.attempts[each.says.part];
    attempt = std::max(attempt, each.attempt);
    kind.by_attempt[each.attempt].insert(each.says.part);
  }
  return kinds;
}

bool has_all(const Kind& newer, const Kind& older) {
  const std::int32_t first = newer.by_attempt.begin()->first;
  const bool all_there = std::ranges::all_of(older.attempts, [&](const auto& part) {
    return newer.attempts.contains(part.first) || part.second < first;  // part of an earlier attempt
  });
  return all_there && newer.most_of_one_attempt() >= older.most_of_one_attempt();
}

// Judges by the part of `newer` that has most of it, which a later attempt may have called otherwise ("version_1").
// Empty: it has all.
std::string lacking_state_of(const Generation& newer, const Generation& older) {
  for (const Part& each : older.parts) {
    std::string lacking;
    bool has_all = each.state.kinds.empty();
    for (const Part& other : newer.parts) {
      if (has_all || other.says.kind != each.says.kind) continue;
      const auto kinds = lacking_state(other.state.kinds, each.state.kinds);
      has_all = kinds.empty();
      if (!has_all) lacking = one_of(kinds.front(), other.state.kinds);
    }
    if (!has_all) return lacking.empty() ? each.name : lacking;
  }
  return {};
}

// The pieces of all parts: which of them a loose file is nearest to may differ from save to save.
std::vector<StateFiles> pieces_of(const Generation& generation) {
  std::map<std::string, StateFiles> kinds;
  for (const Part& part : generation.parts)
    for (const StateFiles& each : part.pieces.for_keep) {
      const auto [known, is_new] = kinds.try_emplace(each.kind, each);
      if (is_new) continue;
      known->second.count += each.count;
      known->second.came_with_save = known->second.came_with_save || each.came_with_save;
    }
  std::vector<StateFiles> pieces;
  for (auto& [kind, files] : kinds) pieces.push_back(std::move(files));
  return pieces;
}

std::string lacking_piece_of(const Generation& newer, const Generation& older) {
  const auto there = pieces_of(newer);
  auto needed = pieces_of(older);
  std::erase_if(needed, [](const StateFiles& each) { return !each.came_with_save; });
  const auto lacking = lacking_state(there, needed);
  return lacking.empty() ? std::string() : one_of(lacking.front(), there);
}

std::vector<std::string> unclear_names(const Checkpoints& found, const MadeCheckpoints& made,
                                       const std::string& job_uid) {
  std::vector<std::string> names;
  for (const Checkpoint& each : found)
    if (made_by(job_uid, each.name, made) && !read_save_name(each.name).step) names.push_back(each.name);
  return names;
}

// Names of which every entry of the job is in doubt.
std::set<std::string_view> doubtful_names(const MadeCheckpoints& made, const std::string& job_uid) {
  std::set<std::string_view> names, certain;
  for (const MadeCheckpoint& each : made)
    if (each.job_uid == job_uid) (each.doubtful ? names : certain).insert(each.name);
  for (const std::string_view name : certain) names.erase(name);
  return names;
}

}  // namespace

bool Generation::is_complete() const {
  return std::ranges::all_of(parts, &Part::complete);
}

Generations group_by_save(const Checkpoints& found, const MadeCheckpoints& made, const std::string& job_uid,
                          Doubtful doubtful) {
  Generations generations;
  std::map<std::int64_t, Generation, std::greater<>> by_step;
  const auto told = told_by_all(unclear_names(found, made, job_uid));
  const auto in_doubt = doubtful == Doubtful::Count ? doubtful_names(made, job_uid) : std::set<std::string_view>();
  for (const Checkpoint& each : found) {
    const bool is_doubtful = each.complete && in_doubt.contains(each.name);
    if (!is_doubtful && !made_by(job_uid, each.name, made)) continue;
    SaveName says = read_save_name(each.name);
    if (const auto by_others = told.find(each.name); by_others != told.end()) says = by_others->second;
    if (!says.step) {
      if (each.complete && says.has_numbers && !is_doubtful) generations.unclear.push_back(each.name);
      continue;
    }
    Generation& generation = by_step[*says.step];
    generation.step = *says.step;
    generation.parts.push_back({.name = each.name,
                                .says = std::move(says),
                                .complete = each.complete,
                                .attempt = last_attempt_at(each.name, made, job_uid),
                                .doubtful = is_doubtful,
                                .state = each.state,
                                .pieces = each.pieces});
  }
  for (auto& [step, generation] : by_step)
    if (!std::ranges::all_of(generation.parts, &Part::doubtful)) generations.known.push_back(std::move(generation));
  return generations;
}

bool has_parts_of(const Generation& newer, const Generation& older) {
  const auto there = kinds_of(newer);
  const bool has_names = std::ranges::all_of(kinds_of(older), [&](const auto& each) {
    const auto same = there.find(each.first);
    return same != there.end() && has_all(same->second, each.second);
  });
  return has_names && lacking_state_of(newer, older).empty() && lacking_piece_of(newer, older).empty();
}

bool has_any_part_of(const Generation& newer, const Generation& older) {
  return std::ranges::any_of(kinds_of(older),
                             [there = kinds_of(newer)](const auto& each) { return there.contains(each.first); });
}

std::string lacking_part(const Generation& newer, const Generation& older) {
  const std::map<std::string, Kind> there = kinds_of(newer);
  for (const Part& each : older.parts) {
    const auto kind = there.find(each.says.series);
    if (kind == there.end() || !kind->second.attempts.contains(each.says.part)) return each.name;
  }
  std::string lacking = lacking_state_of(newer, older);
  return lacking.empty() ? lacking_piece_of(newer, older) : lacking;
}

}  // namespace reprise::agent
