#include "simulator/scenarios/run/run.h"

#include <algorithm>
#include <utility>

#include "simulator/invariants/invariants.h"
#include "simulator/scenarios/faults/useless_machines.h"
#include "simulator/scenarios/habits/volume_habits.h"
#include "simulator/scenarios/people/shared_namespace.h"
#include "simulator/scenarios/run/end_state.h"
#include "simulator/scenarios/run/undisturbed.h"
#include "simulator/scenarios/workload/storage_classes.h"
#include "simulator/scenarios/workload/template_changes.h"
#include "simulator/scenarios/workload/warm_gpus.h"

namespace reprise::simulator {
namespace {

constexpr Duration one_minute{60'000};
// Work is a few hours at most: a job that is not done by then never will be.
constexpr Duration idle_timeout = 24 * 60 * one_minute;
// The time after the last job's end in which idle machines go, and caches and statuses come to rest.
constexpr Duration settling = 15 * one_minute;
constexpr Duration quiet = 10 * one_minute;
// Ended jobs must stay as they are under faults for so long. Then nothing is left that a fault could touch.
constexpr Duration lull = 10 * one_minute;

// Empty for own trainers.
std::string described(const LibraryPlan& plan) {
  if (plan.library == Library::None) return {};
  return ", which saves by " + std::string(name_of(plan.library)) + " in /" + plan.folder +
         (plan.save_limit > 0 ? ", which keeps " + std::to_string(plan.save_limit) : "") +
         (plan.keep > 0 ? ", keep " + std::to_string(plan.keep) : "") + (plan.is_named ? ", named" : "") +
         (plan.files_beside ? ", beside files of others" : "");
}

}  // namespace

Run::Run(const OwnKinds& kinds, std::uint64_t seed, Workload workload, FaultMix mix, std::string operator_log,
         int replicas)
    : workload_(std::move(workload)),
      mix_(std::move(mix)),
      seed_(seed),
      random_(seed ^ 0x9e3779b97f4a7c15),
      fault_random_(seed ^ 0xc2b2ae3d27d4eb4f),
      further_fault_random_(seed ^ 0x27d4eb2f165667c5),
      api_(loop_, random_, kinds, workload_.queue.units > 0),
      operator_log_(std::move(operator_log)),
      replicas_(replicas) {}

bool Run::play() {
  std::set<std::string> namespaces{std::string(kJobNamespace)};
  if (workload_.hostile_tenant) namespaces.emplace(kForeignNamespace);
  if (auto ready = install(api_, std::move(namespaces)); !ready) return failed_to_set_up(ready.error());
  if (auto ready = create_storage_classes(api_); !ready) return failed_to_set_up(ready.error());
  actors_.emplace(cluster_, market_, actor_settings());
  prepare_volumes(workload_, actors_->volumes);
  // The disks are the actors'; the checker looks at them from here on.
  loop_.after_each_step([this] { look(); });
  if (OrderlyEnds::can_be_judged(mix_))
    orderly_ends_.emplace(cluster_, [this](std::string invariant, std::string what) {
      checker_.report(std::move(invariant), std::move(what));
    });
  operators_.emplace(cluster_, wire_faults_, replicas_, workload_.lease_timing, operator_log_,
                     workload_.queue.units > 0, workload_.reports);
  operators_->maintain();
  if (auto ready = create_namespace_objects(api_, workload_); !ready) return failed_to_set_up(ready.error());
  if (workload_.tight_quota) keep_quota_tight();
  other_machines_.emplace(*actors_, workload_);
  if (workload_.queue.units > 0) queues_.emplace(cluster_, workload_, seed_);
  submit();
  hostile_tenant_.emplace(*actors_, workload_, seed_, [this](std::string invariant, std::string what) {
    checker_.report(std::move(invariant), std::move(what));
  });
  begin_useless_machines(*actors_, workload_);
  fault_schedule_.emplace(*actors_, *operators_, fault_random_, further_fault_random_, seed_, mix_, workload_);
  play_under_faults();
  end_faults();
  wait_for_the_ends();
  if (queues_) queues_->end();
  hostile_tenant_->end();
  run_until(loop_.now() + settling);
  return true;
}

void Run::judge_rest() {
  const std::uint64_t version = api_.version(), writes = checker_.writes();
  run_until(loop_.now() + quiet);
  // Counts also writes that change nothing: the API server drops those.
  if (checker_.writes() != writes)
    checker_.report("rests", std::to_string(checker_.writes() - writes) + " writes are still asked for");
  for (const ObjectChange& change : api_.changes_after(version)) {
    const std::string& kind = api_.type(change.resource).kind;
    if (kind == "Lease" || kind == "Event") continue;
    checker_.report("rests", kind + " " + std::string(name_of(*change.object)) + " still changes");
  }
  const auto object_to = [this](std::string invariant, std::string what) {
    checker_.report(std::move(invariant), std::move(what));
  };
  judge_warm_gpus(api_, workload_, object_to);
  judge_template_changes(api_, object_to);
  hostile_tenant_->judge();
}

void Run::judge_undisturbed() {
  simulator::judge_undisturbed(api_, workload_, [this](std::string invariant, std::string what) {
    checker_.report(std::move(invariant), std::move(what));
  });
}

std::vector<std::string> Run::what_is_left(const std::set<std::string>& without) const {
  return end_state(api_, without);
}

std::set<std::string> Run::tampered() const {
  std::set<std::string> volumes = actors_ ? actors_->volumes.lost_by_rotation() : std::set<std::string>();
  if (fault_schedule_) volumes.insert(fault_schedule_->tampered().begin(), fault_schedule_->tampered().end());
  return volumes;
}

std::set<std::string> Run::tampered_jobs() const {
  std::set<std::string> names;
  const std::set<std::string> volumes = tampered();
  if (volumes.empty()) return names;
  for (const JobPlan& job : workload_.jobs)
    for (const std::string& claim : claim_names(job))
      if (volumes.contains(actors_->volume_of(std::string(kJobNamespace), claim))) names.insert(job.name);
  return names;
}

void Run::tell(ScenarioOutcome& outcome) const {
  outcome.violations = checker_.violations();
  outcome.digest = log_.digest();
  outcome.log = log_.entries();
  outcome.virtual_time = loop_.now();
  if (operators_) {
    outcome.operator_starts = operators_->starts();
    outcome.operator_requests = operators_->traffic().requests;
  }
  for (const ObjectPtr& job : api_.list(api_.resource("reprise.dev", "resumablejobs"))) {
    outcome.counted_interruptions += static_cast<std::uint64_t>(number(*job, {"status", "interruptionCount"}));
    outcome.planned_interruptions += static_cast<std::uint64_t>(number(*job, {"status", "plannedInterruptions"}));
  }
  if (actors_)
    outcome.interruptions = static_cast<std::uint64_t>(std::ranges::count_if(
        actors_->cloud.instances(), [](const auto& each) { return each.second.noticed.has_value(); }));
}

bool Run::failed_to_set_up(const runtime::Error& error) {
  checker_.report("set-up", error.message);
  return false;
}

ActorSettings Run::actor_settings() const {
  ActorSettings settings;
  settings.cloud.zones.clear();
  for (const ZonePlan& zone : workload_.zones) settings.cloud.zones.push_back(zone.name);
  settings.cloud.notice = std::chrono::seconds(workload_.notice_seconds);
  return settings;
}

void Run::submit() {
  const auto create = [this](const char* plural, Value object) {
    if (auto made = api_.create(api_.resource("reprise.dev", plural), std::move(object)); !made)
      checker_.report("set-up", made.error().message);
  };
  create("gpupools", pool_object(workload_));
  for (const JobPlan& job : workload_.jobs) {
    loop_.after(job.submitted, [this, create, &job] {
      log_.add("person", "applies " + job.name + described(job.library));
      create("resumablejobs", job_object(job, loop_.wall()));
    });
  }
  people_.emplace(*actors_, workload_);
  people_->begin();
}

void Run::keep_quota_tight() {
  ended_jobs_ = api_.subscribe(api_.resource("reprise.dev", "resumablejobs"), [this](const ObjectChange& change) {
    if (has_ended(*change.object)) loop_.after(Duration{1}, [this] { tighten_quota(api_, workload_); });
  });
  // A person who has allowed more takes it back as soon as a standby pod has a machine.
  bound_standby_ = api_.subscribe(api_.resource("", "pods"), [this](const ObjectChange& change) {
    const bool holds = !text(*change.object, {"metadata", "labels", "reprise.dev/standby"}).empty() &&
                       !text(*change.object, {"spec", "nodeName"}).empty();
    if (!holds || std::exchange(workload_.quota_slack, 0) == 0) return;
    loop_.after(Duration{1}, [this] { tighten_quota(api_, workload_); });
  });
}

void Run::look() {
  // The records below only grow; nearly every step leaves them as they are.
  const std::size_t tampered_now =
      actors_->volumes.lost_by_rotation().size() + (fault_schedule_ ? fault_schedule_->tampered().size() : 0);
  if (std::exchange(tampered_, tampered_now) != tampered_now) training_.tampered = tampered();
  const TrainingLog& done = actors_->programs.training();
  if (training_.finished.size() != done.finished.size()) training_.finished = done.finished;
  if (training_.cut_short.size() != done.cut_short.size()) training_.cut_short = done.cut_short;
  if (training_.stood.size() != done.stood.size()) training_.stood = done.stood;
  if (training_.hangs.size() != done.hangs.size()) training_.hangs = done.hangs;
  if (training_.no_room.size() != done.no_room.size()) training_.no_room = done.no_room;
  // After most steps the invariants would see the same as after the last step: skip those.
  const Seen seen{actors_->volumes.touches(), api_.version(),
                  training_.tampered.size() + done.finished.size() + done.cut_short.size() + done.hangs.size() +
                      done.no_room.size()};
  if (seen == seen_) return;
  seen_ = seen;
  checker_.look(actors_->volumes.disks());
}

bool Run::step() {
  if (over()) return false;
  const bool ran = loop_.step();
  operators_->maintain();
  show_metrics();
  if (operators_->leaders() > 1) checker_.report("one-leader", "two operators lead at the same time");
  if (auto broken = request_bounds_.look(loop_.now(), *operators_))
    checker_.report("bounded-requests", *std::move(broken));
  return ran;
}

void Run::show_metrics() {
  if (!look_at_metrics_ || loop_.now() < metrics_due_) return;
  metrics_due_ = loop_.now() + one_minute;
  operators_->each_metrics(
      [this](std::size_t replica, const std::string& shown) { look_at_metrics_(loop_.wall(), replica, shown); });
}

void Run::run_until(Duration time) {
  while (loop_.next() && *loop_.next() <= time && step()) {
  }
  if (!over()) loop_.run_until(time);
}

bool Run::run_until(Duration time, const std::function<bool()>& holds) {
  std::uint64_t seen = api_.version();
  bool done = holds();
  while (!done && loop_.next() && *loop_.next() <= time && step()) {
    if (api_.version() == seen) continue;
    seen = api_.version();
    done = holds();
  }
  return done;
}

void Run::play_under_faults() {
  const auto idle = [this] {
    // A pool that keeps GPUs ready never comes to rest while the market goes on.
    return workload_.warm_gpus == 0 && ends_.all_ended() &&
           api_.list(api_.resource("karpenter.sh", "nodeclaims")).empty();
  };
  const bool over = run_until(workload_.length, idle);
  run_until(over ? std::min(loop_.now() + lull, workload_.length) : workload_.length);
}

void Run::end_faults() {
  const bool early = loop_.now() < workload_.length;
  log_.add("scenario", early ? "all jobs have ended, faults are over" : "faults are over, spot is there");
  wire_faults_.end_faults();
  fault_schedule_->end_all();
  mend_machines(*actors_);
  people_->leave_the_pool_alone();
}

void Run::wait_for_the_ends() {
  if (!run_until(loop_.now() + idle_timeout, [this] { return ends_.all_ended(); }) && !over())
    ends_.tell_who_has_not([this](std::string who) { checker_.report("ends", std::move(who)); });
  run_until(loop_.now() + idle_timeout, [this] {
    bool ready = true;
    const auto not_yet = [&](const std::string&, const std::string&) { ready = false; };
    judge_warm_gpus(api_, workload_, not_yet);
    judge_template_changes(api_, not_yet);
    return !retry_pools(*actors_) && ready;
  });
}

}  // namespace reprise::simulator
