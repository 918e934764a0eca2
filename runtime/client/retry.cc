#include "runtime/client/retry.h"

#include <algorithm>
#include <utility>

#include "runtime/client/internal/delays.h"
#include "runtime/http/send_and_wait.h"

namespace reprise::runtime {
namespace {

bool may_ask_again(Method method, const Result<Response>& result) {
  const bool reads = method == Method::Get;
  if (!result) return result.error().error_class == ErrorClass::Unavailable && (reads || result.error().not_sent);
  const bool has_retry_after = result->retry_after.has_value();
  if (result->status == 429) return reads || has_retry_after;
  if (reads) return result->status >= 500 && has_retry_after;
  return result->status == 503 && has_retry_after;
}

Duration scaled(Duration duration, double factor) {
  return Duration{static_cast<Duration::rep>(static_cast<double>(duration.count()) * factor)};
}

class RetryingTransport final : public Transport {
 public:
  RetryingTransport(Transport& inner, Executor& executor, const Clock& clock, Random& random, MetricsRegistry& metrics,
                    std::string host, RetryPolicy policy)
      : inner_(inner),
        clock_(clock),
        random_(random),
        metrics_(metrics),
        host_(std::move(host)),
        policy_(policy),
        delays_(executor) {
    for (const Method method : {Method::Get, Method::Post, Method::Patch, Method::Delete}) {
      for (const char* code : {"<error>", "429", "503"}) count(method, code, 0);
    }
  }

  Result<Response> send(const Request& request) override { return send_and_wait(*this, request); }

  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    const Instant deadline = clock_.steady() + request.timeout;
    attempt(std::make_shared<Exchange>(Exchange{std::move(request), std::move(done), deadline}));
  }

  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    return inner_.open(std::move(request), sink);
  }

 private:
  struct Exchange {
    Request request;
    std::function<void(Result<Response>)> done;
    Instant deadline;
    int retries = 0;
  };

  void attempt(const std::shared_ptr<Exchange>& exchange) {
    inner_.send_async(exchange->request,
                      [this, exchange](Result<Response> result) { judge(exchange, std::move(result)); });
  }

  void judge(const std::shared_ptr<Exchange>& exchange, Result<Response> result) {
    const Method method = exchange->request.method;
    const auto delay = retry_delay(policy_, method, result, exchange->retries, random_.uniform());
    const auto left = std::chrono::floor<Duration>(exchange->deadline - clock_.steady());
    if (!delay || *delay >= left) return exchange->done(std::move(result));
    count(method, result ? std::to_string(result->status) : "<error>", 1);
    ++exchange->retries;
    exchange->request.timeout = left - *delay;
    delays_.after(*delay, [this, exchange](bool due) {
      if (due) return attempt(exchange);
      exchange->done(fail(ErrorClass::Cancelled, "the transport is shutting down"));
    });
  }

  void count(Method method, const std::string& code, double amount) {
    metrics_
        .counter("rest_client_request_retries_total",
                 "Number of request retries, partitioned by status code, verb, and host.",
                 {{"code", code}, {"host", host_}, {"verb", std::string(name(method))}})
        .add(amount);
  }

  Transport& inner_;
  const Clock& clock_;
  Random& random_;
  MetricsRegistry& metrics_;
  std::string host_;
  RetryPolicy policy_;
  Delays delays_;
};

}  // namespace

std::optional<Duration> retry_delay(const RetryPolicy& policy, Method method, const Result<Response>& result,
                                    int retries, double uniform) {
  if (retries >= policy.tries || !may_ask_again(method, result)) return std::nullopt;
  if (result && result->retry_after) {
    return *result->retry_after + scaled(std::max(*result->retry_after / 4, policy.first), uniform);
  }
  const Duration bound = std::min(policy.cap, policy.first * (1 << std::min(retries, 16)));
  return std::max(scaled(bound, 0.5 + uniform / 2), Duration{1});
}

std::unique_ptr<Transport> with_retries(Transport& inner, Executor& executor, const Clock& clock, Random& random,
                                        MetricsRegistry& metrics, std::string host, RetryPolicy policy) {
  return std::make_unique<RetryingTransport>(inner, executor, clock, random, metrics, std::move(host), policy);
}

}  // namespace reprise::runtime
