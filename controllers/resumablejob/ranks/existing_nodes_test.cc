// Jobs on nodes that are there already, of which no NodeClaim tells: proofs come from the kubelet, from a machine that
// booted anew and from a person, and nobody else brings a node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using controllers::testing::MakePool;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<const api::GpuPool> own_nodes() {
  return MakePool("t4")
      .with([](auto& pool) {
        pool.spec.node_class_ref.reset();
        pool.spec.capacity.clear();
        pool.spec.existing_nodes.emplace();
      })
      .get();
}

JobWorld running_on_own_nodes() {
  JobWorld world(MakeJob("fit").get());
  world.pool_ = own_nodes();
  world.settle();
  world.schedule_all();
  world.node_claims_.clear();
  world.settle();
  return world;
}

TEST(JobOnExistingNodes, is_not_resumed_because_its_node_is_gone_from_the_api) {
  JobWorld world = running_on_own_nodes();
  world.remove_node("node-of-fit-1-0");
  world.absent_nodes_.insert("node-of-fit-1-0");
  world.force_remove("fit-1-0");
  world.now_ += std::chrono::hours(48);
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("reprise.dev/confirm-ended=uid-node-of-fit-1-0/1"));
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
}

TEST(JobOnExistingNodes, is_not_resumed_either_when_the_node_was_never_seen) {
  JobWorld world(MakeJob("fit").get());
  world.pool_ = own_nodes();
  world.settle();
  world.schedule_all();
  world.node_claims_.clear();
  world.remove_node("node-of-fit-1-0");
  world.absent_nodes_.insert("node-of-fit-1-0");
  world.settle();
  world.force_remove("fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
}

TEST(JobOnExistingNodes, is_resumed_when_the_machine_has_booted_anew) {
  for (const auto& again : std::vector<std::function<void(kube::Node&)>>{
           [](auto& node) { node.boot_id = "boot-2"; }, [](auto& node) { node.provider_id = "kwok://another"; }}) {
    JobWorld world = running_on_own_nodes();
    world.force_remove("fit-1-0");
    world.settle();
    ASSERT_EQ(world.status().attempt, 1);
    again(world.nodes_.at("node-of-fit-1-0"));
    world.settle();
    EXPECT_EQ(world.status().attempt, 2);
  }
}

TEST(JobOnExistingNodes, is_resumed_when_a_person_says_that_the_machine_is_off) {
  JobWorld world = running_on_own_nodes();
  world.force_remove("fit-1-0");
  world.settle();
  ASSERT_EQ(world.status().attempt, 1);
  world.taint("node-of-fit-1-0", "node.kubernetes.io/out-of-service");
  world.settle();
  EXPECT_EQ(world.status().attempt, 1) << "its kubelet answers: whatever ran there runs";
  world.node_ready("node-of-fit-1-0", "Unknown");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(JobOnExistingNodes, that_are_asked_by_annotations_alone_waits_though_its_template_asks_for_another_device) {
  JobWorld world(MakeJob("fit").get());
  world.pool_ = MakePool("t4")
                    .with([](api::GpuPool& pool) {
                      pool.spec.sharing = {.mode = api::SharingMode::External,
                                           .external = api::ExternalSharing{.preset = api::ExternalPreset::KAI}};
                    })
                    .get();
  world.settle();
  for (auto& [name, pod] : world.pods_) pod.resource_requests = {{"rdma/hca", "1"}};
  world.settle();
  EXPECT_EQ(world.status().attempt, 1);
  EXPECT_FALSE(world.status().attempt_end);
}

TEST(JobOnExistingNodes, ends_at_a_notice_and_holds_no_place_that_nobody_would_make) {
  for (const char* taint : {"aws-node-termination-handler/spot-itn", "ToBeDeletedByClusterAutoscaler",
                            "cloud.google.com/impending-node-termination", "reprise.dev/spot-interruption"}) {
    JobWorld world = running_on_own_nodes();
    world.taint("node-of-fit-1-0", taint);
    world.settle();
    EXPECT_TRUE(world.status().attempt_end) << taint;
    EXPECT_FALSE(world.has_pod("fit-1-0-standby")) << taint;
    world.stop_deleted(143);
    world.settle();
    EXPECT_EQ(world.status().attempt, 2) << taint;
    EXPECT_EQ(world.status().interruption_count, 1) << taint;
  }
}

TEST(JobOnExistingNodes, is_told_that_nothing_says_how_they_were_bought) {
  JobWorld world(MakeJob("fit")
                     .with([](auto& job) {
                       job.spec.placement.emplace();
                       job.spec.placement->capacity = api::PlacementCapacity::SpotOnly;
                     })
                     .get());
  world.pool_ = own_nodes();
  world.settle();
  EXPECT_EQ(world.state("PodsReady"), "False/NotSupported");
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("spec.placement.capacity"));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
