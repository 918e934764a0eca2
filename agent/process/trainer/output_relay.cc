#include "agent/process/trainer/output_relay.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace reprise::agent {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10U;

// False: whoever reads is gone. What cannot be written for another reason, such as a full disk, is lost: a trainer that
// wrote there itself would see an error, and no signal would end it. One that does not wait, because whoever shares it
// has said so, is waited for here.
bool write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(to, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{.fd = to, .events = POLLOUT, .revents = 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno != EPIPE && errno != ECONNRESET;
    }
  }
  return true;
}

// The agent's own descriptors are all closed in whoever executes another program: one of them may have the number of a
// stream that was not open.
bool is_open_to_trainers(int stream) {
  const int flags = ::fcntl(stream, F_GETFD);
  return flags >= 0 && (flags & FD_CLOEXEC) == 0;
}

}  // namespace

struct OutputRelay::State {
  FileDescriptor read_end;
  FileDescriptor wake;
  int to = -1;
  Tell tell;
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;

  enum class Source { Bytes, Ended, Reader };

  // Waits for bytes, for the trainer's end, or for the end of whoever reads what it prints.
  [[nodiscard]] Source wait() const {
    std::array<pollfd, 3> sources{{{.fd = read_end.get(), .events = POLLIN, .revents = 0},
                                   {.fd = wake.get(), .events = POLLIN, .revents = 0},
                                   {.fd = to, .events = 0, .revents = 0}}};
    while (::poll(sources.data(), sources.size(), -1) < 0) {
    }
    if ((sources[2].revents & POLLERR) != 0) return Source::Reader;
    if (sources[0].revents != 0) return Source::Bytes;
    return Source::Ended;
  }

  void run() {
    std::vector<char> block(kBlock);
    for (bool ended = false;;) {
      const ssize_t got = ::read(read_end.get(), block.data(), block.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) {
        if (ended) break;
        const Source source = wait();
        if (source == Source::Reader) break;
        ended = source == Source::Ended;
        continue;
      }
      if (got <= 0) break;
      const std::string_view bytes(block.data(), static_cast<std::size_t>(got));
      if (tell) tell(bytes);
      if (!write_all(to, bytes)) break;
    }
    read_end = FileDescriptor();
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }
};

OutputRelay::OutputRelay(FileDescriptor write_end, std::shared_ptr<State> state)
    : write_end_(std::move(write_end)), state_(std::move(state)) {}

OutputRelay::~OutputRelay() {
  static_cast<void>(finish(std::chrono::milliseconds(0)));
}

std::unique_ptr<OutputRelay> OutputRelay::open(int to, Tell tell) {
  if (!is_open_to_trainers(to) || ::isatty(to) != 0) return nullptr;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return nullptr;
  auto state = std::make_shared<State>();
  state->read_end = FileDescriptor(ends[0]);
  FileDescriptor write_end(ends[1]);
  state->wake = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  state->to = to;
  state->tell = std::move(tell);
  if (!state->wake.valid() || ::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) return nullptr;
  try {
    std::thread([state] { state->run(); }).detach();
  } catch (const std::system_error&) {
    return nullptr;
  }
  return std::unique_ptr<OutputRelay>(new OutputRelay(std::move(write_end), std::move(state)));
}

bool OutputRelay::finish(std::chrono::milliseconds timeout) {
  close_write_end();
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(state_->wake.get(), &one, sizeof one);
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, timeout, [this] { return state_->done; });
}

}  // namespace reprise::agent
