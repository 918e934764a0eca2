#include "agent/process/reports/status_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/volume/file_descriptor.h"
#include "runtime/base/clock.h"

namespace reprise::agent {
namespace {

constexpr std::size_t kLongestRequest = std::size_t{32} << 10U;
constexpr std::chrono::seconds kLongestTalk{1};

std::string random_token() {
  std::array<unsigned char, 24> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return {};
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4U];
    token += "0123456789abcdef"[byte & 0xFU];
  }
  return token;
}

bool write_file(const std::string& path, const std::string& text) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  return file.valid() && ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

struct Listener {
  FileDescriptor socket;
  std::uint16_t port = 0;
};

std::optional<Listener> listen_on_loopback() {
  Listener listener{.socket = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (!listener.socket.valid() || ::bind(listener.socket.get(), plain, size) != 0 ||
      ::listen(listener.socket.get(), 8) != 0 || ::getsockname(listener.socket.get(), plain, &size) != 0)
    return std::nullopt;
  listener.port = ntohs(address.sin_port);
  return listener;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return text;
}

// The value of a line of the head; empty: it is not there.
std::string header(const std::string& head, const std::string& name) {
  const auto at = lower(head).find("\r\n" + name + ":");
  if (at == std::string::npos) return {};
  const auto begin = head.find_first_not_of(' ', at + name.size() + 3);
  return begin == std::string::npos ? std::string() : head.substr(begin, head.find("\r\n", begin) - begin);
}

std::size_t length_in(const std::string& head) {
  const std::string text = header(head, "content-length");
  std::size_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

struct Request {
  std::string head, body;
};

// Empty when it was not whole in time, or is too long.
std::optional<Request> read_request(int socket, runtime::Instant deadline) {
  std::string text;
  std::array<char, 4096> block{};
  for (;;) {
    const auto end = text.find("\r\n\r\n");
    if (end != std::string::npos) {
      const std::size_t length = length_in(text.substr(0, end));
      if (length > kLongestRequest) return std::nullopt;
      if (text.size() >= end + 4 + length) return Request{text.substr(0, end), text.substr(end + 4, length)};
    }
    if (text.size() > kLongestRequest) return std::nullopt;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - runtime::SystemClock().steady());
    pollfd source{.fd = socket, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || ::poll(&source, 1, static_cast<int>(left.count())) <= 0) return std::nullopt;
    const ssize_t got = ::recv(socket, block.data(), block.size(), 0);
    if (got <= 0) return std::nullopt;
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace

struct StatusServer::State {
  Listener listener;
  FileDescriptor wake;
  std::string token;
  Tell tell;

  void run() const {
    for (;;) {
      std::array<pollfd, 2> sources{{{.fd = listener.socket.get(), .events = POLLIN, .revents = 0},
                                     {.fd = wake.get(), .events = POLLIN, .revents = 0}}};
      ::poll(sources.data(), sources.size(), -1);
      if (sources[1].revents != 0) return;
      const FileDescriptor socket(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (socket.valid()) serve(socket.get());
    }
  }

  void serve(int socket) const {
    const auto request = read_request(socket, runtime::SystemClock().steady() + kLongestTalk);
    const bool known = request && header(request->head, "authorization") == "Bearer " + token;
    if (known && request->head.starts_with("POST ")) tell(request->body);
    const std::string status = known ? "200 OK" : request ? "401 Unauthorized" : "400 Bad Request";
    const std::string answer = "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    [[maybe_unused]] const auto sent = ::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL);
  }
};

StatusServer::StatusServer(std::shared_ptr<State> state, std::map<std::string, std::string> variables)
    : state_(std::move(state)), variables_(std::move(variables)) {}

StatusServer::~StatusServer() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(state_->wake.get(), &one, sizeof one);
}

std::unique_ptr<StatusServer> StatusServer::open(const std::string& directory, Tell tell) {
  auto listener = listen_on_loopback();
  const std::string token = random_token(), file = directory + "/token";
  if (!listener || token.empty() || !write_file(file, token)) return nullptr;
  auto state = std::make_shared<State>(State{.listener = *std::move(listener),
                                             .wake = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
                                             .token = token,
                                             .tell = std::move(tell)});
  std::map<std::string, std::string> variables{
      {"KUBEFLOW_TRAINER_SERVER_URL", "http://127.0.0.1:" + std::to_string(state->listener.port) + "/"},
      {"KUBEFLOW_TRAINER_SERVER_TOKEN", file}};
  if (!state->wake.valid()) return nullptr;
  try {
    std::thread([state] { state->run(); }).detach();
  } catch (const std::system_error&) {
    return nullptr;
  }
  return std::unique_ptr<StatusServer>(new StatusServer(std::move(state), std::move(variables)));
}

}  // namespace reprise::agent
