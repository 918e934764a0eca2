// A save with fewer state files than the one before it, in a marked directory or beside a single file, is a half, and
// the fuller one is not deleted on account of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "agent/check/find_checkpoints.h"
#include "agent/core/generations/halves/half_saves.h"
#include "agent/core/generations/halves/lacking_state.h"
#include "agent/core/generations/plan_pruning.h"
#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::safetensors_file;
using testing_support::sum_of;

using Files = std::vector<std::string>;

StateKinds kinds(const Files& files) {
  StateKinds kinds;
  for (const std::string& kind : files) kinds.push_back({.kind = kind, .count = 1, .first = kind, .last = kind});
  return kinds;
}

TEST(lacking_state, of_what_was_there_it_is_what_is_not_or_is_fewer) {
  const auto lacks = [](const Files& now, const Files& before) {
    Files names;
    for (const StateFiles& each : lacking_state(kinds(now), kinds(before))) names.push_back(each.kind);
    return names;
  };
  EXPECT_THAT(lacks({"model.pt"}, {"model.pt", "optimizer.pt", "foo.pt"}), ElementsAre("optimizer.pt", "foo.pt"));
  EXPECT_THAT(lacks({"model.pt", "foo.pt"}, {"model.pt"}), IsEmpty());
  EXPECT_THAT(lacks({"model.pt"}, {"model.pt", "best.pt", "eval/test.npz"}), IsEmpty()) << "copies";
  EXPECT_THAT(lacks({"model.pt"}, {"model.pt", "predictions_#.npz"}), IsEmpty()) << "output";
  EXPECT_THAT(lacks({"c#d.npy", "e#.npy"}, {"a#.npy", "b#c.npy"}), IsEmpty()) << "named anew each time";
  EXPECT_THAT(lacks({"model.safetensors"}, {"model.bin"}), IsEmpty()) << "another form of it";
  EXPECT_THAT(lacks({"model.pt", "samples#.npy"}, {"model.pt", "optimizer.pt"}), ElementsAre("optimizer.pt"));
  EXPECT_THAT(lacks({"model.pt", "c#.npy"}, {"model.pt", "optimizer.pt"}), ElementsAre("optimizer.pt"));
  StateKinds ranks = kinds({"rank_#.pt"}), fewer = ranks;
  ranks.front().count = 4;
  EXPECT_EQ(lacking_state(fewer, ranks).size(), 1U);
  fewer.front().counts_itself = true;
  EXPECT_THAT(lacking_state(fewer, ranks), IsEmpty());
}

class FullerSaves : public testing_support::LayoutFormatTest {
 protected:
  void start_anew() {
    fs::remove_all(root());
    fs::create_directories(root());
    ++self_.attempt;
  }
  // "model_@.pt" of step 10.
  static std::string named(std::string name, int step) {
    for (auto at = name.find('@'); at != std::string::npos; at = name.find('@'))
      name.replace(at, 1, std::to_string(step));
    return name;
  }
  static std::string bytes_of(const std::string& file) {
    if (file.ends_with(".safetensors")) return safetensors_file();
    return file.ends_with(".npy") || file.ends_with(".json") ? "{}" : plain_file();
  }
  // "step_@/" holds them, and a mark or a list; what is no directory stands for itself.
  void put(int step, const Files& files) const {
    const std::string directory = named("step_@", step);
    std::string sums;
    for (const std::string& file : files) {
      const bool is_beside = file.starts_with("step_");
      put_text(root() / (is_beside ? named(file, step) : directory + "/" + named(file, step)), bytes_of(file));
      sums += sum_of(bytes_of(file)) + "  " + named(file, step) + "\n";
    }
    if (files.front().starts_with("step_") || env_.format == "Plain") return;
    if (env_.format == "Manifest")
      put_text(root() / directory / "SHA256SUMS", sums);
    else
      put_text(root() / directory / "_COMPLETE", "");
  }
  [[nodiscard]] bool is_there(int step, const Files& files) const {
    return std::ranges::all_of(files, [&](const std::string& file) {
      return exists(file.starts_with("step_") ? named(file, step) : named("step_@/" + file, step));
    });
  }
  // Parts of a save come one after the other: what two looks see alike is settled.
  static void look_twice(CheckpointWatch& watching) {
    for (int look = 0; look < 2; ++look) watching.look();
  }
  void use_for(const std::string& format) {
    use(format);
    env_.format = format;
  }
};

