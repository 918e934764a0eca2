#include "agent/core/stop/telling/left_behind.h"

#include <algorithm>

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr double kWorks = 0.01;  // of a core
// Before a share is known: Python has begun to import.
constexpr milliseconds kBeginsToWork{200};
// A rank needs no longer until it computes, or it would be seen to.
constexpr seconds kStarts{20};
// Time in which somebody who is left shows work, and a service another write.
constexpr seconds kShowsWork{10};
// Ranks that compute so little for so long (stuck in their libraries' ends, say) train no more.
constexpr minutes kStandStill{10};
constexpr minutes kServiceWrites{10};
// Who starts its processes again and again leaves the former ones behind.
constexpr std::size_t kMostLeft = 256;

bool any_is(const std::vector<pid_t>& pids, pid_t pid) {
  return std::ranges::find(pids, pid) != pids.end();
}

}  // namespace

void Bystanders::note(const std::vector<Process>& processes, const std::vector<pid_t>& ranks, runtime::Instant now) {
  std::set<Identity> here;
  for (const Process& each : processes)
    if (!each.ended) here.insert({each.pid, each.started});
  std::erase_if(seen_, [&](const auto& each) { return !here.contains(each.first); });
  if (ranks.empty()) return;
  const bool goes_on = std::ranges::any_of(ranks_, [&](const Identity& each) { return here.contains(each); });
  ranks_.clear();
  for (const Process& each : processes) {
    if (each.ended) continue;
    const Identity identity{each.pid, each.started};
    if (!any_is(ranks, each.pid)) {
      seen_.try_emplace(identity, Seen{.since = now, .until = now}).first->second.until = now;
      continue;
    }
    // Beside ranks that run it is one that was late. Behind their ends it is a service that computes.
    if (goes_on) seen_.erase(identity);
    if (!seen_.contains(identity)) ranks_.insert(identity);
  }
}

bool Bystanders::has(const Process& process) const {
  const auto seen = seen_.find({process.pid, process.started});
  return seen != seen_.end() && seen->second.until - seen->second.since >= kStarts;
}

void LeftBehind::note(const std::vector<Process>& processes, const std::vector<pid_t>& ranks) {
  bystanders_.note(processes, ranks, host_.clock().steady());
  if (ranks.empty()) return;
  ranks_.clear();
  for (const Process& each : processes)
    if (any_is(ranks, each.pid))
      ranks_[each.pid] = {.command = each.command, .below_launcher = has_launcher(each.pid, processes)};
}

// Others had ended with 0 before: whoever started them has seen it and meant its 0. Of one whose code nobody knows that
// holds where a shell started another program.
bool LeftBehind::is_meant_to_be_left(const Process& rank) const {
  return std::ranges::any_of(ranks_, [&](const auto& each) {
    if (each.first == rank.pid || host_.is_running(each.first)) return false;
    const auto code = trainer_.exit_code_of(each.first);
    return code ? *code == 0 : !each.second.below_launcher && each.second.command != rank.command;
  });
}

// Another program may have been its training.
bool LeftBehind::may_be_meant_to_be_left(const Process& rank) const {
  return std::ranges::any_of(ranks_, [&](const auto& each) {
    return each.second.command != rank.command && !host_.is_running(each.first) &&
           !trainer_.exit_code_of(each.first).has_value();
  });
}

bool LeftBehind::begin() {
  began_ = at_work_ = host_.clock().steady();
  const auto processes = host_.processes();
  const auto trained = [this](const Process& process) { return ranks_.contains(process.pid); };
  for (const Process& each : processes)
    if (!each.ended) add(each, bystanders_.has(each) || (trained(each) && is_meant_to_be_left(each)));
  if (left_.empty()) return false;
  for (const Process& each : processes) {
    const auto left = left_.find(each.pid);
    if (left == left_.end()) continue;
    if (!left->second.service && trained(each)) {
      note_worker(each.pid, processes);
      left->second.was_there_at_an_end = may_be_meant_to_be_left(each);
    }
    if (left->second.service && left->second.written) service_wrote_ = began_;
  }
  if (worked_)
    for (const auto& [pid, rank] : ranks_)
      if (rank.below_launcher && !left_.contains(pid)) workers_[pid] = pid;
  follow();
  return trains();
}

