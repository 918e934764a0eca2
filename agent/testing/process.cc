#include "agent/testing/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <thread>
#include <tuple>

namespace reprise::agent::testing_support {

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

Process::Process(const Command& command) {
  pid_ = ::fork();
  if (pid_ != 0) return;
  const int in = ::open(command.input.empty() ? "/dev/null" : command.input.c_str(), O_RDONLY);
  ::dup2(in, STDIN_FILENO);
  if (!command.output.empty()) {
    const int out = ::open(command.output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::close(out);
  }
  ::close(in);
  if (!command.directory.empty() && ::chdir(command.directory.c_str()) != 0) ::_exit(99);
  for (const auto& [name, value] : command.variables) ::setenv(name.c_str(), value.c_str(), 1);
  for (const int number : {SIGINT, SIGQUIT}) ::signal(number, SIG_DFL);  // a shell's job in the background ignores them
  std::vector<std::string> words = command.words;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(98);
}

Process::Process(Process&& other) noexcept : pid_(other.pid_), ended_(other.ended_) {
  other.pid_ = -1;
}

Process::~Process() {
  if (pid_ <= 0 || ended_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Process::send(int signal) const {
  if (!ended_) ::kill(pid_, signal);
}

bool Process::running() {
  if (ended_) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
  ended_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return false;
}

std::optional<int> Process::wait(std::chrono::milliseconds timeout) {
  std::ignore = eventually([this] { return !running(); }, timeout);
  return ended_;
}

std::string status_of(pid_t pid, const std::string& field) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(field + ":")) continue;
    const auto value = line.find_first_not_of(" \t", field.size() + 1);
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

bool lives(pid_t pid) {
  const std::string state = status_of(pid, "State");
  return !state.empty() && !state.starts_with('Z') && !state.starts_with('X');
}

}  // namespace reprise::agent::testing_support
