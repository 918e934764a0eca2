// One cluster from its beginning to its end: a workload in a cluster of its own, under a mix of faults, held to the
// invariants.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/actors/actors.h"
#include "simulator/faults/seeded_wire_faults.h"
#include "simulator/invariants/checker.h"
#include "simulator/scenarios/faults/fault_schedule.h"
#include "simulator/scenarios/faults/other_machines.h"
#include "simulator/scenarios/people/hostile_tenant.h"
#include "simulator/scenarios/people/people.h"
#include "simulator/scenarios/run/job_ends.h"
#include "simulator/scenarios/run/operators.h"
#include "simulator/scenarios/run/orderly_ends.h"
#include "simulator/scenarios/run/request_bounds.h"
#include "simulator/scenarios/run/scenario.h"
#include "simulator/scenarios/workload/market.h"
#include "simulator/scenarios/workload/queues.h"

namespace reprise::simulator {

class Run {
 public:
  // `kinds` outlives it.
  Run(const OwnKinds& kinds, std::uint64_t seed, Workload workload, FaultMix mix, std::string operator_log,
      int replicas);

  void look_at_metrics(LookAtMetrics look) { look_at_metrics_ = std::move(look); }
  // Ends the run with the first broken invariant: nobody reads the rest.
  void end_when_broken() { until_broken_ = true; }
  // Plays until every job that ends has ended. True: there was a cluster to play in.
  bool play();
  // Call it afterwards: judges that nothing changes any more.
  void judge_rest();
  // Call it afterwards, when nothing was to disturb the run.
  void judge_undisturbed();

  [[nodiscard]] std::vector<std::string> what_is_left(const std::set<std::string>& without = {}) const;
  [[nodiscard]] Checker& checker() { return checker_; }
  // Jobs whose checkpoints a fault has taken: they may rightly wait for a person.
  [[nodiscard]] std::set<std::string> tampered_jobs() const;
  void tell(ScenarioOutcome& outcome) const;

 private:
  struct ServingOwnKinds : ApiServer {
    ServingOwnKinds(const runtime::Clock& clock, runtime::Random& random, const OwnKinds& kinds, bool kueue)
        : ApiServer(clock, random) {
      simulator::serve(*this, kinds);
      if (kueue) serve_kueue(*this);
    }
  };
  struct Seen {
    std::uint64_t disk_touches = 0, api_version = 0, training = 0;
    bool operator==(const Seen&) const = default;
  };

  bool failed_to_set_up(const runtime::Error& error);
  [[nodiscard]] ActorSettings actor_settings() const;
  void submit();
  void keep_quota_tight();
  void look();
  // Volumes whose saves a fault, or a trainer itself, has lost.
  [[nodiscard]] std::set<std::string> tampered() const;
  [[nodiscard]] bool over() const { return until_broken_ && !checker_.violations().empty(); }
  bool step();
  void show_metrics();
  void run_until(Duration time);
  // True: `holds` does. Whether it does can change with the objects only.
  bool run_until(Duration time, const std::function<bool()>& holds);
  void play_under_faults();
  void end_faults();
  void wait_for_the_ends();

  Workload workload_;
  FaultMix mix_;
  std::uint64_t seed_;
  EventLoop loop_;
  runtime::SeededRandom random_, fault_random_, further_fault_random_;
  EventLog log_{loop_};
  ServingOwnKinds api_;
  Cluster cluster_{loop_, random_, api_, log_};
  WorkloadMarket market_{workload_};
  SeededWireFaults wire_faults_{fault_random_, mix_};
  TrainingLog training_;
  Checker checker_{cluster_, training_, workload_.queue.units};
  std::string operator_log_;
  int replicas_;
  bool until_broken_ = false;
  LookAtMetrics look_at_metrics_;
  Duration metrics_due_{0};
  Seen seen_;
  std::size_t tampered_ = 0;  // volumes, however often they were
  std::optional<Actors> actors_;
  std::optional<Operators> operators_;
  std::optional<People> people_;
  std::optional<Queues> queues_;
  std::optional<FaultSchedule> fault_schedule_;
  std::optional<OtherMachines> other_machines_;
  std::optional<HostileTenant> hostile_tenant_;
  std::unique_ptr<ApiServer::Subscription> ended_jobs_, bound_standby_;
  JobEnds ends_{api_, workload_, [this] { return tampered_jobs(); },
                [this](const Value& job) { return people_->will_see_to(job); }};
  RequestBounds request_bounds_;
  std::optional<OrderlyEnds> orderly_ends_;
};

}  // namespace reprise::simulator
