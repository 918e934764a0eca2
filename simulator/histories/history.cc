#include "simulator/histories/history.h"

#include <algorithm>
#include <set>
#include <utility>

#include "simulator/actors/actors.h"
#include "simulator/faults/seeded_fates.h"
#include "simulator/histories/doings.h"
#include "simulator/histories/end_state.h"
#include "simulator/histories/job_habits.h"
#include "simulator/histories/market.h"
#include "simulator/histories/operators.h"
#include "simulator/histories/other_machines.h"
#include "simulator/histories/people.h"
#include "simulator/histories/shared_namespace.h"
#include "simulator/histories/storage_classes.h"
#include "simulator/histories/trainer_habits.h"
#include "simulator/histories/undisturbed.h"
#include "simulator/histories/volume_habits.h"
#include "simulator/invariants/laws.h"

namespace reprise::simulator {
namespace {

constexpr Duration minute{60'000};
// Work is a few hours at most: who is not done by then never will be.
constexpr Duration patience = 24 * 60 * minute;
// After the last job has ended: idle machines go, caches and statuses come to rest.
constexpr Duration settling = 15 * minute;
constexpr Duration quiet = 10 * minute;
// So long what has ended must stay as it is under faults. Then nothing is left that a fault could strike.
constexpr Duration lull = 10 * minute;
// Requests of one operator in one minute. A start lists every kind; a storm of a few jobs is far below.
constexpr std::uint64_t most_requests_a_minute = 1'200;

std::string state_of(const Value& job) {
  std::string state;
  for (const Value& each : array(job, {"status", "conditions"}))
    state += (state.empty() ? "" : "; ") + std::string(text(each, {"type"})) + "=" +
             std::string(text(each, {"status"})) + " " + std::string(text(each, {"reason"})) + " (" +
             std::string(text(each, {"message"})) + ")";
  return state;
}

// For that of a job which itself may wait for a person.
bool waits_for_claim(const Value& job) {
  return std::ranges::any_of(array(job, {"status", "conditions"}),
                             [](const Value& each) { return text(each, {"reason"}) == "ClaimInUse"; });
}

struct ServingOwnKinds : ApiServer {
  ServingOwnKinds(const runtime::Clock& clock, runtime::Random& random, const OwnKinds& kinds)
      : ApiServer(clock, random) {
    simulator::serve(*this, kinds);
  }
};

// One world from its beginning to its end.
class Run {
 public:
  Run(const OwnKinds& kinds, std::uint64_t seed, Workload workload, FaultMix mix, std::string operator_log,
      int replicas)
      : workload_(std::move(workload)),
        mix_(std::move(mix)),
        seed_(seed),
        random_(seed ^ 0x9e3779b97f4a7c15),
        fault_random_(seed ^ 0xc2b2ae3d27d4eb4f),
        further_fault_random_(seed ^ 0x27d4eb2f165667c5),
        api_(loop_, random_, kinds),
        operator_log_(std::move(operator_log)),
        replicas_(replicas) {}

  // Nobody reads what comes after the first law that is broken.
  void end_when_broken() { until_broken_ = true; }

  // Until all that ends has ended. True: there was a cluster to play in.
  bool play() {
    if (auto ready = install(api_, {std::string(kJobNamespace)}); !ready) return failed_to_set_up(ready.error());
    if (auto ready = create_storage_classes(api_); !ready) return failed_to_set_up(ready.error());
    actors_.emplace(cluster_, market_, actor_settings());
    prepare_volumes(workload_, actors_->volumes);
    // The disks are the actors'; the watchman looks at them from here on.
    loop_.after_each_step([this] { look(); });
    operators_.emplace(cluster_, fates_, replicas_, workload_.lease_timing, operator_log_);
    operators_->tend();
    if (auto ready = create_namespace_objects(api_, workload_); !ready) return failed_to_set_up(ready.error());
    if (workload_.tight_quota) keep_quota_tight();
    other_machines_.emplace(*actors_, workload_);
    submit();
    doings_.emplace(*actors_, *operators_, fault_random_, further_fault_random_, seed_, mix_, workload_);
    play_under_faults();
    end_faults();
    wait_for_the_ends();
    run_until(loop_.now() + settling);
    return true;
  }

  // Afterwards: nothing may change any more.
  void judge_rest() {
    const std::uint64_t version = api_.version(), writes = watch_.writes();
    run_until(loop_.now() + quiet);
    // Also of what changes nothing: the API server drops a write that says what is there already.
    if (watch_.writes() != writes)
      watch_.report("rests", std::to_string(watch_.writes() - writes) + " writes are still asked for");
    for (const ObjectChange& change : api_.changes_after(version)) {
      const std::string& kind = api_.type(change.resource).kind;
      if (kind == "Lease" || kind == "Event") continue;
      watch_.report("rests", kind + " " + std::string(name_of(*change.object)) + " still changes");
    }
  }

  [[nodiscard]] std::vector<std::string> what_is_left(const std::set<std::string>& without = {}) const {
    return end_state(api_, without);
  }
  [[nodiscard]] Watchman& watch() { return watch_; }
  // Jobs of which a fault has taken checkpoints: they may rightly wait for a person.
  [[nodiscard]] std::set<std::string> tampered_jobs() const {
    std::set<std::string> names;
    if (!doings_ || doings_->tampered().empty()) return names;
    for (const JobPlan& job : workload_.jobs)
      if (doings_->tampered().contains(actors_->volume_of(std::string(kJobNamespace), claim_name(job))))
        names.insert(job.name);
    return names;
  }

  // Afterwards, where nothing was to disturb it.
  void judge_undisturbed() {
    simulator::judge_undisturbed(
        api_, workload_, [this](std::string law, std::string what) { watch_.report(std::move(law), std::move(what)); });
  }

  void tell(HistoryOutcome& outcome) const {
    outcome.violations = watch_.violations();
    outcome.digest = log_.digest();
    outcome.log = log_.entries();
    outcome.virtual_time = loop_.now();
    if (operators_) {
      outcome.operator_starts = operators_->starts();
      outcome.operator_requests = operators_->traffic().requests;
    }
    for (const ObjectPtr& job : api_.list(api_.resource("reprise.dev", "resumablejobs")))
      outcome.counted_interruptions += static_cast<std::uint64_t>(number(*job, {"status", "interruptionCount"}));
    if (actors_)
      outcome.interruptions = static_cast<std::uint64_t>(std::ranges::count_if(
          actors_->cloud.instances(), [](const auto& each) { return each.second.noticed.has_value(); }));
  }

 private:
  struct Seen {
    std::uint64_t disk_touches = 0, api_version = 0, training = 0;
    bool operator==(const Seen&) const = default;
  };

  bool failed_to_set_up(const runtime::Error& error) {
    watch_.report("set-up", error.message);
    return false;
  }

  [[nodiscard]] Duration notice() const { return std::chrono::seconds(workload_.notice_seconds); }

  [[nodiscard]] ActorSettings actor_settings() const {
    ActorSettings settings;
    settings.cloud.zones.clear();
    for (const ZonePlan& zone : workload_.zones) settings.cloud.zones.push_back(zone.name);
    settings.cloud.notice = notice();
    return settings;
  }

  void submit() {
    const auto create = [this](const char* plural, Value object) {
      if (auto made = api_.create(api_.resource("reprise.dev", plural), std::move(object)); !made)
        watch_.report("set-up", made.error().message);
    };
    create("gpupools", pool_object(workload_));
    for (const JobPlan& job : workload_.jobs) {
      loop_.after(job.submitted, [this, create, &job] {
        log_.add("person", "applies " + job.name);
        create("resumablejobs", job_object(job));
      });
    }
    people_.emplace(*actors_, workload_);
    people_->begin();
  }

  void keep_quota_tight() {
    ended_jobs_ = api_.subscribe(api_.resource("reprise.dev", "resumablejobs"), [this](const ObjectChange& change) {
      if (has_ended(*change.object)) loop_.after(Duration{1}, [this] { tighten_quota(api_, workload_); });
    });
    // Who has allowed more takes it back as soon as a pod that only holds a place has a machine.
    bound_standby_ = api_.subscribe(api_.resource("", "pods"), [this](const ObjectChange& change) {
      const bool holds = !text(*change.object, {"metadata", "labels", "reprise.dev/standby"}).empty() &&
                         !text(*change.object, {"spec", "nodeName"}).empty();
      if (!holds || std::exchange(workload_.quota_slack, 0) == 0) return;
      loop_.after(Duration{1}, [this] { tighten_quota(api_, workload_); });
    });
  }

  void look() {
    // All only grow; nearly every step leaves them as they are.
    if (doings_ && training_.tampered.size() != doings_->tampered().size()) training_.tampered = doings_->tampered();
    const TrainingLog& done = actors_->programs.training();
    if (training_.finished.size() != done.finished.size()) training_.finished = done.finished;
    if (training_.robbed.size() != done.robbed.size()) training_.robbed = done.robbed;
    // What the laws look at is the same as after the last step, after most steps.
    const Seen seen{actors_->volumes.touches(), api_.version(),
                    training_.tampered.size() + done.finished.size() + done.robbed.size()};
    if (seen == seen_) return;
    seen_ = seen;
    watch_.look(actors_->volumes.disks());
  }

  [[nodiscard]] bool over() const { return until_broken_ && !watch_.violations().empty(); }

  bool step() {
    if (over()) return false;
    const bool ran = loop_.step();
    operators_->tend();
    if (operators_->leaders() > 1) watch_.report("one-leader", "two operators lead at the same time");
    count_requests();
    return ran;
  }

  void run_until(Duration time) {
    while (loop_.next() && *loop_.next() <= time && step()) {
    }
    if (!over()) loop_.run_until(time);
  }

  void count_requests() {
    if (loop_.now() < minute_begins_ + minute) return;
    const std::uint64_t requests = operators_->traffic().requests, starts = operators_->starts();
    // Each start may ask for everything once.
    const std::uint64_t allowed = most_requests_a_minute + (starts - starts_then_) * 100;
    const auto minutes = static_cast<std::uint64_t>((loop_.now() - minute_begins_) / minute);
    if (requests - requests_then_ > allowed * std::max<std::uint64_t>(minutes, 1))
      watch_.report("bounded-requests",
                    std::to_string(requests - requests_then_) + " requests in " + std::to_string(minutes) + " min");
    minute_begins_ = loop_.now();
    requests_then_ = requests;
    starts_then_ = starts;
  }

  void end_faults() {
    const bool early = loop_.now() < workload_.length;
    log_.add("history", early ? "all jobs have ended, faults are over" : "faults are over, spot is there");
    fates_.end_faults();
    doings_->end_all();
  }

  // Jobs that wait for a person because a fault has taken their checkpoints.
  [[nodiscard]] std::set<std::string> lost_jobs(const std::set<std::string>& tampered) const {
    std::set<std::string> names;
    for (const ObjectPtr& job : api_.list(api_.resource("reprise.dev", "resumablejobs"))) {
      const bool lost = condition(*job, "Stalled") == "True" && reason(*job, "Stalled") == "CheckpointLost";
      if (lost && !has_ended(*job) && !people_->will_see_to(*job) && tampered.contains(std::string(name_of(*job))))
        names.emplace(name_of(*job));
    }
    return names;
  }

  // Who waits for the claim of a lost job waits for as long as that one. Whose predecessor ends has its turn yet.
  [[nodiscard]] bool ended(const Value& job) const {
    if (has_ended(job)) return true;
    const std::set<std::string> tampered = tampered_jobs();
    if (tampered.empty()) return false;
    const std::set<std::string> lost = lost_jobs(tampered);
    const std::string name(name_of(job));
    if (lost.contains(name)) return true;
    const auto claim_of = [this](std::string_view of) {
      const auto plan = std::ranges::find(workload_.jobs, of, &JobPlan::name);
      return plan == workload_.jobs.end() ? std::string() : claim_name(*plan);
    };
    return waits_for_claim(job) &&
           std::ranges::any_of(lost, [&](const std::string& other) { return claim_of(other) == claim_of(name); });
  }

  [[nodiscard]] bool all_ended() const {
    const auto all = api_.list(api_.resource("reprise.dev", "resumablejobs"));
    return all.size() == workload_.jobs.size() &&
           std::ranges::all_of(all, [this](const ObjectPtr& job) { return ended(*job); });
  }

  [[nodiscard]] bool idle() const {
    return all_ended() && api_.list(api_.resource("karpenter.sh", "nodeclaims")).empty();
  }

  // True: `holds` does. Whether it does can change with the objects only.
  template <class Condition>
  bool run_until(Duration time, Condition holds) {
    std::uint64_t seen = api_.version();
    bool done = holds();
    while (!done && loop_.next() && *loop_.next() <= time && step()) {
      if (api_.version() == seen) continue;
      seen = api_.version();
      done = holds();
    }
    return done;
  }

  void play_under_faults() {
    const bool over = run_until(workload_.length, [this] { return idle(); });
    run_until(over ? std::min(loop_.now() + lull, workload_.length) : workload_.length);
  }

  void wait_for_the_ends() {
    if (!run_until(loop_.now() + patience, [this] { return all_ended(); }) && !over()) {
      for (const ObjectPtr& job : api_.list(api_.resource("reprise.dev", "resumablejobs")))
        if (!ended(*job))
          watch_.report("ends", "job " + std::string(name_of(*job)) + " has not ended: " + state_of(*job));
    }
  }

  Workload workload_;
  FaultMix mix_;
  std::uint64_t seed_;
  EventLoop loop_;
  runtime::SeededRandom random_, fault_random_, further_fault_random_;
  EventLog log_{loop_};
  ServingOwnKinds api_;
  Cluster cluster_{loop_, random_, api_, log_};
  WorkloadMarket market_{workload_};
  SeededFates fates_{fault_random_, mix_};
  TrainingLog training_;
  Watchman watch_{cluster_, training_};
  std::string operator_log_;
  int replicas_;
  bool until_broken_ = false;
  Seen seen_;
  std::optional<Actors> actors_;
  std::optional<Operators> operators_;
  std::optional<People> people_;
  std::optional<Doings> doings_;
  std::optional<OtherMachines> other_machines_;
  std::unique_ptr<ApiServer::Subscription> ended_jobs_, bound_standby_;
  Duration minute_begins_{0};
  std::uint64_t requests_then_ = 0, starts_then_ = 0;
};

struct UndisturbedEnd {
  std::vector<std::string> left;
  std::vector<Violation> violations;
};

// The same jobs with spot that stays and nothing that goes wrong. Nobody takes over from anybody, so one replica does;
// whether things rest is judged where they were disturbed.
UndisturbedEnd undisturbed_end(const OwnKinds& kinds, std::uint64_t seed, Workload workload,
                               const std::set<std::string>& without) {
  for (ZonePlan& zone : workload.zones) {
    zone.available = true;
    zone.edges.clear();
  }
  workload.length = Duration{0};
  Run run(kinds, seed, std::move(workload), {}, "off", 1);
  if (run.play()) run.judge_undisturbed();
  return {run.what_is_left(without), run.watch().violations()};
}

}  // namespace

HistoryOutcome run_history(const OwnKinds& kinds, const HistoryOptions& options) {
  runtime::SeededRandom drawn(options.seed);
  HistoryOutcome outcome{.seed = options.seed};
  runtime::SeededRandom later(options.seed ^ 0x165667b19e3779f9);
  outcome.workload = draw_workload(drawn, later);
  draw_volume_habits(options.seed, outcome.workload);
  draw_trainer_habits(options.seed, outcome.workload);
  draw_job_habits(options.seed, outcome.workload);
  const FaultMix own = draw_fault_mix(drawn, options.seed);
  draw_namespace(outcome.workload, options.seed);
  draw_other_machines(options.seed, outcome.workload);
  outcome.mix = options.mix.value_or(own);
  Run run(kinds, options.seed, outcome.workload, outcome.mix, options.operator_log, 2);
  if (options.until_broken) run.end_when_broken();
  if (run.play()) run.judge_rest();
  if (run.watch().violations().empty()) {
    std::set<std::string> without = run.tampered_jobs();
    // Whether a deadline is met depends on what comes in between.
    for (const JobPlan& job : outcome.workload.jobs)
      if (job.deadline_seconds > 0) without.insert(job.name);
    const UndisturbedEnd undisturbed = undisturbed_end(kinds, options.seed, outcome.workload, without);
    for (const Violation& each : undisturbed.violations)
      run.watch().report(each.law, "undisturbed, after " + std::to_string(each.time.count()) + " ms: " + each.what);
    for (const std::string& line : difference(undisturbed.left, run.what_is_left(without)))
      run.watch().report("ends-as-undisturbed", line);
  }
  run.tell(outcome);
  return outcome;
}

}  // namespace reprise::simulator
