#include "agent/core/stop/telling/telling.h"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>

#include "agent/core/stop/telling/told.h"

namespace reprise::agent {
namespace {

// A trainer needs longer until it handles a signal or saves: Python itself starts in 20 ms.
constexpr std::chrono::milliseconds kLookAgain{20};
// A process that goes on starting lives although it was signalled is killed.
constexpr int kLives = 3;

std::string signal_name(int signal) {
  const char* const name = ::sigabbrev_np(signal);
  return name == nullptr ? "signal " + std::to_string(signal) : "SIG" + std::string(name);
}

std::string processes_named(const std::vector<pid_t>& pids, const std::vector<Process>& processes) {
  std::string names;
  for (const pid_t pid : pids) {
    const Process* const process = find_process(pid, processes);
    if (!names.empty()) names += ", ";
    if (process != nullptr && !process->name.empty()) names += process->name + " ";
    names += std::to_string(pid);
  }
  return names;
}

}  // namespace

std::string Telling::tell(int signal, const std::vector<Process>& processes) {
  auto told = told_to_stop(signal, trainer_.pid(), processes);
  signal_ = told.signal;
  told_ = std::move(told.pids);
  after_ = std::move(told.after);
  ranks_ = told_;
  all_handled_ = std::ranges::all_of(told_, [&](pid_t pid) {
    const Process* const process = find_process(pid, processes);
    return process != nullptr && has_signal(process->caught, signal_);
  });
  if (std::ranges::any_of(told_, [&](pid_t pid) { return pid != trainer_.pid(); }))
    second_lives_.emplace(told_, processes);
  const bool shown = !hide_ends(processes);
  for (const pid_t pid : told_) send(pid, signal_);
  if (told_.empty()) return {};
  return signal_name(signal_) + " goes to " + processes_named(told_, processes) +
         (shown ? "; who has started them sees each end: this container may not trace its processes" : "");
}

// False where it would be of use and cannot be done. A process that nobody has given a rank has no others for whose end
// a launcher would end it; and who waits for it by its pidfd may not bear that the kernel says its end in two steps.
bool Telling::hide_ends(const std::vector<Process>& processes) {
  std::vector<pid_t> below;
  std::ranges::copy_if(ranks_, std::back_inserter(below),
                       [&](pid_t pid) { return has_launcher(pid, processes) && host_.was_given_a_rank(pid); });
  if (below.empty()) return true;
  hides_ends_ = true;
  together_ = trainer_.hide_ends(below);
  return together_ || below.size() == 1;
}

void Telling::let_go() {
  if (hides_ends_) trainer_.show_ends();
  hides_ends_ = false;
}

void Telling::tell_trainer() {
  told_ = {trainer_.pid()};
  after_.clear();
  trainer_.send(SIGTERM);
}

std::string Telling::go_on() {
  std::string line = end_second_lives();
  if ((after_.empty() && !hides_ends_) || !ended()) return line;
  for (const pid_t pid : after_) send(pid, signal_);
  let_go();
  told_.insert(told_.end(), after_.begin(), after_.end());
  after_.clear();
  return line;
}

// The list of all processes takes many calls. A process has its number a moment before it is in the list, so that one
// more look follows each number.
bool Telling::may_have_begun_anew() {
  const auto newest = host_.newest_pid();
  const bool is_same = newest && newest == newest_;
  if (is_same && newest_was_there_) return false;
  newest_was_there_ = is_same;
  newest_ = newest;
  return true;
}

std::string Telling::end_second_lives() {
  if (!second_lives_ || std::ranges::all_of(ranks_, [this](pid_t pid) { return is_running(pid); })) return {};
  if (!may_have_begun_anew()) return {};
  const auto processes = host_.processes();
  const auto found = second_lives_->look(processes, host_.pid());
  for (const pid_t pid : found.lives) host_.send(pid, SIGKILL);
  std::string line;
  for (const pid_t pid : found.starters) {
    const int lives = ++starters_[pid];
    if (lives == 1)
      line = processes_named({pid}, processes) +
             " started the trainer again after it was told to stop and had ended: that one was killed before it could "
             "save";
    if (any_runs(ranks_)) continue;  // the launcher of ranks that still save
    send(pid, lives < kLives ? SIGTERM : SIGKILL);
  }
  return line;
}

bool Telling::ended() const {
  return !any_runs(told_);
}

bool Telling::any_runs(const std::vector<pid_t>& pids) const {
  return std::ranges::any_of(pids, [this](pid_t pid) { return is_running(pid); });
}

runtime::Instant Telling::wake_at(runtime::Instant otherwise) const {
  return second_lives_ ? std::min(otherwise, host_.clock().steady() + kLookAgain) : otherwise;
}

void Telling::send(pid_t pid, int signal) const {
  if (pid == trainer_.pid())
    trainer_.send(signal);
  else
    host_.send(pid, signal);
}

bool Telling::is_running(pid_t pid) const {
  return pid == trainer_.pid() ? !trainer_.exit_code().has_value() : host_.is_running(pid);
}

}  // namespace reprise::agent
