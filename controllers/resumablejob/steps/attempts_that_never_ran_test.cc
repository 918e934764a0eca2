// Attempts that end before a trainer has run: each may have cost a node.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;

// Somebody deletes each pod before it has a node, and as soon as it is there.
TEST(AttemptThatNeverRan, is_followed_by_a_longer_pause_each_time_and_the_third_is_reported) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  for (int attempt = 1; attempt <= 5; ++attempt) {
    ASSERT_EQ(world.status().attempt, attempt);
    world.force_remove("fit-" + std::to_string(attempt) + "-0");
    world.settle();
    EXPECT_EQ(world.status().interruption_count, attempt);
    EXPECT_EQ(world.state("Stalled") == "True/NoProgress", attempt >= 3) << attempt;
    EXPECT_EQ(world.status().retry_after.has_value(), attempt >= 3) << "the first ones are followed at once";
    world.now_ += std::chrono::minutes(10);
    world.settle();
  }
}

// Nobody knows whether a checkpoint came of it: its node went without a report.
TEST(AttemptThatNeverRan, is_not_one_of_which_a_container_was_seen_running) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  for (int attempt = 1; attempt <= 4; ++attempt) {
    const std::string pod = "fit-" + std::to_string(attempt) + "-0";
    world.schedule_all();
    world.settle();
    world.force_remove(pod);
    world.remove_node_claim("node-of-" + pod);
    world.settle();
    EXPECT_EQ(world.status().attempt, attempt + 1) << "begins at once";
  }
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
