// Files that a trainer writes beside each second or third of its saves: a save without them is whole once saves have
// shown it, whatever they are called, and one that was cut off before is not resumed from.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/generations/halves/changing_files.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::safetensors_file;

constexpr std::int64_t kEveryFile = 4;

// '+': all files are there, '-': some are missing and the trainer went on, '?': it may have been cut off, '|': the next
// attempt.
CountsAtSaves counts_shown_by(std::string_view saves) {
  CountsAtSaves counts;
  std::int64_t attempt = 1;
  for (const char each : saves) {
    if (each == '|')
      ++attempt;
    else
      counts.push_back(
          {.count = each == '+' ? kEveryFile : kEveryFile - 1, .attempt = attempt, .is_over = each != '?'});
  }
  return counts;
}

TEST(most_in_a_row, what_is_said_to_be_of_the_state_does_where_a_third_of_the_saves_had_none) {
  const auto do_they = [](std::string_view saves) {
    return most_in_a_row(counts_shown_by(saves), kEveryFile, SaidToBe::OfTheState) > 0;
  };
  EXPECT_EQ(most_in_a_row(counts_shown_by("-+-+?"), kEveryFile, SaidToBe::OfTheState), 1U) << "then one is due";
  EXPECT_EQ(most_in_a_row(counts_shown_by("+--+-+?"), kEveryFile, SaidToBe::OfTheState), 2U);
  for (const char* saves : {"-+-+?", "+-+-+?", "+--+?", "--+--+?", "+-|+-+-+?", "+-+-++-+?"})
    EXPECT_TRUE(do_they(saves)) << saves;
  for (const char* saves : {"+?", "++?", "+-?", "+-+?", "-+?", "---+?", "--++?", "+++-+++-+++?", "--+++-++?"})
    EXPECT_FALSE(do_they(saves)) << saves;
  EXPECT_FALSE(do_they("++|---|++?")) << "another attempt has saved otherwise";
  EXPECT_FALSE(do_they("+?|+?|+?")) << "each was cut off perhaps";
  EXPECT_FALSE(do_they("+-?|+-?|+-?|+?")) << "a rank was ahead each time";
}

TEST(most_in_a_row, of_anything_else_once_tells_it) {
  EXPECT_GT(most_in_a_row(counts_shown_by("++-+?"), kEveryFile, SaidToBe::Anything), 0U);
  EXPECT_EQ(most_in_a_row(counts_shown_by("++-?"), kEveryFile, SaidToBe::Anything), 0U);
  EXPECT_EQ(most_in_a_row(counts_shown_by("-+?"), kEveryFile, SaidToBe::Anything), 0U);
}

// A checkpoint by itself.
TEST(now_and_then, a_checkpoint_that_comes_with_each_second_save_is_no_part_of_the_others) {
  for (const std::string other : {"model_fp16_@.safetensors", "policy/step_@", "fp16/step_@"}) {
    const auto names = [&](std::string_view saves) {
      testing_support::OnVolume saved;
      int step = 0;
      for (const char each : saves) {
        saved.save({testing_support::in_layout("out/step_@", step += 100, 0)});
        if (each == '+') saved.save({testing_support::in_layout(other, step, 0)});
      }
      return saved.names();
    };
    EXPECT_TRUE(names("+-+-+-").empty()) << other;
    EXPECT_TRUE(names("+--+--").empty()) << other;
    EXPECT_EQ(names("+++-"), std::vector<std::string>{"out/step_400"}) << other;
    EXPECT_EQ(names("-++-"), std::vector<std::string>{"out/step_400"}) << other;
    const bool is_of_state = !other.starts_with("fp16");
    if (is_of_state) {
      EXPECT_EQ(names("+-+-+--"), std::vector<std::string>{"out/step_700"}) << other << " was due";
    }
    EXPECT_TRUE(names("+-+-+----").empty()) << other << " is written no more";
  }
}

class NowAndThen : public testing_support::LayoutFormatTest {
 protected:
  // "policy_@.onnx" of step 100.
  static std::string at_step(std::string name, int step) {
    for (auto at = name.find('@'); at != std::string::npos; at = name.find('@'))
      name.replace(at, 1, std::to_string(step));
    return name;
  }
  void anew() {
    fs::remove_all(root());
    fs::create_directories(root());
    use("Auto");
    self_.attempt = 2;
  }
  void put(const std::string& name, int step) const {
    put_text(root() / at_step(name, step), name.ends_with(".pt")            ? plain_file()
                                           : name.ends_with(".safetensors") ? safetensors_file()
                                                                            : std::string(5'000, 'r'));
  }
  // Each character a save: '+' with the file, any other without.
  int save(CheckpointWatch& watching, const std::string& file, std::string_view saves) const {
    int step = 0;
    for (const char each : saves) {
      step += 100;
      put("checkpoint-@.pt", step);
      if (each == '+') put(file, step);
      for (int look = 0; look < 2; ++look) watching.look();
    }
    return step;
  }
};

constexpr const char* kNowAndThen[] = {"policy_@.onnx", "model/info-@.json", "optimizer_@.bin",
                                       "model_fp16_@.safetensors", "checkpoint-@_optim.pt"};

TEST_F(NowAndThen, files_that_are_said_to_be_of_the_state_cost_no_save_where_they_come_with_each_second_or_third) {
  for (const char* file : kNowAndThen)
    for (const std::string saves : {"-+-+-", "+-+-+-", "--+--+-", "+--+--"})
      for (const auto keep : {std::optional<std::int32_t>(), std::optional<std::int32_t>(1)}) {
        SCOPED_TRACE(file + (" " + saves) + (keep ? ", keep: 1" : ""));
        anew();
        auto watching = watch(keep);
        const int last = save(watching, file, saves);
        EXPECT_EQ(watching.seen().newest->step, last);
        ++self_.attempt;
        EXPECT_EQ(restored().point.step, last);
        EXPECT_TRUE(exists(at_step("checkpoint-@.pt", last)));
      }
}

// A missing part is no habit yet, and its save is not resumed from; but no end of a trainer has cut it off.
TEST_F(NowAndThen, a_save_of_one_process_that_went_on_stays_where_it_is_without_a_part) {
  self_.gang = {.ranks = 1, .devices = 1};
  auto watching = watch();
  for (const int step : {100, 200, 300, 400}) {
    put("out/step_@.pt", step);
    if (step % 200 != 0) put("policy/step_@.pt", step);
    for (int look = 0; look < 2; ++look) watching.look();
  }
  EXPECT_EQ(watching.seen().newest->step, 300);
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 300);
  EXPECT_TRUE(exists("out/step_200.pt"));
  EXPECT_FALSE(exists("out/step_400.pt")) << "it may have been";
}

TEST_F(NowAndThen, a_save_that_was_cut_off_where_they_were_due_is_not_resumed_from) {
  for (const char* file : kNowAndThen)
    for (const std::string saves : {"+++-", "-++-", "--+++-", "-+++-++-", "-+-+--", "+-+-+--", "--+--+---"}) {
      SCOPED_TRACE(file + (" " + saves));
      anew();
      auto watching = watch();
      const int last = save(watching, file, saves);
      EXPECT_EQ(watching.seen().newest->step, last - 100);
      ++self_.attempt;
      EXPECT_EQ(restored().point.step, last - 100);
    }
}

}  // namespace
}  // namespace reprise::agent
