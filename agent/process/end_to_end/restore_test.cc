// Restore, as the ranks of a job see it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/restore/resume_point.h"
#include "agent/testing/attempt_files.h"
#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::eventually;
using testing_support::Process;
using testing_support::put_checkpoint;
using testing_support::put_heartbeat;
using testing_support::put_text;
using testing_support::Scene;
using testing_support::text_in;
using testing_support::Variables;

// Prints what the trainer is given.
const std::vector<std::string> kShow{
    "sh", "-c", "echo from=${REPRISE_RESUME_FROM-absent}; readlink -f \"$REPRISE_RESUME_FROM\" || true"};

// Saves four checkpoints after the one it is given; a fifth when older ones have begun to go; then waits.
const std::vector<std::string> kTrain{
    "sh", "-c",
    "at=$(readlink -f \"$REPRISE_RESUME_FROM\"); at=${at##*-}; cd \"$REPRISE_CHECKPOINT_DIR\" || exit 1;"
    "save() { mkdir step-$((at + 10 * $1)) && : >step-$((at + 10 * $1))/_COMPLETE; };"
    "save 1; save 2; save 3; save 4; while [ -e step-$((at + 20)) ]; do sleep 0.01; done; save 5; exec sleep 1000"};

Variables ranks(int count) {
  return {{"REPRISE_PARALLELISM", std::to_string(count)}};
}

TEST(restore, on_a_first_run_the_trainer_is_given_no_checkpoint) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_RESUME_FROM", "/stale"}}}, kShow);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(1), HasSubstr("from=absent"));
  const auto point = decode_resume_point(text_in(scene.layout().resume_point(1)));
  ASSERT_TRUE(point);
  EXPECT_FALSE(point->step);
}

TEST(restore, a_torn_checkpoint_is_quarantined_and_the_one_before_is_loaded) {
  const Scene scene;
  put_text(scene.layout().resume_point(6), encode_resume_point({.job_uid = "job-1", .attempt = 6}));
  put_checkpoint(scene.volume(), "step-10", true);
  put_checkpoint(scene.volume(), "step-20", false);
  auto agent = scene.run({.attempt = 7}, kShow);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(7), HasSubstr("/step-10\n"));
  EXPECT_THAT(scene.output(7), HasSubstr((scene.volume() / "step-10").string() + "\n"));
  EXPECT_EQ(text_in(scene.volume() / ".reprise/quarantine/step-20.7/state.bin"), "weights");
  EXPECT_THAT(scene.record(7)->message, HasSubstr("step-20"));
  EXPECT_EQ(scene.record(7)->resumed_from, 10);
}

TEST(restore, all_ranks_load_the_step_that_index_0_chose) {
  const Scene scene;
  put_checkpoint(scene.volume(), "step-10", true);
  std::vector<Process> trainers;
  for (int index : {2, 1}) trainers.push_back(scene.run({.index = index, .variables = ranks(3)}, kShow));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(scene.layout().alive(1, 1)); }));
  put_checkpoint(scene.volume(), "step-20", true);
  trainers.push_back(scene.run({.index = 0, .variables = ranks(3)}, kShow));
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(scene.layout().resume_point(1)); }));
  put_checkpoint(scene.volume(), "step-30", true);
  trainers.push_back(scene.run({.index = 3, .variables = ranks(4)}, kShow));
  for (Process& trainer : trainers) EXPECT_EQ(trainer.wait(), 0);
  for (int index = 0; index < 4; ++index) EXPECT_EQ(scene.record(1, index)->resumed_from, 20) << index;
}

TEST(restore, a_rank_that_comes_late_still_finds_what_its_gang_resumed_from) {
  const Scene scene;
  Variables keeps = ranks(2);
  keeps["REPRISE_CHECKPOINT_KEEP"] = "2";
  const std::string save = "mkdir " + (scene.volume() / "step-10").string() + " && touch " +
                           (scene.volume() / "step-10/_COMPLETE").string() + "; exit 3";
  auto before = scene.run({.variables = ranks(2)}, {"sh", "-c", save});
  EXPECT_EQ(before.wait(), 3);
  auto first = scene.run({.attempt = 2, .index = 0, .variables = keeps}, kTrain);
  const std::vector<std::string> held{"step-10", "step-50", "step-60"};
  ASSERT_TRUE(eventually([&] { return scene.checkpoints() == held; }));
  auto late = scene.run({.attempt = 2, .index = 1, .variables = ranks(2)}, kShow);
  EXPECT_EQ(late.wait(), 0);
  EXPECT_EQ(scene.record(2, 1)->resumed_from, 10);
  first.send(SIGTERM);
  EXPECT_EQ(first.wait(), 143);

  auto next = scene.run({.attempt = 3, .index = 0, .variables = keeps}, kTrain);
  const std::vector<std::string> later{"step-100", "step-110", "step-60"};
  EXPECT_TRUE(eventually([&] { return scene.checkpoints() == later; }));
}

