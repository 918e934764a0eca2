#include "runtime/client/metered_transport.h"

#include <utility>

namespace reprise::runtime {
namespace {

class MeteredTransport final : public Transport {
 public:
  MeteredTransport(Transport& inner, MetricsRegistry& metrics, const Clock& clock, std::string host)
      : inner_(inner), metrics_(metrics), clock_(clock), host_(std::move(host)) {
    for (const Method method : {Method::Get, Method::Post, Method::Patch, Method::Delete}) {
      count(method, "200", 0);
      (void)seconds(method);
    }
  }

  Result<Response> send(const Request& request) override {
    const Instant begin = clock_.steady();
    auto response = inner_.send(request);
    note(request.method, begin, response);
    return response;
  }

  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    const Method method = request.method;
    const Instant begin = clock_.steady();
    inner_.send_async(std::move(request), [this, method, begin, done = std::move(done)](Result<Response> response) {
      note(method, begin, response);
      done(std::move(response));
    });
  }

  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    auto counting = std::make_unique<CountingSink>(*this, sink);
    counting->stream = inner_.open(std::move(request), *counting);
    return counting;
  }

 private:
  struct CountingSink final : Stream, StreamSink {
    CountingSink(MeteredTransport& owner, StreamSink& target) : transport(owner), sink(target) {}
    void on_status(int status, std::optional<Duration> retry_after) override {
      answered = true;
      transport.count(Method::Get, std::to_string(status), 1);
      sink.on_status(status, retry_after);
    }
    void on_bytes(std::string_view bytes) override { sink.on_bytes(bytes); }
    void on_closed(std::optional<Error> error) override {
      if (!answered) transport.count(Method::Get, "<error>", 1);
      sink.on_closed(std::move(error));
    }

    MeteredTransport& transport;
    StreamSink& sink;
    bool answered = false;
    std::unique_ptr<Stream> stream;
  };

  void count(Method method, const std::string& code, double amount) {
    metrics_
        .counter("rest_client_requests_total", "Number of HTTP requests, partitioned by status code, method, and host.",
                 {{"code", code}, {"host", host_}, {"method", std::string(name(method))}})
        .add(amount);
  }

  void note(Method method, Instant begin, const Result<Response>& response) {
    count(method, response ? std::to_string(response->status) : "<error>", 1);
    const std::chrono::duration<double> took = clock_.steady() - begin;
    seconds(method).observe(took.count());
  }

  Histogram& seconds(Method method) {
    return metrics_.histogram("rest_client_request_duration_seconds", "Request latency in seconds, by method.",
                              {{"method", std::string(name(method))}});
  }

  Transport& inner_;
  MetricsRegistry& metrics_;
  const Clock& clock_;
  std::string host_;
};

}  // namespace

std::unique_ptr<Transport> with_request_metrics(Transport& inner, MetricsRegistry& metrics, const Clock& clock,
                                                std::string host) {
  return std::make_unique<MeteredTransport>(inner, metrics, clock, std::move(host));
}

}  // namespace reprise::runtime
