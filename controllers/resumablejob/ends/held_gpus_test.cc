// A rank that has finished, and a container beside its trainer that has not: its GPU is paid for as long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using ::testing::HasSubstr;
using ::testing::Not;

kube::ContainerStatus beside(const std::string& name, bool init = false) {
  kube::ContainerStatus status;
  status.name = name;
  status.init = status.sidecar = init;
  status.state = kube::ContainerStateKind::Running;
  return status;
}

// Rank 0 of two has finished, the proxy in its pod runs on.
JobWorld with_proxy(const std::vector<kube::ContainerStatus>& others) {
  JobWorld world = running_job(2);
  kube::Pod& pod = world.pods_.at("fit-1-0");
  pod.resource_requests["reprise.dev/gpu"] = "1";
  world.exit("fit-1-0", 0);
  std::vector<kube::ContainerStatus> all(pod.container_statuses.begin(), pod.container_statuses.end());
  all.insert(all.end(), others.begin(), others.end());
  pod.container_statuses = all;
  pod.phase = kube::PodPhase::Running;
  world.settle();
  return world;
}

std::size_t told(const JobWorld& world) {
  return static_cast<std::size_t>(std::ranges::count(world.announced_, "GpuHeld", &Announcement::reason));
}

TEST(HeldGpus, are_named_with_who_holds_them_a_minute_after_the_rank_has_finished) {
  JobWorld world = with_proxy({beside("proxy")});
  EXPECT_EQ(told(world), 0U) << "it may be about to end";
  EXPECT_THAT(world.condition("PodsReady").message, Not(HasSubstr("proxy")));
  world.now_ += std::chrono::seconds(61);
  world.settle();
  EXPECT_EQ(told(world), 1U);
  EXPECT_EQ(world.state("PodsReady"), "True/Started");
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("rank 0 has finished; container proxy holds its GPU"));
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_EQ(told(world), 1U) << "once";
}

TEST(HeldGpus, are_named_with_all_who_hold_them) {
  JobWorld world = with_proxy({beside("proxy"), beside("logs")});
  world.now_ += std::chrono::seconds(61);
  world.settle();
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("containers proxy, logs hold its GPU"));
}

TEST(HeldGpus, are_not_where_a_kubelet_ends_what_runs_beside_or_it_has_ended) {
  for (const bool ended : {true, false}) {
    JobWorld world = with_proxy({beside("proxy", !ended)});
    if (ended) world.pods_.at("fit-1-0").container_statuses.back().state = kube::ContainerStateKind::Terminated;
    world.now_ += std::chrono::seconds(61);
    world.settle();
    EXPECT_EQ(told(world), 0U) << ended;
  }
}

TEST(HeldGpus, hold_up_no_end_of_the_job) {
  JobWorld world = with_proxy({beside("proxy")});
  world.now_ += std::chrono::seconds(61);
  world.settle();
  world.exit("fit-1-1", 0);
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.state("Complete"), "True/Completed");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
