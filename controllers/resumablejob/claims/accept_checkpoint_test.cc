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

// The attempt under way begins, runs, and its one rank ends so.
void end_attempt(JobWorld& world, const std::string& pod, int exit_code, const std::string& record) {
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit(pod, exit_code, record);
  world.settle();
}

// Attempt 1 saved `saved`, attempt 2 refuses what is on the volume.
JobWorld not_started(const std::string& saved, const std::string& record) {
  JobWorld world(MakeJob("fit").get());
  end_attempt(world, "fit-1-0", 85, saved);
  world.now_ += std::chrono::minutes(1);
  end_attempt(world, "fit-2-0", 86, record);
  world.now_ += std::chrono::hours(1);
  world.settle();
  return world;
}

// Attempt 1 saved step 900, attempt 2 finds no more than step 400.
JobWorld back_at_400() {
  return not_started(
      saved(900),
      R"({"attempt":2,"index":0,"exitCode":86,"step":400,"reason":"CheckpointLost","message":"expected 900"})");
}

TEST(AcceptCheckpoint, is_offered_with_the_step_that_the_volume_has) {
  const JobWorld world = back_at_400();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_THAT(world.condition("Stalled").message,
              HasSubstr("kubectl annotate --overwrite resumablejob fit -n " + world.job_.meta.namespace_ +
                        " reprise.dev/accept-checkpoint=400/2"));
}

// The first attempt was lost before it could tell of anything.
TEST(AcceptCheckpoint, what_is_offered_may_be_accepted_by_a_job_that_knows_of_no_checkpoint) {
  JobWorld world(MakeJob("fit").get());
  end_attempt(
      world, "fit-1-0", 86,
      R"({"attempt":1,"index":0,"exitCode":86,"step":108,"reason":"CheckpointLost","message":"nothing is proven"})");
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_THAT(world.condition("Stalled").message, HasSubstr("accept-checkpoint=108/1"));
  world.job_.meta.annotations[kAnnotation] = "107/1";
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost") << "nobody has offered that";
  world.job_.meta.annotations[kAnnotation] = "108/1";
  world.settle();
  EXPECT_EQ(world.job_.status.attempt, 2);
  ASSERT_TRUE(world.job_.status.checkpoint);
  EXPECT_EQ(world.job_.status.checkpoint->step, 108);
}

TEST(AcceptCheckpoint, a_first_attempt_on_what_an_earlier_training_has_left_waits_for_a_person) {
  JobWorld world(MakeJob("fit").get());
  end_attempt(world, "fit-1-0", 86,
              R"({"attempt":1,"index":0,"exitCode":86,"reason":"NotRecognised","message":"the volume holds others"})");
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_THAT(world.condition("Stalled").message, HasSubstr("agent: the volume holds others"));
  EXPECT_EQ(world.status().attempt, 1);
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

// `kubectl get rj` and `kubectl reprise checkpoints` tell what is reported while a job runs, where that is newer.
TEST(AcceptCheckpoint, leaves_nothing_shown_of_the_one_that_is_given_up) {
  JobWorld world = back_at_400();
  ASSERT_EQ(world.status().progress->checkpoint->step, 900);
  world.job_.meta.annotations[kAnnotation] = "400/2";
  world.settle();
  ASSERT_EQ(world.status().attempt, 3);
  EXPECT_EQ(world.status().progress->checkpoint->step, 400);

  JobWorld anew = back_at_400();
  anew.job_.spec.resume = api::ResumePolicy::FromScratch;
  anew.job_.meta.generation = 2;
  anew.settle();
  ASSERT_EQ(anew.status().attempt, 3);
  EXPECT_FALSE(anew.status().checkpoint);
  EXPECT_FALSE(anew.status().progress) << "there is no checkpoint, and nothing is done yet";
}

TEST(AcceptCheckpoint, takes_no_value_about_another_attempt_nor_one_that_is_no_step_nor_a_newer_one) {
  for (const char* value : {"400/1", "400/3", "400", "/2", "x/2", "-1/2", "400/2x", "901/2", ""}) {
    JobWorld world = back_at_400();
    world.job_.meta.annotations[kAnnotation] = value;
    world.settle();
    EXPECT_EQ(world.status().attempt, 2) << value;
    EXPECT_EQ(world.status().checkpoint->step, 900) << value;
  }
}

TEST(AcceptCheckpoint, holds_once) {
  JobWorld world = back_at_400();
  world.job_.meta.annotations[kAnnotation] = "400/2";
  end_attempt(world, "fit-3-0", 86,
              R"({"attempt":3,"index":0,"exitCode":86,"step":100,"reason":"CheckpointLost","message":"expected 400"})");
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
  kube::PersistentVolumeClaim restored = *world.claims_.at("fit-checkpoints");
  restored.meta.uid = "uid-restored";
  world.claims_["fit-checkpoints"] = std::make_shared<const kube::PersistentVolumeClaim>(restored);
  world.now_ += std::chrono::minutes(1);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_THAT(world.condition("Stalled").message, HasSubstr("accept-checkpoint=<step>/1"));
  world.job_.meta.annotations[kAnnotation] = "400/1";
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().checkpoint->step, 400);
}

TEST(AcceptCheckpoint, an_older_one_with_a_higher_number_is_offered_and_not_taken_for_progress) {
  JobWorld world =
      not_started(R"({"attempt":1,"index":0,"exitCode":85,"step":480,"path":"out/checkpoint-480","durable":true})",
                  R"({"attempt":2,"index":0,"exitCode":86,"step":2012,"path":"imagenet-2012","durable":true,)"
                  R"("reason":"CheckpointLost","message":"expected 480"})");
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_EQ(world.status().checkpoint->path, "out/checkpoint-480");
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(AcceptCheckpoint, takes_a_higher_number_where_that_is_what_was_offered) {
  JobWorld world = not_started(
      R"({"attempt":1,"index":0,"exitCode":85,"step":2,"path":"ckpt-900-2","durable":true})",
      R"({"attempt":2,"index":0,"exitCode":86,"step":12,"reason":"CheckpointLost","message":"ckpt-600-12 is older"})");
  world.job_.meta.annotations[kAnnotation] = "13/2";
  world.settle();
  EXPECT_EQ(world.status().attempt, 2) << "nobody has offered that one";
  world.job_.meta.annotations[kAnnotation] = "12/2";
  world.settle();
  EXPECT_EQ(world.status().attempt, 3);
  EXPECT_EQ(world.status().checkpoint->step, 12);
  EXPECT_EQ(world.status().checkpoint->path, "");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
