#include "rehearsal/stage.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <tuple>
#include <utility>

#include "rehearsal/plan/other_claims.h"
#include "rehearsal/processes/marked_processes.h"
#include "rehearsal/trainers/told_apart.h"
#include "simulator/cluster/installation.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using simulator::CloudSettings;
using simulator::create_missing;
using simulator::ObjectPtr;
using simulator::text;
using simulator::Value;
using std::chrono::milliseconds;

constexpr milliseconds kLook{100}, kMeasure{1'000};

// The cluster's clock shows the machine's time at the start.
runtime::WallTime wall_now() {
  return std::chrono::floor<std::chrono::seconds>(runtime::SystemClock().wall());
}

CheckpointPlaceFacts look_at(const RehearsedJob& job, const std::vector<RehearsedJob>& jobs, bool may_mount) {
  std::error_code ignored;
  const fs::path path = job.checkpoint_path;
  const auto same = std::ranges::count(jobs, job.checkpoint_path, &RehearsedJob::checkpoint_path);
  const bool directory = fs::is_directory(path, ignored);
  return {.is_directory = directory,
          .writable = directory && ::access(path.c_str(), W_OK) == 0,
          .empty = directory && fs::is_empty(path, ignored),
          .may_mount = may_mount,
          .shared_by_all = same == 1 && !job.per_index};
}

CloudSettings cloud_settings(const RehearsalPlan& plan) {
  CloudSettings settings;
  settings.zones.clear();
  for (const SpotPlan::Zone& zone : plan.spot.zones) settings.zones.push_back(zone.name);
  settings.notice = plan.notice;
  settings.boot = plan.node_boot;
  return settings;
}

}  // namespace

Stage::Stage(const RehearsalPlan& plan, std::vector<RehearsedJob> the_jobs)
    : loop(wall_now()),
      time(loop, clock, plan.speed),
      random(plan.seed),
      log(loop),
      api(loop, random),
      cluster{loop, random, api, log},
      nodes(api),
      market(plan.spot, plan.on_demand_price_per_hour),
      claims(plan.work_directory / "volumes"),
      recorder(time),
      jobs(std::move(the_jobs)),
      mark_(plan.work_directory.string()) {
  adopt_orphans_of_supervisors();
  const Isolation isolation = probe_isolation();
  place_checkpoints(plan, isolation);
  place_other_claims(plan, isolation);
  programs = std::make_unique<LocalPrograms>(cluster, time, claims, recorder,
                                             LocalPrograms::Setting{.machine = {.environment = own_environment(),
                                                                                .directory = fs::current_path(),
                                                                                .agent = plan.agent,
                                                                                .mounts = isolation.mounts,
                                                                                .speed = plan.speed,
                                                                                .mark = mark_},
                                                                    .isolation = isolation,
                                                                    .directory = plan.work_directory / "pods",
                                                                    .seed = plan.seed});
  actors = simulator::make_actors(cluster, market, {.cloud = cloud_settings(plan), .programs = programs.get()});
}

Stage::~Stage() {
  operator_.reset();
  actors.reset();
  // Finds by its mark any process that has hidden from its supervisor.
  for (int tries = 0; tries < 100; ++tries) {
    std::ignore = kill_orphans({});
    const auto left = marked_processes("REPRISE_REHEARSAL=" + mark_);
    if (left.empty()) break;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
  }
}

void Stage::place_checkpoints(const RehearsalPlan& plan, const Isolation& isolation) {
  for (const RehearsedJob& job : jobs) {
    const CheckpointPlaceFacts facts = look_at(job, jobs, isolation.mounts);
    const CheckpointPlace place = places_[job.key()] = choose_place(facts);
    if (place == CheckpointPlace::Nowhere) {
      rejection_ = "ResumableJob " + job.name + ": " + explain(place, facts, job.checkpoint_path, {});
      return;
    }
    if (place == CheckpointPlace::AsItStands) claims.use(job.namespace_, job.claim_of(0), job.checkpoint_path);
    const fs::path directory = claims.of(job.namespace_, job.claim_of(0));
    notes.push_back(job.name + ": " + explain(place, facts, job.checkpoint_path, directory.string()));
    if (job.parallelism > 1)
      notes.push_back(job.name + ": the kubelets of a cluster tell the pods of a gang to stop up to " +
                      std::to_string(kMostApart.count()) + " s apart, and so does this rehearsal");
    recorder.follow({.key = job.key(),
                     .volume = directory,
                     .format = job.format,
                     .checkpoint_path = place == CheckpointPlace::Named ? directory.string() : job.checkpoint_path,
                     .bytes_there = job.claim_bytes,
                     .notice_by_request = job.notice_by_request,
                     .grace_seconds = job.grace_seconds,
                     .start_limit = plan.start_limit});
  }
}

