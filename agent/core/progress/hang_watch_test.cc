// When a trainer counts as hung.
#include "agent/core/progress/hang_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace reprise::agent {
namespace {

using std::chrono::seconds;

constexpr runtime::Instant kTrainerStart{};
constexpr HangWatch::Options kPatience{.timeout = seconds(100)};

Checkpoint saved_step(std::int64_t step) {
  return {.name = "step-" + std::to_string(step), .step = step, .complete = true};
}

// Looked at each second from `from` to `to`, with the same signs.
std::optional<Hang> watched_each_second(HangWatch& watch, const LifeSigns& signs, int from, int to) {
  for (int second = from; second <= to; ++second)
    if (auto hang = watch.look(signs, kTrainerStart + seconds(second))) return hang;
  return std::nullopt;
}

TEST(HangWatchTest, a_trainer_hangs_once_the_timeout_has_passed_without_anything_new) {
  HangWatch watch(kPatience, kTrainerStart);
  EXPECT_FALSE(watched_each_second(watch, {}, 1, 99));
  EXPECT_EQ(watch.look({}, kTrainerStart + seconds(100)), (Hang{.silent = seconds(100)}));
}

TEST(HangWatchTest, each_sign_of_life_begins_the_timeout_anew) {
  const LifeSigns none;
  std::vector<LifeSigns> signs(5, none);
  signs[0].moves = 1;
  signs[1].printed = 10;
  signs[2].newest = saved_step(5);
  signs[3].saving = "step-6";
  signs[4].saving = "step-6";
  signs[4].saving_bytes = 10;
  for (const LifeSigns& each : signs) {
    HangWatch watch(kPatience, kTrainerStart);
    EXPECT_FALSE(watched_each_second(watch, none, 1, 99));
    EXPECT_FALSE(watched_each_second(watch, each, 100, 199));
    EXPECT_TRUE(watched_each_second(watch, each, 200, 200));
  }
}

TEST(HangWatchTest, a_look_that_has_begun_when_the_time_was_up_has_to_end_first) {
  HangWatch watch(kPatience, kTrainerStart);
  LifeSigns signs{.look_begun = 3, .look_ended = 2};
  EXPECT_FALSE(watched_each_second(watch, signs, 1, 250)) << "it takes so long on a slow volume";
  signs.look_ended = 3;
  EXPECT_FALSE(watched_each_second(watch, signs, 251, 251)) << "that one has begun before, and may have missed a save";
  signs.look_begun = 4;
  EXPECT_FALSE(watched_each_second(watch, signs, 252, 400));
  LifeSigns saved = signs;
  saved.look_ended = 4;
  saved.newest = saved_step(5);
  HangWatch another = watch;
  EXPECT_FALSE(watched_each_second(another, saved, 401, 450)) << "it has saved";
  signs.look_ended = 4;
  EXPECT_TRUE(watched_each_second(watch, signs, 401, 401)) << "nothing new is there";
}

TEST(HangWatchTest, a_look_that_does_not_end_is_not_waited_for_without_end) {
  HangWatch watch(kPatience, kTrainerStart);
  const LifeSigns signs{.look_begun = 3, .look_ended = 2};
  const auto longest = static_cast<int>(std::chrono::seconds(kLongestLook).count());
  EXPECT_FALSE(watched_each_second(watch, signs, 1, 99 + longest));
  EXPECT_TRUE(watched_each_second(watch, signs, 100 + longest, 100 + longest));
}

TEST(HangWatchTest, a_save_that_grows_is_progress_and_one_that_stands_still_is_none) {
  HangWatch watch(kPatience, kTrainerStart);
  LifeSigns signs{.saving = "step-6"};
  for (int second = 1; second <= 400; ++second) {
    signs.saving_bytes = second;
    ASSERT_FALSE(watch.look(signs, kTrainerStart + seconds(second)));
  }
  EXPECT_TRUE(watched_each_second(watch, signs, 401, 500));
}

TEST(HangWatchTest, a_checkpoint_that_is_taken_back_is_no_progress) {
  HangWatch watch(kPatience, kTrainerStart);
  EXPECT_FALSE(watched_each_second(watch, {.newest = saved_step(5)}, 1, 50));
  EXPECT_TRUE(watched_each_second(watch, {}, 51, 101));
}

// The trainer may repeat a warning for ever.
TEST(HangWatchTest, what_a_trainer_prints_counts_no_more_once_it_has_told_of_a_step) {
  HangWatch watch(kPatience, kTrainerStart);
  LifeSigns signs{.moves = 3, .step = 120};
  std::optional<Hang> hang;
  for (int second = 1; second <= 101 && !hang; ++second) {
    signs.printed += 80;
    hang = watch.look(signs, kTrainerStart + seconds(second));
  }
  EXPECT_EQ(hang, (Hang{.silent = seconds(100), .step = 120}));
}

TEST(HangWatchTest, a_trainer_that_tells_of_no_step_is_left_alone_for_two_save_periods) {
  HangWatch watch({.timeout = seconds(100), .save_period = seconds(600)}, kTrainerStart);
  EXPECT_FALSE(watched_each_second(watch, {}, 1, 1199));
  EXPECT_TRUE(watched_each_second(watch, {}, 1200, 1200));
}

// A hundredth of a long training may take hours.
TEST(HangWatchTest, a_trainer_that_tells_of_percentages_alone_is_left_alone_for_two_save_periods) {
  HangWatch watch({.timeout = seconds(100), .save_period = seconds(600)}, kTrainerStart);
  EXPECT_FALSE(watched_each_second(watch, {.moves = 1}, 1, 1200));
  EXPECT_TRUE(watched_each_second(watch, {.moves = 1}, 1201, 1201));
}

TEST(HangWatchTest, a_trainer_that_tells_of_its_steps_has_the_timeout_alone) {
  HangWatch watch({.timeout = seconds(100), .save_period = seconds(600)}, kTrainerStart);
  const LifeSigns signs{.moves = 1, .step = 1};
  EXPECT_FALSE(watched_each_second(watch, signs, 1, 100));
  EXPECT_TRUE(watched_each_second(watch, signs, 101, 101));
}

TEST(HangWatchTest, the_timeout_begins_when_all_ranks_of_the_gang_have_begun) {
  HangWatch watch(kPatience, kTrainerStart);
  EXPECT_FALSE(watched_each_second(watch, {.waits_for_peers = true}, 1, 3'600));
  EXPECT_FALSE(watched_each_second(watch, {}, 3'601, 3'699));
  EXPECT_TRUE(watched_each_second(watch, {}, 3'700, 3'700));
}

// Its peers of a gang often print nothing.
TEST(HangWatchTest, a_rank_that_does_not_look_after_the_volume_judges_by_what_its_trainer_has_told_the_agent) {
  HangWatch silent({.timeout = seconds(100), .leads = false}, kTrainerStart);
  EXPECT_FALSE(watched_each_second(silent, {.moves = 4, .step = 7}, 1, 1000));
  HangWatch stated({.timeout = seconds(100), .leads = false}, kTrainerStart);
  EXPECT_TRUE(watched_each_second(stated, {.moves = 4, .step = 7, .stated = true}, 1, 101));
}

TEST(HangWatchTest, a_machine_that_stood_still_for_hours_counts_as_a_quarter_of_the_timeout) {
  HangWatch watch(kPatience, kTrainerStart);
  EXPECT_FALSE(watch.look({}, kTrainerStart + seconds(70)));
  EXPECT_FALSE(watch.look({}, kTrainerStart + seconds(7'270)));
  EXPECT_FALSE(watched_each_second(watch, {}, 7'271, 7'319));
  EXPECT_TRUE(watched_each_second(watch, {}, 7'320, 7'320));
}

TEST(HangWatchTest, the_message_names_the_newest_step_whether_told_or_saved) {
  HangWatch watch(kPatience, kTrainerStart);
  const auto hang = watched_each_second(watch, {.moves = 1, .step = 90, .newest = saved_step(120)}, 1, 200);
  ASSERT_TRUE(hang);
  EXPECT_EQ(describe(*hang), "no newer step and no newer checkpoint for 100 s; the last step was 120");
  EXPECT_EQ(describe({.silent = seconds(60)}), "no newer step and no newer checkpoint for 60 s; no step is known");
}

}  // namespace
}  // namespace reprise::agent
