// The checkpoint that a job knows as its newest.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"
#include "protocol/record.h"

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

struct Told {
  std::int64_t step;
  std::string path;
  std::chrono::minutes after{};  // the moment in which it is told
  std::optional<std::int64_t> resumed_from = std::nullopt;
  std::string reason = {};
};

// The rank of the attempt under way ends with 85 and such a record.
void tell(JobWorld& world, std::int32_t index, const Told& told) {
  protocol::Record record;
  record.attempt = world.status().attempt;
  record.index = index;
  record.exit_code = told.reason.empty() ? 85 : protocol::kCheckpointLostExitCode;
  record.step = told.step;
  record.path = told.path;
  record.durable = true;
  record.checkpoint_time = world.now_ + told.after;
  record.resumed_from = told.resumed_from;
  record.reason = told.reason;
  world.exit("fit-" + std::to_string(record.attempt) + "-" + std::to_string(index), record.exit_code,
             protocol::encode_record(record));
}

void go_on(JobWorld& world) {
  controllers::testing::to_next_attempt(world);
  world.now_ += std::chrono::minutes(30);
  world.settle();
  world.schedule_all();
  world.settle();
  world.now_ += std::chrono::minutes(5);
}

constexpr std::chrono::minutes kLongAgo{-60 * 24 * 30}, kAnHourAgo{-60};

// Before the first attempt, however long that is ago.
std::chrono::minutes until_yesterday(const JobWorld& world) {
  return std::chrono::duration_cast<std::chrono::minutes>(controllers::testing::kStart - world.now_) + kAnHourAgo * 24;
}

// Epochs, stages or a loss that made it go back; its trainer keeps the last ones alone.
TEST(Progress, where_steps_begin_again_the_one_completed_later_is_the_newest_and_counts) {
  JobWorld world = controllers::testing::running_job();
  tell(world, 0, {.step = 500, .path = "epoch_1_step_500"});
  go_on(world);
  ASSERT_EQ(world.status().checkpoint->step, 500);
  for (int attempt = 2; attempt <= 6; ++attempt) {
    const std::int64_t step = 300 - attempt;
    tell(world, 0, {.step = step, .path = "epoch_2_step_" + std::to_string(step), .resumed_from = 500});
    go_on(world);
    ASSERT_EQ(world.status().checkpoint->step, step) << "no such thing as step 500 is expected any more";
    EXPECT_EQ(world.status().checkpoint->path, "epoch_2_step_" + std::to_string(step));
    EXPECT_EQ(world.status().attempts_without_progress, 0);
  }
}

TEST(Progress, what_came_after_a_checkpoint_of_no_known_time_is_newer_where_an_agent_resumed_from_it) {
  for (const std::int64_t from : {500, 100}) {
    JobWorld world = controllers::testing::running_job();
    world.job_.status.checkpoint = api::CheckpointStatus{.step = 500};
    tell(world, 0, {.step = 300, .path = "epoch_2_step_300", .resumed_from = from});
    world.settle();
    EXPECT_EQ(world.status().checkpoint->step, from == 100 ? 300 : 500) << from;
  }
}

TEST(Progress, is_made_by_who_writes_to_the_same_places_in_turn) {
  JobWorld world = controllers::testing::running_job();
  for (int attempt = 1; attempt <= 5; ++attempt) {
    const std::optional<std::int64_t> from = attempt == 1 ? std::nullopt : std::optional<std::int64_t>(1);
    tell(world, 0, {.step = 1, .path = "ckpt_1", .resumed_from = from});
    const kube::Time saved = world.now_;
    go_on(world);
    EXPECT_EQ(world.status().checkpoint->time, saved) << attempt;
    EXPECT_EQ(world.status().attempts_without_progress, 0) << attempt;
  }
}

TEST(Progress, is_none_where_each_attempt_leaves_what_it_was_given) {
  JobWorld world = controllers::testing::running_job();
  tell(world, 0, {.step = 1, .path = "ckpt_1"});
  const kube::Time saved = world.now_;
  go_on(world);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    tell(world, 0,
         {.step = 1,
          .path = "ckpt_1",
          .after = std::chrono::duration_cast<std::chrono::minutes>(saved - world.now_),
          .resumed_from = 1});
    go_on(world);
    EXPECT_EQ(world.status().attempts_without_progress, attempt);
  }
}

TEST(Progress, what_an_agent_finds_that_does_not_begin_is_no_newer_than_what_was_lost) {
  JobWorld world = controllers::testing::running_job();
  tell(world, 0, {.step = 500, .path = "step_500"});
  go_on(world);
  // Somebody has copied an old state back: its files are young.
  tell(world, 0, {.step = 100, .path = "step_100", .reason = std::string(protocol::kReasonCheckpointLost)});
  world.settle();
  EXPECT_EQ(world.status().checkpoint->step, 500);
}