struct SaveCase {
  std::string format;
  Files fuller, lesser;
};

std::string said_of(const SaveCase& each) {
  return each.format + ": " + each.fuller.front() + " and " + each.fuller.back() + ", then " + each.lesser.front();
}

const SaveCase kSaveCases[] = {
    {"Auto", {"model.pt", "optimizer.pt"}, {"model.pt"}},
    {"Auto", {"model.pt", "optimizer.pt"}, {"optimizer.pt"}},
    {"Marker", {"model.pt", "optimizer.pt"}, {"model.pt"}},
    {"Auto", {"weights", "optimizer"}, {"weights"}},
    {"Marker", {"net.pth", "teacher.pth"}, {"net.pth"}},
    {"Auto", {"weights.safetensors", "zzz.npz"}, {"weights.safetensors"}},
    {"Auto", {"model_@.pt", "optim_@.pt"}, {"model_@.pt"}},
    {"Auto",
     {"rank0/model.pt", "rank0/optim.pt", "rank1/model.pt", "rank1/optim.pt"},
     {"rank0/model.pt", "rank0/optim.pt"}},
    {"Auto", {"rank_0.pt", "rank_1.pt", "rank_2.pt", "rank_3.pt"}, {"rank_0.pt", "rank_1.pt"}},
    {"Auto", {"actor/model.pt", "critic/model.pt"}, {"actor/model.pt"}},
    {"Auto", {"model.pt", "optimizer.pt", "trainer_state.json"}, {"model.pt", "optimizer.pt"}},
    {"Manifest", {"model.pt", "optimizer.pt"}, {"model.pt"}},
    {"Manifest", {"a.npz", "b.npz"}, {"b.npz"}},
    {"Plain", {"model.pt", "optimizer.pt"}, {"model.pt"}},
    {"Plain", {"model.safetensors", "foo.pkl"}, {"model.safetensors"}},
    {"Plain", {"rank_0.pt", "rank_1.pt", "rank_2.pt", "rank_3.pt"}, {"rank_0.pt", "rank_1.pt"}},
    {"Plain", {"step_@.pt", "step_@_ema.pt"}, {"step_@.pt"}},
    {"Plain", {"step_@.pt", "step_@_ema.pt"}, {"step_@_ema.pt"}},
    {"Plain", {"step_@.pt", "step_@_discriminator.pt"}, {"step_@.pt"}},
    {"Plain", {"step_@.pt", "step_@_foo.pt", "step_@_bar.pt"}, {"step_@.pt", "step_@_foo.pt"}},
    {"Plain", {"step_@_G.pt", "step_@_D.pt"}, {"step_@_G.pt"}},
    {"Plain", {"step_@.pt", "step_@-foo.safetensors"}, {"step_@.pt"}},
    {"Plain", {"step_@.pt", "step_@.pkl"}, {"step_@.pt"}},
    {"Auto", {"step_@.pt", "step_@_ema.pt"}, {"step_@.pt"}},
    {"Auto", {"step_@.pt", "step_@.foo.npz"}, {"step_@.pt"}},
};

TEST_F(FullerSaves, are_resumed_from_and_kept_where_the_next_one_lacks_a_state_file) {
  for (const SaveCase& each : kSaveCases) {
    SCOPED_TRACE(said_of(each));
    start_anew();
    use_for(each.format);
    auto watching = watch(1);
    put(10, each.fuller);
    look_twice(watching);
    put(20, each.lesser);
    look_twice(watching);
    EXPECT_EQ(watching.seen().durable->step, 10);
    EXPECT_THAT(watching.seen().halves, HasSubstr("the save of step 20 is not whole"));
    EXPECT_TRUE(is_there(10, each.fuller));
    ++self_.attempt;
    use_for(each.format);
    const auto next = restored();
    EXPECT_EQ(next.point.step, 10);
    EXPECT_THAT(next.notes, Contains(HasSubstr("the save of step 20 is not whole")));
    ++self_.attempt;
    auto later = watch(1);
    put(30, each.fuller);
    look_twice(later);
    EXPECT_EQ(later.seen().durable->step, 30);
    EXPECT_TRUE(is_there(30, each.fuller));
  }
}

TEST_F(FullerSaves, that_keep_has_deleted_are_known) {
  for (const SaveCase& each : kSaveCases) {
    SCOPED_TRACE(said_of(each));
    start_anew();
    use_for(each.format);
    auto watching = watch(1);
    for (const int step : {10, 20}) {
      put(step, each.fuller);
      look_twice(watching);
    }
    put(30, each.lesser);
    look_twice(watching);
    EXPECT_EQ(watching.seen().durable->step, 20);
    EXPECT_TRUE(is_there(20, each.fuller));
  }
}

