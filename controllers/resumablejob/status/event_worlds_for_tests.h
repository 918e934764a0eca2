// Jobs to whom something has just happened that an Event tells of; each settled. For the tests of events.
#pragma once

#include <functional>
#include <string>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {

using controllers::testing::admitted_job;
using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using controllers::testing::MakePool;
using controllers::testing::queued_job;
using controllers::testing::running_job;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

inline JobWorld waiting_for_nodes() {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  return world;
}

// The one pod ends by itself.
inline JobWorld after_exit(
    int code, const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  JobWorld world = running_job(1, change);
  world.exit("fit-1-0", code);
  world.settle();
  return world;
}

inline JobWorld after_a_rank_beside_a_proxy() {
  JobWorld world = running_job(2);
  world.exit("fit-1-0", 0);
  kube::Pod& pod = world.pods_.at("fit-1-0");
  kube::ContainerStatus proxy;
  proxy.name = "proxy";
  proxy.state = kube::ContainerStateKind::Running;
  pod.container_statuses.push_back(proxy);
  pod.phase = kube::PodPhase::Running;
  world.settle();
  world.now_ += minutes(2);
  world.settle();
  return world;
}

inline JobWorld waiting_in_queue(const std::function<void(JobWorld&)>& change = [](auto&) {}) {
  JobWorld world = queued_job();
  change(world);
  world.settle();
  return world;
}

inline JobWorld after_eviction() {
  JobWorld world = admitted_job();
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  return world;
}

