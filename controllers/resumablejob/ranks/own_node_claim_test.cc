// Only NodeClaims of the job's own pool are asked to go for its sake.
#include "controllers/resumablejob/ranks/own_node_claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::make_node_pool;
using controllers::testing::MakeJob;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

JobWorld silent(api::ResumableJob job) {
  JobWorld world(std::move(job));
  world.settle();
  world.schedule_all();
  world.settle();
  world.force_remove("fit-1-0");
  return world;
}

api::ResumableJob without_pool() {
  return MakeJob("fit")
      .with([](api::ResumableJob& job) {
        job.spec.pool_name = "";
        job.spec.pod_template.containers.begin()->limits = {{"nvidia.com/gpu", "1"}};
      })
      .get();
}

TEST(OwnNodeClaim, of_the_job_s_pool_is_asked_to_go) {
  JobWorld world = silent(MakeJob("fit").get());
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), ElementsAre("claim-node-of-fit-1-0"));
}

TEST(OwnNodeClaim, no_node_claim_is_the_own_of_a_job_without_a_pool) {
  JobWorld world = silent(without_pool());
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
  EXPECT_EQ(world.state("PodsReady"), "False/WriterNotFenced");
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("not of a pool of this job"));
  EXPECT_THAT(world.condition("PodsReady").message, HasSubstr("reprise.dev/confirm-ended"));
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2) << "ended by whoever runs it: the proof is the same";
}

TEST(OwnNodeClaim, of_another_pool_is_left_alone) {
  JobWorld world = silent(MakeJob("fit").get());
  world.node_claims_.at("node-of-fit-1-0").meta.labels = {{"reprise.dev/pool", "a100"},
                                                          {"karpenter.sh/nodepool", "a100-spot"}};
  world.node_pools_["a100-spot"] = make_node_pool("a100-spot", "uid-pool-a100");
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
}

TEST(OwnNodeClaim, of_a_node_pool_that_only_bears_the_pool_s_label_is_left_alone) {
  JobWorld world = silent(MakeJob("fit").get());
  world.node_pools_["t4-spot"] = make_node_pool("t4-spot", "uid-of-somebody-else");
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
