// The seam between the runtime and the network. Everything above it reaches the API server through this interface only,
// so that a simulator can stand in its place under virtual time.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::runtime {

enum class Method { Get, Post, Put, Patch, Delete };
[[nodiscard]] std::string_view name(Method method);

struct Request {
  Method method = Method::Get;
  std::string path_and_query = {};  // "/api/v1/pods?limit=500"
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  Duration timeout{30'000};  // for the whole exchange; streams have none. Waiting for a free slot is bounded by it too
  Duration idle_timeout{0};  // streams only: end when no byte came for so long; 0 is never
  // Runs on the executor's thread right before the request leaves, each time it does, perhaps more often; an error
  // keeps it from leaving and is the result.
  std::function<Result<void>()> before_send = {};
  // Goes before all requests that wait for a slot, and has a slot that others may not take: for requests that must not
  // come late, such as a lease.
  bool urgent = false;
};

struct Response {
  int status = 0;
  std::string body = {};
  std::optional<Duration> retry_after = {};
  std::string content_type = {};
};

// Receives a streamed answer, on the executor's thread: one on_status, any number of on_bytes, one on_closed.
// A sink may destroy its Stream inside any of these calls.
class StreamSink {
 public:
  virtual ~StreamSink() = default;
  virtual void on_status(int status, std::optional<Duration> retry_after) = 0;
  virtual void on_bytes(std::string_view bytes) = 0;
  // Without an error the server ended the answer in order. The call may come without on_status when no answer began.
  virtual void on_closed(std::optional<Error> error) = 0;
};

// Destroying it cancels: the sink is not called any more. Only on the executor's thread, or after that has ended.
class Stream {
 public:
  virtual ~Stream() = default;
};

// Errors are Unavailable (`not_sent`: certainly not carried out; otherwise it may have been, and a mutating request is
// never sent a second time), Terminal when no retry helps, the error of before_send, or Cancelled. HTTP statuses are no
// errors here.
class Transport {
 public:
  virtual ~Transport() = default;
  // Blocks. Any thread but the executor's.
  [[nodiscard]] virtual Result<Response> send(const Request& request) = 0;
  // `done` runs on the executor's thread. Any thread.
  virtual void send_async(Request request, std::function<void(Result<Response>)> done) = 0;
  // Only on the executor's thread; `sink` outlives the stream and is not called before this returns.
  [[nodiscard]] virtual std::unique_ptr<Stream> open(Request request, StreamSink& sink) = 0;
};

}  // namespace reprise::runtime
