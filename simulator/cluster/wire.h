// The network between one operator process and the API server: the runtime's transport under virtual time.
//
// A blocking call runs the loop until its answer is due, so that others act before and after the API server sees the
// request. The faults decide the fate of every exchange. Frames of a watch arrive in order within the watch; different
// watches are as late as each is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "runtime/http/transport.h"
#include "simulator/cluster/cluster.h"

namespace reprise::simulator {

// The fate of one exchange.
struct ExchangeFault {
  Duration there{1}, back{1};  // on the wire
  enum class Kind {
    Answered,
    Rejected,     // the API server answers `status` and does nothing
    LostRequest,  // the server never sees it; the client sees a broken connection
    LostAnswer,   // carried out; the client sees a broken connection
    CrashBefore,  // the operator dies: before the API server sees it,
    CrashAfter,   // or when it was carried out and before the answer
  } kind = Kind::Answered;
  int status = 0;                            // when Rejected
  std::optional<Duration> retry_after = {};  // when Rejected
};

// The fate of a watch that is opened.
struct WatchFault {
  Duration delay{1};                                      // per frame
  std::optional<Duration> cut_after = {};                 // the connection breaks
  std::optional<Duration> held_from = {}, held_for = {};  // frames stop coming, then come all at once
};

// Decides the fate of exchanges and watches; drawn from the seed by faults/, scripted by tests. `write`: the number of
// mutating requests that this operator process has sent so far, this one included.
class WireFaults {
 public:
  virtual ~WireFaults() = default;
  [[nodiscard]] virtual ExchangeFault exchange(const runtime::Request& request, std::uint64_t write) = 0;
  [[nodiscard]] virtual WatchFault watch(const runtime::Request& request) = 0;
};

// Everything arrives, 1 ms each way.
class NoFaults final : public WireFaults {
 public:
  [[nodiscard]] ExchangeFault exchange(const runtime::Request&, std::uint64_t) override { return {}; }
  [[nodiscard]] WatchFault watch(const runtime::Request&) override { return {}; }
};

class Wire final : public runtime::Transport {
 public:
  // `on_crash`: called when a fault crashes the operator; from then on the wire is dead. All outlive it.
  Wire(Cluster& cluster, WireFaults& wire_faults, std::string who, std::function<void()> on_crash);
  ~Wire() override;
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // Ends the wire of a killed process: nothing is sent any more, every answer is Cancelled, no sink hears anything.
  void die();
  // The API server cannot be reached: connections break, new ones are refused.
  void partition(bool partitioned);
  // Watches of that path bring nothing for so long, also those that are opened meanwhile.
  void hold_watches(std::string path, Duration for_so_long);
  // Freezes the process for so long with its next write (the lease's apart) on its lips: nothing leaves it, nothing
  // reaches it. `then` is called when that begins.
  void stand_still_at_next_write(Duration for_so_long, std::function<void()> then);

  [[nodiscard]] runtime::Result<runtime::Response> send(const runtime::Request& request) override;
  void send_async(runtime::Request request, std::function<void(runtime::Result<runtime::Response>)> done) override;
  [[nodiscard]] std::unique_ptr<runtime::Stream> open(runtime::Request request, runtime::StreamSink& sink) override;

  struct Traffic {
    std::uint64_t requests = 0, writes = 0, watches = 0;
  };
  [[nodiscard]] const Traffic& traffic() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace reprise::simulator
