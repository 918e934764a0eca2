// Keeps operators running as a Deployment keeps its pods. A dead one is started again after seconds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/cluster/operator_process.h"
#include "simulator/cluster/shared_decoding.h"

namespace reprise::simulator {

class Operators {
 public:
  // All outlive it.
  Operators(Cluster& cluster, WireFaults& wire_faults, int replicas, const runtime::LeaseTiming& lease_timing,
            std::string log_level, bool kueue = false, bool reports = false);
  ~Operators();
  Operators(const Operators&) = delete;
  Operators& operator=(const Operators&) = delete;

  // Between two steps of the loop, never inside one: buries the dead, starts the next.
  void maintain();

  // Kills at once, for faults, also from inside an operator's own work.
  void kill_leader();
  // One replica is asked to end, as by an upgrade or a drain of its node: in order, between two steps of the loop.
  void stop_in_order(std::size_t replica);
  // No replica runs for so long.
  void all_off(Duration for_so_long);
  // The leader cannot reach the API server for so long.
  void partition_leader(Duration for_so_long);
  // Their watches of that path bring nothing for so long.
  void hold_watches(const std::string& path, Duration for_so_long);
  // Sets the clock of one replica's machine; its process runs on.
  void skew_clock(std::size_t replica, Duration ahead, int gains_per_million);
  void set_clocks_right();
  // Freezes the leader with its next write on its lips.
  void freeze_leader(Duration for_so_long);

  [[nodiscard]] const runtime::LeaseTiming& lease_timing() const { return lease_timing_; }
  [[nodiscard]] int replicas() const { return static_cast<int>(replicas_.size()); }
  [[nodiscard]] std::uint64_t starts() const { return starts_; }
  // The traffic of all processes that ever were.
  [[nodiscard]] Wire::Traffic traffic() const;
  // Shows the /metrics of each process that runs, with the replica's number.
  void each_metrics(const std::function<void(std::size_t, const std::string&)>& look) const;
  // The number of leaders now.
  [[nodiscard]] int leaders() const;

 private:
  struct Replica {
    std::unique_ptr<MachineClock> clock;
    std::unique_ptr<OperatorProcess> process = {};
    Duration start_at{0};
    bool kill = false, stop = false;
    std::optional<Duration> gone_at = {};  // the end of a stopped process, with its lease given back
    std::optional<Duration> rejoin_at = {};
  };
  [[nodiscard]] Replica* leader();
  void retire(Replica& replica);
  void carry_report(const ReportingPod& who, std::string json);

  Cluster& cluster_;
  WireFaults& wire_faults_;
  runtime::LeaseTiming lease_timing_;
  std::string log_level_;
  bool kueue_, reports_;
  SharedDecoding decoding_;
  std::vector<Replica> replicas_;
  Wire::Traffic buried_;
  std::uint64_t starts_ = 0;
};

}  // namespace reprise::simulator
