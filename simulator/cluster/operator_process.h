// One run of the real operator in the embedded cluster: the manager, its controllers and its caches as they ship, on a
// wire of its own. Killing it leaves nothing behind but its writes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/cache/decoded_objects.h"
#include "runtime/leader/lease_timing.h"
#include "runtime/traces/span.h"
#include "simulator/cluster/machine_clock.h"
#include "simulator/cluster/wire.h"

namespace reprise::simulator {

struct OperatorSettings {
  std::string identity = "operator-0";
  std::uint64_t seed = 1;  // for its own randomness (backoff jitter)
  runtime::LeaseTiming lease_timing = {};
  std::string log_level = "off";               // lines go to the event log as "operator"
  const MachineClock* clock = nullptr;         // the machine's; outlives it. Without: the cluster's time
  runtime::SpanSink* spans = nullptr;          // takes the traces of jobs; outlives it
  bool kueue = false;                          // the feature gate
  bool reports = false;                        // pods are told to report
  runtime::DecodedObjects* decoded = nullptr;  // shared with other processes; outlives it. Without: it decodes all
};

class OperatorProcess {
 public:
  // Starts at once. All outlive it.
  OperatorProcess(Cluster& cluster, WireFaults& wire_faults, OperatorSettings settings);
  // Ends it like SIGKILL. Not from inside the operator's own work: see dead().
  ~OperatorProcess();
  OperatorProcess(const OperatorProcess&) = delete;
  OperatorProcess& operator=(const OperatorProcess&) = delete;

  // A fault has killed it, or it ended itself (it lost its lease): to be destroyed from the loop.
  [[nodiscard]] bool dead() const;
  // True when its caches are filled, it leads, and it does not stand still: an idle process leads nobody. Requests that
  // a stopped process still sends when it goes on are judged where they arrive (the invariant writer-holds-lease).
  [[nodiscard]] bool working() const;
  [[nodiscard]] Wire& wire();
  // Takes in a pod's report.
  void take_report(const ReportingPod& who, const std::string& json);
  // How often it has looked at objects of a kind: "resumablejob", "gpupool".
  [[nodiscard]] double reconciles(const std::string& controller) const;
  // The text of its /metrics, without the metrics of the process.
  [[nodiscard]] std::string metrics() const;
  // Stops as on SIGTERM: writes held statuses, then gives the lease back. From outside the loop; runs it for the
  // writes. The release is under way when it returns: the process is to be destroyed once that had its time.
  void stop_in_order();
  // Freezes the process for so long with its next write on its lips; then it goes on where it was.
  void stand_still_at_next_write(Duration for_so_long);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::simulator
