#include "runtime/http/testing/connect_proxy.h"

#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <istream>
#include <list>
#include <mutex>
#include <thread>

namespace reprise::runtime::testing {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

void pump(tcp::socket& from, tcp::socket& to) {
  char bytes[16384];
  error_code error;
  while (!error) {
    const std::size_t size = from.read_some(boost::asio::buffer(bytes), error);
    if (!error) boost::asio::write(to, boost::asio::buffer(bytes, size), error);
  }
  error_code ignored;
  (void)to.shutdown(tcp::socket::shutdown_both, ignored);
  (void)from.shutdown(tcp::socket::shutdown_both, ignored);
}

}  // namespace

struct ConnectProxy::Parts {
  Parts() : acceptor(context, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)) {
    accepting = std::thread([this] { accept_all(); });
  }
  ~Parts() {
    stopping = true;
    ::shutdown(acceptor.native_handle(), SHUT_RDWR);
    accepting.join();
    {
      const std::lock_guard lock(mutex);
      for (auto& socket : sockets) ::shutdown(socket.native_handle(), SHUT_RDWR);
    }
    for (auto& thread : threads) thread.join();
  }
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  void accept_all() {
    while (!stopping) {
      error_code error;
      tcp::socket client(context);
      (void)acceptor.accept(client, error);
      if (error) continue;
      tcp::socket& kept = keep(std::move(client));
      const std::lock_guard lock(mutex);
      threads.emplace_back([this, &kept] { tunnel(kept); });
    }
  }

  tcp::socket& keep(tcp::socket socket) {
    const std::lock_guard lock(mutex);
    return sockets.emplace_back(std::move(socket));
  }

  void tunnel(tcp::socket& client) {
    error_code error;
    boost::asio::streambuf head;
    boost::asio::read_until(client, head, "\r\n\r\n", error);
    if (error) return;
    std::istream words(&head);
    std::string method, target;
    words >> method >> target;
    {
      const std::lock_guard lock(mutex);
      seen.push_back(target);
    }
    const std::size_t colon = target.rfind(':');
    tcp::socket server(context);
    boost::asio::connect(
        server, tcp::resolver(context).resolve(target.substr(0, colon), target.substr(colon + 1), error), error);
    const std::string reply =
        error || method != "CONNECT" ? "HTTP/1.1 502 Bad Gateway\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\n";
    boost::asio::write(client, boost::asio::buffer(reply), error);
    if (!server.is_open()) return;
    tcp::socket& upstream = keep(std::move(server));
    std::thread back([&] { pump(upstream, client); });
    pump(client, upstream);
    back.join();
  }

  boost::asio::io_context context;
  tcp::acceptor acceptor;
  std::atomic<bool> stopping{false};
  mutable std::mutex mutex;  // sockets, threads, seen
  std::list<tcp::socket> sockets;
  std::vector<std::thread> threads;
  std::vector<std::string> seen;
  std::thread accepting;
};

ConnectProxy::ConnectProxy() : parts_(std::make_unique<Parts>()) {}
ConnectProxy::~ConnectProxy() = default;

std::string ConnectProxy::url() const {
  return "http://127.0.0.1:" + std::to_string(parts_->acceptor.local_endpoint().port());
}

std::vector<std::string> ConnectProxy::targets() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->seen;
}

}  // namespace reprise::runtime::testing