TEST(restore, with_a_volume_of_its_own_any_index_chooses_for_itself) {
  const Scene scene;
  put_checkpoint(scene.volume(), "step-10", true);
  auto agent = scene.run({.index = 1, .variables = {{"REPRISE_VOLUME_ACCESS", "PerIndex"}}}, kShow);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(scene.record(1, 1)->resumed_from, 10);
}

TEST(restore, a_rank_whose_index_0_never_speaks_asks_to_be_run_again) {
  const Scene scene;
  auto agent = scene.run({.index = 1, .variables = {{"REPRISE_RESUME_WAIT_SECONDS", "0.2"}}}, kShow);
  EXPECT_EQ(agent.wait(), 85);
  EXPECT_EQ(scene.record(1, 1)->reason, "ResumeNotPublished");
}

// Index 0 may have terabytes to read first.
TEST(restore, a_rank_waits_for_its_index_0_as_long_as_that_moves) {
  const Scene scene;
  auto agent = scene.run({.index = 1, .variables = {{"REPRISE_RESUME_WAIT_SECONDS", "1"}}}, kShow);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(scene.layout().alive(1, 1)); }));
  ASSERT_TRUE(eventually([&] { return decode_heartbeat(text_in(scene.layout().alive(1, 1))).has_value(); }));
  Identity first = decode_heartbeat(text_in(scene.layout().alive(1, 1)))->who;
  first.index = 0;
  first.pod_uid = "pod-of-index-0";
  const auto begun = std::chrono::steady_clock::now();
  for (std::uint64_t counter = 1; std::chrono::steady_clock::now() - begun < std::chrono::seconds(3); ++counter) {
    put_heartbeat(scene.layout(), first, counter);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_FALSE(scene.record(1, 1)) << "three times as long as it waits for one that stands still";
  EXPECT_EQ(agent.wait(), 85);
  EXPECT_EQ(scene.record(1, 1)->reason, "ResumeNotPublished");
}

TEST(restore, a_rank_that_does_not_find_what_index_0_chose_says_so) {
  const Scene scene;
  put_checkpoint(scene.volume(), "step-10", true);
  auto first = scene.run({.index = 0, .variables = ranks(2)}, kShow);
  EXPECT_EQ(first.wait(), 0);
  std::filesystem::remove_all(scene.volume() / "step-10");
  auto variables = ranks(2);
  variables["REPRISE_RESUME_WAIT_SECONDS"] = "0.2";
  auto late = scene.run({.index = 1, .variables = variables}, kShow);
  EXPECT_EQ(late.wait(), 85);
  EXPECT_THAT(scene.record(1, 1)->message, HasSubstr("no complete checkpoint of that name is on the volume"));
}

TEST(restore, a_rank_that_waits_can_be_stopped) {
  const Scene scene;
  auto agent = scene.run({.index = 1}, kShow);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(scene.layout().alive(1, 1)); }));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_TRUE(scene.record(1, 1)->stop_requested);
  EXPECT_FALSE(scene.record(1, 1)->finished);
}

// The operator would expect it of the next attempt, which then could not tell that nobody has started anew yet.
TEST(restore, who_ends_before_a_start_from_scratch_is_made_reports_nothing_of_what_is_renounced) {
  const Scene scene;
  put_checkpoint(scene.volume(), "step-500", true);
  auto agent = scene.run({.index = 1, .variables = {{"REPRISE_RESUME", "FromScratch"}}}, kShow);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(scene.layout().alive(1, 1)); }));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_FALSE(scene.record(1, 1)->step);
}

TEST(restore, a_lost_checkpoint_stops_all_ranks_with_86_and_says_what_to_do) {
  const Scene scene;
  put_checkpoint(scene.volume(), "step-10", true);
  put_checkpoint(scene.volume(), "step-30", false);
  auto other =
      scene.run({.index = 1, .variables = {{"REPRISE_PARALLELISM", "2"}, {"REPRISE_EXPECTED_STEP", "20"}}}, kShow);
  auto first =
      scene.run({.index = 0, .variables = {{"REPRISE_PARALLELISM", "2"}, {"REPRISE_EXPECTED_STEP", "20"}}}, kShow);
  EXPECT_EQ(first.wait(), 86);
  EXPECT_EQ(other.wait(), 86);
  for (int index : {0, 1}) {
    const auto record = scene.record(1, index);
    ASSERT_TRUE(record);
    EXPECT_EQ(scene.termination(1, index), record);
    EXPECT_EQ(record->reason, "CheckpointLost");
    EXPECT_THAT(record->message, HasSubstr("step 20"));
    EXPECT_THAT(record->message, HasSubstr("step-10"));
    EXPECT_THAT(record->message, HasSubstr("FromScratch"));
  }
  EXPECT_TRUE(std::filesystem::exists(scene.volume() / "step-30"));
}

