#include "rehearsal/agent_program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>

extern char** environ;

namespace reprise::rehearsal {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTimeout{5'000};

std::unexpected<runtime::Error> no_agent(const std::filesystem::path& file, const std::string& found) {
  return runtime::fail(runtime::ErrorClass::Invalid,
                       "the agent: " + file.string() + " " + found + "; must be reprise-agent");
}

// Reads a program's output until it ends, closes its output or has had its time.
std::string output_of(int descriptor) {
  std::string text;
  const auto until = steady_clock::now() + kTimeout;
  std::array<char, 256> part{};
  while (text.size() < part.size()) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - steady_clock::now());
    pollfd ready{.fd = descriptor, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) break;
    const ssize_t size = ::read(descriptor, part.data(), part.size());
    if (size <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
  return text;
}

}  // namespace

runtime::Result<void> check_agent(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored))
    return runtime::fail(runtime::ErrorClass::Invalid, "the agent is not there: " + file.string());
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return no_agent(file, std::generic_category().message(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string name = file.string(), word = "version";
  std::array<char*, 3> words{name.data(), word.data(), nullptr};
  pid_t child = -1;
  const int problem = ::posix_spawn(&child, name.c_str(), &actions, nullptr, words.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  const std::string text = problem == 0 ? output_of(ends[0]) : "";
  ::close(ends[0]);
  if (problem != 0) return no_agent(file, "cannot be run: " + std::generic_category().message(problem));
  // The program has answered, or never will.
  ::kill(child, SIGKILL);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
  if (!text.starts_with("reprise-agent ")) return no_agent(file, "does not answer 'version' as the agent does");
  return {};
}

}  // namespace reprise::rehearsal
