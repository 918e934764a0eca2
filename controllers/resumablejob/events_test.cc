// Every Event about a job, by what brings it about: each that the table of Events has is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "controllers/events/table.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::admitted_job;
using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using controllers::testing::MakePool;
using controllers::testing::queued_job;
using controllers::testing::running_job;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct Row {
  const char* reason;
  const char* when;
  EventType type;
  JobWorld (*brought_about)();
};

JobWorld waiting_for_nodes() {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  return world;
}

// The one pod ends by itself.
JobWorld after_exit(
    int code, const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  JobWorld world = running_job(1, change);
  world.exit("fit-1-0", code);
  world.settle();
  return world;
}

JobWorld waiting_in_queue(const std::function<void(JobWorld&)>& change = [](auto&) {}) {
  JobWorld world = queued_job();
  change(world);
  world.settle();
  return world;
}

JobWorld after_eviction() {
  JobWorld world = admitted_job();
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  return world;
}

JobWorld after_a_long_time_without_a_checkpoint() {
  JobWorld world = running_job();
  for (int i = 0; i < 2; ++i) {
    world.report("fit-1-0", {.attempt = 1, .activity = protocol::RankActivity::Training});
    world.settle();
    world.now_ += hours(8);
  }
  world.report("fit-1-0", {.attempt = 1, .activity = protocol::RankActivity::Training});
  world.settle();
  return world;
}

JobWorld on_other_nodes() {
  JobWorld world = waiting_in_queue();
  world.admit({"a100"});
  api::ResourceFlavor flavor;
  flavor.meta.name = "a100";
  flavor.node_labels = {{"reprise.dev/pool", "a100"}};
  world.kueue_.flavors = {std::make_shared<const api::ResourceFlavor>(flavor)};
  world.settle();
  return world;
}

JobWorld after_recovery() {
  JobWorld world = after_exit(1);
  world.now_ += hours(1);
  world.settle();
  world.schedule_all();
  world.settle();
  return world;
}

JobWorld after_resume() {
  JobWorld world = running_job();
  world.job_.spec.suspend = true;
  ++world.job_.meta.generation;
  world.settle();
  world.stop_deleted(143);
  world.settle();
  world.job_.spec.suspend = false;
  ++world.job_.meta.generation;
  world.settle();
  return world;
}

JobWorld after_interruption(const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  JobWorld world = running_job(1, change);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  return world;
}

JobWorld after_a_hint() {
  JobWorld world = running_job();
  world.taint("node-of-fit-1-0", "aws-node-termination-handler/rebalance-recommendation");
  world.settle();
  return world;
}

JobWorld after_forced_deletion() {
  JobWorld world = running_job();
  world.force_remove("fit-1-0");
  world.settle();
  return world;
}

JobWorld after_another_writer() {
  JobWorld world = running_job();
  world.node_claims_.clear();
  world.force_remove("fit-1-0");
  world.settle();
  return world;
}

JobWorld after_warning() {
  JobWorld world = running_job();
  world.exit(
      "fit-1-0", 85,
      R"({"attempt":1,"index":0,"exitCode":85,"durable":true,"step":12,"path":"ckpt-12","warning":"out of order"})");
  world.settle();
  return world;
}

JobWorld after_acceptance() {
  JobWorld world = running_job();
  world.exit("fit-1-0", 85, R"({"attempt":1,"index":0,"exitCode":85,"step":900,"durable":true})");
  world.settle();
  world.now_ += minutes(1);
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit("fit-2-0", 86,
             R"({"attempt":2,"index":0,"exitCode":86,"step":400,"reason":"CheckpointLost","message":"expected 900"})");
  world.settle();
  world.job_.meta.annotations["reprise.dev/accept-checkpoint"] = "400/2";
  world.now_ += hours(1);
  world.settle();
  return world;
}

JobWorld after_rejection_by_a_kubelet() {
  JobWorld world = waiting_for_nodes();
  world.run_on("fit-1-0", "node-a");
  world.lose_containers("fit-1-0", "OutOfcpu", "Pod was rejected: Node did not have enough resource: cpu");
  world.settle();
  return world;
}

JobWorld after_failed_installation() {
  JobWorld world = running_job();
  kube::ContainerStatus install;
  install.name = "reprise-agent-install";
  install.init = true;
  install.state = kube::ContainerStateKind::Terminated;
  install.exit_code = 1;
  kube::Pod& pod = world.pods_.at("fit-1-0");
  pod.container_statuses[0].state = kube::ContainerStateKind::Waiting;
  pod.init_container_names = {install.name};
  pod.container_statuses = {install, pod.container_statuses[0]};
  pod.phase = kube::PodPhase::Failed;
  world.settle();
  return world;
}

