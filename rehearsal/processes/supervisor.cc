#include "rehearsal/processes/supervisor.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "agent/process/trainer/process_tree.h"
#include "rehearsal/processes/system_error.h"

namespace reprise::rehearsal {
namespace {

constexpr int kPassedOn[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCONT, SIGWINCH};

sigset_t supervised() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kPassedOn) sigaddset(&set, signal);
  sigaddset(&set, SIGCHLD);
  sigaddset(&set, kill_request());
  return set;
}

template <class T>
void write_report(int fd, const T& report) {
  [[maybe_unused]] const auto written = ::write(fd, &report, sizeof report);
}

[[noreturn]] void fail_start(int report, int error_number, const std::string& doing) {
  StartReport start{.main = -1, .error_number = error_number};
  std::strncpy(start.doing, doing.c_str(), sizeof start.doing - 1);
  write_report(report, start);
  ::_exit(1);
}

void default_signals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void redirect(const ContainerCommand& command, int failed) {
  const int in = ::open("/dev/null", O_RDONLY);
  const char* output = command.output.empty() ? "/dev/null" : command.output.c_str();
  const int out = ::open(output, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (in < 0 || out < 0) fail_start(failed, errno, "open " + std::string(output));
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::close(in);
  ::close(out);
}

// `failed`: closes when the command is executed.
[[noreturn]] void execute(const ContainerCommand& command, const Isolation& isolation, int failed) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  if (isolation.processes && ::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
    fail_start(failed, errno, "mount /proc");
  redirect(command, failed);
  if (!command.directory.empty() && ::chdir(command.directory.c_str()) != 0)
    fail_start(failed, errno, "start in " + command.directory.string());
  ::clearenv();
  for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<std::string> words = command.words;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  default_signals();
  ::execvp(arguments[0], arguments.data());
  fail_start(failed, errno, "execute " + command.words[0]);
}

// Kills all that the command left. With a process table of its own the kernel has done it already.
int kill_the_rest() {
  int killed = 0;
  for (;;) {
    for (const agent::Process& each : agent::processes_below(::getpid()))
      if (::kill(each.pid, SIGKILL) == 0) ++killed;
    // Every pass reaps at least one, or nothing is left.
    if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return killed;
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
  }
}

struct Watched {
  pid_t main;
  int status = 0;
  bool ended = false;
};

void reap(Watched& watched) {
  int status = 0;
  while (const pid_t pid = ::waitpid(-1, &status, WNOHANG)) {
    if (pid < 0) return;
    if (pid != watched.main) continue;
    watched.status = status;
    watched.ended = true;
  }
}

EndReport watch(pid_t main, pid_t caller) {
  Watched watched{.main = main};
  const sigset_t set = supervised();
  while (!watched.ended) {
    int signal = 0;
    if (sigwait(&set, &signal) != 0) continue;
    if (signal == SIGCHLD)
      reap(watched);
    else
      ::kill(main, signal == kill_request() || ::getppid() != caller ? SIGKILL : signal);
  }
  return {.wait_status = watched.status, .left_behind = kill_the_rest()};
}

// Closes every descriptor of the caller; the pipe's end moves out of the way.
int leave_descriptors(int report) {
  constexpr int kKept = 3;
  if (report != kKept) ::dup2(report, kKept);
  ::close_range(kKept + 1, ~0U, 0);
  ::fcntl(kKept, F_SETFD, FD_CLOEXEC);
  return kKept;
}

}  // namespace

int kill_request() {
  return SIGRTMIN + 1;
}

void block_supervised_signals() {
  const sigset_t set = supervised();
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

void supervise(const ContainerCommand& command, const Isolation& isolation, pid_t caller, int inherited) {
  ::setsid();
  ::signal(SIGPIPE, SIG_IGN);  // reports to a caller that is gone must not end it: processes are left to kill
  ::prctl(PR_SET_PDEATHSIG, kill_request());
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int report = leave_descriptors(inherited);
  if (::getppid() != caller) ::_exit(1);
  if (auto entered = enter(isolation); !entered) fail_start(report, EPERM, entered.error().message);
  if (!command.mounts.empty()) {
    if (auto mounted = mount_all(command.mounts, command.scratch); !mounted)
      fail_start(report, EPERM, mounted.error().message);
  }
  int alive[2];
  if (::pipe2(alive, O_CLOEXEC) != 0) fail_start(report, errno, "make a pipe");
  const pid_t main = ::fork();
  if (main < 0) fail_start(report, errno, "fork");
  if (main == 0) {
    ::close(alive[0]);
    execute(command, isolation, alive[1]);
  }
  ::close(alive[1]);
  StartReport start;
  if (::read(alive[0], &start, sizeof start) <= 0) start = {.main = main, .error_number = 0};
  ::close(alive[0]);
  write_report(report, start);
  write_report(report, watch(main, caller));
  ::_exit(0);
}

}  // namespace reprise::rehearsal