void LeftBehind::add(const Process& process, bool service) {
  const auto held = host_.held_files(process.pid, directory_);
  left_[process.pid] = {.service = service, .cpu = process.cpu, .written = held.written};
  may_wait_ = may_wait_ || (held.gpu && !service);
}

void LeftBehind::look(const std::vector<Process>& processes, const std::string& moves) {
  const auto now = host_.clock().steady();
  note_end();
  bool works = !moves_.empty() && moves != moves_;
  moves_ = moves;
  for (const Process& each : processes) {
    if (each.ended) continue;
    if (!left_.contains(each.pid) && left_.size() < kMostLeft) add(each, false);
    const auto found = left_.find(each.pid);
    if (found == left_.end()) continue;
    Left& left = found->second;
    const bool wrote = writes(each.pid, left);
    if (left.service) {
      if (wrote) service_wrote_ = now;
      continue;
    }
    const bool computes = each.burn ? *each.burn >= kWorks : each.cpu - left.cpu >= kBeginsToWork;
    if (!computes && !wrote) continue;
    note_worker(each.pid, processes);
    works = works || wrote || !left.was_there_at_an_end;
  }
  if (works) at_work_ = now;
  follow();
}

// One of them is done: what was beside it proves by its computing alone no longer that it trains.
void LeftBehind::note_end() {
  for (const auto& [pid, means] : workers_) {
    if (done_.contains(pid) || host_.is_running(pid) || trainer_.exit_code_of(pid) != 0) continue;
    done_.insert(pid);
    for (auto& [other, left] : left_) left.was_there_at_an_end = true;
  }
}

bool LeftBehind::writes(pid_t pid, Left& left) const {
  const auto written = host_.held_files(pid, directory_).written;
  return std::exchange(left.written, written) != written && written;
}

// A shell says what its children's ends mean.
void LeftBehind::note_worker(pid_t pid, const std::vector<Process>& processes) {
  worked_ = true;
  pid_t means = pid;
  for (const Process* at = find_process(pid, processes); at != nullptr; at = find_process(at->parent, processes))
    if (is_shell(*at) && !at->ended) means = at->pid;
  workers_[pid] = means;
  if (const auto left = left_.find(means); left != left_.end()) left->second.service = false;
}

void LeftBehind::follow() {
  std::set<pid_t> pids;
  for (const auto& [pid, left] : left_) pids.insert(pid);
  for (const auto& [pid, means] : workers_) pids.insert({pid, means});
  trainer_.follow_ends({pids.begin(), pids.end()});
}

bool LeftBehind::runs(bool service) const {
  return std::ranges::any_of(
      left_, [&](const auto& each) { return each.second.service == service && host_.is_running(each.first); });
}

bool LeftBehind::trains() {
  const auto codes = exit_codes();
  if (std::ranges::any_of(codes, [](const std::optional<int>& code) { return code.value_or(0) != 0; })) return false;
  if (!runs(false)) look(host_.processes(), moves_);  // one may have started another and ended
  const auto now = host_.clock().steady();
  const auto silence = worked_ || may_wait_ ? milliseconds(kStandStill) : milliseconds(kShowsWork);
  if (runs(false) && now - at_work_ < silence) return true;
  // A save that goes on beside the training.
  return runs(true) && service_wrote_ != runtime::Instant::min() && now - service_wrote_ < kShowsWork &&
         now - began_ < kServiceWrites;
}

std::vector<std::optional<int>> LeftBehind::exit_codes() const {
  std::vector<std::optional<int>> codes;
  for (const auto& [pid, means] : workers_) codes.push_back(trainer_.exit_code_of(means));
  return codes;
}

}  // namespace reprise::agent
