// A former save that a trainer has moved elsewhere, or has copied, is no part of the save.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/generations/halves/known_saves.h"
#include "agent/testing/layout_format_test.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing_support::in_layout;
using testing_support::OnVolume;
using testing_support::put_checkpoint;

TEST(former_places, below_where_it_was_saved_are_no_parts_of_a_save) {
  for (const char* place : {"archive/step_@", "milestones/step_@", "a/b/step_@"}) {
    OnVolume saved;
    for (const int step : {1, 2, 3}) saved.save({in_layout("step_@", step, 0), in_layout(place, step, 0)});
    EXPECT_THAT(saved.save({"step_4"}).names(), IsEmpty()) << place;
    OnVolume moved;
    for (const int step : {1, 2, 3}) moved.save({in_layout(place, step, 0)});
    moved.save({"step_3", "step_4"});
    EXPECT_THAT(moved.names(), IsEmpty()) << place;
  }
  OnVolume saved;
  for (const int step : {1, 2})
    saved.save({in_layout("out/step_@", step, 0), in_layout("out/archive/step_@", step, 0)});
  EXPECT_THAT(saved.save({"out/step_3"}).names(), IsEmpty());
}

TEST(former_places, of_ranks_are_no_parts_either) {
  OnVolume saved;
  for (const int step : {1, 2}) {
    for (const char* place : {"rank#/step_@", "archive/rank#/step_@"}) saved.save_ranks(place, step, {0, 1});
    for (const std::size_t copy : {0, 1}) saved.found[copy].time = saved.found[copy + 2].time;
  }
  EXPECT_THAT(OnVolume(saved).save_ranks("rank#/step_@", 3, {0, 1}).names(), IsEmpty());
  EXPECT_THAT(saved.save_ranks("rank#/step_@", 3, {0}).names(), ElementsAre("rank0/step_3"));
}

TEST(former_places, beside_where_it_was_saved_are_known_by_the_time_that_both_bear) {
  const auto names = [](std::chrono::microseconds apart) {
    OnVolume saved;
    for (const int step : {1, 2}) {
      saved.save({in_layout("out/step_@", step, 0), in_layout("keep/step_@", step, 0)});
      saved.found[1].time += std::chrono::microseconds(7);
      saved.found[0].time = saved.found[1].time + apart;
    }
    return saved.save({"out/step_3"}).names();
  };
  EXPECT_THAT(names(std::chrono::microseconds(0)), IsEmpty());
  EXPECT_THAT(names(std::chrono::microseconds(1)), ElementsAre("out/step_3")) << "another part, written after it";
}

