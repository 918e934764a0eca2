#include "agent/net/plain_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "agent/net/socket.h"

namespace reprise::agent {
namespace {

std::expected<void, std::string> send_all(int socket, std::string_view request, runtime::Instant deadline) {
  while (!request.empty()) {
    const ssize_t sent = ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      request.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EAGAIN && errno != EINTR) {
      return std::unexpected(system_reason(errno));
    } else if (!wait_for(socket, POLLOUT, deadline)) {
      return std::unexpected("it takes no request in time");
    }
  }
  return {};
}

}  // namespace

std::expected<std::string, std::string> ask_plainly(const Address& server, std::string_view request,
                                                    runtime::Instant deadline, const Reading& reading) {
  const auto socket = connect_to(server, deadline);
  if (!socket) return std::unexpected(socket.error());
  if (auto sent = send_all(socket->get(), request, deadline); !sent) return std::unexpected(std::move(sent.error()));
  std::string answer;
  std::array<char, 4096> block{};
  while (!reading.ends(answer)) {
    if (!wait_for(socket->get(), POLLIN, deadline)) return std::unexpected("no answer in time");
    const ssize_t got = ::recv(socket->get(), block.data(), block.size(), 0);
    if (got == 0) break;
    if (got > 0)
      answer.append(block.data(), static_cast<std::size_t>(got));
    else if (errno != EAGAIN && errno != EINTR)
      return std::unexpected(system_reason(errno));
  }
  return answer;
}

}  // namespace reprise::agent
