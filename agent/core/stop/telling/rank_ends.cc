#include "agent/core/stop/telling/rank_ends.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <utility>

#include "agent/core/stop/telling/ranks_by_burn.h"
#include "protocol/exit_codes.h"

namespace reprise::agent {
namespace {

// Who starts its ranks again and again leaves the former ones behind.
constexpr std::size_t kMostFollowed = 256;
// Behind a launcher's 0 each second that nobody trains is paid for.
constexpr std::chrono::seconds kLookBehind{1};

bool is_among(const std::vector<pid_t>& pids, pid_t pid) {
  return std::ranges::find(pids, pid) != pids.end();
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

void RankEnds::note(const std::vector<Process>& processes, const std::string& moves) {
  looked_at_ = host_.clock().steady();
  if (outlived_) return left_behind_.look(processes, moves);
  if (trainer_.exit_code()) return;
  const auto all = ranks_by_burn(SIGTERM, processes);
  left_behind_.note(processes, all);
  const auto ranks = below_launchers(all, processes);
  const bool goes_on = std::ranges::any_of(ranks, [this](pid_t pid) { return is_among(ranks_, pid); });
  if (!ranks.empty() && (!goes_on || ranks_.size() > kMostFollowed)) ranks_.clear();
  for (const pid_t pid : ranks)
    if (!is_among(ranks_, pid)) ranks_.push_back(pid);
  if (all.empty()) return;
  auto followed = ranks_;
  std::ranges::copy_if(all, std::back_inserter(followed), [&](pid_t pid) { return !is_among(ranks_, pid); });
  trainer_.follow_ends(followed);
}

runtime::Instant RankEnds::look_at(runtime::Instant otherwise) const {
  return outlived_ && !code_behind_launcher_ ? std::min(otherwise, looked_at_ + kLookBehind) : otherwise;
}

void RankEnds::note_told(const std::vector<pid_t>& ranks, const std::vector<Process>& processes) {
  const auto below = below_launchers(ranks, processes);
  told_ = true;
  if (below.empty() && trainer_.exit_code()) return;  // its launcher has ended: they are known
  ranks_ = below;
  trainer_.follow_ends(ranks_);
}

bool RankEnds::outlive_launcher() {
  if (trainer_.exit_code() != 0 || code_behind_launcher_) return false;
  const bool begins = !std::exchange(outlived_, true);
  if (begins) ranks_.clear();
  if (begins ? left_behind_.begin() : left_behind_.trains()) return true;
  // Before the rest of them is killed.
  code_behind_launcher_ = exit_code_of_training(0, left_behind_.exit_codes());
  return false;
}

int RankEnds::exit_code(int launcher) const {
  if (code_behind_launcher_) return *code_behind_launcher_;
  return launcher == 0 && !told_ && !outlived_ ? 0 : exit_code_of_training(launcher, exit_codes());
}

std::string RankEnds::describe(int launcher) const {
  if (left_behind_.worked()) return "the launcher ended with 0 while its ranks trained on: their ends count";
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
  auto codes = left_behind_.exit_codes();
  for (const pid_t pid : ranks_) codes.push_back(trainer_.exit_code_of(pid));
  return codes;
}

}  // namespace reprise::agent
