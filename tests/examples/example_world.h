// The embedded cluster with the jobs of one example: the real operator, simulated trainers, and all invariants.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/actors/actors.h"
#include "simulator/actors/kueue/kueue.h"
#include "simulator/cluster/installation.h"
#include "simulator/invariants/checker.h"
#include "simulator/scenarios/run/operators.h"

namespace reprise::examples {

class ExampleWorld {
 public:
  // Plays Kueue, and the operator's gate for it, when a ClusterQueue is among the manifests. `problem` names a manifest
  // that was rejected.
  ExampleWorld(const simulator::OwnKinds& kinds, const std::vector<std::string>& manifests);

  [[nodiscard]] const std::string& problem() const { return problem_; }
  // False: not within that time.
  bool becomes(simulator::Duration within, const std::function<bool()>& so);
  void pass(simulator::Duration time);
  [[nodiscard]] std::vector<simulator::ObjectPtr> jobs() const;
  [[nodiscard]] bool has_pods() const;
  // All ranks of attempt `number` or a later one of every job run.
  [[nodiscard]] bool all_train(std::int64_t number) const;
  // Units that Kueue has admitted; 0 where there is no queue.
  [[nodiscard]] std::int64_t admitted_units() const;
  void drain_queue(bool drained) { kueue_->drain(drained); }
  // Sends the interruption notice for each node that holds a pod of a job.
  void interrupt_all();
  // The objections of the invariants, with the jobs' conditions.
  [[nodiscard]] std::string objections() const;

 private:
  struct Kinds : simulator::ApiServer {
    Kinds(const runtime::Clock& clock, runtime::Random& random, const simulator::OwnKinds& kinds, bool kueue)
        : ApiServer(clock, random) {
      simulator::serve(*this, kinds);
      if (kueue) simulator::serve_kueue(*this);
    }
  };
  using Seen = std::pair<std::uint64_t, std::uint64_t>;  // touches of the disks, version of the objects
  void apply(const simulator::Value& object);
  void look();

  std::string problem_;
  std::vector<simulator::Value> objects_;
  std::optional<std::int64_t> quota_;  // in units of pools
  simulator::EventLoop loop_;
  runtime::SeededRandom random_{0x9e3779b97f4a7c15};
  runtime::SeededRandom kueue_random_{0x2545f4914f6cdd1d};
  Kinds api_;
  simulator::EventLog log_{loop_};
  simulator::Cluster cluster_{loop_, random_, api_, log_};
  simulator::SteadySpotMarket market_;
  simulator::NoFaults wire_faults_;
  simulator::TrainingLog training_;
  simulator::Checker checker_{cluster_, training_, quota_.value_or(0)};
  Seen seen_;
  std::int64_t steps_ = 0;
  std::optional<simulator::Actors> actors_;
  std::optional<simulator::Kueue> kueue_;
  std::optional<simulator::Operators> operators_;
};

}  // namespace reprise::examples
