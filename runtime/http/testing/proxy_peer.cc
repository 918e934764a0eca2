#include "runtime/http/testing/proxy_peer.h"

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

namespace reprise::runtime::testing {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using asio::ip::tcp;
using TlsStream = asio::ssl::stream<tcp::socket>;

// Ends with an exception when one side does: that ends the tunnel.
template <class From, class To>
awaitable<void> pump(From& from, To& to) {
  std::array<char, 16384> bytes{};
  for (;;) {
    const std::size_t size = co_await from.async_read_some(asio::buffer(bytes), use_awaitable);
    co_await asio::async_write(to, asio::buffer(bytes, size), use_awaitable);
  }
}

template <class Stream>
awaitable<std::string> target_of_connect(Stream& client) {
  std::string head;
  co_await asio::async_read_until(client, asio::dynamic_buffer(head), "\r\n\r\n", use_awaitable);
  std::istringstream words(head);
  std::string method, target;
  words >> method >> target;
  co_return method == "CONNECT" ? target : std::string();
}

template <class Stream>
awaitable<std::string> target_of_socks(Stream& client) {
  const auto take = [&client](std::size_t size) -> awaitable<std::string> {
    std::string bytes(size, '\0');
    co_await asio::async_read(client, asio::buffer(bytes), use_awaitable);
    co_return bytes;
  };
  const std::string greeting = co_await take(2);
  co_await take(static_cast<unsigned char>(greeting[1]));
  const std::string no_authentication("\x05\x00", 2);
  co_await asio::async_write(client, asio::buffer(no_authentication), use_awaitable);
  const std::string request = co_await take(4);
  std::string host;
  if (request[3] == 1) {
    const std::string address = co_await take(4);
    for (const char part : address) {
      host += (host.empty() ? "" : ".") + std::to_string(static_cast<unsigned char>(part));
    }
  } else {
    const std::string length = co_await take(1);
    host = co_await take(static_cast<unsigned char>(length[0]));
  }
  const std::string port = co_await take(2);
  co_return host + ":" +
      std::to_string(static_cast<unsigned char>(port[0]) * 256 + static_cast<unsigned char>(port[1]));
}

}  // namespace

struct ProxyPeer::Parts {
  Parts(ProxyKind proxy_kind, const CertifiedKey& identity)
      : kind(proxy_kind), acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    if (kind == ProxyKind::Https) {
      tls.use_certificate_chain(asio::buffer(identity.certificate_pem));
      tls.use_private_key(asio::buffer(identity.key_pem), asio::ssl::context::pem);
    }
    asio::co_spawn(context, accept(), asio::detached);
    thread = std::thread([this] { context.run(); });
  }
  ~Parts() {
    context.stop();
    thread.join();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  awaitable<void> accept() {
    for (;;) {
      tcp::socket client = co_await acceptor.async_accept(use_awaitable);
      asio::co_spawn(context, serve(std::move(client)), ignore);
    }
  }

  // A tunnel ends with its connections, however they do.
  static void ignore(const std::exception_ptr&) {}

  awaitable<void> serve(tcp::socket socket) {
    if (kind != ProxyKind::Https) {
      co_await tunnel(socket);
      co_return;
    }
    TlsStream secure(std::move(socket), tls);
    co_await secure.async_handshake(asio::ssl::stream_base::server, use_awaitable);
    co_await tunnel(secure);
  }

  template <class Stream>
  awaitable<void> tunnel(Stream& client) {
    using asio::experimental::awaitable_operators::operator||;
    const bool socks = kind == ProxyKind::Socks5;
    // No co_await within other expressions, and no temporaries beside one: GCC 12 destroys them wrongly.
    std::string target;
    if (socks) {
      target = co_await target_of_socks(client);
    } else {
      target = co_await target_of_connect(client);
    }
    {
      const std::lock_guard lock(mutex);
      seen.push_back(target);
    }
    const auto port = static_cast<std::uint16_t>(std::stoi(target.substr(target.rfind(':') + 1)));
    tcp::socket server(context);
    const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
    co_await server.async_connect(here, use_awaitable);
    const std::string reply =
        socks ? std::string("\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00", 10) : std::string("HTTP/1.1 200 OK\r\n\r\n");
    co_await asio::async_write(client, asio::buffer(reply), use_awaitable);
    co_await (pump(client, server) || pump(server, client));
  }

  ProxyKind kind;
  asio::io_context context;
  asio::ssl::context tls{asio::ssl::context::tls_server};
  tcp::acceptor acceptor;
  mutable std::mutex mutex;
  std::vector<std::string> seen;
  std::thread thread;
};

ProxyPeer::ProxyPeer(ProxyKind kind, CertifiedKey identity) : parts_(std::make_unique<Parts>(kind, identity)) {}
ProxyPeer::~ProxyPeer() = default;

std::string ProxyPeer::url() const {
  const std::string address = "127.0.0.1:" + std::to_string(parts_->acceptor.local_endpoint().port());
  switch (parts_->kind) {
    case ProxyKind::Http:
      return "http://" + address;
    case ProxyKind::Https:
      return "https://" + address;
    case ProxyKind::Socks5:
      return "socks5://" + address;
  }
  return address;
}

std::vector<std::string> ProxyPeer::targets() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->seen;
}

}  // namespace reprise::runtime::testing
