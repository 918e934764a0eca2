// A newer generation has to have the files of an older one that each save brings: neither as many files of a kind as
// the one before by chance, nor what came with the first save alone.
#include "agent/core/generations/needed_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/generations/plan_pruning.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing_support::plain_file;
using testing_support::put_text;

// Saves with so many pieces of a kind each, the lowest step first; the highest one is durable.
class SavesWithPieces {
 public:
  explicit SavesWithPieces(std::string kind) : kind_(std::move(kind)) {}
  SavesWithPieces& save(std::int64_t pieces, std::int32_t attempt = 1, const std::string& kind = "step_") {
    const std::string name = kind + std::to_string(step_ += 10);
    std::vector<StateFiles> kinds;
    if (pieces > 0)
      kinds.push_back({.kind = kind_, .count = pieces, .first = kind_, .last = kind_, .came_with_save = true});
    found_.insert(found_.begin(), {.name = name,
                                   .step = step_,
                                   .complete = true,
                                   .time = runtime::WallTime(std::chrono::seconds(step_)),
                                   .format = "Plain",
                                   .pieces = {.for_keep = kinds, .for_resume = kinds}});
    made_.push_back({.order = step_, .name = name, .job_uid = "job", .attempt = attempt});
    return *this;
  }
  // How many saves stay with `keep: 1`.
  [[nodiscard]] std::ptrdiff_t staying() const {
    const auto plan =
        plan_pruning({.found = found_, .made = made_, .job_uid = "job", .durable_step = step_, .keep = 1});
    return std::ssize(found_) - std::ssize(plan.goes);
  }

 private:
  std::string kind_;
  Checkpoints found_;
  MadeCheckpoints made_;
  std::int64_t step_ = 0;
};

TEST(needed_files, are_not_as_many_as_before_where_their_number_varies) {
  EXPECT_EQ(SavesWithPieces("rollouts/#/episode_#.npz").save(5).save(3).save(5).staying(), 1);
  EXPECT_EQ(SavesWithPieces("rollouts/#/episode_#.npz").save(5).save(3).save(2).staying(), 2) << "some may still come";
  EXPECT_EQ(SavesWithPieces("rollouts/#/episode_#.npz").save(5).save(3).save(2).save(0).staying(), 2) << "none is";
  EXPECT_EQ(SavesWithPieces("rollouts/#/episode_#.npz").save(5).save(3).save(0).staying(), 3) << "it may still come";
  EXPECT_EQ(SavesWithPieces("rollouts/#/episode_#.npz").save(5).save(5).save(3).staying(), 2) << "it may be cut off";
  EXPECT_EQ(SavesWithPieces("rollouts/#/episode_#.npz").save(5).save(5).save(3, 2).save(2, 3).staying(), 3)
      << "each was the last of its attempt";
  EXPECT_EQ(SavesWithPieces("buffers/#_rank#.npz").save(5).save(3).save(2).staying(), 3) << "ranks write them";
  EXPECT_EQ(SavesWithPieces("optimizer_#_#.bin").save(5).save(3).save(2).staying(), 3) << "of the state, once";
}

TEST(needed_files, are_none_by_which_nobody_goes_on_and_that_came_with_the_first_save_alone) {
  EXPECT_EQ(SavesWithPieces("config_#.json").save(1).save(0).save(0).save(0).staying(), 2) << "they may come again";
  EXPECT_EQ(SavesWithPieces("config_#.json").save(1).save(0).save(0).save(0).save(0).staying(), 1);
  EXPECT_EQ(SavesWithPieces("replay_#.npz").save(1).save(0).save(0).save(0).save(0).staying(), 2) << "a training's";
  EXPECT_EQ(SavesWithPieces("optimizer_#.x").save(1).save(0).save(0).save(0).save(0).staying(), 2) << "a training's";
}

TEST(needed_files, of_the_newest_save_are_as_many_as_of_any_until_its_trainer_has_gone_on) {
  const auto with_a_gap = [] { return SavesWithPieces("buffers/#_#.npz").save(4).save(4).save(2).save(4).save(4); };
  EXPECT_EQ(with_a_gap().save(2).staying(), 2) << "the last whole one stays";
  EXPECT_EQ(with_a_gap().save(4).staying(), 1);
  EXPECT_EQ(with_a_gap().save(2).save(4).staying(), 1);
}

TEST(needed_files, of_ranks_are_needed_as_long_as_each_save_has_them) {
  EXPECT_EQ(SavesWithPieces("stats_#_rank#.json").save(2).save(2).save(2).save(2).save(2).save(0).staying(), 2);
}

TEST(needed_files, of_saves_like_theirs_alone_tell_that_they_come_no_more) {
  SavesWithPieces saves("episodes_#.parquet");
  saves.save(1).save(1);
  for (int i = 0; i < 4; ++i) saves.save(0, 1, "last/step_");
  EXPECT_EQ(saves.save(0).staying(), 3) << "the newest of each kind, and the last one with episodes";
}

class NeededFiles : public testing_support::LayoutFormatTest {
 protected:
  void anew() {
    fs::remove_all(root());
    fs::create_directories(root());
    use("Auto");
    ++self_.attempt;
  }
  void save(int step, int episodes) const {
    put_text(root() / ("checkpoint-" + std::to_string(step) + ".pt"), plain_file());
    for (int each = 0; each < episodes; ++each)
      put_text(root() / "rollouts" / std::to_string(step) / ("episode_" + std::to_string(each) + ".npz"),
               std::string(2'000U + static_cast<unsigned>(step) + static_cast<unsigned>(each), 'r'));
  }
  [[nodiscard]] std::ptrdiff_t saves_there() const {
    return std::ranges::count_if(fs::directory_iterator(root()), [](const fs::directory_entry& entry) {
      return entry.path().filename().string().starts_with("checkpoint-");
    });
  }
};

TEST_F(NeededFiles, whose_number_falls_keep_nothing_for_ever_and_cost_no_save) {
  for (const auto& saves : {std::vector{5, 3, 4, 2, 6, 1, 3, 2}, {8, 7, 5, 4, 2}}) {
    anew();
    auto watching = watch(1);
    int step = 0;
    for (const int episodes : saves) {
      save(step += 100, episodes);
      for (int look = 0; look < 2; ++look) watching.look();
    }
    EXPECT_EQ(watching.seen().newest->step, step);
    EXPECT_LE(saves_there(), 3);
    ++self_.attempt;
    EXPECT_EQ(restored().point.step, step);
  }
}

TEST_F(NeededFiles, beside_the_first_save_alone_do_not_keep_it) {
  for (const char* file : {"config_100.json", "args_100.yaml", "meta/100.json", "config_0.json", "meta/0.json"}) {
    const int first = std::string_view(file).find("100") == std::string_view::npos ? 0 : 100;
    anew();
    auto watching = watch(1);
    for (const int step : {first, 200, 300, 400, 500}) {
      save(step, 0);
      if (step == first) put_text(root() / file, "{}");
      for (int look = 0; look < 2; ++look) watching.look();
    }
    EXPECT_FALSE(exists("checkpoint-" + std::to_string(first) + ".pt")) << file;
    EXPECT_TRUE(exists(file)) << "nobody saw who made it";
    EXPECT_EQ(saves_there(), 1) << file;
  }
}

}  // namespace
}  // namespace reprise::agent
