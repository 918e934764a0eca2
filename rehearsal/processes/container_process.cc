#include "rehearsal/processes/container_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <tuple>

extern "C" {
#include <sys/pidfd.h>  // declares C functions without saying so
}

#include "agent/process/trainer/process_tree.h"
#include "rehearsal/processes/supervisor.h"
#include "rehearsal/processes/system_error.h"

namespace reprise::rehearsal {
namespace {

// Pipes hand over a report in one piece; a signal may come first.
template <class T>
bool read_report(int fd, T& report) {
  for (;;) {
    const auto got = ::read(fd, &report, sizeof report);
    if (got < 0 && errno == EINTR) continue;
    return got == sizeof report;
  }
}

void close_if_open(int& fd) {
  if (fd >= 0) ::close(std::exchange(fd, -1));
}

}  // namespace

runtime::Result<ContainerProcess> ContainerProcess::start(const ContainerCommand& command, const Isolation& isolation) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return std::unexpected(system_error("make a pipe", errno));
  const pid_t caller = ::getpid();
  // Blocked across the fork, so that the supervisor misses none.
  sigset_t before;
  sigprocmask(SIG_BLOCK, nullptr, &before);
  block_supervised_signals();
  const pid_t supervisor = ::fork();
  if (supervisor == 0) supervise(command, isolation, caller, report[1]);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  ::close(report[1]);
  ContainerProcess process;
  process.report_ = report[0];
  if (supervisor < 0) return std::unexpected(system_error("fork", errno));
  process.supervisor_ = supervisor;
  process.descriptor_ = ::pidfd_open(supervisor, 0);
  StartReport start;
  if (!read_report(report[0], start))
    return runtime::fail(runtime::ErrorClass::Terminal, "the supervisor of a container died");
  if (start.error_number != 0) {
    runtime::Error error = system_error(start.doing, start.error_number);
    if (start.error_number == ENOENT) error.error_class = runtime::ErrorClass::NotFound;
    return std::unexpected(std::move(error));
  }
  process.main_ = start.main;
  return process;
}

ContainerProcess::ContainerProcess(ContainerProcess&& other) noexcept
    : supervisor_(std::exchange(other.supervisor_, -1)),
      main_(other.main_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      report_(std::exchange(other.report_, -1)),
      end_(other.end_) {}

ContainerProcess::~ContainerProcess() {
  kill_and_wait();
  close_if_open(descriptor_);
  close_if_open(report_);
}

void ContainerProcess::send(int signal) const {
  if (supervisor_ > 0) ::kill(supervisor_, signal == SIGKILL ? kill_request() : signal);
}

void ContainerProcess::kill_and_wait() {
  if (supervisor_ <= 0) return;
  send(SIGKILL);
  reap();
}

void ContainerProcess::reap() {
  while (::waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
  }
  supervisor_ = -1;
  EndReport report{.wait_status = SIGKILL, .left_behind = 0};
  std::ignore = read_report(report_, report);
  end_ = ContainerEnd{.left_behind = report.left_behind};
  if (WIFSIGNALED(report.wait_status)) {
    end_->signal = WTERMSIG(report.wait_status);
    end_->exit_code = 128 + end_->signal;
  } else {
    end_->exit_code = WEXITSTATUS(report.wait_status);
  }
}

std::optional<ContainerEnd> ContainerProcess::ended() {
  if (supervisor_ > 0) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(supervisor_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
      reap();
  }
  return end_;
}

void adopt_orphans_of_supervisors() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

int kill_orphans(const std::vector<const ContainerProcess*>& running) {
  const auto all = agent::processes_below(::getpid());
  std::vector<pid_t> spared;
  for (const auto* process : running) spared.push_back(process->supervisor());
  int killed = 0;
  for (const pid_t child : agent::children_of(::getpid(), all)) {
    if (std::ranges::find(spared, child) != spared.end()) continue;
    for (const agent::Process& below : agent::processes_below(child)) ::kill(below.pid, SIGKILL);
    if (::kill(child, SIGKILL) == 0) ++killed;
    ::waitpid(child, nullptr, 0);
  }
  return killed;
}

}  // namespace reprise::rehearsal
