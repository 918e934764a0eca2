// One curl multi on an Asio loop. Each lane has its own connections.
#pragma once

#include <curl/curl.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/http/internal/curl_transfer.h"

namespace reprise::runtime {

// One thread: the loop's. libcurl wants level-triggered interest; Asio's waits are one-shot, so they are armed again
// after every action. libcurl owns the descriptors: they are released, never closed, here. Callbacks of libcurl never
// call back into it: they post their work.
class CurlLane {
 public:
  // `ping_interval`: how often connections that carry something are pinged.
  CurlLane(boost::asio::io_context& context, Duration ping_interval);
  // All transfers end with Cancelled.
  ~CurlLane();
  CurlLane(const CurlLane&) = delete;
  CurlLane& operator=(const CurlLane&) = delete;

  // Not inside a callback of libcurl.
  void add(std::shared_ptr<CurlTransfer> transfer);
  [[nodiscard]] bool empty() const { return transfers_.empty(); }
  // A transfer has ended because the server fell silent: the peer may be gone without a word, and libcurl would go on
  // using the connection as long as the socket takes bytes.
  [[nodiscard]] bool doubted() const { return doubted_; }
  // Ends a transfer without telling anyone; from anywhere on the thread.
  void cancel(const std::shared_ptr<CurlTransfer>& transfer);

 private:
  struct Socket;
  static int on_socket(CURL*, curl_socket_t fd, int what, void* self, void*);
  static int on_timer(CURLM*, long timeout_ms, void* self);
  void watch(curl_socket_t fd, int what);
  void arm(const std::shared_ptr<Socket>& socket);
  void act_soon();
  void set_timer();
  void act_if_due();
  void act(curl_socket_t fd, int events);
  void listen(const std::function<bool(const CurlTransfer&)>& begins);
  [[nodiscard]] bool input_waits() const;
  void collect();
  void ping_later();
  void ping();
  void remove(const std::shared_ptr<CurlTransfer>& transfer);
  void note_silence(const CurlTransfer& transfer);

  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_, ping_timer_;
  Duration ping_interval_;
  CURLM* multi_;
  // The handle by which connections are pinged. curl_easy_upkeep() takes the connection from the handle it is given, so
  // it must be one that has none: a member of the multi whose transfer, to nowhere, has ended.
  std::unique_ptr<CURL, CurlDeleter> keeper_;
  std::optional<Instant> due_;    // when libcurl wants to be called
  std::optional<Instant> rings_;  // when timer_ does
  bool posted_ = false;           // act_soon() has been, and has not run
  bool inside_ = false;           // libcurl is on the stack
  bool doubted_ = false;
  std::map<curl_socket_t, std::shared_ptr<Socket>> sockets_;
  std::map<CURL*, std::shared_ptr<CurlTransfer>> transfers_;
  std::vector<std::weak_ptr<CurlTransfer>> deaf_;  // writes that do not listen for a rejection yet
  // Null once the lane is gone. A waiting callback holds it weakly; code that calls out, which may end the lane, holds
  // it and looks again.
  std::shared_ptr<CurlLane*> alive_ = std::make_shared<CurlLane*>(this);
};

}  // namespace reprise::runtime
