#include "agent/net/socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>

namespace reprise::agent {

std::string system_reason(int problem) {
  return std::system_category().message(problem);
}

bool wait_for(int fd, short events, runtime::Instant deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - runtime::SystemClock().steady());
    if (left.count() <= 0) return false;
    pollfd source{.fd = fd, .events = events, .revents = 0};
    const int ready = ::poll(&source, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

std::expected<FileDescriptor, std::string> connect_to(const Address& server, runtime::Instant deadline) {
  FileDescriptor socket(::socket(server.get()->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.valid()) return std::unexpected(system_reason(errno));
  if (::connect(socket.get(), server.get(), server.length) == 0) return socket;
  if (errno != EINPROGRESS) return std::unexpected(system_reason(errno));
  if (!wait_for(socket.get(), POLLOUT, deadline)) return std::unexpected("no connection in time");
  int problem = 0;
  socklen_t size = sizeof problem;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &problem, &size);
  if (problem != 0) return std::unexpected(system_reason(problem));
  return socket;
}

}  // namespace reprise::agent
