#include "agent/core/aside/checkpoint_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

Checkpoint at(const std::string& name, std::chrono::seconds time, bool is_complete = true) {
  return {.name = name, .step = step_of(name).value(), .complete = is_complete, .time = runtime::WallTime(time)};
}

MadeCheckpoint seen(std::int64_t order, const std::string& name, std::int32_t attempt = 1) {
  return {.order = order, .name = name, .job_uid = "job", .attempt = attempt};
}

std::vector<std::string> newest_first(Checkpoints found, const MadeCheckpoints& made) {
  sort_newest_first(found, made);
  std::vector<std::string> names;
  std::transform(found.begin(), found.end(), std::back_inserter(names), [](const auto& each) { return each.name; });
  return names;
}

const MadeCheckpoints kDays{seen(1, "ckpt-31"), seen(2, "ckpt-1")};

TEST(checkpoint_order, what_was_completed_last_is_the_newest_whatever_its_number) {
  EXPECT_THAT(newest_first({at("ckpt-31", 100s), at("ckpt-1", 200s)}, kDays), ElementsAre("ckpt-1", "ckpt-31"));
  EXPECT_THAT(newest_first({at("slot-1", 300s), at("slot-0", 400s)}, {seen(1, "slot-0"), seen(2, "slot-1")}),
              ElementsAre("slot-0", "slot-1"));
}

TEST(checkpoint_order, a_later_attempt_made_the_newer_whatever_the_clock_of_its_machine_says) {
  EXPECT_THAT(newest_first({at("step-10", 900s), at("step-20", 100s)}, {seen(1, "step-10", 1), seen(2, "step-20", 2)}),
              ElementsAre("step-20", "step-10"));
}

TEST(checkpoint_order, within_an_attempt_a_clock_that_is_set_back_makes_nothing_older) {
  const MadeCheckpoints made{seen(1, "step-10"), seen(2, "step-20"), seen(3, "step-30")};
  EXPECT_THAT(newest_first({at("step-10", 900s), at("step-20", 100s), at("step-30", 200s)}, made),
              ElementsAre("step-30", "step-20", "step-10"));
  EXPECT_THAT(out_of_order({at("step-30", 200s), at("step-20", 100s), at("step-10", 900s)}, made, "job"),
              HasSubstr("a clock was set back"));
  EXPECT_THAT(newest_first({at("step-10", 900s), at("step-20", 100s)}, {seen(2, "step-20"), seen(3, "step-10")}),
              ElementsAre("step-10", "step-20"))
      << "it was written again";
}

TEST(checkpoint_order, a_copy_beside_the_trainers_own_saves_stands_behind_them_whenever_it_was_made) {
  for (const char* copy : {"best/step-500", "best/step-400", "step-500_best", "hf/step-500", "ema/step-500",
                           "best_mAP_step-500.pth", "best/step-600"}) {
    const MadeCheckpoints made{seen(1, "step-400"), seen(2, "step-500"), seen(3, copy)};
    EXPECT_THAT(newest_first({at("step-400", 100s), at("step-500", 200s), at(copy, 300s)}, made),
                ElementsAre("step-500", "step-400", copy));
  }
}

TEST(checkpoint_order, weights_are_a_copy_only_where_they_are_behind) {
  const MadeCheckpoints made{seen(1, "state/step-400"), seen(2, "state/step-500"), seen(3, "weights/step-400")};
  EXPECT_THAT(newest_first({at("state/step-400", 1s), at("state/step-500", 2s), at("weights/step-400", 3s)}, made),
              ElementsAre("state/step-500", "state/step-400", "weights/step-400"));
  EXPECT_THAT(newest_first({at("optim/step-500", 2s), at("weights/step-500", 3s)},
                           {seen(1, "optim/step-500"), seen(2, "weights/step-500")}),
              ElementsAre("weights/step-500", "optim/step-500"))
      << "a part of the save";
}

TEST(checkpoint_order, a_copy_counts_where_the_training_has_no_save_of_its_own_beside_it) {
  EXPECT_THAT(newest_first({at("best/step-400", 100s), at("best/step-500", 200s)},
                           {seen(1, "best/step-400"), seen(2, "best/step-500")}),
              ElementsAre("best/step-500", "best/step-400"));
  // A script that saves elsewhere since.
  EXPECT_THAT(newest_first({at("step-100", 100s), at("best/step-900", 200s)},
                           {seen(1, "step-100", 1), seen(2, "best/step-900", 2)}),
              ElementsAre("best/step-900", "step-100"));
  // A model to start from.
  EXPECT_THAT(newest_first({at("base/step-9000", 100s), at("best/step-10", 200s)}, {seen(1, "best/step-10")}),
              ElementsAre("best/step-10", "base/step-9000"));
}

