#include "agent/testing/report_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <stdexcept>

namespace reprise::agent::testing_support {
namespace {

namespace asio = boost::asio;
using Stream = asio::ssl::stream<asio::ip::tcp::socket>;

std::string answer_of(ReportServer::Behaviour behaviour) {
  switch (behaviour) {
    case ReportServer::Behaviour::Takes:
      return "HTTP/1.1 204 No Content\r\n\r\n";
    case ReportServer::Behaviour::Denies:
      return "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno";
    case ReportServer::Behaviour::Throttles:
      return "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7200\r\n\r\n";
    case ReportServer::Behaviour::TalksGarbage:
      return std::string(100'000, '\xFF');
    case ReportServer::Behaviour::NeverAnswers:
    case ReportServer::Behaviour::NeverGreets:
    case ReportServer::Behaviour::GreetsHalf:
    case ReportServer::Behaviour::ClosesEarly:
      break;
  }
  return {};
}

std::size_t length_in(const std::string& head) {
  const auto at = head.find("Content-Length: ");
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
}

ReportServer::Request read_request(Stream& stream) {
  std::string text(65536, '\0');
  std::size_t used = 0, end = std::string::npos;
  while (end == std::string::npos || used < end + 4 + length_in(text.substr(0, end))) {
    used += stream.read_some(asio::buffer(text.data() + used, text.size() - used));
    end = text.substr(0, used).find("\r\n\r\n");
  }
  return {.head = text.substr(0, end), .body = text.substr(end + 4, used - end - 4)};
}

}  // namespace

ReportServer::ReportServer(Behaviour behaviour, const std::string& names, bool by_another_authority)
    : key_(by_another_authority ? runtime::testing::TestAuthority("another").issue("operator", names)
                                : authority_.issue("operator", names)),
      behaviour_(behaviour) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(listener_, 16) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw std::runtime_error("no port for the test's server");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

ReportServer::~ReportServer() {
  stop_ = true;
  thread_.join();
  ::close(listener_);
}

std::vector<ReportServer::Request> ReportServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void ReportServer::serve() {
  asio::io_context context;
  asio::ssl::context tls(asio::ssl::context::tls_server);
  const std::string chain = key_.certificate_pem + authority_.certificate_pem();
  tls.use_certificate_chain(asio::buffer(chain));
  tls.use_private_key(asio::buffer(key_.key_pem), asio::ssl::context::pem);
  std::vector<std::unique_ptr<Stream>> held;
  while (!stop_) {
    pollfd waiting{.fd = listener_, .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 20) <= 0) continue;
    const int accepted = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted < 0) continue;
    ++connections_;
    const Behaviour behaviour = behaviour_;
    auto stream = std::make_unique<Stream>(asio::ip::tcp::socket(context, asio::ip::tcp::v4(), accepted), tls);
    if (behaviour == Behaviour::GreetsHalf) {
      constexpr std::array<unsigned char, 9> kBegin{22, 3, 3, 0, 122, 2, 0, 0, 118};  // beginning of a ServerHello
      boost::system::error_code ignored;
      asio::write(stream->next_layer(), asio::buffer(kBegin), ignored);
    }
    if (behaviour == Behaviour::NeverGreets || behaviour == Behaviour::GreetsHalf) {
      held.push_back(std::move(stream));
      continue;
    }
    try {
      stream->handshake(asio::ssl::stream_base::server);
      resumed_ += SSL_session_reused(stream->native_handle());
      if (behaviour == Behaviour::ClosesEarly) continue;
      auto request = read_request(*stream);
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(std::move(request));
      }
      if (behaviour == Behaviour::NeverAnswers) {
        held.push_back(std::move(stream));
        continue;
      }
      asio::write(*stream, asio::buffer(answer_of(behaviour)));
      boost::system::error_code ignored;
      stream->shutdown(ignored);
    } catch (const boost::system::system_error&) {
      // The client has gone, or does not trust this server.
    }
  }
}

}  // namespace reprise::agent::testing_support
