#include "agent/formats/names/copied_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::plain_file;
using testing_support::put_text;

constexpr const char* kCopiesOf20[] = {"step_20.bak",          "step_20~",        "step_20_old",
                                       "step_20.copy",         "step_20.orig",    "step_20-copy",
                                       "step_20 (1)",          "step_20(2)",      "step_20 - Copy",
                                       "step_20 - Copy (2)",   "Copy of step_20", "old_step_20",
                                       "step_20.bak.1",        "step_20 (copy)",  "step_20_backup2",
                                       "backup-checkpoint-20", "step_20_prev",    "step_20 (another copy)"};

TEST(copied_name, a_word_or_a_sign_for_a_copy_stands_behind_the_number_or_in_front_of_the_name) {
  for (const char* name : kCopiesOf20) EXPECT_TRUE(names_copy(name)) << name;
  for (const char* name : {"checkpoint-20_old.pt", "epoch=1-step=20 (1).ckpt", "step_1k.bak", "step_20.pt~"})
    EXPECT_TRUE(names_copy(name)) << name;
  for (const char* name : {"step_20", "copy-task-step_20", "step(20)", "epoch 3 step (20)", "step_20_ema",
                           "old_model_step_20", "golden_step_20", "step_20-v2", "step_20_rank(1)", "backup",
                           "step_20_eval", "originals-5", "step_20_oldest", "checkpoint-20"})
    EXPECT_FALSE(names_copy(name)) << name;
  for (const char* path : {"run_old", "checkpoints.bak/x", "old", "a/out (1)/b", "step_20.orig", "run~"})
    EXPECT_TRUE(is_place_of_copies(path) || std::string_view(path).contains('(')) << path;
  for (const char* path : {"backup", "run", "model_original", "out/checkpoints", "folder", "copy/task"})
    EXPECT_FALSE(is_place_of_copies(path)) << path;
}

class Copies : public testing_support::LayoutFormatTest {};

TEST_F(Copies, with_a_mark_inside_they_are_not_resumed_from_and_left_alone_and_named) {
  for (const char* format : {"Auto", "Marker"})
    for (const std::string name : kCopiesOf20) {
      use(format);
      checkpoint("step_10");
      checkpoint(name);
      EXPECT_THAT(scanned(), ElementsAre("step_10 Marker")) << name;
      const auto after = restored();
      EXPECT_EQ(after.point.path, "step_10") << name;
      EXPECT_THAT(after.notes, Contains(HasSubstr("not resumed from: " + name + " (a copy by its name")));
      EXPECT_TRUE(exists(name + "/_COMPLETE")) << name;
      fs::remove_all(root() / name);
      ++self_.attempt;
    }
}

TEST_F(Copies, of_files_and_in_directories_of_copies_or_of_saves_in_the_making_count_neither) {
  use("Plain");
  for (const char* name : {"checkpoint-10.pt", "checkpoint-20_old.pt", "checkpoint-30 (1).pt",
                           "run_old/checkpoint-40.pt", "staging/checkpoint-50.pt", "staging_0/checkpoint-60.pt"})
    put_text(root() / name, plain_file());
  EXPECT_THAT(scanned(), ElementsAre("checkpoint-10.pt Plain"));
}

TEST_F(Copies, push_nothing_out_of_keep) {
  use("Marker");
  auto watching = watch(1);
  checkpoint("step_10");
  watching.look();
  checkpoint("step_20.bak");
  watching.look();
  EXPECT_TRUE(exists("step_10/_COMPLETE"));
  checkpoint("step_20");
  watching.look();
  EXPECT_FALSE(exists("step_10/_COMPLETE"));
  EXPECT_TRUE(exists("step_20.bak/_COMPLETE")) << "nobody's to delete";
}

TEST_F(Copies, alone_they_are_named_and_nothing_is_resumed_from) {
  checkpoint("step_20.bak");
  checkpoint("staging/step_30");
  const auto after = restored();
  EXPECT_FALSE(after.point.step);
  EXPECT_THAT(after.notes, Contains(HasSubstr("step_20.bak")));
  EXPECT_THAT(after.notes, Contains(HasSubstr("staging/step_30")));
}

TEST_F(Copies, a_step_of_so_many_in_all_is_that_step) {
  checkpoint("checkpoint-100-of-200");
  checkpoint("ckpt_50_of_200");
  EXPECT_THAT(scanned(), ElementsAre("checkpoint-100-of-200 Marker", "ckpt_50_of_200 Marker"));
  checkpoint("checkpoint-1-of-4");
  checkpoint("checkpoint-00100-of-00200");
  EXPECT_THAT(scanned(), ElementsAre("checkpoint-100-of-200 Marker", "ckpt_50_of_200 Marker")) << "shards, perhaps";
  EXPECT_EQ(restored().point.path, "checkpoint-100-of-200");
}

}  // namespace
}  // namespace reprise::agent
