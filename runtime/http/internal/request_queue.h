// Requests that wait for one of the slots of a connection. Waiting here costs no handle of
// libcurl; it costs the request's own time, so that none lasts longer than its timeout. A request that finds no slot
// within that ends unsent. Urgent requests wait before all others, and one slot more is theirs alone.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>

#include "runtime/http/transport.h"

namespace reprise::runtime {

// One thread: the loop's.
class RequestQueue : public std::enable_shared_from_this<RequestQueue> {
 public:
  using Done = std::function<void(Result<Response>)>;
  // Sends. `left`: what waiting has left of the request's timeout. `done` must be called in the end, or dropped with
  // the transport.
  using Start = std::function<void(Request, Duration left, Done)>;
  // `at_once`: slots for all; there is one more for urgent requests.
  RequestQueue(boost::asio::io_context& context, std::size_t at_once, std::size_t waiting_limit, Start start);
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  void add(Request request, Done done);
  // Ends what waits with Cancelled; nothing is started any more.
  void stop();

 private:
  struct Waiting {
    Request request;
    Done done;
    Instant until;
  };
  [[nodiscard]] bool has_slot(const Request& request) const;
  void start(Request request, Duration left, Done done);
  void leave();
  void arm();
  void expire();
  [[nodiscard]] std::unexpected<Error> late() const;

  boost::asio::steady_timer timer_;
  std::size_t at_once_, waiting_limit_, running_ = 0;
  bool filling_ = false;  // a request that ends at once must not start the next from within
  Start start_;
  std::deque<Waiting> waiting_;  // urgent ones first
};

}  // namespace reprise::runtime
