#include "runtime/client/internal/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

extern char** environ;

namespace reprise::runtime {
namespace {

// A descriptor that is closed in the end.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
  }
  Descriptor read, write;
};

struct SpawnSettings {
  SpawnSettings(int out, int err) {
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    for (const int number : {SIGPIPE, SIGTERM, SIGINT, SIGHUP, SIGQUIT}) sigaddset(&signals, number);
    posix_spawnattr_setsigdefault(&attributes, &signals);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};
};

std::vector<std::string> environment_of(const ChildCommand& command) {
  std::vector<std::string> all;
  for (const auto& [key, value] : command.environment) all.push_back(key + "=" + value);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view inherited(*entry);
    const std::string_view key = inherited.substr(0, inherited.find('='));
    const bool replaced = std::ranges::any_of(command.environment, [&](const auto& own) { return own.first == key; });
    if (!replaced) all.emplace_back(inherited);
  }
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// False when there is more than the limit.
bool drain(const Descriptor& from, std::string& into, std::size_t limit) {
  std::array<char, 4096> bytes{};
  for (;;) {
    const ssize_t size = read(from.get(), bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return true;
    into.append(bytes.data(), static_cast<std::size_t>(size));
    if (into.size() > limit) return false;
  }
}

// Waits for the child and reads its output. Empty: the child has ended by itself.
std::optional<Error> attend(const ChildCommand& command, const ChildStop& stop, int child, const Descriptor& out,
                            const Descriptor& err, ChildOutput& output) {
  const auto deadline = std::chrono::steady_clock::now() + command.timeout;
  std::array<pollfd, 4> watched{
      {{child, POLLIN, 0}, {stop.descriptor(), POLLIN, 0}, {out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}}};
  for (;;) {
    const auto left = std::chrono::ceil<Duration>(deadline - std::chrono::steady_clock::now());
    if (left <= Duration{0}) {
      return Error{ErrorClass::Unavailable,
                   "did not end within " + std::to_string(command.timeout.count()) + " ms and was killed",
                   {}};
    }
    if (poll(watched.data(), watched.size(), static_cast<int>(left.count())) < 0 && errno != EINTR) {
      return Error{ErrorClass::Unavailable, std::string("poll: ") + std::strerror(errno), {}};
    }
    if (watched[1].revents != 0) return Error{ErrorClass::Cancelled, "was stopped", {}};
    const bool ended = watched[0].revents != 0;
    if (!drain(out, output.standard_output, command.output_limit) ||
        !drain(err, output.standard_error, command.output_limit)) {
      return Error{ErrorClass::Unavailable,
                   "printed more than " + std::to_string(command.output_limit) + " bytes and was killed",
                   {}};
    }
    if (ended) return std::nullopt;
    for (pollfd& each : watched) {
      if ((each.revents & POLLHUP) != 0 && each.fd != child) each.fd = -1;
    }
  }
}

}  // namespace

ChildStop::ChildStop() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

ChildStop::~ChildStop() {
  close(descriptor_);
}

void ChildStop::stop() const {
  (void)eventfd_write(descriptor_, 1);
}

Result<ChildOutput> run_child(const ChildCommand& command, const ChildStop& stop) {
  Pipe out, err;
  if (out.write.get() < 0 || err.write.get() < 0) return fail(ErrorClass::Unavailable, "cannot make a pipe");
  const SpawnSettings settings(out.write.get(), err.write.get());
  auto arguments = command.arguments;
  auto environment = environment_of(command);
  pid_t pid = -1;
  const int failure = posix_spawnp(&pid, arguments.front().c_str(), &settings.actions, &settings.attributes,
                                   pointers(arguments).data(), pointers(environment).data());
  if (failure != 0) {
    return fail(failure == ENOENT ? ErrorClass::NotFound : ErrorClass::Unavailable,
                std::string("cannot be run: ") + std::strerror(failure));
  }
  out.write.reset();
  err.write.reset();
  const Descriptor child(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  ChildOutput output;
  auto error = attend(command, stop, child.get(), out.read, err.read, output);
  // Before it is waited for, its number cannot belong to anyone else.
  kill(-pid, SIGKILL);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (error) return std::unexpected(*std::move(error));
  output.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace reprise::runtime
