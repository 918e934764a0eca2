#include "simulator/scenarios/run/scenario.h"

#include <set>
#include <utility>

#include "simulator/scenarios/faults/crowded_roots.h"
#include "simulator/scenarios/faults/other_machines.h"
#include "simulator/scenarios/faults/slow_disks.h"
#include "simulator/scenarios/faults/useless_machines.h"
#include "simulator/scenarios/habits/hang_habits.h"
#include "simulator/scenarios/habits/job_habits.h"
#include "simulator/scenarios/habits/library_habits.h"
#include "simulator/scenarios/habits/limit_habits.h"
#include "simulator/scenarios/habits/trainer_habits.h"
#include "simulator/scenarios/habits/volume_habits.h"
#include "simulator/scenarios/people/hostile_tenant.h"
#include "simulator/scenarios/people/shared_namespace.h"
#include "simulator/scenarios/run/end_state.h"
#include "simulator/scenarios/run/run.h"
#include "simulator/scenarios/workload/lone_ranks.h"
#include "simulator/scenarios/workload/many_containers.h"
#include "simulator/scenarios/workload/pool_limits.h"
#include "simulator/scenarios/workload/queues.h"
#include "simulator/scenarios/workload/rank_directories.h"
#include "simulator/scenarios/workload/reporting_ranks.h"
#include "simulator/scenarios/workload/small_volumes.h"
#include "simulator/scenarios/workload/template_changes.h"
#include "simulator/scenarios/workload/volumes_each.h"
#include "simulator/scenarios/workload/warm_gpus.h"

namespace reprise::simulator {
namespace {

struct UndisturbedEnd {
  std::vector<std::string> left;
  std::vector<Violation> violations;
};

// Plays the same jobs with spot that stays, without hostile tenants and faults. No replica takes over from another, so
// one is enough; the disturbed run judges whether things rest.
UndisturbedEnd undisturbed_end(const OwnKinds& kinds, std::uint64_t seed, Workload workload,
                               const std::set<std::string>& without) {
  for (ZonePlan& zone : workload.zones) {
    zone.available = true;
    zone.edges.clear();
  }
  workload.length = Duration{0};
  workload.hostile_tenant = false;
  workload.useless_machines = {};
  end_warm_schedule(workload);
  Run run(kinds, seed, std::move(workload), {}, "off", 1);
  if (run.play()) run.judge_undisturbed();
  return {run.what_is_left(without), run.checker().violations()};
}

}  // namespace

ScenarioOutcome run_scenario(const OwnKinds& kinds, const ScenarioOptions& options) {
  runtime::SeededRandom drawn(options.seed);
  ScenarioOutcome outcome{.seed = options.seed};
  runtime::SeededRandom later(options.seed ^ 0x165667b19e3779f9);
  outcome.workload = draw_workload(drawn, later);
  draw_volume_habits(options.seed, outcome.workload);
  draw_trainer_habits(options.seed, outcome.workload);
  draw_job_habits(options.seed, outcome.workload);
  draw_libraries(options.seed, outcome.workload);
  draw_hangs(options.seed, outcome.workload);
  FaultMix own = draw_fault_mix(drawn, options.seed);
  draw_namespace(outcome.workload, options.seed);
  draw_other_machines(options.seed, outcome.workload);
  draw_job_limits(options.seed, outcome.workload);
  draw_pool_limit(options.seed, outcome.workload);
  draw_warm_gpus(options.seed, outcome.workload);
  draw_template_changes(options.seed, outcome.workload);
  draw_reporting_ranks(options.seed, outcome.workload);
  draw_volumes_each(options.seed, outcome.workload);
  draw_hostile_tenant(options.seed, outcome.workload);
  draw_many_containers(options.seed, outcome.workload);
  draw_small_volumes(options.seed, outcome.workload);
  draw_crowded_roots(options.seed, outcome.workload);
  draw_rank_directories(options.seed, outcome.workload);
  draw_slow_disks(options.seed, outcome.workload);
  draw_lone_ranks(options.seed, outcome.workload, own);
  draw_useless_machines(options.seed, outcome.workload);
  draw_queues(options.seed, outcome.workload);
  outcome.mix = options.mix.value_or(own);
  Run run(kinds, options.seed, outcome.workload, outcome.mix, options.operator_log, 2);
  if (options.until_broken) run.end_when_broken();
  if (options.look_at_metrics) run.look_at_metrics(options.look_at_metrics);
  if (run.play()) run.judge_rest();
  if (run.checker().violations().empty()) {
    std::set<std::string> without = run.tampered_jobs();
    const bool lost = !without.empty();
    // A deadline is met or not, depending on what comes in between.
    for (const JobPlan& job : outcome.workload.jobs)
      // A job that waits for the quota of a job that waits for a person has not ended.
      if (job.deadline_seconds > 0 || (job.queued && lost)) without.insert(job.name);
    const UndisturbedEnd undisturbed = undisturbed_end(kinds, options.seed, outcome.workload, without);
    for (const Violation& each : undisturbed.violations)
      run.checker().report(each.invariant,
                           "undisturbed, after " + std::to_string(each.time.count()) + " ms: " + each.what);
    for (const std::string& line : difference(undisturbed.left, run.what_is_left(without)))
      run.checker().report("ends-as-undisturbed", line);
  }
  run.tell(outcome);
  return outcome;
}

}  // namespace reprise::simulator
