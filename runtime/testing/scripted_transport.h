// A transport whose other side is the test: it sees each request and answers when and how it likes.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/executor.h"
#include "runtime/http/transport.h"

namespace reprise::runtime::testing {

// One thread. before_send hooks are honoured.
class ScriptedTransport final : public Transport {
 public:
  // A stream that the code under test has opened.
  class ServedStream {
   public:
    ServedStream(Request request, StreamSink& sink) : request_(std::move(request)), sink_(&sink) {}
    [[nodiscard]] const Request& request() const { return request_; }
    // False once the client has cancelled or the stream has ended; then the calls below do nothing.
    [[nodiscard]] bool open() const { return sink_ != nullptr; }
    void status(int status, std::optional<Duration> retry_after = {});
    void bytes(std::string_view bytes);
    void line(std::string_view text) { bytes(std::string(text) + "\n"); }
    void close(std::optional<Error> error = {});

   private:
    friend class ScriptedTransport;
    Request request_;
    StreamSink* sink_;
  };
  using Handler = std::function<Result<Response>(const Request&)>;

  explicit ScriptedTransport(Executor& executor) : executor_(executor) {}

  // Answers send() and send_async(); without it they are Unavailable.
  void on_request(Handler handler) { handler_ = std::move(handler); }
  // All requests so far, streams too.
  [[nodiscard]] const std::vector<Request>& requests() const { return requests_; }
  // All streams so far, the newest last.
  [[nodiscard]] const std::vector<std::shared_ptr<ServedStream>>& streams() const { return streams_; }
  [[nodiscard]] ServedStream& last_stream() { return *streams_.back(); }

  [[nodiscard]] Result<Response> send(const Request& request) override;
  void send_async(Request request, std::function<void(Result<Response>)> done) override;
  [[nodiscard]] std::unique_ptr<Stream> open(Request request, StreamSink& sink) override;

 private:
  Executor& executor_;
  Handler handler_;
  std::vector<Request> requests_;
  std::vector<std::shared_ptr<ServedStream>> streams_;
};

}  // namespace reprise::runtime::testing
