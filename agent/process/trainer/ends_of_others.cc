#include "agent/process/trainer/ends_of_others.h"

#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "agent/process/trainer/process_tree.h"

namespace reprise::agent {
namespace {

// struct pidfd_info of linux/pidfd.h in its first size, which older headers lack.
struct PidfdInfo {
  std::uint64_t mask = 0;
  std::uint64_t cgroup = 0;
  std::array<std::uint32_t, 11> ids{};  // pid, tgid, ppid, and those of users and groups
  std::int32_t exit_code = 0;           // as wait(2) has it
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t kInfoExit = 8;                          // PIDFD_INFO_EXIT
constexpr unsigned long kGetInfo = _IOWR(0xFF, 11, PidfdInfo);  // PIDFD_GET_INFO
constexpr std::array kStops{SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

int as_a_shell_has_it(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int as_a_shell_has_it(const siginfo_t& ended) {
  return ended.si_code == CLD_EXITED ? ended.si_status : 128 + ended.si_status;
}

// A process that is stopped in a stop cannot save: nobody is left standing.
void pass_on(pid_t pid, int status) {
  const int signal = WSTOPSIG(status);
  const bool of_the_tracer = status >> 16 != 0;
  if (of_the_tracer && std::ranges::find(kStops, signal) != kStops.end()) ::kill(pid, SIGCONT);
  ::ptrace(PTRACE_CONT, pid, nullptr, static_cast<std::intptr_t>(of_the_tracer ? 0 : signal));
}

// A child of the agent that has ended shows its code to nobody else before the agent has reaped it.
std::optional<int> code_of_unreaped_child(pid_t pid) {
  siginfo_t seen{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &seen, WEXITED | WNOHANG | WNOWAIT) != 0 || seen.si_pid == 0)
    return std::nullopt;
  return as_a_shell_has_it(seen);
}

}  // namespace

bool EndsOfOthers::hide(pid_t pid) {
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return false;
  traced_.insert(pid);
  shown_ = false;
  return true;
}

void EndsOfOthers::show() {
  shown_ = true;
  look();
}

void EndsOfOthers::look() {
  std::erase_if(traced_, [this](pid_t pid) { return look(pid); });
}

bool EndsOfOthers::look(pid_t pid) {
  for (;;) {
    siginfo_t seen{};
    if (::waitid(P_PID, static_cast<id_t>(pid), &seen, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0) {
      if (errno == EINTR) continue;
      return true;
    }
    if (seen.si_pid == 0) return false;
    const bool ended = seen.si_code == CLD_EXITED || seen.si_code == CLD_KILLED || seen.si_code == CLD_DUMPED;
    if (ended) codes_[pid] = as_a_shell_has_it(seen);
    // A process whose parent has ended is the agent's own by now.
    if (ended && !shown_ && parent_of(pid) != ::getpid()) return false;
    int status = 0;
    if (::waitpid(pid, &status, WNOHANG | __WALL) != pid) return ended;
    if (!WIFSTOPPED(status)) return true;
    pass_on(pid, status);
  }
}

void EndsOfOthers::follow(const std::vector<pid_t>& pids) {
  const auto is_other = [&](const auto& each) { return std::ranges::find(pids, each.first) == pids.end(); };
  std::erase_if(followed_, is_other);
  std::erase_if(codes_, is_other);
  for (const pid_t pid : pids)
    if (!followed_.contains(pid))
      followed_.emplace(pid, FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))));
}

void EndsOfOthers::note(pid_t pid, int exit_code) {
  if (followed_.contains(pid)) codes_[pid] = exit_code;
}

std::optional<int> EndsOfOthers::exit_code(pid_t pid) const {
  if (const auto code = codes_.find(pid); code != codes_.end()) return code->second;
  const auto followed = followed_.find(pid);
  if (followed == followed_.end()) return std::nullopt;
  if (const auto code = code_of_unreaped_child(pid)) return code;
  if (!followed->second.valid()) return std::nullopt;
  PidfdInfo info{.mask = kInfoExit};
  if (::ioctl(followed->second.get(), kGetInfo, &info) != 0 || (info.mask & kInfoExit) == 0) return std::nullopt;
  return as_a_shell_has_it(info.exit_code);
}

}  // namespace reprise::agent
