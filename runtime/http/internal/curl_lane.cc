#include "runtime/http/internal/curl_lane.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <new>
#include <utility>
#include <vector>

namespace reprise::runtime {

using boost::asio::posix::stream_descriptor;

struct CurlLane::Socket {
  Socket(boost::asio::io_context& context, curl_socket_t socket) : fd(socket), descriptor(context, socket) {}
  ~Socket() { let_go(); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  void let_go() {
    dead = true;
    if (descriptor.is_open()) descriptor.release();
  }

  curl_socket_t fd;
  stream_descriptor descriptor;
  int interest = 0;
  bool reading = false, writing = false, dead = false;
};

CurlLane::CurlLane(boost::asio::io_context& context, Duration ping_interval)
    : context_(context),
      timer_(context),
      ping_timer_(context),
      ping_interval_(ping_interval),
      multi_(curl_multi_init()),
      keeper_(curl_easy_init()) {
  if (multi_ == nullptr || !keeper_) throw std::bad_alloc();
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlLane::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlLane::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_easy_setopt(keeper_.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(keeper_.get(), CURLOPT_UPKEEP_INTERVAL_MS, static_cast<long>(ping_interval.count() / 2));
  curl_multi_add_handle(multi_, keeper_.get());
  ping_later();
}

CurlLane::~CurlLane() {
  *alive_ = nullptr;  // for callers on the stack below, which hold it
  alive_.reset();
  const auto transfers = std::exchange(transfers_, {});
  for (const auto& [easy, transfer] : transfers) {
    curl_multi_remove_handle(multi_, easy);
    transfer->finish(Error{ErrorClass::Cancelled, "the transport is shutting down", {}});
  }
  curl_multi_remove_handle(multi_, keeper_.get());
  curl_multi_cleanup(multi_);
}

void CurlLane::add(std::shared_ptr<CurlTransfer> transfer) {
  CURL* easy = transfer->easy();
  transfers_.emplace(easy, transfer);
  if (transfer->writes()) deaf_.push_back(transfer);
  if (const CURLMcode code = curl_multi_add_handle(multi_, easy); code != CURLM_OK) {
    transfers_.erase(easy);
    transfer->finish(Error{ErrorClass::Terminal, curl_multi_strerror(code), {}});
  }
}

// libcurl sends a PING and waits for no answer. The gain is bytes under way, so that a box in between keeps the
// connection and TCP_USER_TIMEOUT finds out when the peer is gone.
void CurlLane::ping_later() {
  ping_timer_.expires_after(ping_interval_);
  ping_timer_.async_wait([alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    const auto lane = alive.lock();
    if (error || !lane) return;
    (*lane)->ping_later();
    (*lane)->ping();
  });
}

void CurlLane::ping() {
  if (transfers_.empty()) return;
  inside_ = true;
  curl_easy_upkeep(keeper_.get());
  inside_ = false;
  // The ping only wrote into a buffer, which leaves when a connection is looked at.
  std::vector<curl_socket_t> open;
  for (const auto& [fd, socket] : sockets_) open.push_back(fd);
  const auto alive = alive_;
  for (const curl_socket_t fd : open) {
    if (*alive == nullptr) return;
    if (sockets_.contains(fd)) act(fd, CURL_CSELECT_IN);
  }
}

void CurlLane::cancel(const std::shared_ptr<CurlTransfer>& transfer) {
  transfer->detach();
  if (transfers_.contains(transfer->easy())) note_silence(*transfer);
  if (!inside_) return remove(transfer);
  boost::asio::post(context_, [alive = std::weak_ptr(alive_), transfer] {
    if (const auto lane = alive.lock()) (*lane)->remove(transfer);
  });
}

void CurlLane::note_silence(const CurlTransfer& transfer) {
  doubted_ = doubted_ || transfer.silent(std::chrono::steady_clock::now());
}

void CurlLane::remove(const std::shared_ptr<CurlTransfer>& transfer) {
  if (transfers_.erase(transfer->easy()) == 0) return;
  inside_ = true;
  curl_multi_remove_handle(multi_, transfer->easy());
  inside_ = false;
}

int CurlLane::on_socket(CURL*, curl_socket_t fd, int what, void* self, void*) {
  static_cast<CurlLane*>(self)->watch(fd, what);
  return 0;
}

void CurlLane::watch(curl_socket_t fd, int what) {
  if (what == CURL_POLL_REMOVE) {
    const auto found = sockets_.find(fd);
    if (found == sockets_.end()) return;
    found->second->let_go();
    sockets_.erase(found);
    return;
  }
  auto& socket = sockets_[fd];
  if (!socket) socket = std::make_shared<Socket>(context_, fd);
  socket->interest = what;
  arm(socket);
}

void CurlLane::arm(const std::shared_ptr<Socket>& socket) {
  if (socket->dead) return;
  const auto wait = [this, &socket](stream_descriptor::wait_type type, bool Socket::*pending, int event) {
    if ((*socket).*pending) return;
    (*socket).*pending = true;
    socket->descriptor.async_wait(
        type, [alive = std::weak_ptr(alive_), socket, pending, event](const boost::system::error_code& error) {
          (*socket).*pending = false;
          const auto lane = alive.lock();
          if (!lane || socket->dead) return;
          const bool wanted = event == CURL_CSELECT_IN ? (socket->interest & CURL_POLL_IN) != 0
                                                       : (socket->interest & CURL_POLL_OUT) != 0;
          if (wanted) (*lane)->act(socket->fd, error ? CURL_CSELECT_ERR : event);
          if (*lane != nullptr) (*lane)->arm(socket);
        });
  };
  if ((socket->interest & CURL_POLL_IN) != 0) wait(stream_descriptor::wait_read, &Socket::reading, CURL_CSELECT_IN);
  if ((socket->interest & CURL_POLL_OUT) != 0) wait(stream_descriptor::wait_write, &Socket::writing, CURL_CSELECT_OUT);
}

// libcurl changes the next deadline several times in each transfer. The timer is set only for a deadline earlier than
// the one it waits for, and looks again when it rings; "at once" takes no timer at all.
int CurlLane::on_timer(CURLM*, long timeout_ms, void* self) {
  auto& lane = *static_cast<CurlLane*>(self);
  if (timeout_ms < 0) {
    lane.due_.reset();
    return 0;
  }
  lane.due_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
  if (timeout_ms == 0)
    lane.act_soon();
  else if (!lane.rings_ || *lane.due_ < *lane.rings_)
    lane.set_timer();
  return 0;
}

void CurlLane::act_soon() {
  if (std::exchange(posted_, true)) return;
  boost::asio::post(context_, [alive = std::weak_ptr(alive_)] {
    const auto lane = alive.lock();
    if (!lane) return;
    (*lane)->posted_ = false;
    (*lane)->act_if_due();
  });
}

void CurlLane::set_timer() {
  rings_ = due_;
  timer_.expires_at(*due_);
  timer_.async_wait([alive = std::weak_ptr(alive_)](const boost::system::error_code& error) {
    const auto lane = alive.lock();
    if (error || !lane) return;
    (*lane)->rings_.reset();
    (*lane)->act_if_due();
  });
}

void CurlLane::act_if_due() {
  if (!due_) return;
  if (*due_ <= std::chrono::steady_clock::now()) {
    due_.reset();
    act(CURL_SOCKET_TIMEOUT, 0);
  } else if (!rings_ || *due_ < *rings_) {
    set_timer();
  }
}

// A write begins to listen once it has left: most of libcurl's words are about sending it. A rejection that has come
// already is read in the same call that sends, so the write has to listen before that.
void CurlLane::act(curl_socket_t fd, int events) {
  if (!deaf_.empty() && input_waits()) listen([](const CurlTransfer&) { return true; });
  int running = 0;
  inside_ = true;
  curl_multi_socket_action(multi_, fd, events, &running);
  inside_ = false;
  listen([](const CurlTransfer& transfer) { return transfer.left(); });
  collect();
}

void CurlLane::listen(const std::function<bool(const CurlTransfer&)>& begins) {
  std::erase_if(deaf_, [&](const std::weak_ptr<CurlTransfer>& waiting) {
    const auto transfer = waiting.lock();
    if (!transfer) return true;
    if (!begins(*transfer)) return false;
    transfer->listen_for_rejection();
    return true;
  });
}

bool CurlLane::input_waits() const {
  return std::ranges::any_of(sockets_, [](const auto& socket) {
    char byte = 0;
    return recv(socket.first, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
  });
}

void CurlLane::collect() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    const auto found = transfers_.find(message->easy_handle);
    if (found == transfers_.end()) continue;
    const auto transfer = found->second;
    remove(transfer);
    if (code == CURLE_OPERATION_TIMEDOUT) note_silence(*transfer);
    const auto alive = alive_;
    transfer->finish(code);
    if (*alive == nullptr) return;
  }
}

}  // namespace reprise::runtime