JobWorld after_ignored_failure() {
  return after_exit(42, [](auto& job) {
    api::PodFailureRule rule;
    rule.action = api::FailureAction::Ignore;
    rule.on_exit_codes_operator = "In";
    rule.on_exit_codes_values = {42};
    job.spec.pod_failure_rules = {rule};
  });
}

JobWorld after_a_rule_that_fails_the_job() {
  return after_exit(42, [](auto& job) {
    api::PodFailureRule rule;
    rule.action = api::FailureAction::FailJob;
    rule.on_exit_codes_operator = "In";
    rule.on_exit_codes_values = {42};
    job.spec.pod_failure_rules = {rule};
  });
}

JobWorld after_the_deadline() {
  JobWorld world = running_job(1, [](auto& job) { job.spec.active_deadline_seconds = 60; });
  world.now_ += minutes(2);
  world.settle();
  return world;
}

JobWorld after_another_job_took_the_claim() {
  JobWorld world = queued_job();
  world.settle();
  world.admit();
  for (int pass = 0; pass < 10 && world.status().attempt == 0; ++pass) static_cast<void>(world.reconcile());
  world.kept_claims_["fit-checkpoints"] = "ResumableJob other trains on the checkpoint claim";
  world.settle();
  return world;
}

JobWorld after_suspension() {
  JobWorld world = running_job();
  world.job_.spec.suspend = true;
  ++world.job_.meta.generation;
  world.settle();
  return world;
}

// The agent itself ends before its trainer has begun.
JobWorld after_refusal(const std::string& reason) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 87, R"({"attempt":1,"index":0,"exitCode":87,"reason":")" + reason + R"(","message":"why"})");
  world.settle();
  return world;
}

JobWorld after_change_of_the_pool() {
  JobWorld world = waiting_for_nodes();
  for (auto& [name, pod] : world.pods_) pod.resource_requests = {{"nvidia.com/gpu", "1"}};
  world.pool_ = MakePool("t4").time_slicing(4).get();
  world.settle();
  return world;
}

JobWorld after_change_of_the_claim() {
  JobWorld world = waiting_for_nodes();
  auto other = std::make_shared<kube::PersistentVolumeClaim>(*world.claims_.at("fit-checkpoints"));
  other->meta.uid = "uid-of-another";
  world.claims_["fit-checkpoints"] = other;
  world.settle();
  return world;
}

JobWorld after_hang() {
  JobWorld world = running_job();
  world.exit("fit-1-0", 88, R"({"attempt":1,"index":0,"exitCode":88,"reason":"Hung","message":"nothing new"})");
  world.settle();
  return world;
}

JobWorld after_half_a_gang() {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  world.run_on("fit-1-0", "node-a");
  world.settle();
  world.now_ += seconds(1801);
  world.settle();
  return world;
}

JobWorld after_three_without_progress() {
  JobWorld world = running_job();
  const std::string stuck =
      R"({"attempt":1,"index":0,"exitCode":143,"finished":false,"asked":true,"step":50,"durable":true,"resumedFromStep":50})";
  for (int i = 0; i < 3; ++i) {
    world.delete_node_claim("node-of-fit-" + std::to_string(world.status().attempt) + "-0");
    world.settle();
    world.stop_deleted(143, stuck);
    world.settle();
    world.schedule_all();
    world.settle();
  }
  return world;
}

