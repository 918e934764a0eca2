#include "agent/core/stop/telling/rank_ends.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>
#include <utility>

#include "agent/core/stop/telling/ranks_by_burn.h"
#include "protocol/exit_codes.h"

namespace reprise::agent {
namespace {

// Who starts its ranks again and again leaves the former ones behind.
constexpr std::size_t kMostFollowed = 256;
// Ranks behind a launcher's 0 that compute so little for so long (stuck in their libraries' ends, say) train no more.
constexpr double kWorks = 0.01;  // of a core
constexpr std::chrono::minutes kStandStill{10};

bool is_among(const std::vector<pid_t>& pids, pid_t pid) {
  return std::ranges::find(pids, pid) != pids.end();
}

pid_t parent_of(pid_t pid, const std::vector<Process>& processes) {
  const Process* const process = find_process(pid, processes);
  return process == nullptr ? 0 : process->parent;
}

std::vector<pid_t> below_launchers(std::vector<pid_t> ranks, const std::vector<Process>& processes) {
  std::erase_if(ranks, [&](pid_t pid) { return !has_launcher(pid, processes); });
  return ranks;
}

}  // namespace

int exit_code_of_training(int launcher, const std::vector<std::optional<int>>& ranks) {
  const auto some = [&](int code) { return std::ranges::find(ranks, std::optional(code)) != ranks.end(); };
  if (launcher == protocol::kDoNotRestartExitCode || some(protocol::kDoNotRestartExitCode))
    return protocol::kDoNotRestartExitCode;
  const auto failed = std::ranges::find_if(ranks, [](const std::optional<int>& code) {
    return code.has_value() && *code != 0 && *code != protocol::kCheckpointedExitCode && *code != 128 + SIGTERM;
  });
  if (failed == ranks.end() && some(protocol::kCheckpointedExitCode)) return protocol::kCheckpointedExitCode;
  if (launcher != 0) return launcher;
  if (failed != ranks.end()) return **failed;
  return some(128 + SIGTERM) ? 128 + SIGTERM : 0;
}

void RankEnds::note(const std::vector<Process>& processes) {
  if (outlived_) return note_work(processes);
  if (trainer_.exit_code()) return;
  const auto ranks = below_launchers(ranks_by_burn(SIGTERM, processes), processes);
  if (ranks.empty()) return;
  const bool goes_on = std::ranges::any_of(ranks, [this](pid_t pid) { return is_among(ranks_, pid); });
  if (!goes_on || ranks_.size() > kMostFollowed) {
    ranks_.clear();
    noted_.clear();
  }
  for (auto& [pid, each] : noted_) each.in_last_look = false;
  for (const pid_t pid : ranks) {
    if (!is_among(ranks_, pid)) ranks_.push_back(pid);
    const auto [known, is_new] = noted_.try_emplace(pid);
    if (is_new)
      known->second = {.launcher = parent_of(pid, processes),
                       .was_given_a_rank = host_.was_given_a_rank(pid),
                       .has_a_rank = host_.has_a_rank(pid)};
    known->second.in_last_look = true;
  }
  trainer_.follow_ends(ranks_);
}

void RankEnds::note_told(const std::vector<pid_t>& ranks, const std::vector<Process>& processes) {
  const auto below = below_launchers(ranks, processes);
  told_ = true;
  if (below.empty() && trainer_.exit_code()) return;  // its launcher has ended: they are known
  ranks_ = below;
  trainer_.follow_ends(ranks_);
}

bool RankEnds::outlive_launcher() {
  if (trainer_.exit_code() != 0 || ranks_.empty()) return false;
  if (!outlived_) {
    auto left = left_at_work();
    if (left.empty()) return false;
    outlived_ = true;
    ranks_ = std::move(left);
    at_work_ = host_.clock().steady();
  }
  const auto runs = [this](pid_t pid) { return host_.is_running(pid); };
  const auto codes = exit_codes();
  const bool failed = std::ranges::any_of(codes, [](const std::optional<int>& code) { return code.value_or(0) != 0; });
  const bool stand_still = host_.clock().steady() - at_work_ >= kStandStill;
  if (!failed && !stand_still && std::ranges::any_of(ranks_, runs)) return true;
  // Before the rest of them is killed.
  if (!code_behind_launcher_) code_behind_launcher_ = exit_code_of_training(0, codes);
  return false;
}

// One that has the rank of the pod itself shows by its siblings alone that a launcher gave it. The end of one that was
// gone at the last look says nothing: it may have been started anew.
std::vector<pid_t> RankEnds::left_at_work() const {
  std::set<pid_t> launchers;
  for (const auto& [pid, each] : noted_)
    if (each.was_given_a_rank && host_.is_running(pid)) launchers.insert(each.launcher);
  std::vector<pid_t> left;
  for (const auto& [pid, each] : noted_) {
    if (!launchers.contains(each.launcher) || !each.has_a_rank) continue;
    if (!host_.is_running(pid)) {
      if (!each.in_last_look) continue;
      if (trainer_.exit_code_of(pid) == 0) return {};
    }
    left.push_back(pid);
  }
  return left;
}

void RankEnds::note_work(const std::vector<Process>& processes) {
  const bool any_works = std::ranges::any_of(ranks_, [&](pid_t pid) {
    const Process* const process = find_process(pid, processes);
    return process != nullptr && process->burn.value_or(0) >= kWorks;
  });
  if (any_works) at_work_ = host_.clock().steady();
}

int RankEnds::exit_code(int launcher) const {
  if (code_behind_launcher_) return *code_behind_launcher_;
  return launcher == 0 && !told_ && !outlived_ ? 0 : exit_code_of_training(launcher, exit_codes());
}

std::string RankEnds::describe(int launcher) const {
  if (outlived_) return "the launcher ended with 0 while its ranks trained on: their ends count";
  const int code = exit_code(launcher);
  if (code == launcher) return {};
  return "a rank ended with " + std::to_string(code) + ", its launcher with " + std::to_string(launcher);
}

bool RankEnds::all_ended_with(std::span<const int> codes) const {
  const auto ends = exit_codes();
  return !ends.empty() && std::ranges::all_of(ends, [&](const std::optional<int>& end) {
    return std::ranges::any_of(codes, [&](int code) { return end == code; });
  });
}

std::vector<std::optional<int>> RankEnds::exit_codes() const {
  std::vector<std::optional<int>> codes;
  for (const pid_t pid : ranks_) codes.push_back(trainer_.exit_code_of(pid));
  return codes;
}

}  // namespace reprise::agent
