// The embedded cluster with the jobs of one example: the real operator, simulated trainers, and all invariants.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "simulator/actors/actors.h"
#include "simulator/cluster/installation.h"
#include "simulator/invariants/checker.h"
#include "simulator/scenarios/operators.h"

namespace reprise::examples {

class ExampleWorld {
 public:
  // Objects of kinds that the cluster has not (Kueue's) are no part of it. `problem` says what was not taken.
  ExampleWorld(const simulator::OwnKinds& kinds, const std::vector<std::string>& manifests);

  [[nodiscard]] const std::string& problem() const { return problem_; }
  // False: not within that time.
  bool becomes(simulator::Duration within, const std::function<bool()>& so);
  void pass(simulator::Duration time);
  [[nodiscard]] std::vector<simulator::ObjectPtr> jobs() const;
  // All ranks of attempt `number` or a later one of every job run.
  [[nodiscard]] bool all_train(std::int64_t number) const;
  // The notice for each node that holds a pod of a job.
  void interrupt_all();
  // What the invariants object to, with the jobs' conditions.
  [[nodiscard]] std::string objections() const;

 private:
  struct Kinds : simulator::ApiServer {
    Kinds(const runtime::Clock& clock, runtime::Random& random, const simulator::OwnKinds& kinds)
        : ApiServer(clock, random) {
      simulator::serve(*this, kinds);
    }
  };
  using Seen = std::pair<std::uint64_t, std::uint64_t>;  // touches of the disks, version of the objects
  void apply(const std::string& document);
  void look();

  simulator::EventLoop loop_;
  runtime::SeededRandom random_{0x9e3779b97f4a7c15};
  Kinds api_;
  simulator::EventLog log_{loop_};
  simulator::Cluster cluster_{loop_, random_, api_, log_};
  simulator::SteadySpotMarket market_;
  simulator::NoFaults wire_faults_;
  simulator::TrainingLog training_;
  simulator::Checker checker_{cluster_, training_};
  Seen seen_;
  std::int64_t steps_ = 0;
  std::string problem_;
  std::optional<simulator::Actors> actors_;
  std::optional<simulator::Operators> operators_;
};

}  // namespace reprise::examples
