// The operator's clock and the API server's are two.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

JobWorld running() {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.settle();
  return world;
}

TEST(Clocks, an_operator_whose_clock_is_ahead_does_not_take_a_machine_that_is_saving_for_silent) {
  JobWorld world = running();
  world.job_.spec.suspend = true;
  world.settle();
  const auto deletion = *world.pod("fit-1-0").meta.deletion_timestamp;
  world.pods_.at("fit-1-0").meta.deletion_timestamp = deletion - std::chrono::minutes(10);  // by the API server's clock
  world.settle();
  world.now_ = deletion + std::chrono::seconds(29);
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), IsEmpty());
  world.now_ += std::chrono::seconds(1);
  world.settle();
  EXPECT_THAT(world.deleted_node_claims(), ElementsAre("claim-node-of-fit-1-0"));
}

TEST(Clocks, a_deadline_that_has_passed_by_the_operator_s_clock_leaves_the_trainer_its_whole_grace) {
  JobWorld world = running();
  world.delete_node_claim("node-of-fit-1-0");
  // Both by the API server's clock, which is ten minutes behind.
  world.pods_.at("fit-1-0").meta.creation_timestamp = world.now_ - std::chrono::minutes(11);
  world.node_claims_.at("node-of-fit-1-0").meta.deletion_timestamp = world.now_ - std::chrono::minutes(10);
  world.settle();
  ASSERT_TRUE(world.pod("fit-1-0").meta.deletion_timestamp);
  EXPECT_EQ(*world.pod("fit-1-0").meta.deletion_timestamp - world.now_,
            std::chrono::seconds(*world.pod("fit-1-0").termination_grace_period_seconds));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