TEST(checkpoint_order, a_stage_whose_steps_begin_again_is_newer) {
  const MadeCheckpoints made{seen(1, "pretrain/step-100"), seen(2, "pretrain/step-900"), seen(3, "tune/step-100")};
  EXPECT_THAT(newest_first({at("pretrain/step-100", 1s), at("pretrain/step-900", 2s), at("tune/step-100", 3s)}, made),
              ElementsAre("tune/step-100", "pretrain/step-900", "pretrain/step-100"));
}

TEST(checkpoint_order, of_copies_which_nobody_saw_appear_the_step_decides) {
  EXPECT_THAT(newest_first({at("step-100", 1s), at("step-90", 2s)}, {}), ElementsAre("step-100", "step-90"));
}

TEST(checkpoint_order, what_nobody_saw_appear_is_the_newest_when_both_its_step_and_its_time_say_so) {
  const MadeCheckpoints made{seen(1, "step-50")};
  EXPECT_THAT(newest_first({at("step-50", 10s), at("step-60", 20s)}, made), ElementsAre("step-60", "step-50"));
  EXPECT_THAT(newest_first({at("step-50", 10s), at("step-60", 5s)}, made), ElementsAre("step-50", "step-60"));
  EXPECT_THAT(newest_first({at("step-50", 10s), at("step-40", 20s)}, made), ElementsAre("step-50", "step-40"));
}

TEST(checkpoint_order, of_what_nobody_saw_appear_the_time_decides_where_its_name_says_no_step) {
  const MadeCheckpoints made{seen(9, "ckpt-16-0-v1193")};
  EXPECT_THAT(newest_first({at("ckpt-16-0-v1193", 10s), at("ckpt-7-0-v1215", 20s)}, made),
              ElementsAre("ckpt-7-0-v1215", "ckpt-16-0-v1193"));
  EXPECT_THAT(newest_first({at("ckpt-16-0-v1193", 10s), at("ckpt-28-0-v120", 5s)}, made),
              ElementsAre("ckpt-16-0-v1193", "ckpt-28-0-v120"));
}

TEST(checkpoint_order, of_several_that_nobody_saw_appear_the_times_decide_where_their_numbers_contradict_each_other) {
  EXPECT_THAT(newest_first({at("ckpt-29-0-v524", 10s), at("ckpt-15-0-v634", 20s)}, {}),
              ElementsAre("ckpt-15-0-v634", "ckpt-29-0-v524"));
  EXPECT_THAT(newest_first({at("ckpt-29-0-v524", 10s), at("ckpt-15-0-v634", 20s), at("ckpt-18-0-v420", 5s)},
                           {seen(1, "ckpt-18-0-v420")}),
              ElementsAre("ckpt-15-0-v634", "ckpt-29-0-v524", "ckpt-18-0-v420"));
}

TEST(checkpoint_order, dates_outlast_a_copy_that_mixes_the_times) {
  EXPECT_THAT(newest_first({at("ckpt-2026-11-27_10-00-00", 20s), at("ckpt-2026-11-28_10-00-00", 5s)}, {}),
              ElementsAre("ckpt-2026-11-28_10-00-00", "ckpt-2026-11-27_10-00-00"));
  EXPECT_THAT(newest_first({at("checkpoint_1_500", 20s), at("checkpoint_2_1500", 5s)}, {}),
              ElementsAre("checkpoint_2_1500", "checkpoint_1_500"));
  EXPECT_THAT(newest_first({at("ckpt-2026-11-27_10-00-00", 20s), at("ckpt-2026-11-28_10-00-00", 5s)},
                           {seen(1, "ckpt-2026-11-28_10-00-00")}),
              ElementsAre("ckpt-2026-11-28_10-00-00", "ckpt-2026-11-27_10-00-00"));
}

TEST(checkpoint_order, data_and_torn_ones_come_last) {
  EXPECT_THAT(newest_first({at("step-50", 0s, false), at("imagenet-2012", 90s), at("step-40", 20s)}, {}),
              ElementsAre("step-40", "imagenet-2012", "step-50"));
  EXPECT_FALSE(newest_complete({at("imagenet-2012", 90s)}, {}));
  EXPECT_TRUE(newest_complete({at("model-7", 90s)}, {seen(1, "model-6")}));
}

TEST(checkpoint_order, a_lower_number_completed_later_is_reported_when_this_job_made_one_of_them) {
  Checkpoints found{at("ckpt-31", 100s), at("ckpt-1", 200s)};
  sort_newest_first(found, kDays);
  EXPECT_THAT(out_of_order(found, kDays, "job"), HasSubstr("ckpt-1 was completed after ckpt-31"));
  EXPECT_THAT(out_of_order(found, kDays, "another job"), IsEmpty());
  EXPECT_THAT(out_of_order({at("step-20", 2s), at("step-10", 1s)}, {seen(1, "step-10"), seen(2, "step-20")}, "job"),
              IsEmpty());
}

