// The files of a trainer's saves that go, from watch to volume.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing_support::put_checkpoint;
using testing_support::put_text;
using testing_support::torch_file;

class PruneGenerations : public testing_support::LayoutFormatTest {
 protected:
  void save_file(const std::string& name) const { put_text(root() / name, torch_file()); }
  void save_marked(const std::string& name) const {
    fs::create_directories((root() / name).parent_path());
    put_checkpoint((root() / name).parent_path(), fs::path(name).filename().string(), true);
  }
};

TEST_F(PruneGenerations, ranks_that_save_each_for_itself_lose_no_part_of_their_newest_save) {
  for (const char* layout : {"rank#/step_@", "step_@_rank#"}) {
    SCOPED_TRACE(layout);
    const auto named = [&](int step, int rank) {
      std::string name(layout);
      name.replace(name.find('#'), 1, std::to_string(rank));
      return name.replace(name.find('@'), 1, std::to_string(step));
    };
    use("Auto");
    auto watching = watch(1);
    for (const int step : {10, 20}) {
      for (int rank = 0; rank < 4; ++rank) {
        save_marked(named(step, rank));
        watching.look();
        EXPECT_EQ(watching.seen().problem, "");
        const bool is_last = step == 20 && rank == 3;
        for (int each = 0; each < 4; ++each)
          EXPECT_EQ(exists(named(10, each) + "/_COMPLETE"), !is_last && (step == 20 || each <= rank))
              << step << " " << rank;
      }
    }
    for (int rank = 0; rank < 4; ++rank) EXPECT_TRUE(exists(named(20, rank) + "/_COMPLETE"));
    fs::remove_all(root());
    fs::create_directories(root());
  }
}

// A directory that names a step is one whole unit: marks of its parts do not say that all are there.
TEST_F(PruneGenerations, a_step_whose_parts_bear_a_mark_each_stays) {
  use("Auto");
  auto watching = watch(1);
  for (const int step : {10, 20, 30}) {
    for (int rank = 0; rank < 4; ++rank) save_marked("step_" + std::to_string(step) + "/rank" + std::to_string(rank));
    watching.look();
  }
  for (const int step : {10, 20, 30})
    for (int rank = 0; rank < 4; ++rank)
      EXPECT_TRUE(exists("step_" + std::to_string(step) + "/rank" + std::to_string(rank) + "/_COMPLETE")) << step;
}

TEST_F(PruneGenerations, weights_do_not_go_while_the_optimizer_s_state_stays) {
  use("Plain");
  auto watching = watch(1);
  save_file("epoch.001.pt");
  save_file("epoch.001.opt.pt");
  watching.look();
  save_file("epoch.002.pt");
  watching.look();
  EXPECT_TRUE(exists("epoch.001.pt"));
  EXPECT_TRUE(exists("epoch.001.opt.pt"));
  save_file("epoch.002.opt.pt");
  watching.look();
  EXPECT_FALSE(exists("epoch.001.pt"));
  EXPECT_FALSE(exists("epoch.001.opt.pt"));
}

TEST_F(PruneGenerations, a_file_of_the_same_save_that_no_format_knows_keeps_the_rest_of_it) {
  for (const char* beside : {"step_10_model.safetensors", "weights/step_10.bin", "optimizer/step_10/state.optim",
                             "step_10_buffer.npz", "step_10_part_0.NPY"}) {
    use("Plain");
    auto watching = watch(1);
    save_file("step_10_optimizer.pt");
    put_text(root() / beside, "no format of ours");
    watching.look();
    save_file("step_20_optimizer.pt");
    std::string next = beside;
    put_text(root() / next.replace(next.find("10"), 2, "20"), "no format of ours");
    watching.look();
    EXPECT_EQ(watching.seen().durable->step, 20);
    EXPECT_TRUE(exists("step_10_optimizer.pt")) << beside;
    EXPECT_THAT(watching.seen().left_alone, Contains(HasSubstr(beside)));
    fs::remove_all(root());
    fs::create_directories(root());
  }
}

TEST_F(PruneGenerations, what_a_training_has_brought_forth_keeps_nothing) {
  use("Plain");
  auto watching = watch(1);
  for (const int step : {10, 20}) {
    const std::string name = "step_" + std::to_string(step);
    save_file(name + "_optimizer.pt");
    for (const char* output : {"_predictions.npy", "_samples.npz"}) put_text(root() / (name + output), "of numpy");
    watching.look();
  }
  EXPECT_FALSE(exists("step_10_optimizer.pt"));
  EXPECT_TRUE(exists("step_10_predictions.npy"));
}