void Stage::place_other_claims(const RehearsalPlan& plan, const Isolation& isolation) {
  if (!rejection_.empty()) return;
  if (auto checked = check_claims(jobs, plan.claims, isolation.mounts); !checked) {
    rejection_ = checked.error().message;
    return;
  }
  for (const RehearsedJob& job : jobs) {
    notes.insert(notes.end(), job.notes.begin(), job.notes.end());
    for (const OtherClaim& each : other_claims(job)) {
      const fs::path& directory = plan.claims.at(each.claim);
      claims.use(job.namespace_, each.claim, directory);
      notes.push_back(job.name + ": claim " + each.claim + " is " + directory.string());
    }
  }
}

runtime::Result<void> Stage::set_up(const Value& pool) {
  if (!rejection_.empty()) return runtime::fail(runtime::ErrorClass::Invalid, rejection_);
  const auto kinds = simulator::read_own_kinds();
  if (!kinds) return std::unexpected(kinds.error());
  simulator::serve(api, *kinds);
  std::set<std::string> namespaces;
  for (const RehearsedJob& job : jobs) {
    namespaces.insert(job.namespace_);
    for (std::int64_t index = 0; job.per_index && index < job.parallelism; ++index)
      std::ignore = claims.of(job.namespace_, job.claim_of(index));
  }
  if (auto made = simulator::install(api, std::move(namespaces)); !made) return made;
  for (const RehearsedJob& job : jobs) {
    if (const auto claim = named_claim(job); claim)
      if (auto made = create_missing(api, "", "persistentvolumeclaims", *claim); !made) return made;
    for (const OtherClaim& each : other_claims(job)) {
      Value claim = claim_named(job.namespace_, each.claim);
      if (auto made = create_missing(api, "", "persistentvolumeclaims", std::move(claim)); !made) return made;
    }
  }
  for (const RehearsedJob& job : jobs)
    if (auto made = create_missing(api, "reprise.dev", "resumablejobs", job.object); !made) return made;
  // Created last: a pool that was made to fit a wrong job is no news.
  return create_missing(api, "reprise.dev", "gpupools", pool);
}

void Stage::turn(runtime::Duration longest) {
  if (!operator_ || operator_->dead()) {
    operator_.reset();
    ++operators_;
    operator_ = std::make_unique<simulator::OperatorProcess>(
        cluster, wire_faults_,
        simulator::OperatorSettings{
            .identity = "operator-" + std::to_string(operators_), .seed = operators_, .log_level = "warning"});
  }
  // A save is measured against the grace: time goes no faster than on a node in the cloud.
  time.set_pace(recorder.saving() ? std::min(1.0, time.speed()) : time.speed());
  time.turn(longest);
  const auto now = clock.steady();
  if (now - looked_ >= kLook) {
    looked_ = now;
    recorder.look();
  }
  if (now - measured_ >= kMeasure) {
    measured_ = now;
    recorder.measure();
  }
}

std::string Stage::node_of(const RehearsedJob& job) const {
  std::string node;
  std::int64_t newest = 0;
  for (const ObjectPtr& pod : api.list(api.resource("", "pods"), job.namespace_)) {
    const auto trainer = trainer_of(*pod);
    if (!trainer || trainer->job != job.key() || trainer->attempt < newest || simulator::being_deleted(*pod)) continue;
    newest = trainer->attempt;
    node = text(*pod, {"spec", "nodeName"});
  }
  return node;
}

fs::path Stage::uncovered_path(const RehearsedJob& job) const {
  const auto place = places_.find(job.key());
  const bool open = place != places_.end() && place->second == CheckpointPlace::Named;
  return open ? fs::path(job.checkpoint_path) : fs::path();
}

std::string Stage::unschedulable(const RehearsedJob& job) const {
  for (const ObjectPtr& pod : api.list(api.resource("", "pods"), job.namespace_)) {
    const auto trainer = trainer_of(*pod);
    if (!trainer || trainer->job != job.key()) continue;
    for (const Value& each : simulator::array(*pod, {"status", "conditions"}))
      if (text(each, {"type"}) == "PodScheduled" && text(each, {"status"}) == "False")
        return "no node took pod " + std::string(simulator::name_of(*pod)) + ", whose trainer asks for " +
               std::to_string(job.gpus) + " GPUs";
  }
  return {};
}

ObjectPtr Stage::object_of(const RehearsedJob& job) const {
  return api.get({api.resource("reprise.dev", "resumablejobs"), job.namespace_, job.name});
}

}  // namespace reprise::rehearsal