TEST(restore, from_scratch_and_never_start_anew_whatever_was_expected) {
  for (const char* policy : {"FromScratch", "Never"}) {
    const Scene scene;
    put_checkpoint(scene.volume(), "step-10", true);
    auto agent = scene.run({.variables = {{"REPRISE_RESUME", policy}, {"REPRISE_EXPECTED_STEP", "20"}}}, kShow);
    EXPECT_EQ(agent.wait(), 0);
    EXPECT_THAT(scene.output(1), HasSubstr("from=absent")) << policy;
    const bool left = std::filesystem::exists(scene.volume() / "step-10");
    EXPECT_EQ(left, policy == std::string("Never"));
  }
}

TEST(restore, after_a_start_from_scratch_the_new_checkpoints_are_the_newest) {
  const Scene scene;
  put_checkpoint(scene.volume(), "step-500", true);
  auto agent = scene.run({.variables = {{"REPRISE_RESUME", "FromScratch"}}}, scene.trainer(20, 10, 0));
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(scene.record(1)->step, 20);
  EXPECT_TRUE(std::filesystem::exists(scene.volume() / ".reprise/quarantine/step-500.1/_COMPLETE"));
}

const std::vector<std::string> kRan{"sh", "-c", "echo ran"};

// A record of a finished trainer may be the work of a hook: whoever is started trains (decision 0031).
TEST(restore, a_trainer_that_had_finished_is_run_again_from_its_last_checkpoint) {
  const Scene scene;
  auto first = scene.run({.attempt = 1}, scene.trainer(20, 10, 0));
  EXPECT_EQ(first.wait(), 0);
  EXPECT_TRUE(scene.record(1)->finished);
  auto again = scene.run({.attempt = 2}, kRan);
  EXPECT_EQ(again.wait(), 0);
  EXPECT_THAT(scene.output(2), HasSubstr("ran\n"));
  EXPECT_EQ(scene.record(2)->resumed_from, 20);
}

TEST(restore, a_start_from_scratch_is_made_once_and_then_resumed) {
  const Scene scene;
  const Variables scratch{{"REPRISE_RESUME", "FromScratch"}, {"REPRISE_FROM_SCRATCH_SINCE", "2"}};
  auto before = scene.run({.attempt = 1}, kRan);
  EXPECT_EQ(before.wait(), 0);
  put_checkpoint(scene.volume(), "step-500", true);
  const std::string save = "mkdir " + (scene.volume() / "step-7").string() + " && touch " +
                           (scene.volume() / "step-7/_COMPLETE").string() + "; exit 3";
  auto anew = scene.run({.attempt = 2, .variables = scratch}, {"sh", "-c", save});
  EXPECT_EQ(anew.wait(), 3);
  EXPECT_FALSE(scene.record(2)->resumed_from);
  EXPECT_EQ(scene.record(2)->step, 7);
  auto next = scene.run({.attempt = 3, .variables = scratch}, kRan);
  EXPECT_EQ(next.wait(), 0);
  EXPECT_THAT(scene.output(3), HasSubstr("ran\n"));
  EXPECT_EQ(scene.record(3)->resumed_from, 7);
  auto last = scene.run({.attempt = 4, .variables = scratch}, kRan);
  EXPECT_EQ(last.wait(), 0);
  EXPECT_EQ(scene.record(4)->resumed_from, 7);
}

// A file in the place of the quarantine: nothing can be moved there, as on a mount that moves no directories.
TEST(restore, where_nothing_can_be_moved_a_start_from_scratch_is_not_undone_by_the_next_attempt) {
  const Scene scene;
  const Variables scratch{{"REPRISE_RESUME", "FromScratch"}, {"REPRISE_FROM_SCRATCH_SINCE", "2"}};
  put_checkpoint(scene.volume(), "step-500", true);
  put_text(scene.volume() / ".reprise/quarantine", "no directory");
  auto anew = scene.run({.attempt = 2, .variables = scratch}, {"sh", "-c", "exit 3"});
  EXPECT_EQ(anew.wait(), 3);
  EXPECT_FALSE(scene.record(2)->resumed_from);
  auto next = scene.run({.attempt = 3, .variables = scratch}, scene.trainer(30, 10, 0));
  EXPECT_EQ(next.wait(), 0);
  EXPECT_FALSE(scene.record(3)->resumed_from);
  EXPECT_THAT(scene.checkpoints(), testing::UnorderedElementsAre("step-500", "step-10", "step-20", "step-30"));
}

}  // namespace
}  // namespace reprise::agent
