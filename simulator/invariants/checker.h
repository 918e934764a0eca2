// Holds a scenario to its invariants: looks after each change and each step, keeps the violations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/cluster/cluster.h"
#include "simulator/invariants/invariant.h"

namespace reprise::simulator {

struct Violation {
  Duration time{0};
  std::string invariant, what;
};

class Checker {
 public:
  // All outlive it. `queue`: units of the jobs' ClusterQueue; 0: there is none.
  Checker(Cluster& cluster, const TrainingLog& training, std::int64_t queue = 0);
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // Call it after each step of the loop.
  void look(const Disks& disks);
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }
  // How many writes operators have asked for; leases and Events do not count.
  [[nodiscard]] std::uint64_t writes() const { return writes_; }
  // Adds a verdict of others, such as of the end of a scenario.
  void report(std::string invariant, std::string what);

 private:
  void watch_queue(std::int64_t queue);
  void listen();

  Cluster& cluster_;
  const TrainingLog& training_;
  std::vector<std::unique_ptr<Invariant>> invariants_;
  std::uint64_t writes_ = 0;
  std::vector<Violation> violations_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