inline JobWorld after_a_long_time_without_a_checkpoint() {
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

inline JobWorld on_other_nodes() {
  JobWorld world = waiting_in_queue();
  world.admit({"a100"});
  api::ResourceFlavor flavor;
  flavor.meta.name = "a100";
  flavor.node_labels = {{"reprise.dev/pool", "a100"}};
  world.kueue_.flavors = {std::make_shared<const api::ResourceFlavor>(flavor)};
  world.settle();
  return world;
}

inline JobWorld after_recovery() {
  JobWorld world = after_exit(1);
  world.now_ += hours(1);
  world.settle();
  world.schedule_all();
  world.settle();
  return world;
}

inline JobWorld after_resume() {
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

inline JobWorld after_interruption(const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  JobWorld world = running_job(1, change);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  return world;
}

inline JobWorld after_a_hint() {
  JobWorld world = running_job();
  world.taint("node-of-fit-1-0", "aws-node-termination-handler/rebalance-recommendation");
  world.settle();
  return world;
}

inline JobWorld after_forced_deletion() {
  JobWorld world = running_job();
  world.force_remove("fit-1-0");
  world.settle();
  return world;
}

inline JobWorld after_another_writer() {
  JobWorld world = running_job();
  world.node_claims_.clear();
  world.force_remove("fit-1-0");
  world.settle();
  return world;
}

inline JobWorld after_warning() {
  JobWorld world = running_job();
  world.exit(
      "fit-1-0", 85,
      R"({"attempt":1,"index":0,"exitCode":85,"durable":true,"step":12,"path":"ckpt-12","warning":"out of order"})");
  world.settle();
  return world;
}

inline JobWorld after_a_damaged_checkpoint() {
  JobWorld world = running_job();
  world.exit("fit-1-0", 85,
             R"({"attempt":1,"index":0,"exitCode":85,"durable":true,"step":12,"path":"ckpt-12",)"
             R"("damaged":"ckpt-24: weights.pt: CRC-32"})");
  world.settle();
  return world;
}

inline JobWorld after_putting_aside() {
  JobWorld world = running_job();
  world.exit("fit-1-0", 85,
             R"({"attempt":1,"index":0,"exitCode":85,"durable":true,"step":12,"path":"ckpt-12","resumedFromStep":12,)"
             R"("unproven":1,"unprovenStep":24})");
  world.settle();
  return world;
}

inline JobWorld after_acceptance() {
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

inline JobWorld after_rejection_by_a_kubelet() {
  JobWorld world = waiting_for_nodes();
  world.run_on("fit-1-0", "node-a");
  world.lose_containers("fit-1-0", "OutOfcpu", "Pod was rejected: Node did not have enough resource: cpu");
  world.settle();
  return world;
}

inline JobWorld after_failed_installation() {
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

inline JobWorld after_ignored_failure() {
  return after_exit(42, [](auto& job) {
    api::PodFailureRule rule;
    rule.action = api::FailureAction::Ignore;
    rule.on_exit_codes_operator = "In";
    rule.on_exit_codes_values = {42};
    job.spec.pod_failure_rules = {rule};
  });
}

inline JobWorld after_a_rule_that_fails_the_job() {
  return after_exit(42, [](auto& job) {
    api::PodFailureRule rule;
    rule.action = api::FailureAction::FailJob;
    rule.on_exit_codes_operator = "In";
    rule.on_exit_codes_values = {42};
    job.spec.pod_failure_rules = {rule};
  });
}

inline JobWorld after_the_deadline() {
  JobWorld world = running_job(1, [](auto& job) { job.spec.active_deadline_seconds = 60; });
  world.now_ += minutes(2);
  world.settle();
  return world;
}

inline JobWorld after_another_job_took_the_claim() {
  JobWorld world = queued_job();
  world.settle();
  world.admit();
  for (int pass = 0; pass < 10 && world.status().attempt == 0; ++pass) static_cast<void>(world.reconcile());
  world.kept_claims_["fit-checkpoints"] = "ResumableJob other trains on the checkpoint claim";
  world.settle();
  return world;
}

inline JobWorld after_its_budget() {
  JobWorld world(MakeJob("fit")
                     .with([](api::ResumableJob& job) {
                       job.spec.placement.emplace();
                       job.spec.placement->max_cost = "1.00";
                     })
                     .get());
  world.settle();
  world.schedule_all();
  for (auto& [name, node] : world.nodes_) {
    node.allocatable = {{"nvidia.com/gpu", "1"}};
    node.meta.labels["eks-node-viewer/instance-price"] = "1.00";
  }
  for (auto& [name, pod] : world.pods_) pod.resource_requests = {{"nvidia.com/gpu", "1"}};
  world.settle();
  world.now_ += std::chrono::hours(1);
  world.settle();
  world.stop_deleted(143);
  world.settle();
  return world;
}

inline JobWorld after_suspension() {
  JobWorld world = running_job();
  world.job_.spec.suspend = true;
  ++world.job_.meta.generation;
  world.settle();
  return world;
}

// The agent itself ends before its trainer has begun.
inline JobWorld after_refusal(const std::string& reason) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 87, R"({"attempt":1,"index":0,"exitCode":87,"reason":")" + reason + R"(","message":"why"})");
  world.settle();
  return world;
}

inline JobWorld with_little_room() {
  JobWorld world = running_job();
  protocol::LiveReport said{.attempt = 1};
  said.room = protocol::ReportedRoom{.free_bytes = 1, .save_bytes = 4, .needed_bytes = 8};
  world.report("fit-1-0", said);
  world.settle();
  return world;
}

inline JobWorld without_room() {
  JobWorld world = running_job();
  world.exit("fit-1-0", 1,
             R"({"attempt":1,"index":0,"exitCode":1,"finished":false,"asked":false,"full":{"freeBytes":1}})");
  world.settle();
  return world;
}

inline JobWorld after_change_of_the_pool() {
  JobWorld world = waiting_for_nodes();
  for (auto& [name, pod] : world.pods_) pod.resource_requests = {{"nvidia.com/gpu", "1"}};
  world.pool_ = MakePool("t4").time_slicing(4).get();
  world.settle();
  return world;
}

// Ten hours of work, of which the first attempt waits for spot; then there is no more time to wait.
inline JobWorld after_waiting_too_long() {
  JobWorld world(MakeJob("fit")
                     .with([](api::ResumableJob& job) {
                       job.spec.placement.emplace();
                       job.spec.placement->complete_by = controllers::testing::kStart + std::chrono::hours(12);
                       job.spec.placement->estimated_seconds = 36'000;
                     })
                     .get());
  world.pool_ =
      MakePool("t4")
          .with([](api::GpuPool& pool) { pool.spec.capacity.push_back({.type = api::CapacityType::OnDemand}); })
          .get();
  world.settle();
  world.now_ += std::chrono::minutes(100);
  world.settle();
  world.now_ += std::chrono::minutes(1);
  world.settle();
  return world;
}

inline JobWorld after_change_of_the_claim() {
  JobWorld world = waiting_for_nodes();
  auto other = std::make_shared<kube::PersistentVolumeClaim>(*world.claims_.at("fit-checkpoints"));
  other->meta.uid = "uid-of-another";
  world.claims_["fit-checkpoints"] = other;
  world.settle();
  return world;
}

inline JobWorld after_hang() {
  JobWorld world = running_job();
  world.exit("fit-1-0", 88, R"({"attempt":1,"index":0,"exitCode":88,"reason":"Hung","message":"nothing new"})");
  world.settle();
  return world;
}

inline JobWorld after_half_a_gang() {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  world.run_on("fit-1-0", "node-a");
  world.settle();
  world.now_ += seconds(1801);
  world.settle();
  return world;
}

inline JobWorld after_three_without_progress() {
  JobWorld world = running_job();
  const std::string stuck =
      R"({"attempt":1,"index":0,"exitCode":143,"finished":false,"asked":true,"step":50,"durable":true,"resumedFromStep":50})";
  for (int i = 0; i < 3; ++i) {
    world.now_ += std::chrono::minutes(10);
    world.delete_node_claim("node-of-fit-" + std::to_string(world.status().attempt) + "-0");
    world.settle();
    world.stop_deleted(143, stuck);
    world.settle();
    world.schedule_all();
    world.settle();
  }
  return world;
}

}  // namespace reprise::controllers::resumablejob