TEST_F(FullerSaves, that_a_library_has_deleted_are_known_to_the_next_attempt) {
  const Files fuller{"model.pt", "ema.pt"};
  for (const int step : {10, 20}) {
    auto watching = watch();
    put(step, fuller);
    look_twice(watching);
    fs::remove_all(root() / ("step_" + std::to_string(step - 10)));
    ++self_.attempt;
  }
  use_for("Auto");
  auto watching = watch();
  put(30, {"model.pt"});
  fs::remove_all(root() / "step_20");
  watching.look();
  EXPECT_FALSE(watching.seen().newest) << "held against what an attempt before has written down";
  put(30, fuller);
  watching.look();
  EXPECT_EQ(watching.seen().newest->step, 30);
}

// A fuller save stays, whatever shows that the lesser one is whole: a person may have taken a file out of the older
// ones' series by intention.
TEST(FullerSavesPlan, are_no_reason_to_be_deleted_for_a_lesser_one) {
  const auto saved = [](int step, const Files& files) {
    return Checkpoint{.name = "step_" + std::to_string(step),
                      .step = step,
                      .complete = true,
                      .time = runtime::WallTime(std::chrono::seconds(step)),
                      .format = "Marker",
                      .state = {kinds(files)}};
  };
  PruneQuestion question{.job_uid = "job", .durable_step = 50, .keep = 1};
  question.found = {saved(50, {"model.pt"}), saved(40, {"model.pt"}), saved(30, {"model.pt"}),
                    saved(20, {"model.pt", "ema.pt"}), saved(10, {"model.pt", "ema.pt"})};
  for (const Checkpoint& each : question.found)
    question.made.push_back({.order = each.step, .name = each.name, .job_uid = "job", .attempt = 1});
  std::ranges::sort(question.made, {}, &MadeCheckpoint::order);
  const auto plan = plan_pruning(question);
  for (const Generation& each : plan.goes) EXPECT_NE(each.step, 20);
  EXPECT_THAT(plan.lacking, HasSubstr("nothing of step 20: the save of step 50 has nothing like ema.pt"));
}

TEST_F(FullerSaves, with_a_small_file_of_their_name_stay_until_a_newer_one_has_it) {
  for (const char* ending : {".json", ".pt.sha256", ".pt.done"}) {
    start_anew();
    use_for("Plain");
    auto watching = watch(1);
    const auto put_with = [&](int step, bool with_side) {
      if (with_side) put_text(root() / ("step_" + std::to_string(step) + ending), "{}");
      put(step, {"step_@.pt"});
      watching.look();
    };
    put_with(10, true);
    put_with(20, false);
    EXPECT_TRUE(exists("step_10.pt")) << ending;
    EXPECT_TRUE(exists("step_10" + std::string(ending)));
    EXPECT_THAT(watching.seen().left_alone, Contains(HasSubstr("nothing like step_10" + std::string(ending))));
    put_with(30, true);
    EXPECT_FALSE(exists("step_10.pt")) << ending;
    EXPECT_FALSE(exists("step_10" + std::string(ending)));
    EXPECT_FALSE(exists("step_20.pt"));
    EXPECT_TRUE(exists("step_30.pt"));
  }
}

TEST_F(FullerSaves, are_known_to_a_check_as_well) {
  put(10, {"model.pt", "optimizer.pt"});
  put(20, {"model.pt"});
  const auto found = find_checkpoints(volume_->files, layouts_named("Auto").value(), root());
  ASSERT_EQ(found->rows.size(), 2U);
  EXPECT_EQ(found->rows.front().verdict, Verdict::Incomplete);
  EXPECT_THAT(found->rows.front().reason, HasSubstr("step_10/optimizer.pt"));
  EXPECT_EQ(found->rows.back().verdict, Verdict::Complete);
}

TEST_F(FullerSaves, that_nobody_saw_being_made_are_resumed_from_and_the_lesser_one_stays) {
  put(10, {"model.pt", "optimizer.pt"});
  put(20, {"model.pt"});
  EXPECT_EQ(restored().point.step, 10);
  EXPECT_TRUE(is_there(20, {"model.pt"}));
}