TEST(Progress, a_time_that_is_still_to_come_makes_nothing_newer) {
  JobWorld world = controllers::testing::running_job();
  tell(world, 0, {.step = 500, .path = "step_500"});
  go_on(world);
  tell(world, 0, {.step = 100, .path = "step_100", .after = std::chrono::minutes(60 * 24 * 365), .resumed_from = 500});
  world.settle();
  EXPECT_EQ(world.status().checkpoint->step, 500);
}

// Rank 0 alone knows the list of what this job has made: the others may take an earlier training's for it.
TEST(Progress, of_a_gang_that_saves_nothing_is_none_whatever_lies_on_its_volume) {
  JobWorld world = controllers::testing::running_job(2);
  for (int attempt = 1; attempt <= 4; ++attempt) {
    tell(world, 1, {.step = 9000, .path = "old/step_9000", .after = kLongAgo, .resumed_from = 200});
    tell(world, 0, {.step = 200, .path = "run/step_200", .after = until_yesterday(world), .resumed_from = 200});
    go_on(world);
    EXPECT_EQ(world.status().checkpoint->path, "run/step_200") << attempt;
    EXPECT_EQ(world.status().attempts_without_progress, attempt);
  }
}

TEST(Progress, a_peer_that_is_heard_first_makes_nothing_older_than_the_job_its_checkpoint) {
  JobWorld world = controllers::testing::running_job(
      2, [](api::ResumableJob& job) { job.meta.creation_timestamp = controllers::testing::kStart; });
  tell(world, 1, {.step = 9000, .path = "old/step_9000", .after = kLongAgo});
  world.settle();
  EXPECT_FALSE(world.status().checkpoint);
}

TEST(Progress, a_peer_s_higher_number_that_was_saved_before_rank_0_s_is_none_either) {
  JobWorld world = controllers::testing::running_job(2);
  tell(world, 0, {.step = 200, .path = "step_200", .after = kAnHourAgo});
  tell(world, 1, {.step = 9000, .path = "step_9000", .after = kLongAgo});
  world.settle();
  EXPECT_EQ(world.status().checkpoint->step, 200);
}

TEST(Progress, what_another_training_saves_on_the_volume_meanwhile_is_none) {
  JobWorld world = controllers::testing::running_job(2);
  for (int attempt = 1; attempt <= 3; ++attempt) {
    tell(world, 1, {.step = 9000 + attempt, .path = "other/step_9000", .resumed_from = 200});
    tell(world, 0, {.step = 200, .path = "run/step_200", .after = until_yesterday(world), .resumed_from = 200});
    go_on(world);
    EXPECT_EQ(world.status().checkpoint->path, "run/step_200") << attempt;
    EXPECT_EQ(world.status().attempts_without_progress, attempt);
  }
}

TEST(Progress, what_a_peer_reports_while_it_trains_is_no_older_than_the_job_either) {
  JobWorld world = controllers::testing::running_job(
      2, [](api::ResumableJob& job) { job.meta.creation_timestamp = controllers::testing::kStart; });
  const auto report = [&](std::int64_t step, std::chrono::minutes after) {
    world.report("fit-1-1", {.attempt = 1,
                             .index = 1,
                             .checkpoint = protocol::ReportedCheckpoint{
                                 .step = step, .path = "step_" + std::to_string(step), .time = world.now_ + after}});
    world.settle();
  };
  report(9000, kLongAgo);
  EXPECT_FALSE(world.status().progress && world.status().progress->checkpoint);
  world.now_ += std::chrono::minutes(5);
  report(100, std::chrono::minutes(-1));
  ASSERT_TRUE(world.status().progress && world.status().progress->checkpoint);
  EXPECT_EQ(world.status().progress->checkpoint->step, 100);
}

TEST(Progress, a_peer_is_believed_about_what_rank_0_has_published) {
  JobWorld world = controllers::testing::running_job(
      2, [](api::ResumableJob& job) { job.meta.creation_timestamp = controllers::testing::kStart; });
  tell(world, 1, {.step = 9000, .path = "old/step_9000", .after = kLongAgo, .resumed_from = 9000});
  world.settle();
  ASSERT_TRUE(world.status().checkpoint) << "the job goes on from an earlier one's";
  EXPECT_EQ(world.status().checkpoint->step, 9000);
}

TEST(Progress, what_a_peer_saved_that_outlived_rank_0_is_the_job_s) {
  JobWorld world = controllers::testing::running_job(2);
  tell(world, 0, {.step = 200, .path = "step_200", .after = kAnHourAgo});
  tell(world, 1, {.step = 300, .path = "step_300"});
  world.settle();
  EXPECT_EQ(world.status().checkpoint->step, 300);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
