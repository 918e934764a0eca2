// The invariants about resume points object to violations and to nothing else.
#include "simulator/invariants/invariants.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using testing::trainer;

class ResumeInvariants : public testing::InvariantBench {};

TEST_F(ResumeInvariants, what_is_published_is_the_newest_complete_checkpoint) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  disk.checkpoints[20] = {.step = 20, .complete = true};
  disk.checkpoints[30] = {.step = 30, .complete = false};
  for (const std::int64_t from : {10, 20, 30}) {
    disk.attempts[1].resume = DiskResume{.job_uid = "job", .pod_uid = {}, .step = from};
    EXPECT_EQ(step(*resumes_newest(loop), {{"v", disk}}).size(), from == 20 ? 0U : 1U) << "step " << from;
  }
  disk.attempts[1].resume->step.reset();
  EXPECT_EQ(step(*resumes_newest(loop), {{"v", disk}}).size(), 1U) << "from the start";
  disk.attempts[1].resume->rejection = "the checkpoint is lost";
  EXPECT_EQ(step(*resumes_newest(loop), {{"v", disk}}).size(), 0U);
}

TEST_F(ResumeInvariants, nobody_loads_a_checkpoint_without_bytes) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  disk.checkpoints[20] = {.step = 20, .complete = true, .hollow = true};
  const auto loaded = [&](std::int64_t from) {
    disk.attempts[1].loads[0] = {.by = trainer(1, 0), .step = from};
    return step(*loads_whole(), {{"v", disk}}).size();
  };
  EXPECT_EQ(loaded(10), 0U);
  EXPECT_EQ(loaded(20), 1U);
  EXPECT_EQ(loaded(-1), 0U);
}