TEST_F(FullerSaves, give_way_where_three_in_a_row_are_lesser) {
  for (const auto& [fuller, lesser] : {std::pair(Files{"model.pt", "ema.pt"}, Files{"model.pt"}),
                                       std::pair(Files{"step_@.pt", "step_@_ema.pt"}, Files{"step_@.pt"})}) {
    start_anew();
    use_for(lesser.front().starts_with("step_") ? "Plain" : "Auto");
    auto watching = watch(1);
    put(10, fuller);
    watching.look();
    for (const int step : {20, 30}) {
      put(step, lesser);
      watching.look();
      EXPECT_EQ(watching.seen().durable->step, 10);
    }
    put(40, lesser);
    watching.look();
    EXPECT_EQ(watching.seen().durable->step, 40);
    EXPECT_TRUE(is_there(10, fuller));
  }
}

TEST_F(FullerSaves, are_not_told_by_what_comes_now_and_then_or_is_named_anew_each_time) {
  for (const std::vector<Files>& saves : {std::vector<Files>{{"model.pt"}, {"model.pt", "foo.pt"}, {"model.pt"}},
                                          {{"model.pt", "best.pt"}, {"model.pt"}},
                                          {{"model.pt", "a1b.npy", "c.npy"}, {"model.pt", "e2.npy", "f3.npy"}},
                                          {{"model.pt", "sample_1.npy", "sample_2.npy"}, {"model.pt"}},
                                          {{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"},
                                           {"model-00001-of-00001.safetensors"}},
                                          {{"state.bin"}, {"weights"}},
                                          {{"model.bin"}, {"model.safetensors"}}}) {
    start_anew();
    auto watching = watch(1);
    int step = 0;
    for (const Files& files : saves) {
      put(step += 10, files);
      watching.look();
    }
    EXPECT_EQ(watching.seen().durable->step, step) << saves.front().back();
  }
}

TEST_F(FullerSaves, of_a_larger_gang_are_no_measure_for_a_smaller_one) {
  const Files four{"rank_0.pt", "rank_1.pt", "rank_2.pt", "rank_3.pt"}, two{"rank_0.pt", "rank_1.pt"};
  for (const char* format : {"Auto", "Plain"}) {
    for (const bool is_known : {true, false}) {
      SCOPED_TRACE(std::string(format) + (is_known ? "" : ", who made those before nobody knows"));
      start_anew();
      use_for(format);
      self_.gang = {.ranks = 4, .devices = 1};
      if (!is_known) put(10, four);
      auto watching = watch();
      if (is_known) put(10, four);
      watching.look();
      put(20, two);
      look_twice(watching);
      EXPECT_EQ(watching.newest_now()->value().step, 10) << "of the same gang";
      fs::remove_all(root() / "step_20");
      ++self_.attempt;
      self_.gang.ranks = 2;
      auto smaller = watch();
      put(20, {"rank_0.pt"});
      look_twice(smaller);
      EXPECT_EQ(smaller.newest_now()->value().step, 10) << "one of two";
      put(20, two);
      look_twice(smaller);
      EXPECT_EQ(smaller.seen().durable->step, 20);
      ++self_.attempt;
      EXPECT_EQ(restored().point.step, 20);
    }
  }
}

// The older one precedes the one that is resumed from, and may be whole.
TEST_F(FullerSaves, of_a_script_that_saves_more_since_take_no_older_ones_with_them) {
  use_for("Plain");
  auto watching = watch();
  for (const int step : {10, 20}) {
    put(step, {"model.pt", "optimizer.pt"});
    watching.look();
  }
  for (const int step : {30, 40}) {
    put(step, {"model.pt", "optimizer.pt", "ema.pt"});
    watching.look();
  }
  EXPECT_THAT(counted(), ElementsAre("step_40 Plain", "step_30 Plain", "step_20 Plain", "step_10 Plain"));
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 40);
  for (const int step : {10, 20}) EXPECT_TRUE(is_there(step, {"model.pt", "optimizer.pt"})) << step;
}

TEST_F(FullerSaves, leave_the_first_one_that_was_cut_off_where_it_is) {
  use_for("Plain");
  auto watching = watch();
  put(10, {"model.pt"});
  watching.look();
  put(20, {"model.pt", "optimizer.pt"});
  watching.look();
  EXPECT_THAT(counted(), ElementsAre("step_20 Plain", "!step_10 Plain"));
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 20);
  EXPECT_TRUE(is_there(10, {"model.pt"}));
}

}  // namespace
}  // namespace reprise::agent
