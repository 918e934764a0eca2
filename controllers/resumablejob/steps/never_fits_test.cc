// A gang that its pool never has room for costs nothing and says so.
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

std::shared_ptr<const api::GpuPool> pool_of_fours(std::int32_t max_gpus, std::int32_t there = 0) {
  return MakePool("t4")
      .with([&](api::GpuPool& pool) {
        pool.spec.gpu.counts_per_node = {4};
        pool.spec.capacity.front().max_gpus = max_gpus;
        if (there > 0) pool.status.capacity = {{.type = api::CapacityType::Spot, .nodes = there / 4, .gpus = there}};
      })
      .get();
}

std::string said(const JobWorld& world) {
  for (const kube::Condition& condition : world.status().conditions)
    if (condition.type == "Stalled") return std::string(condition.message);
  return {};
}

TEST(NeverFits, no_pod_is_made_for_a_gang_that_never_finds_room) {
  JobWorld world(MakeJob("fit").parallelism(6).get());
  world.pool_ = pool_of_fours(6);
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  EXPECT_EQ(world.status().attempt, 0);
  EXPECT_EQ(world.state("Stalled"), "True/NeverFits");
  EXPECT_EQ(world.state("PodsReady"), "False/NeverFits");
  EXPECT_THAT(said(world), HasSubstr("has room for 4 ranks"));
  EXPECT_THAT(said(world), HasSubstr("raise spec.capacity[0].maxGpus of the pool to 8"));
}

TEST(NeverFits, it_goes_on_as_soon_as_the_pool_has_room) {
  JobWorld world(MakeJob("fit").parallelism(6).get());
  world.pool_ = pool_of_fours(6);
  world.settle();
  world.pool_ = pool_of_fours(8);
  world.settle();
  EXPECT_EQ(world.pods().size(), 6U);
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
}

TEST(NeverFits, a_pool_that_rents_nothing_is_named) {
  JobWorld world(MakeJob("fit").get());
  world.pool_ = pool_of_fours(3);
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  EXPECT_THAT(said(world), HasSubstr("GpuPool t4 rents nothing: spec.capacity[0].maxGpus: found 3"));
}

TEST(NeverFits, no_pod_is_made_for_a_gang_that_the_pool_s_money_never_pays_for) {
  JobWorld world(MakeJob("fit").parallelism(4).get());
  const auto with_limit = [](const char* limit) {
    return MakePool("t4")
        .with([&](api::GpuPool& pool) {
          pool.spec.instance_types = {"g4dn.xlarge"};
          pool.spec.capacity.front().max_gpus = {};
          pool.spec.max_cost_per_hour = limit;
        })
        .get();
  };
  world.pool_ = with_limit("0.80");
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  EXPECT_EQ(world.state("Stalled"), "True/NeverFits");
  EXPECT_THAT(said(world), HasSubstr("pays for 3 at once at the most"));
  world.pool_ = with_limit("0.85");
  world.settle();
  EXPECT_EQ(world.pods().size(), 4U);
}

TEST(NeverFits, what_fits_on_machines_that_are_there_runs_whatever_the_limit_says_now) {
  JobWorld world(MakeJob("fit").parallelism(6).get());
  world.pool_ = pool_of_fours(3, 8);
  world.settle();
  EXPECT_EQ(world.pods().size(), 6U);
}

TEST(NeverFits, a_rank_of_all_gpus_of_a_machine_does_not_fit_on_several_that_are_there) {
  JobWorld world(MakeJob("fit")
                     .with([](api::ResumableJob& job) {
                       job.spec.pod_template.containers.front().limits = {{"reprise.dev/gpu", "4"}};
                     })
                     .get());
  const auto with = [](std::int32_t gpus, std::int32_t count) {
    auto pool = std::make_shared<api::GpuPool>(*pool_of_fours(3));
    pool->status.capacity = {{.type = api::CapacityType::Spot,
                              .nodes = count,
                              .gpus = gpus * count,
                              .machines = {{.gpus = gpus, .count = count}}}};
    return pool;
  };
  world.pool_ = with(1, 8);
  world.settle();
  EXPECT_THAT(world.pods(), IsEmpty());
  EXPECT_EQ(world.state("Stalled"), "True/NeverFits");
  world.pool_ = with(8, 1);
  world.settle();
  EXPECT_EQ(world.pods().size(), 1U);
}

TEST(NeverFits, of_another_cloud_s_machines_nothing_is_claimed) {
  JobWorld world(MakeJob("fit").parallelism(6).get());
  world.pool_ = MakePool("t4")
                    .with([](api::GpuPool& pool) {
                      pool.spec.gpu.models = {"NVIDIA-T4"};
                      pool.spec.node_class_ref->group = "karpenter.azure.com";
                      pool.spec.instance_types = {"g4dn.xlarge"};
                    })
                    .get();
  world.settle();
  EXPECT_EQ(world.pods().size(), 6U);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