// A look just before the choice is written finds earlier damage.
TEST_F(ResumeInvariants, what_was_damaged_before_the_word_was_written_is_not_excused) {
  const auto objections = [&](Duration before, std::int64_t from) {
    Disk disk;
    disk.traits.call = Duration{2'000};
    disk.checkpoints[10] = {.step = 10, .complete = true};
    disk.checkpoints[20] = {.step = 20, .complete = true};
    const auto invariant = resumes_newest(loop);
    EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
    disk.checkpoints[20].complete = false;
    EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
    loop.run_until(loop.now() + before);
    disk.attempts[1].resume = DiskResume{.job_uid = "job", .pod_uid = {}, .step = from};
    return step(*invariant, {{"v", disk}}).size();
  };
  EXPECT_EQ(objections(Duration{2'000}, 20), 0U);
  EXPECT_EQ(objections(Duration{2'001}, 20), 1U);
  EXPECT_EQ(objections(Duration{1'000}, 10), 0U);
  EXPECT_EQ(objections(Duration{1'000}, 5), 1U);
}

TEST_F(ResumeInvariants, what_counts_is_the_attempt_of_the_fence_and_not_a_higher_one_of_a_job_before) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  disk.checkpoints[20] = {.step = 20, .complete = true};
  disk.attempts[7].resume = DiskResume{.job_uid = "before", .pod_uid = {}, .step = 20};
  disk.attempts[1].resume = DiskResume{.job_uid = "job", .pod_uid = {}, .step = 10};
  EXPECT_TRUE(step(*resumes_newest(loop), {{"v", disk}}).empty());
  disk.fence_job_uid = "job";
  disk.fence_attempt = 1;
  EXPECT_EQ(step(*resumes_newest(loop), {{"v", disk}}).size(), 1U);
}

TEST_F(ResumeInvariants, what_an_earlier_job_has_published_under_the_number_of_the_attempt_at_hand_does_not_count) {
  Disk disk;
  disk.attempts[2].resume = DiskResume{.job_uid = "before", .pod_uid = "pod", .step = 10};
  disk.fence_job_uid = "before";
  disk.fence_attempt = 2;
  const auto objections = [&] {
    const auto invariant = resume_point_stays(api);
    (void)reported(*invariant, job_change("{}", R"({"metadata": {"uid": "before"}, "spec": {"parallelism": 2}})"));
    return step(*invariant, {{"v", disk}}).size();
  };
  EXPECT_EQ(objections(), 1U);
  disk.fence_job_uid = "job";
  EXPECT_EQ(objections(), 0U);
}

TEST_F(ResumeInvariants, what_an_attempt_resumes_from_stays_until_every_rank_has_loaded_it) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  disk.attempts[2].resume = DiskResume{.job_uid = "job", .pod_uid = "pod", .step = 10};
  disk.attempts[2].loads[0] = {.by = trainer(2, 0), .step = 10};
  const auto reported_of = [](Invariant& invariant, const Disk& now) {
    std::vector<std::string> said;
    invariant.on_step({{"v", now}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  const auto invariant = resume_point_stays(api);
  EXPECT_TRUE(
      reported(*invariant, job_change("{}", R"({"metadata": {"uid": "job"}, "spec": {"parallelism": 2}})")).empty());
  EXPECT_EQ(reported_of(*invariant, disk), 0U);
  Disk all_loaded = disk;
  all_loaded.attempts[2].loads[1] = {.by = trainer(2, 1), .step = 10};
  all_loaded.checkpoints.erase(10);
  EXPECT_EQ(reported_of(*invariant, all_loaded), 0U);
  disk.checkpoints.erase(10);
  EXPECT_EQ(reported_of(*invariant, disk), 1U);
  EXPECT_EQ(reported_of(*invariant, disk), 0U) << "once for an attempt";
}

TEST_F(ResumeInvariants, what_was_known_and_never_proven_may_be_put_aside) {
  const auto objections = [&](bool unproven, bool listed) {
    const auto invariant = loses_nothing_unsaid(api);
    EXPECT_TRUE(reported(*invariant, job_change("{}", R"({"metadata": {"uid": "job"},
        "status": {"attempt": 2, "checkpoint": {"step": 20, "path": "step-20"}}})"))
                    .empty());
    Disk disk;
    disk.checkpoints[20] = {.step = 20, .complete = true, .quarantined = true, .unproven = unproven, .listed = listed};
    disk.attempts[2].loads = {{0, {trainer(2, 0), 10}}};
    return step(*invariant, {{"v", disk}}).size();
  };
  EXPECT_EQ(objections(true, false), 0U);
  EXPECT_EQ(objections(false, false), 1U);
  EXPECT_EQ(objections(true, true), 1U);
}

TEST_F(ResumeInvariants, what_was_proven_before_what_was_put_aside_is_loaded) {
  const auto objections = [&](bool unproven, bool quarantined, bool listed) {
    const auto invariant = loses_nothing_unsaid(api);
    EXPECT_TRUE(reported(*invariant, job_change("{}", R"({"metadata": {"uid": "job"},
        "status": {"attempt": 2, "checkpoint": {"step": 30, "path": "step-30"}}})"))
                    .empty());
    Disk disk;
    disk.checkpoints[10] = {.step = 10, .complete = true, .listed = true};
    disk.checkpoints[20] = {
        .step = 20, .complete = true, .quarantined = quarantined, .unproven = unproven, .listed = listed};
    disk.checkpoints[30] = {.step = 30, .complete = true, .quarantined = true, .unproven = true};
    disk.attempts[2].loads = {{0, {trainer(2, 0), 10}}};
    return step(*invariant, {{"v", disk}}).size();
  };
  EXPECT_EQ(objections(true, true, false), 0U);
  EXPECT_EQ(objections(true, true, true), 1U) << "it was proven, and is put aside all the same";
  EXPECT_EQ(objections(false, false, true), 1U) << "nobody took it";
  EXPECT_EQ(objections(false, true, true), 0U) << "by a start from scratch, long ago";
}

TEST_F(ResumeInvariants, no_trainer_starts_before_what_its_job_was_known_to_have_saved) {
  const auto invariant = loses_nothing_unsaid(api);
  const auto load = [&](std::int64_t step) {
    Disk disk;
    disk.attempts[2].loads = {{0, {trainer(2, 0), step}}};
    std::vector<std::string> said;
    invariant->on_step({{"v", disk}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  EXPECT_EQ(load(-1), 0U) << "nothing was known";
  const char* known =
      R"({"metadata": {"name": "j", "uid": "job"}, "status": {"attempt": 2, "checkpoint": {"step": 20}}})";
  EXPECT_TRUE(reported(*invariant, job_change("{}", known)).empty());
  EXPECT_EQ(load(30), 0U);
  EXPECT_EQ(load(20), 0U);
  EXPECT_EQ(load(-1), 1U);
}

// "ckpt-26-27": to the agent, and so to the job, this is step 27.
TEST_F(ResumeInvariants, what_a_job_was_known_to_have_saved_is_known_by_its_directory) {
  const auto invariant = loses_nothing_unsaid(api);
  Disk disk;
  const auto look = [&] {
    std::vector<std::string> said;
    invariant->on_step({{"v", disk}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  disk.checkpoints[26] = {.step = 26, .complete = true, .name = "ckpt-26-27"};
  disk.checkpoints[40] = {.step = 40, .complete = true, .name = "ckpt-40-10"};
  EXPECT_EQ(look(), 0U);
  const auto known = [](const char* attempt, const char* checkpoint, const char* conditions = "[]") {
    return std::string(R"({"metadata": {"name": "j", "uid": "job"}, "status": {"attempt": )") + attempt +
           R"(, "checkpoint": )" + checkpoint + R"(, "conditions": )" + conditions + "}}";
  };
  EXPECT_TRUE(
      reported(*invariant, job_change("{}", known("2", R"({"step": 27, "path": "ckpt-26-27"})").c_str())).empty());
  disk.attempts[2].loads = {{0, {trainer(2, 0), 26}}};
  EXPECT_EQ(look(), 0U);
  EXPECT_TRUE(
      reported(*invariant, job_change("{}", known("3", R"({"step": 10, "path": "ckpt-40-10"})").c_str())).empty());
  disk.checkpoints.erase(40);
  disk.attempts[3].loads = {{0, {trainer(3, 0), 26}}};
  EXPECT_EQ(look(), 1U) << "its number is higher than the one that is known, and it is the older";
  const char* said = R"([{"type": "CheckpointReady", "status": "True", "reason": "OutOfOrder"}])";
  EXPECT_TRUE(reported(*invariant, job_change("{}", known("4", R"({"step": 10, "path": "ckpt-40-10"})", said).c_str()))
                  .empty());
  disk.attempts[4].loads = {{0, {trainer(4, 0), 26}}};
  EXPECT_EQ(look(), 1U) << "that the numbers contradict the order has been said, not that it is lost";
}

}  // namespace
}  // namespace reprise::simulator
