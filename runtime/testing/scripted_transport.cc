#include "runtime/testing/scripted_transport.h"

#include <utility>

namespace reprise::runtime::testing {
namespace {

class ClientSide final : public Stream {
 public:
  explicit ClientSide(std::function<void()> cancel) : cancel_(std::move(cancel)) {}
  ~ClientSide() override { cancel_(); }

 private:
  std::function<void()> cancel_;
};

}  // namespace

void ScriptedTransport::ServedStream::status(int status, std::optional<Duration> retry_after) {
  if (sink_ != nullptr) sink_->on_status(status, retry_after);
}

void ScriptedTransport::ServedStream::bytes(std::string_view bytes) {
  if (sink_ != nullptr) sink_->on_bytes(bytes);
}

void ScriptedTransport::ServedStream::close(std::optional<Error> error) {
  if (StreamSink* sink = std::exchange(sink_, nullptr)) sink->on_closed(std::move(error));
}

Result<Response> ScriptedTransport::send(const Request& request) {
  if (request.before_send) {
    if (auto allowed = request.before_send(); !allowed) return std::unexpected(std::move(allowed.error()));
  }
  requests_.push_back(request);
  if (!handler_) return fail(ErrorClass::Unavailable, "the test answers no requests");
  return handler_(request);
}

void ScriptedTransport::send_async(Request request, std::function<void(Result<Response>)> done) {
  executor_.post([this, request = std::move(request), done = std::move(done)] { done(send(request)); });
}

std::unique_ptr<Stream> ScriptedTransport::open(Request request, StreamSink& sink) {
  requests_.push_back(request);
  auto served = std::make_shared<ServedStream>(std::move(request), sink);
  streams_.push_back(served);
  return std::make_unique<ClientSide>([served] { served->sink_ = nullptr; });
}

}  // namespace reprise::runtime::testing