TEST_F(PruneGenerations, a_link_anywhere_to_one_part_keeps_all_of_them) {
  auto watching = watch(1);
  fs::create_directories(root() / "best");
  for (const char* name : {"step_10_rank0", "step_10_rank1"}) save_marked(name);
  fs::create_directory_symlink("../step_10_rank0", root() / "best/link");
  watching.look();
  for (const char* name : {"step_20_rank0", "step_20_rank1"}) save_marked(name);
  watching.look();
  for (const char* name : {"step_10_rank0", "step_10_rank1"}) EXPECT_TRUE(exists(name)) << name;
  fs::remove(root() / "best/link");
  for (const char* name : {"step_30_rank0", "step_30_rank1"}) save_marked(name);
  watching.look();
  for (const char* name : {"step_10_rank0", "step_20_rank1"}) EXPECT_FALSE(exists(name)) << name;
}

TEST_F(PruneGenerations, one_that_a_small_file_names_as_the_latest_stays_as_long_as_it_does) {
  auto watching = watch(1);
  save(10);
  put_text(root() / "out/latest.txt", "checkpoint-10\n");
  for (const int step : {20, 30}) {
    save(step);
    watching.look();
  }
  EXPECT_TRUE(exists("out/checkpoint-10"));
  EXPECT_FALSE(exists("out/checkpoint-20"));
  put_text(root() / "out/latest.txt", "checkpoint-30\n");
  save(40);
  watching.look();
  EXPECT_FALSE(exists("out/checkpoint-10"));
}

// Trainer's load_best_model_at_end, and its own rotation beside it.
TEST_F(PruneGenerations, one_that_a_newer_one_names_as_the_best_so_far_stays_as_long_as_it_does) {
  auto watching = watch(1);
  const auto save_with_best = [&](int step, int best) {
    save(step);
    put_text(root() / "out" / ("checkpoint-" + std::to_string(step)) / "trainer_state.json",
             R"({"global_step": )" + std::to_string(step) + R"(, "best_model_checkpoint": "/data/out/checkpoint-)" +
                 std::to_string(best) + "\"}");
    watching.look();
  };
  for (const int step : {10, 20, 30}) save_with_best(step, 10);
  EXPECT_TRUE(exists("out/checkpoint-10"));
  EXPECT_FALSE(exists("out/checkpoint-20"));
  save_with_best(40, 40);
  EXPECT_FALSE(exists("out/checkpoint-10"));
}

// Lightning's ckpt_path="best" at the end of a training.
TEST_F(PruneGenerations, a_file_that_a_newer_one_names_as_the_best_so_far_stays_as_long_as_it_does) {
  use("Lightning");
  auto watching = watch(1);
  const auto text = [](const std::string& word) { return "X" + testing_support::little(word.size(), 4) + word; };
  const auto name_of = [](int step) { return "epoch=0-step=" + std::to_string(step) + ".ckpt"; };
  const auto save_with_best = [&](int step, int best) {
    const std::string inner = "}" + text("best_model_path") + text("/data/" + name_of(best)) + "s";
    put_text(
        root() / name_of(step),
        testing_support::zip_of({{"archive/data.pkl", "\x80\x02}(" + text("optimizer_states") + "]" +
                                                          text("callbacks") + "}" + text("best{}") + inner + "su."},
                                 {"archive/version", "3\n"}}));
    watching.look();
  };
  for (const int step : {10, 20, 30}) save_with_best(step, 10);
  EXPECT_TRUE(exists(name_of(10)));
  EXPECT_FALSE(exists(name_of(20)));
  save_with_best(40, 40);
  EXPECT_FALSE(exists(name_of(10)));
}

TEST_F(PruneGenerations, what_comes_into_a_bounded_view_is_not_made_by_this_job_and_nothing_goes_on_its_word) {
  for (int run = 100; run < 400; ++run) save_marked("exp-" + std::to_string(run) + "/step-1");
  auto watching = watch(1);
  save_marked("step-10");
  watching.look();
  for (const int gone : {100, 101, 102, 103, 104}) fs::remove_all(root() / ("exp-" + std::to_string(gone)));
  watching.look();
  save_marked("step-20");
  watching.look();
  for (int run = 105; run < 400; ++run) EXPECT_TRUE(exists("exp-" + std::to_string(run) + "/step-1")) << run;
  EXPECT_TRUE(exists("step-10"));
  EXPECT_THAT(watching.seen().left_alone, Contains(HasSubstr("not looked into")));
  const auto made = read_made(*volume_).value();
  for (const MadeCheckpoint& each : made) EXPECT_THAT(each.name, testing::Not(HasSubstr("exp-")));
}

}  // namespace
}  // namespace reprise::agent
