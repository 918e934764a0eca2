#include "agent/process/trainer/trainer_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "agent/process/trainer/process_tree.h"
#include "agent/volume/file_descriptor.h"
#include "agent/volume/volume_files.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;

// Everything the child needs, made before the fork: after it only async-signal-safe calls are allowed.
struct Image {
  std::vector<std::string> words;
  std::vector<char*> arguments;
  std::vector<char*> variables;
};

Image prepare(const std::vector<std::string>& command, const std::map<std::string, std::string>& variables) {
  Image image;
  image.words = command;
  for (const auto& [name, value] : variables)
    if (!value.empty()) image.words.push_back(name + "=" + value);
  for (std::size_t i = 0; i < command.size(); ++i) image.arguments.push_back(image.words[i].data());
  image.arguments.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (!variables.contains(std::string(text.substr(0, text.find('='))))) image.variables.push_back(*variable);
  }
  for (std::size_t i = command.size(); i < image.words.size(); ++i) image.variables.push_back(image.words[i].data());
  image.variables.push_back(nullptr);
  return image;
}

struct Streams {
  int output = -1, error = -1;  // -1: the agent's own
  int report = -1;              // why the command could not be executed
};

[[noreturn]] void become(const Image& image, const sigset_t& mask, pid_t agent, bool takes_terminal,
                         const Streams& streams) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != agent) ::_exit(protocol::kFencedExitCode);  // the agent died before the line above
  ::setpgid(0, 0);
  if (takes_terminal) ::tcsetpgrp(STDIN_FILENO, ::getpid());  // SIGTTOU is blocked here
  if (streams.output >= 0) ::dup2(streams.output, STDOUT_FILENO);
  if (streams.error >= 0) ::dup2(streams.error, STDERR_FILENO);
  ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  ::execvpe(image.arguments[0], image.arguments.data(), image.variables.data());
  const int problem = errno;
  [[maybe_unused]] const auto written = ::write(streams.report, &problem, sizeof problem);
  ::_exit(protocol::kNotFoundExitCode);
}

runtime::Error cannot_start(const std::string& command, int problem) {
  auto error = system_error("cannot start \"" + command + "\"", problem);
  const bool missing = problem == ENOENT || problem == ENOTDIR;
  error.error_class = missing ? ErrorClass::NotFound : ErrorClass::Forbidden;
  if (missing && command.find('/') == std::string::npos) {
    const char* path = std::getenv("PATH");
    error.message += " (looked for in PATH=" + std::string(path == nullptr ? "" : path) + ")";
  }
  return error;
}

}  // namespace

runtime::Result<std::unique_ptr<TrainerProcess>> TrainerProcess::start(const std::vector<std::string>& command,
                                                                       TrainerSetting setting,
                                                                       const runtime::Clock& clock) {
  const Image image = prepare(command, setting.variables);
  const bool takes_terminal = ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(system_error("make a pipe", errno));
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  const Streams streams{.output = setting.output ? setting.output->write_end() : -1,
                        .error = setting.error ? setting.error->write_end() : -1,
                        .report = write_end.get()};
  const pid_t agent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return std::unexpected(system_error("start \"" + command.front() + "\"", errno));
  if (pid == 0) become(image, setting.mask, agent, takes_terminal, streams);
  ::setpgid(pid, pid);  // both processes call it; fails harmlessly after the exec
  write_end = FileDescriptor();
  std::unique_ptr<TrainerProcess> trainer(new TrainerProcess(pid, takes_terminal, clock));
  for (auto* relay : {&setting.output, &setting.error})
    if (*relay) (*relay)->close_write_end();
  trainer->output_ = std::move(setting.output);
  trainer->error_ = std::move(setting.error);
  int problem = 0;
  ssize_t got = 0;
  while ((got = ::read(read_end.get(), &problem, sizeof problem)) < 0 && errno == EINTR) {
  }
  if (got != sizeof problem) return trainer;
  ::waitpid(pid, nullptr, 0);
  trainer->give_terminal_back();
  return std::unexpected(cannot_start(command.front(), problem));
}

void TrainerProcess::send(int signal) const {
  if (!exit_code_) ::kill(pid_, signal);
}

// The group outlives its leader; once nothing is left its number may belong to others.
void TrainerProcess::send_group(int signal) const {
  if (!all_gone_) ::kill(-pid_, signal);
}

bool TrainerProcess::group_gone() const {
  return all_gone_ || (::kill(-pid_, 0) != 0 && errno == ESRCH);
}

void TrainerProcess::reap() {
  ends_.look();
  for (;;) {
    siginfo_t seen{};
    const bool none = ::waitid(P_ALL, 0, &seen, WEXITED | WNOHANG | WNOWAIT) != 0;
    if (none && errno == EINTR) continue;
    // The kernel names children before those that are traced: whose end is hidden comes last.
    if (none || seen.si_pid == 0 || ends_.is_traced(seen.si_pid)) {
      all_gone_ = none;
      return;
    }
    int status = 0;
    if (::waitpid(seen.si_pid, &status, WNOHANG) != seen.si_pid) continue;
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    if (seen.si_pid == pid_)
      exit_code_ = code;
    else
      ends_.note(seen.si_pid, code);
  }
}

bool TrainerProcess::hide_ends(const std::vector<pid_t>& pids) {
  bool all = true;
  for (const pid_t pid : pids) all = ends_.hide(pid) && all;
  return all;
}

std::optional<int> TrainerProcess::exit_code_of(pid_t pid) const {
  return pid == pid_ ? exit_code_ : ends_.exit_code(pid);
}

bool TrainerProcess::kill_all(std::chrono::milliseconds timeout,
                              const std::function<void(std::chrono::milliseconds)>& pause) {
  const auto deadline = clock_.steady() + timeout;
  ends_.show();
  for (;;) {
    reap();
    if (all_gone_) return true;
    if (clock_.steady() >= deadline) return false;
    send_group(SIGKILL);
    if (::getpid() == 1) {
      ::kill(-1, SIGKILL);  // all processes in this PID namespace but PID 1
    } else {
      for (const Process& each : processes_below(::getpid())) ::kill(each.pid, SIGKILL);
    }
    pause(std::chrono::milliseconds(5));
  }
}

void TrainerProcess::give_terminal_back() const {
  if (has_terminal_) ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
}

bool TrainerProcess::drain_output(std::chrono::milliseconds timeout) {
  const auto deadline = clock_.steady() + timeout;
  bool all = true;
  for (const auto* relay : {&output_, &error_}) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock_.steady());
    if (*relay) all = (*relay)->finish(std::max(left, std::chrono::milliseconds(0))) && all;
  }
  return all;
}

void adopt_orphans() {
  if (::getpid() != 1) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

}  // namespace reprise::agent
