// A capacity type that a pool has no more runs dry: what runs there goes on.
#include "controllers/gpupool/node_pools/karpenter_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/testing/failing_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using ::testing::AllOf;
using testing::FailingPool;
using ::testing::HasSubstr;

// One machine on demand that trains, and then the type is left out.
class LeftOut : public FailingPool {
 public:
  LeftOut() {
    launch("a", "on-demand").pass();
    becomes_useful("a").pass();
    auto pod = std::make_shared<kube::Pod>();
    pod->meta.name = "fit-1-0";
    pod->meta.namespace_ = "team";
    kube::OwnerReference job;
    job.api_version = "reprise.dev/v1alpha1";
    job.kind = "ResumableJob";
    job.name = "fit";
    job.uid = "uid-fit";
    job.controller = true;
    pod->meta.owner_references = {job};
    pod->node_name = "node-a";
    pod->phase = kube::PodPhase::Running;
    pod->resource_requests = {{"nvidia.com/gpu", "1"}};
    seen_.pods = {pod};
    edit([](api::GpuPool& pool) {
      pool.spec.capacity.pop_back();
      ++pool.meta.generation;
    });
  }
};

TEST(RunningDry, nothing_is_ended_and_nothing_more_is_rented) {
  LeftOut pool;
  const Plan plan = pool.pass();
  ASSERT_EQ(plan.actions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<UpdateNodePool>(plan.actions[0]));
  EXPECT_EQ(pool.limit("nvidia.com/gpu", "on-demand"), "0");
  EXPECT_EQ(pool.limit("nodes", "on-demand"), "0");
  EXPECT_EQ(pool.limit("nvidia.com/gpu", "spot"), "16");
  EXPECT_TRUE(pool.pass().actions.empty());
}

TEST(RunningDry, names_the_jobs_there_once) {
  LeftOut pool;
  pool.pass();
  const Plan plan = pool.pass();
  EXPECT_EQ(pool.state("NodePoolsSynced"), "True/RunningDry");
  EXPECT_EQ(pool.state("Ready"), "True/Ready");
  EXPECT_THAT(pool.message("NodePoolsSynced"),
              AllOf(HasSubstr("NodePool t4-on-demand"), HasSubstr("ResumableJob team/fit")));
  ASSERT_EQ(plan.announcements.size(), 1U);
  EXPECT_EQ(plan.announcements[0].reason, "RunningDry");
  EXPECT_THAT(plan.announcements[0].note, HasSubstr("ResumableJob team/fit"));
  EXPECT_TRUE(pool.pass().announcements.empty());
}

TEST(RunningDry, goes_with_its_last_machine) {
  LeftOut pool;
  pool.pass();
  pool.seen_.pods.clear();
  pool.is_deleted("a").pass();
  EXPECT_TRUE(pool.seen_.node_pools.contains("t4-on-demand"));
  const Plan plan = pool.is_gone("a").pass();
  ASSERT_EQ(plan.actions.size(), 1U);
  EXPECT_EQ(std::get<DeleteNodePool>(plan.actions[0]).name, "t4-on-demand");
  pool.pass();
  EXPECT_EQ(pool.state("NodePoolsSynced"), "True/Synced");
}

TEST(RunningDry, ends_when_the_type_is_back) {
  LeftOut pool;
  pool.pass();
  pool.edit([](api::GpuPool& p) {
    p.spec.capacity.push_back({.type = api::CapacityType::OnDemand, .max_gpus = 16});
    ++p.meta.generation;
  });
  pool.pass();
  EXPECT_EQ(pool.limit("nvidia.com/gpu", "on-demand"), "16");
  EXPECT_EQ(pool.limit("nodes", "on-demand"), "-");
}

}  // namespace
}  // namespace reprise::controllers::gpupool
