// Blocking calls that can be cut short: each by its own deadline, all of them when the process has to end.
#pragma once

#include <memory>

#include "runtime/http/transport.h"

namespace reprise::runtime::internal {

// The end of all blocking calls, for good. Callable from any thread.
class Cancellation {
 public:
  // Without `cuts` there is one thread for all: calls run to their end on it, and only the outcome of writes is noted.
  explicit Cancellation(bool cuts = true);
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  [[nodiscard]] bool cuts() const { return cuts_; }
  // Blocking calls that are under way, and all later ones, end at once with Cancelled.
  void cancel();
  [[nodiscard]] bool cancelled() const;
  // A write was under way: it may still reach the API server.
  [[nodiscard]] bool cut_a_write() const;
  // A write ended by itself and nobody knows how: it may still reach the API server, too.
  void note_unanswered(Instant ended);
  [[nodiscard]] bool unanswered_since(Instant time) const;

  // Like inner.send(request), but cancellable. Cancelled also when `inner` lets go of the request without an answer.
  [[nodiscard]] Result<Response> send(Transport& inner, Request request);

 private:
  class Call;
  class Entry;
  struct State;
  const bool cuts_;
  std::unique_ptr<State> state_;
};

// One reconcile's way to the API server: no call lasts beyond `deadline`. With no cancellation calls run on the
// caller's thread in `inner`. All outlive it.
class BoundedTransport final : public Transport {
 public:
  BoundedTransport(Transport& inner, const Clock& clock, Instant deadline, Cancellation* cancellation)
      : inner_(inner), clock_(clock), deadline_(deadline), cancellation_(cancellation) {}

  // Unavailable, and nothing sent, once the deadline has passed.
  [[nodiscard]] Result<Response> send(const Request& request) override;
  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    inner_.send_async(std::move(request), std::move(done));
  }
  [[nodiscard]] std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    return inner_.open(std::move(request), sink);
  }

 private:
  Transport& inner_;
  const Clock& clock_;
  Instant deadline_;
  Cancellation* cancellation_;
};

}  // namespace reprise::runtime::internal
