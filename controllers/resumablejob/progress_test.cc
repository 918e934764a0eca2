// Which checkpoint a job knows as its newest.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::MakeJob;

// The directories of one attempt that a rank reports, in the order of their completion.
JobWorld after_dated_checkpoints(const std::string& second) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  world.settle();
  world.schedule_all();
  world.settle();
  const auto record = [](int index, const char* rest) {
    return R"({"attempt":1,"index":)" + std::to_string(index) + R"(,"exitCode":85,"durable":true,)" + rest + "}";
  };
  world.exit("fit-1-0", 85, record(0, R"("step":12,"path":"ckpt-600-12","checkpointTime":"2026-06-12T10:00:00Z")"));
  world.exit("fit-1-1", 85, record(1, second.c_str()));
  world.settle();
  return world;
}

TEST(Progress, a_lower_number_is_newer_only_where_the_agent_tells_of_the_contradiction_and_it_was_completed_later) {
  const std::string lower = R"("step":2,"path":"ckpt-900-2","checkpointTime":"2026-06-12T11:00:00Z")";
  EXPECT_EQ(after_dated_checkpoints(lower).status().checkpoint->path, "ckpt-600-12");
  EXPECT_EQ(after_dated_checkpoints(lower + R"(,"warning":"out of order")").status().checkpoint->path, "ckpt-900-2");
  const std::string earlier = R"("step":2,"path":"ckpt-900-2","checkpointTime":"2026-06-12T09:00:00Z")";
  EXPECT_EQ(after_dated_checkpoints(earlier + R"(,"warning":"out of order")").status().checkpoint->path, "ckpt-600-12");
}

JobWorld after_record(const std::string& rest) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.settle();
  world.exit("fit-1-0", 85,
             R"({"attempt":1,"index":0,"exitCode":85,"step":12,"path":"out/checkpoint-12",)" + rest + "}");
  world.settle();
  return world;
}

TEST(Progress, what_the_agent_found_out_about_the_volume_is_told_with_the_checkpoint) {
  const auto volume_of = [](const std::string& volume) {
    return after_record(R"("durable":true,"volume":)" + volume).status().checkpoint->volume;
  };
  const api::VolumeStatus want{
      .type = "fuse.gcsfuse", .rename = true, .overwrite = std::nullopt, .remove = false, .durability = "Closed"};
  EXPECT_EQ(volume_of(R"({"type":"fuse.gcsfuse","rename":true,"delete":false,"durability":"Closed"})"), want);
  EXPECT_FALSE(after_record(R"("durable":true)").status().checkpoint->volume) << "an agent that does not say";
}

// A trainer may leave what looks like a record: the API server would refuse such a status for ever.
TEST(Progress, no_more_of_the_volume_is_told_than_the_api_takes) {
  for (const std::string& volume :
       {std::string(R"({"type":"ext4","durability":"{}"})"), std::string(R"({"type":"ext4"})"),
        R"({"durability":"Synced","type":")" + std::string(65, 'x') + "\"}"})
    EXPECT_FALSE(after_record(R"("durable":true,"volume":)" + volume).status().checkpoint->volume) << volume;
}

TEST(Progress, a_checkpoint_s_format_is_told_as_far_as_it_is_one) {
  EXPECT_EQ(after_record(R"("durable":true,"format":"HuggingFace")").status().checkpoint->format, "HuggingFace");
  // A trainer may leave a record of its own: the API server would reject the status.
  EXPECT_EQ(after_record(R"("durable":true,"format":"{}")").status().checkpoint->format, "");
}

TEST(Progress, what_a_volume_does_not_prove_durable_is_progress_and_is_not_called_verified) {
  const JobWorld unproven = after_record(R"("durable":true,"structureOnly":true)");
  EXPECT_EQ(unproven.status().checkpoint->step, 12);
  EXPECT_FALSE(unproven.status().checkpoint->verified);
  EXPECT_EQ(unproven.state("CheckpointReady"), "True/StructureOnly");
  const JobWorld proven = after_record(R"("durable":true)");
  EXPECT_TRUE(proven.status().checkpoint->verified);
  EXPECT_EQ(proven.state("CheckpointReady"), "True/Verified");
}

TEST(Progress, an_attempt_that_its_agent_refuses_to_begin_brings_no_newer_step_whatever_is_on_the_volume) {
  JobWorld world(MakeJob("fit").get());
  world.settle();
  world.schedule_all();
  world.settle();
  const std::string not_started = R"({"attempt":1,"index":0,"exitCode":87,"step":50,"durable":true,)"
                                  R"("reason":"VolumeUnavailable","message":"the volume answers too slowly"})";
  for (int attempt = 1; attempt <= 4; ++attempt) {
    world.exit("fit-" + std::to_string(attempt) + "-0", 87, not_started);
    world.settle();
    world.now_ += std::chrono::minutes(10);
    world.settle();
    world.schedule_all();
    world.settle();
  }
  EXPECT_EQ(world.state("Stalled"), "True/NoProgress");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