// "teacher/" is no archive: what lies there came with each save, before anything of the next one.
TEST(former_places, are_told_from_parts_that_come_with_each_save) {
  const auto names = [](std::chrono::milliseconds after) {
    OnVolume saved;
    for (const int step : {1, 2, 3}) {
      saved.save({in_layout("step_@", step, 0), in_layout("teacher/step_@", step, 0)});
      saved.found[0].time = saved.found[1].time + after;
    }
    return saved.save({"step_4"}).names();
  };
  EXPECT_THAT(names(std::chrono::milliseconds(50)), ElementsAre("step_4"));
  EXPECT_THAT(names(std::chrono::milliseconds(0)), ElementsAre("step_4")) << "two marks in one tick of a clock";
  EXPECT_THAT(names(std::chrono::milliseconds(1'900)), IsEmpty()) << "copied when the next one begins";
}

// Equal times do not tell which of two marks was set first, nor whether one is a copy of the other.
TEST(former_places, are_told_from_parts_of_one_tick_by_a_word_alone) {
  const auto names = [](const char* one, const char* other) {
    OnVolume saved;
    for (const int step : {1, 2, 3}) {
      saved.save({in_layout(one, step, 0), in_layout(other, step, 0)});
      saved.found[1].time += std::chrono::microseconds(7);
      saved.found[0].time = saved.found[1].time;
    }
    EXPECT_THAT(saved.halves(), IsEmpty());
    return saved.save({in_layout(one, 4, 0)}).names();
  };
  EXPECT_THAT(names("ckpt/step_@", "ckpt/target/step_@"), ElementsAre("ckpt/step_4"));
  EXPECT_THAT(names("ckpt/target/step_@", "ckpt/step_@"), ElementsAre("ckpt/target/step_4"));
  EXPECT_THAT(names("student/step_@", "teacher/step_@"), ElementsAre("student/step_4"));
  EXPECT_THAT(names("teacher/step_@", "student/step_@"), ElementsAre("teacher/step_4"));
  EXPECT_THAT(names("ckpt/step_@", "ckpt/archive/step_@"), IsEmpty());
  EXPECT_THAT(names("ckpt/step_@", "milestones/step_@"), IsEmpty());
}

TEST(former_places, are_told_from_parts_by_words_for_a_state_and_by_ranks) {
  for (const auto& [one, other] : {std::pair("step_@", "optim/step_@"), std::pair("out/step_@", "out/ema/step_@"),
                                   std::pair("rank0/step_@", "rank1/step_@")}) {
    OnVolume saved;
    for (const int step : {1, 2}) saved.save({in_layout(one, step, 0), in_layout(other, step, 0)});
    const std::string last = in_layout(one, 3, 0);
    EXPECT_THAT(saved.save({last}).names(), ElementsAre(last)) << one;
  }
}

TEST(former_places, are_listed_with_the_gang_that_has_saved_there) {
  const Checkpoints found{{.name = "archive/rank0/step_1", .step = 1, .complete = true},
                          {.name = "rank0/step_2", .step = 2, .complete = true}};
  const MadeCheckpoints made{
      {.order = 1, .name = "rank0/step_1", .job_uid = "job", .attempt = 1, .gang = {.ranks = 4}}};
  const auto entries =
      newly_made(found, {}, made, {.job_uid = "job", .pod_uid = "pod", .attempt = 2, .gang = {.ranks = 2}});
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].gang.ranks, 2) << entries[0].name;
  EXPECT_EQ(entries[1].gang.ranks, 4) << entries[1].name;
}

class FormerPlaces : public testing_support::LayoutFormatTest {
 protected:
  void archive(int step) const {
    const std::string name = "step_" + std::to_string(step);
    fs::create_directories(root() / "archive");
    fs::rename(root() / name, root() / "archive" / name);
  }
};

TEST_F(FormerPlaces, of_a_trainer_that_archives_let_each_attempt_go_on_from_its_last_save) {
  int step = 0;
  for (int attempt = 1; attempt < 5; ++attempt) {
    self_.attempt = attempt;
    const auto resumed = restored();
    EXPECT_EQ(resumed.point.step.value_or(0), step);
    EXPECT_TRUE(step == 0 || exists("step_" + std::to_string(step))) << "what is whole and marked is not moved";
    auto watching = watch();
    for (const int saves : attempt == 1 ? std::vector<int>{10, 20, 30} : std::vector<int>{step + 7}) {
      put_checkpoint(root(), "step_" + std::to_string(saves), true);
      watching.look();
      if (step > 0) archive(step);
      watching.look();
      step = saves;
      EXPECT_EQ(watching.seen().newest->step, step);
    }
  }
  EXPECT_FALSE(exists(".reprise/torn/step_37.3"));
}

TEST_F(FormerPlaces, a_marked_part_that_lacks_another_one_by_words_alone_is_not_resumed_from_and_stays) {
  auto watching = watch();
  for (const int step : {10, 20}) {
    for (const char* program : {"actor", "critic"}) {
      fs::create_directories(root() / program);
      put_checkpoint(root() / program, "step_" + std::to_string(step), true);
    }
    watching.look();
  }
  put_checkpoint(root() / "actor", "step_30", true);
  watching.look();
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 20);
  EXPECT_TRUE(exists("actor/step_30/_COMPLETE"));
}

}  // namespace
}  // namespace reprise::agent