TEST(made_checkpoints, are_what_was_not_there_before_or_was_written_again) {
  const Identity self{.job_uid = "job", .pod_uid = "pod", .attempt = 2, .index = 0};
  const Checkpoints before{at("step-10", 1s), at("step-20", 2s)};
  const Checkpoints now{at("step-30", 0s, false), at("step-20", 5s), at("step-10", 1s)};
  const auto entries = newly_made(now, before, {seen(4, "step-20", 1)}, self);
  EXPECT_THAT(entries, ElementsAre(seen(5, "step-20", 2), seen(6, "step-30", 2)));
  EXPECT_THAT(newly_made(now, before, entries, self), IsEmpty());
}

// Its files go one after the other: a look may come in between.
TEST(made_checkpoints, what_was_there_and_is_being_deleted_was_not_made_again) {
  const Identity self{.job_uid = "job", .pod_uid = "pod", .attempt = 2, .index = 0};
  const Checkpoints before{at("step-10", 1s), at("step-20", 2s)};
  const MadeCheckpoints made{seen(1, "step-10", 1), seen(2, "step-20", 1), seen(3, "step-30", 2)};
  EXPECT_THAT(newly_made({at("step-30", 3s), at("step-20", 2s), at("step-10", 0s, false)}, before, made, self),
              IsEmpty());
  EXPECT_THAT(newly_made({at("step-10", 4s)}, before, made, self), ElementsAre(seen(4, "step-10", 2)))
      << "it was written anew";
}

MadeCheckpoint doubted(std::int64_t order, const std::string& name) {
  MadeCheckpoint entry = seen(order, name);
  entry.doubtful = true;
  return entry;
}

TEST(checkpoint_order, a_neighbours_save_of_a_lower_step_is_no_news_and_makes_no_copies_of_the_jobs) {
  for (const std::string directory : {"llama-hf/", "run/"}) {
    const MadeCheckpoints made{seen(1, directory + "step_1000"), seen(2, directory + "step_2000"),
                               doubted(3, "notebook/step_5")};
    EXPECT_THAT(
        newest_first(
            {at(directory + "step_1000", 100s), at(directory + "step_2000", 200s), at("notebook/step_5", 300s)}, made),
        ElementsAre(directory + "step_2000", directory + "step_1000", "notebook/step_5"));
  }
}

TEST(checkpoint_order, a_neighbours_save_contradicts_no_order) {
  const MadeCheckpoints made{seen(1, "runs/1/step_3000"), doubted(2, "runs/2/step_5")};
  EXPECT_EQ(out_of_order({at("runs/2/step_5", 200s), at("runs/1/step_3000", 100s)}, made, "job"), "");
}

TEST(checkpoint_order, copies_that_go_on_where_the_saves_have_ended_are_the_training) {
  MadeCheckpoints made;
  Checkpoints found;
  const auto save = [&](const std::string& name) {
    made.push_back(seen(static_cast<std::int64_t>(made.size()) + 1, name));
    found.push_back(at(name, std::chrono::seconds(100 * made.size())));
  };
  for (const char* name : {"step_10", "step_20", "swa_step_22", "swa_step_24", "swa_step_26"}) save(name);
  EXPECT_EQ(newest_first(found, made).front(), "step_20") << "often between two saves";
  for (const char* name : {"swa_step_30", "swa_step_40", "swa_step_50"}) save(name);
  EXPECT_EQ(newest_first(found, made).front(), "swa_step_50");
}

// Its agent died before it saw the second one, on a volume that keeps whole seconds (s3fs).
TEST(checkpoint_order, of_two_saves_in_one_second_the_further_one_is_the_newer) {
  const MadeCheckpoints made{seen(1, "step-1", 1), seen(2, "step-2", 2)};
  EXPECT_THAT(newest_first({at("step-2", 100s), at("step-3", 100s)}, made), ElementsAre("step-3", "step-2"));
  EXPECT_THAT(newest_first({at("step-2", 100s), at("step-1", 100s), at("step-3", 100s)}, made),
              ElementsAre("step-3", "step-2", "step-1"));
  EXPECT_THAT(out_of_order({at("step-3", 100s), at("step-2", 100s)}, made, "job"), IsEmpty());
  EXPECT_THAT(newest_first({at("step-2", 100s), at("step-1", 100s)}, {seen(1, "step-2")}),
              ElementsAre("step-2", "step-1"));
  EXPECT_THAT(newest_first({at("step-2", 100s), at("old/step-3", 100s)}, made), ElementsAre("step-2", "old/step-3"))
      << "it may be a copy that kept the times";
  Checkpoint seen_one = at("step-2", 100s), other = at("step-3", 100s);
  seen_one.time += 250us;
  other.time += 250us;
  EXPECT_THAT(newest_first({seen_one, other}, made), ElementsAre("step-2", "step-3"))
      << "where times are finer two are not the same by chance";
}

}  // namespace
}  // namespace reprise::agent
