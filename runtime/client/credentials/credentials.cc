#include "runtime/client/credentials/credentials.h"

#include <atomic>
#include <utility>

#include "runtime/client/internal/delays.h"
#include "runtime/http/send_and_wait.h"

namespace reprise::runtime {
namespace {

class CredentialedTransport final : public Transport {
 public:
  CredentialedTransport(Transport& inner, std::unique_ptr<CredentialSource> source, Executor& executor,
                        const Clock& clock, Headers more)
      : inner_(inner),
        executor_(executor),
        clock_(clock),
        more_(std::move(more)),
        source_(std::move(source)),
        delays_(executor) {}

  Result<Response> send(const Request& request) override { return send_and_wait(*this, request); }

  void send_async(Request request, std::function<void(Result<Response>)> done) override {
    const Instant deadline = clock_.steady() + request.timeout;
    auto exchange = std::make_shared<Exchange>(Exchange{std::move(request), std::move(done), deadline});
    obtain(exchange, [this, exchange](Result<Credential> credential) {
      if (!credential) return exchange->done(std::unexpected(std::move(credential.error())));
      ask(exchange, *std::move(credential), false);
    });
  }

  std::unique_ptr<Stream> open(Request request, StreamSink& sink) override {
    auto watching = std::make_unique<Watching>(*this, std::move(request), sink);
    // True while open() still runs: a failure then has to wait, for no sink is called before open() returns.
    auto opening = std::make_shared<bool>(true);
    source_->get([this, opening, weak = std::weak_ptr(watching->self)](Result<Credential> credential) {
      if (credential || !*opening) return begin(weak, std::move(credential));
      executor_.post([this, weak, credential] { begin(weak, credential); });
    });
    *opening = false;
    return watching;
  }

 private:
  struct Exchange {
    Request request;
    std::function<void(Result<Response>)> done;
    Instant deadline;
  };

  // Sees a stream's 401 so that the next attempt has another credential.
  struct Watching final : Stream, StreamSink {
    Watching(CredentialedTransport& transport, Request what, StreamSink& target)
        : owner(transport), request(std::move(what)), sink(target) {}
    void on_status(int status, std::optional<Duration> retry_after) override {
      if (status == 401) owner.source_->rejected(credential);
      sink.on_status(status, retry_after);
    }
    void on_bytes(std::string_view bytes) override { sink.on_bytes(bytes); }
    void on_closed(std::optional<Error> error) override {
      if (error) owner.source_->unanswered();
      sink.on_closed(std::move(error));
    }

    CredentialedTransport& owner;
    Request request;
    StreamSink& sink;
    Credential credential;
    std::shared_ptr<Watching*> self = std::make_shared<Watching*>(this);
    std::unique_ptr<Stream> stream;
  };

  void begin(const std::weak_ptr<Watching*>& weak, Result<Credential> credential) {
    const auto self = weak.lock();
    if (!self) return;
    Watching& watching = **self;
    if (!credential) return watching.sink.on_closed(std::move(credential.error()));
    watching.credential = *std::move(credential);
    watching.stream = inner_.open(with_headers(std::move(watching.request), watching.credential), watching);
  }

  // Gives `use` a credential, or an error once the exchange is out of time.
  void obtain(const std::shared_ptr<Exchange>& exchange, CredentialSource::Done use) {
    auto once = std::make_shared<std::atomic<bool>>(false);
    source_->get([once, use](Result<Credential> credential) {
      if (!once->exchange(true)) use(std::move(credential));
    });
    if (*once) return;
    const auto left = std::chrono::ceil<Duration>(exchange->deadline - clock_.steady());
    delays_.after(left, [once, use](bool due) {
      if (once->exchange(true)) return;
      auto late = due ? fail(ErrorClass::Unavailable, "timed out waiting for credentials")
                      : fail(ErrorClass::Cancelled, "the transport is shutting down");
      late.error().not_sent = true;
      use(std::move(late));
    });
  }

  void ask(const std::shared_ptr<Exchange>& exchange, Credential credential, bool again) {
    Request request = with_headers(exchange->request, credential);
    const auto left = std::chrono::floor<Duration>(exchange->deadline - clock_.steady());
    request.timeout = std::max(left, Duration{1});
    inner_.send_async(
        std::move(request), [this, exchange, credential = std::move(credential), again](Result<Response> response) {
          if (!response && response.error().error_class == ErrorClass::Unavailable) source_->unanswered();
          if (!response || response->status != 401) return exchange->done(std::move(response));
          source_->rejected(credential);
          if (again) return exchange->done(std::move(response));
          obtain(exchange, [this, exchange, credential, rejection = std::move(response)](Result<Credential> newer) {
            if (!newer || *newer == credential) return exchange->done(rejection);
            ask(exchange, *std::move(newer), true);
          });
        });
  }

  Request with_headers(Request request, const Credential& credential) const {
    request.headers.insert(request.headers.end(), more_.begin(), more_.end());
    if (!credential.bearer.empty()) request.headers.emplace_back("Authorization", "Bearer " + credential.bearer);
    return request;
  }

  Transport& inner_;
  Executor& executor_;
  const Clock& clock_;
  Headers more_;
  std::unique_ptr<CredentialSource> source_;
  Delays delays_;
};

}  // namespace

std::unique_ptr<Transport> with_credentials(Transport& inner, std::unique_ptr<CredentialSource> source,
                                            Executor& executor, const Clock& clock, Headers more) {
  return std::make_unique<CredentialedTransport>(inner, std::move(source), executor, clock, std::move(more));
}

}  // namespace reprise::runtime
