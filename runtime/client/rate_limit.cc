#include "runtime/client/rate_limit.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "runtime/client/internal/delays.h"
#include "runtime/client/metered_transport.h"
#include "runtime/http/send_and_wait.h"

namespace reprise::runtime {
namespace {

class LimitedTransport final : public Transport {
 public:
  LimitedTransport(Transport& inner, Executor& executor, const Clock& clock, MetricsRegistry& metrics, std::string host,
                   RateLimit limit)
      : inner_(inner),
        clock_(clock),
        metrics_(metrics),
        host_(std::move(host)),
        bucket_(limit, clock.steady()),
        delays_(executor) {}

  Result<Response> send(const Request& request) override { return send_and_wait(*this, request); }

  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    if (request.urgent) return inner_.send_async(std::move(request), std::move(done));
    const auto wait = take(request.timeout);
    if (!wait) {
      auto rejected = fail(ErrorClass::Throttled, "client-side rate limit exceeded");
      rejected.error().not_sent = true;
      return done(std::move(rejected));
    }
    observe(request.method, *wait);
    if (*wait == Duration{0}) return inner_.send_async(std::move(request), std::move(done));
    request.timeout -= *wait;
    delays_.after(*wait, [this, request = std::move(request), done = std::move(done)](bool due) {
      if (due) return inner_.send_async(request, done);
      done(fail(ErrorClass::Cancelled, "the transport is shutting down"));
    });
  }

  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    return inner_.open(std::move(request), sink);
  }

 private:
  std::optional<Duration> take(Duration timeout) {
    const std::lock_guard lock(mutex_);
    return bucket_.take(clock_.steady(), timeout - Duration{1});
  }

  void observe(Method method, Duration wait) {
    metrics_
        .histogram("rest_client_rate_limiter_duration_seconds",
                   "Client side rate limiter latency in seconds. Broken down by verb, and host.",
                   {{"host", host_}, {"verb", std::string(name(method))}}, request_time_bounds())
        .observe(std::chrono::duration<double>(wait).count());
  }

  Transport& inner_;
  const Clock& clock_;
  MetricsRegistry& metrics_;
  std::string host_;
  std::mutex mutex_;  // bucket_
  TokenBucket bucket_;
  Delays delays_;
};

}  // namespace

TokenBucket::TokenBucket(RateLimit limit, Instant now) : limit_(limit), tokens_(limit.burst), at_(now) {}

std::optional<Duration> TokenBucket::take(Instant now, Duration max_wait) {
  const std::chrono::duration<double> passed = now - at_;
  at_ = now;
  tokens_ = std::min(tokens_ + passed.count() * limit_.per_second, static_cast<double>(limit_.burst));
  const double missing = std::max(1.0 - tokens_, 0.0);
  const Duration wait{static_cast<Duration::rep>(std::ceil(missing / limit_.per_second * 1000.0 - 1e-6))};
  if (wait > max_wait) return std::nullopt;
  tokens_ -= 1.0;
  return wait;
}

std::unique_ptr<Transport> with_rate_limit(Transport& inner, Executor& executor, const Clock& clock,
                                           MetricsRegistry& metrics, std::string host, RateLimit limit) {
  return std::make_unique<LimitedTransport>(inner, executor, clock, metrics, std::move(host), limit);
}

}  // namespace reprise::runtime
