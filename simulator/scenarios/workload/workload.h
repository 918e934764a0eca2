// The plan of a scenario: jobs, a pool and a spot market, drawn from a seed. Data only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/base/random.h"
#include "runtime/leader/lease_timing.h"
#include "simulator/base/json.h"
#include "simulator/cluster/event_loop.h"
#include "simulator/volumes/library_layouts.h"

namespace reprise::simulator {

// The storage of a job's checkpoints.
struct VolumePlan {
  Duration call{0};                  // time of one call of an agent; 0: next to nothing
  std::int64_t former_attempts = 0;  // by a job that had the volume before
  int former_ranks = 0;
  bool moves = true;          // directories; false: object stores
  std::int64_t capacity = 0;  // in checkpoints; 0: endless
  // A sync of a save takes so long, and a machine that is lost meanwhile leaves names without bytes; 0: neither.
  Duration flush{0};
  std::int64_t failing_syncs = 0;  // counted among syncs that write
  bool says_keep = true;           // the job says how many stay, where others would
  int former_runs = 0;             // their directories lie in its root (crowded_roots.h)
};

// How a trainer saves by a library.
struct LibraryPlan {
  Library library = Library::None;  // None: the trainer writes a marker by itself
  int save_limit = 0;               // checkpoints that the library keeps; 0: all
  std::string folder = {};          // below the root
  bool is_named = false;            // in spec.checkpoint.format, which is Auto otherwise
  bool files_beside = false;        // somebody has put others on the volume
  int keep = 0;                     // spec.checkpoint.keep; 0: not said
};

struct JobPlan {
  std::string name;
  int parallelism = 1;
  std::int64_t steps = 600;
  Duration step{1'000};
  Duration save{5'000};
  std::int64_t save_every_steps = 60;
  int grace_seconds = 60;
  bool saves_on_notice = true;
  int term_exit_code = 143;  // 0: a trainer that saves on SIGTERM and ends as if it were done
  int fails_in_attempt = 0;  // a defect that this attempt meets, if it comes so far
  std::int64_t fails_at_step = 0;
  int progress_timeout_seconds = 0;  // 0: nobody watches for hangs
  int hang_attempts = 0;             // in so many it hangs when it comes to
  std::int64_t hangs_at_step = 0;
  std::string when_hung = {};  // "Deaf", "Ends", "Saves" (training_plan.h)
  bool tells_steps = false;    // in its progress file
  Duration end_spread{0};      // between the ends of two ranks, the last first; negative: the first first
  Duration peer_loss{0};       // until the others notice that a rank is gone; 0: the simulator's usual
  bool ranks_apart = false;    // ranks do not wait for each other, and the first alone saves
  bool volume_each = false;    // every rank has a volume of its own
  bool on_share = false;       // a job of one rank, on a share all the same
  Duration save_spread{0};     // then: between the completions of one checkpoint on two of them
  bool dated_names = false;    // the numbers in the names of its checkpoints go up and down
  bool data = false;           // somebody has put directories with a marker on the volume
  VolumePlan volume = {};
  LibraryPlan library = {};
  Duration from_scratch{0};     // since it was submitted: a person asks for a start from scratch; 0: never
  int helpers = 0;              // processes of each rank that it trains and saves with
  int ready_after_seconds = 0;  // for its startup and readiness probes; 0: it has none
  Duration unhealthy_after{0};  // its liveness probe fails, since the first attempt's start; 0: it has none
  bool pre_stop = false;        // a hook has the trainer save and exit with 0 before SIGTERM comes
  Duration suspended_after{0}, suspended_for{0};      // since it was submitted; 0: it is not
  int deadline_seconds = 0;                           // 0: it has none
  int interruption_limit = 0;                         // likewise
  bool pooled = true;                                 // false: it asks for the machine's own resource
  Duration submitted{0};                              // since the begin of the scenario
  std::string claim = {};                             // an existing claim; empty: one of its own
  bool other_machines = false;                        // not pooled, and it runs on machines of somebody else
  bool queued = false, urgent = false;                // a LocalQueue of Kueue is named, and a class of priority
  Duration deactivated_after{0}, deactivated_for{0};  // since it was submitted, its Workload; 0: it is not
  Duration workload_deleted_after{0};                 // likewise
  int max_cost_cents = 0;                             // spec.placement.maxCost; 0: none
  int complete_by_seconds = 0;                        // since it was submitted; 0: it has no deadline
  int estimated_seconds = 0;                          // 0: nobody says how long it takes
  int keep_failed_pods = 0;
  int sidecars = 0;  // beside the trainer
};

// A ClusterQueue of Kueue.
struct QueuePlan {
  int units = 0;  // ranks that may be admitted; 0: there is no queue
  Duration drained_after{0}, drained_for{0};
};

// Spot capacity of one zone: there from the start, or not, and changing at each edge.
struct ZonePlan {
  std::string name;
  bool available = true;
  std::vector<Duration> edges;  // ascending
  double spot_price = 0.9;
};

// One entry of the pool's spec.warm.schedules, after the scenario's start.
struct WarmSchedulePlan {
  Duration begins{0}, length{0};
  int gpus = 0;          // 0: no schedule
  bool goes_on = false;  // to the end
};

// Machines that never become useful, for so long after the scenario's start.
struct UselessMachinesPlan {
  Duration begin{0}, length{0};
  bool register_ever = false;  // machines are Ready, and their devices never show
  bool tainted = false;        // machines are initialised, and no pod can be placed there
  bool spot_alone = false;
  bool retried = false;  // a person has the pool try again as soon as it is mended
};

struct Workload {
  std::vector<JobPlan> jobs;
  std::vector<ZonePlan> zones;
  runtime::LeaseTiming lease_timing = {};  // for the operator's replicas
  int notice_seconds = 120;
  int max_spot_gpus = 8, max_on_demand_gpus = 4;
  int max_cost_cents = 0;  // per hour, of the pool; 0: no limit
  int warm_gpus = 0;       // kept ready by the pool
  WarmSchedulePlan warm_schedule = {};
  Duration length{0};                  // until the faults end and spot stays
  bool tight_quota = false;            // the namespace may have what its jobs need, and nothing beside it but
  int quota_slack = 0;                 // pods more, for a while
  bool accepts_older = false;          // a person accepts an older checkpoint where one was lost
  bool limit_range = false;            // the namespace has defaults and limits for containers
  bool others_bear_the_label = false;  // machines of somebody else bear the pool's
  QueuePlan queue = {};
  std::vector<Duration> template_changes = {};  // times at which a person changes the template of the pool's nodes
  bool reports = false;                         // ranks tell the operator how far they are
  bool hostile_tenant = false;                  // a tenant forges all he can (hostile_tenant.h)
  UselessMachinesPlan useless_machines = {};
  bool returns_to_spot = false;  // spec.fallback.policy of the pool is ReturnAtCheckpoint
};

// `later`: the stream of later additions, so that the rest stays as it was.
[[nodiscard]] Workload draw_workload(runtime::Random& random, runtime::Random& later);

// The objects as a person would apply them, in the namespace "team", at that moment.
[[nodiscard]] Value pool_object(const Workload& workload);
[[nodiscard]] Value job_object(const JobPlan& job, runtime::WallTime now = {});
// The claim on which the job keeps its checkpoints; the first of several.
[[nodiscard]] std::string claim_name(const JobPlan& job);
// All claims of the job.
[[nodiscard]] std::vector<std::string> claim_names(const JobPlan& job);
[[nodiscard]] JsonObject claim_spec(const JobPlan& job);
inline constexpr std::string_view kJobNamespace = "team";
inline constexpr std::string_view kPoolName = "t4";
// Label and taint of machines that somebody else rents (other_machines.h).
inline constexpr std::string_view kOtherMachinesLabel = "example.com/theirs";
// The LocalQueue, and a WorkloadPriorityClass (queues.h).
inline constexpr std::string_view kQueue = "team-a", kUrgent = "urgent";

}  // namespace reprise::simulator
