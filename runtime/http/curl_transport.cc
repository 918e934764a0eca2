#include "runtime/http/curl_transport.h"

#include <algorithm>
#include <utility>

#include "runtime/http/internal/asio_impl.h"
#include "runtime/http/internal/lane_pool.h"
#include "runtime/http/internal/request_queue.h"
#include "runtime/http/send_and_wait.h"

namespace reprise::runtime {
namespace {

struct CurlGlobal {
  CurlGlobal() {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    curl_global_trace("http/2");  // for CurlTransfer::on_debug
  }
};

struct Lanes {
  Lanes(boost::asio::io_context& context, ServerConfig config)
      : server(std::move(config)),
        requests(context, server),
        watches(context, server),
        queue(std::make_shared<RequestQueue>(context, std::max<std::size_t>(server.requests_at_once, 2) - 1,
                                             server.requests_waiting_limit,
                                             [this](Request request, Duration left, RequestQueue::Done done) {
                                               start(std::move(request), left, std::move(done));
                                             })) {}

  ~Lanes() { queue->stop(); }
  Lanes(const Lanes&) = delete;
  Lanes& operator=(const Lanes&) = delete;

  void start(Request request, Duration left, RequestQueue::Done done) {
    if (request.before_send) {
      if (auto allowed = request.before_send(); !allowed) return done(std::unexpected(std::move(allowed.error())));
    }
    requests.add(std::make_shared<CurlTransfer>(handles, server, std::move(request), left, nullptr, std::move(done)));
  }

  ServerConfig server;
  std::shared_ptr<EasyHandles> handles = std::make_shared<EasyHandles>();  // know the server's identity
  LanePool requests, watches;
  std::shared_ptr<RequestQueue> queue;
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

class LanedTransport final : public CurlTransport {
 public:
  LanedTransport(AsioExecutor& executor, ServerConfig config)
      : executor_(executor), lanes_(std::make_shared<Lanes>(executor.impl().context, std::move(config))) {}

  Result<Response> send(const Request& request) override { return send_and_wait(*this, request); }

  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    executor_.post([weak = std::weak_ptr(lanes_), request = std::move(request), done = std::move(done)]() mutable {
      const auto lanes = weak.lock();
      if (!lanes) return done(fail(ErrorClass::Cancelled, "the transport has stopped"));
      lanes->queue->add(std::move(request), std::move(done));
    });
  }

  void shut_down() override { lanes_.reset(); }

  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    if (!lanes_) return nullptr;
    auto transfer = std::make_shared<CurlTransfer>(lanes_->handles, lanes_->server, std::move(request), Duration{0},
                                                   &sink, nullptr);
    // Posted: this may be called by a sink, that is from inside libcurl.
    executor_.post([weak = std::weak_ptr(lanes_), waiting = std::weak_ptr(transfer)] {
      const auto lanes = weak.lock();
      const auto opened = waiting.lock();
      if (lanes && opened) lanes->watches.add(opened);
    });
    return std::make_unique<CurlStream>(lanes_, std::move(transfer));
  }

  void use(TlsIdentity identity) override {
    executor_.post([weak = std::weak_ptr(lanes_), identity = std::move(identity)]() mutable {
      const auto lanes = weak.lock();
      if (!lanes || lanes->server.identity == identity) return;
      lanes->server.identity = std::move(identity);
      lanes->handles = std::make_shared<EasyHandles>();
      lanes->requests.renew();
      lanes->watches.renew();
    });
  }

 private:
  AsioExecutor& executor_;
  std::shared_ptr<Lanes> lanes_;
};

}  // namespace

std::unique_ptr<CurlTransport> make_curl_transport(AsioExecutor& executor, ServerConfig config) {
  static const CurlGlobal global;
  return std::make_unique<LanedTransport>(executor, std::move(config));
}

}  // namespace reprise::runtime
