// A volume that went back to an older step, and a person who says to go on from there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;
using ::testing::HasSubstr;

constexpr const char* kAnnotation = "reprise.dev/accept-checkpoint";

std::string saved(int step) {
  return R"({"attempt":1,"index":0,"exitCode":85,"step":)" + std::to_string(step) + R"(,"durable":true})";
}

// Attempt 1 saved step 900, attempt 2 finds no more than step 400.
JobWorld back_at_400() {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit("fit-1-0", 85, saved(900));
  world.settle();
  world.now_ += std::chrono::minutes(1);
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit("fit-2-0", 86,
             R"({"attempt":2,"index":0,"exitCode":86,"step":400,"reason":"CheckpointLost","message":"expected 900"})");
  world.settle();
  world.now_ += std::chrono::hours(1);
  world.settle();
  return world;
}

TEST(AcceptCheckpoint, is_offered_with_the_step_that_the_volume_has) {
  const JobWorld world = back_at_400();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_THAT(world.condition("Stalled").message,
              HasSubstr("kubectl annotate --overwrite resumablejob fit -n " + world.job_.meta.namespace_ +
                        " reprise.dev/accept-checkpoint=400/2"));
}

TEST(AcceptCheckpoint, goes_on_from_the_step_that_a_person_names_and_expects_no_less) {
  JobWorld world = back_at_400();
  world.job_.meta.annotations[kAnnotation] = "400/2";
  world.settle();
  EXPECT_EQ(world.status().attempt, 3);
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
  ASSERT_TRUE(world.status().checkpoint);
  EXPECT_EQ(world.status().checkpoint->step, 400);
  EXPECT_EQ(world.state("CheckpointReady"), "Unknown/Accepted");
}

TEST(AcceptCheckpoint, takes_no_word_about_another_attempt_nor_one_that_is_no_step_nor_a_newer_one) {
  for (const char* word : {"400/1", "400/3", "400", "/2", "x/2", "-1/2", "400/2x", "901/2", ""}) {
    JobWorld world = back_at_400();
    world.job_.meta.annotations[kAnnotation] = word;
    world.settle();
    EXPECT_EQ(world.status().attempt, 2) << word;
    EXPECT_EQ(world.status().checkpoint->step, 900) << word;
  }
}

TEST(AcceptCheckpoint, holds_once) {
  JobWorld world = back_at_400();
  world.job_.meta.annotations[kAnnotation] = "400/2";
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit("fit-3-0", 86,
             R"({"attempt":3,"index":0,"exitCode":86,"step":100,"reason":"CheckpointLost","message":"expected 400"})");
  world.settle();
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 3);
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_THAT(world.condition("Stalled").message, HasSubstr("accept-checkpoint=100/3"));
}

TEST(AcceptCheckpoint, lets_a_restored_copy_of_the_claim_be_used) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit("fit-1-0", 85, saved(900));
  api::PersistentVolumeClaim restored = *world.claims_.at("fit-checkpoints");
  restored.meta.uid = "uid-restored";
  world.claims_["fit-checkpoints"] = std::make_shared<const api::PersistentVolumeClaim>(restored);
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_THAT(world.condition("Stalled").message, HasSubstr("accept-checkpoint=<step>/1"));
  world.job_.meta.annotations[kAnnotation] = "400/1";
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().checkpoint->step, 400);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
