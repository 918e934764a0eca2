#include "runtime/http/curl_transport.h"

#include <future>
#include <utility>

#include "runtime/http/asio_impl.h"
#include "runtime/http/curl_lane.h"

namespace reprise::runtime {
namespace {

struct CurlGlobal {
  CurlGlobal() { curl_global_init(CURL_GLOBAL_DEFAULT); }
};

struct Lanes {
  Lanes(boost::asio::io_context& context, ServerConfig config)
      : server(std::move(config)), requests(context), watches(context) {}
  ServerConfig server;
  CurlLane requests, watches;
};

class CurlStream final : public Stream {
 public:
  CurlStream(std::weak_ptr<Lanes> lanes, std::shared_ptr<CurlTransfer> transfer)
      : lanes_(std::move(lanes)), transfer_(std::move(transfer)) {}
  ~CurlStream() override {
    transfer_->detach();
    if (const auto lanes = lanes_.lock()) lanes->watches.cancel(transfer_);
  }

 private:
  std::weak_ptr<Lanes> lanes_;
  std::shared_ptr<CurlTransfer> transfer_;
};

class CurlTransport final : public Transport {
 public:
  CurlTransport(AsioExecutor& executor, ServerConfig config)
      : executor_(executor), lanes_(std::make_shared<Lanes>(executor.impl().context, std::move(config))) {}

  Result<Response> send(const Request& request) override {
    auto promise = std::make_shared<std::promise<Result<Response>>>();
    auto answer = promise->get_future();
    send_async(request,
               [promise = std::move(promise)](Result<Response> result) { promise->set_value(std::move(result)); });
    try {
      return answer.get();
    } catch (const std::future_error&) {
      return fail(ErrorClass::Cancelled, "the transport has stopped");
    }
  }

  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    executor_.post([weak = std::weak_ptr(lanes_), request = std::move(request), done = std::move(done)]() mutable {
      const auto lanes = weak.lock();
      if (!lanes) return done(fail(ErrorClass::Cancelled, "the transport has stopped"));
      if (request.before_send) {
        if (auto allowed = request.before_send(); !allowed) return done(std::unexpected(std::move(allowed.error())));
      }
      lanes->requests.add(std::make_shared<CurlTransfer>(lanes->server, std::move(request), nullptr, std::move(done)));
    });
  }

  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    auto transfer = std::make_shared<CurlTransfer>(lanes_->server, std::move(request), &sink, nullptr);
    // Posted: this may be called by a sink, that is from inside libcurl.
    executor_.post([weak = std::weak_ptr(lanes_), waiting = std::weak_ptr(transfer)] {
      const auto lanes = weak.lock();
      const auto opened = waiting.lock();
      if (lanes && opened) lanes->watches.add(opened);
    });
    return std::make_unique<CurlStream>(lanes_, std::move(transfer));
  }

 private:
  AsioExecutor& executor_;
  std::shared_ptr<Lanes> lanes_;
};

}  // namespace

std::unique_ptr<Transport> make_curl_transport(AsioExecutor& executor, ServerConfig config) {
  static const CurlGlobal global;
  return std::make_unique<CurlTransport>(executor, std::move(config));
}

}  // namespace reprise::runtime
