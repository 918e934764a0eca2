// Requests that wait for one of the slots of a connection. Waiting here costs no handle of
// libcurl and nothing of a request's time once it runs; a request that finds no slot within its own timeout ends
// unsent.
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
  // `start` sends; the `done` it is given must be called in the end, or dropped with the transport.
  using Start = std::function<void(Request, Done)>;
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
  void start(Request request, Done done);
  void leave();
  void arm();
  void expire();

  boost::asio::steady_timer timer_;
  std::size_t at_once_, waiting_limit_, running_ = 0;
  bool filling_ = false;  // a request that ends at once must not start the next from within
  Start start_;
  std::deque<Waiting> waiting_;
};

}  // namespace reprise::runtime