const Row kRows[] = {
    {"Started", "all pods of the first attempt run", EventType::Normal, [] { return running_job(); }},
    {"Recovered", "all pods of a later attempt run", EventType::Normal, after_recovery},
    {"Resumed", "the job goes on after a suspension", EventType::Normal, after_resume},
    {"Interrupted", "a node is taken", EventType::Warning, [] { return after_interruption(); }},
    {"CheckpointRequested", "a hint comes", EventType::Normal, after_a_hint},
    {"CheckpointOverdue", "a trainer saves no more", EventType::Warning, after_a_long_time_without_a_checkpoint},
    {"FencingNode", "a pod is removed by force", EventType::Warning, after_forced_deletion},
    {"WriterNotFenced", "nothing proves that a rank has ended", EventType::Warning, after_another_writer},
    {"CheckpointsOutOfOrder", "an agent warns", EventType::Warning, after_warning},
    {"CheckpointAccepted", "a person accepts an older checkpoint", EventType::Warning, after_acceptance},
    {"PodRejected", "a kubelet does not admit a pod", EventType::Warning, after_rejection_by_a_kubelet},
    {"AgentInstallFailed", "the agent could not be copied", EventType::Warning, after_failed_installation},
    {"PodFailed", "a trainer fails", EventType::Warning, [] { return after_exit(1); }},
    {"PodFailurePolicyIgnore", "a rule lets a failure pass", EventType::Warning, after_ignored_failure},
    {"PoolChanged", "the pool offers something else", EventType::Warning, after_change_of_the_pool},
    {"ClaimReplaced", "the claim is another object", EventType::Warning, after_change_of_the_claim},
    {"TrainerHung", "an agent ended a trainer that hung", EventType::Warning, after_hang},
    {"PodsReadyTimeout", "half a gang waits too long", EventType::Warning, after_half_a_gang},
    {"Checkpointed", "a trainer asks to be run again", EventType::Normal, [] { return after_exit(85); }},
    {"NoProgress", "three attempts made no newer checkpoint", EventType::Warning, after_three_without_progress},
    {"InterruptionLimitReached", "there were as many as are allowed", EventType::Warning,
     [] { return after_interruption([](auto& job) { job.spec.interruption.limit = 1; }); }},
    {"Complete", "every rank ended by itself with 0", EventType::Normal, [] { return after_exit(0); }},
    {"Failed", "there are more failures than are allowed", EventType::Warning,
     [] { return after_exit(1, [](auto& job) { job.spec.backoff_limit = 0; }); }},
    {"VolumeUnavailable", "an agent cannot read the volume", EventType::Warning,
     [] { return after_refusal("VolumeUnavailable"); }},
    {"Fenced", "an agent finds another owner", EventType::Warning, [] { return after_refusal("Fenced"); }},
    {"PodFailurePolicy", "a rule ends the job", EventType::Warning, after_a_rule_that_fails_the_job},
    {"DeadlineExceeded", "the job takes too long", EventType::Warning, after_the_deadline},
    {"Suspended", "a person suspends the job", EventType::Normal, after_suspension},
    {"ClaimInUse", "another job takes the claim of one that Kueue has admitted", EventType::Warning,
     after_another_job_took_the_claim},
    {"Evicted", "Kueue takes the quota away", EventType::Normal, after_eviction},
    {"KueueDisabled", "the job names a queue and the feature gate is off", EventType::Warning,
     [] { return waiting_in_queue([](JobWorld& world) { world.kueue_ = {}; }); }},
    {"KueueNotInstalled", "the job names a queue and there is no Kueue", EventType::Warning,
     [] { return waiting_in_queue([](JobWorld& world) { world.kueue_.served = false; }); }},
    {"FlavorConflict", "the quota is counted on other nodes", EventType::Warning, on_other_nodes},
    // One of Stalled's reasons, which all take the same way.
    {"PoolNotFound", "the job cannot start", EventType::Warning,
     [] {
       JobWorld world(MakeJob("fit").get());
       world.pool_ = nullptr;
       world.settle();
       return world;
     }},
};

TEST(JobEvents, each_is_said_when_it_happens) {
  for (const Row& row : kRows) {
    JobWorld world = row.brought_about();
    const auto said =
        std::ranges::find_if(world.announced_, [&](const Announcement& each) { return each.reason == row.reason; });
    if (said == world.announced_.end()) {
      std::string all;
      for (const Announcement& each : world.announced_) all += each.reason + " ";
      ADD_FAILURE() << row.reason << ": not said when " << row.when << "; said: " << all;
      continue;
    }
    EXPECT_EQ(said->type, row.type) << row.reason;
    EXPECT_FALSE(said->note.empty()) << row.reason;
    EXPECT_FALSE(said->action.empty()) << row.reason;
  }
}

TEST(JobEvents, what_has_been_said_is_not_said_again_while_nothing_changes) {
  for (const Row& row : kRows) {
    JobWorld world = row.brought_about();
    const std::size_t said = world.announced_.size();
    world.settle();
    world.settle();
    EXPECT_EQ(world.announced_.size(), said) << row.reason;
  }
}

TEST(JobEvents, each_of_the_table_has_a_row_here) {
  std::set<std::string> rows;
  for (const Row& row : kRows) rows.insert(row.reason);
  for (const events::Info& info : events::table()) {
    if (info.object != events::Object::ResumableJob || info.kind == events::Kind::Stalled) continue;
    EXPECT_TRUE(rows.contains(info.reason)) << info.reason << " has no row";
  }
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
