// One watch on the wire: takes frames from the API server's cursor and brings them to the client, late.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "simulator/cluster/wire.h"

namespace reprise::simulator {

// The sink is never called before begin() returns, nor after forget_sink().
class WireStream : public std::enable_shared_from_this<WireStream> {
 public:
  WireStream(Cluster& cluster, runtime::Request request, WatchFault fault, runtime::StreamSink& sink);
  void begin();
  // The sink hears of the break from the loop.
  void break_off(runtime::Error error);
  void forget_sink();
  // Holds back all frames until then.
  void hold_until(Duration time) { held_until_ = time; }
  [[nodiscard]] bool is_of(std::string_view path) const { return request_.path_and_query.starts_with(path); }

 private:
  void answer();
  void wake(Duration delay);
  void deliver();
  void keep_alive();
  void close(std::optional<runtime::Error> error);
  // The time for which frames are kept back from now on.
  [[nodiscard]] Duration held_for() const;

  Cluster& cluster_;
  runtime::Request request_;
  WatchFault fault_;
  runtime::StreamSink* sink_;
  Duration opened_{0}, held_until_{0};
  bool planned_ = false;
  std::unique_ptr<WatchCursor> cursor_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

class WireStreamHandle final : public runtime::Stream {
 public:
  explicit WireStreamHandle(std::shared_ptr<WireStream> stream) : stream_(std::move(stream)) {}
  ~WireStreamHandle() override { stream_->forget_sink(); }

 private:
  std::shared_ptr<WireStream> stream_;
};

}  // namespace reprise::simulator
