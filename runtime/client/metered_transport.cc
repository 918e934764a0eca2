#include "runtime/client/metered_transport.h"

#include <utility>

namespace reprise::runtime {
namespace {

std::vector<double> size_bounds() {
  return {64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};
}

class MeteredTransport final : public Transport {
 public:
  MeteredTransport(Transport& inner, MetricsRegistry& metrics, const Clock& clock, std::string host,
                   RequestMetrics more)
      : inner_(inner), metrics_(metrics), clock_(clock), host_(std::move(host)), more_(more) {
    for (const Method method : {Method::Get, Method::Post, Method::Patch, Method::Delete}) count(method, "200", 0);
  }

  Result<Response> send(const Request& request) override {
    const Instant begin = clock_.steady();
    auto response = inner_.send(request);
    note(request.method, begin, request.body.size(), response);
    return response;
  }

  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    const Method method = request.method;
    const std::size_t size = request.body.size();
    const Instant begin = clock_.steady();
    inner_.send_async(std::move(request),
                      [this, method, begin, size, done = std::move(done)](Result<Response> response) {
                        note(method, begin, size, response);
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

  void note(Method method, Instant begin, std::size_t size, const Result<Response>& response) {
    count(method, response ? std::to_string(response->status) : "<error>", 1);
    if (more_.durations) {
      const std::chrono::duration<double> took = clock_.steady() - begin;
      observe(method, "rest_client_request_duration_seconds",
              "Request latency in seconds. Broken down by verb, and host.", request_time_bounds(), took.count());
    }
    if (more_.sizes) {
      observe(method, "rest_client_request_size_bytes", "Request size in bytes. Broken down by verb and host.",
              size_bounds(), static_cast<double>(size));
      if (!response) return;
      observe(method, "rest_client_response_size_bytes", "Response size in bytes. Broken down by verb and host.",
              size_bounds(), static_cast<double>(response->body.size()));
    }
  }

  void observe(Method method, const char* what, const char* help, const std::vector<double>& bounds, double value) {
    metrics_.histogram(what, help, {{"host", host_}, {"verb", std::string(name(method))}}, bounds).observe(value);
  }

  Transport& inner_;
  MetricsRegistry& metrics_;
  const Clock& clock_;
  std::string host_;
  RequestMetrics more_;
};

}  // namespace

std::vector<double> request_time_bounds() {
  return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
}

std::unique_ptr<Transport> with_request_metrics(Transport& inner, MetricsRegistry& metrics, const Clock& clock,
                                                std::string host, RequestMetrics more) {
  return std::make_unique<MeteredTransport>(inner, metrics, clock, std::move(host), more);
}

}  // namespace reprise::runtime
