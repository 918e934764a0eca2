// The parts that belong to a save, where none of those before it is there any more.
#include "agent/core/generations/halves/known_saves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::put_checkpoint;
using testing_support::put_text;
using testing_support::torch_file;

class KnownSavesTest : public testing_support::LayoutFormatTest {
 protected:
  // "G_step_#.pth" of step 100.
  static std::string named(std::string part, int step) { return part.replace(part.find('#'), 1, std::to_string(step)); }
  void put(const std::string& part, int step) const {
    const fs::path name = root() / named(part, step);
    if (name.extension() == ".pth") return put_text(name, torch_file());
    fs::create_directories(name.parent_path());
    put_checkpoint(name.parent_path(), name.filename().string(), true);
  }
  // Each save with both parts, seen by two looks.
  void save_both(CheckpointWatch& watching, const std::vector<int>& steps) const {
    for (const int step : steps) {
      for (const std::string& part : parts_) put(part, step);
      watching.look();
      watching.look();
    }
  }
  std::vector<std::string> parts_{"G_step_#.pth", "D_step_#.pth"};
};

TEST_F(KnownSavesTest, a_save_is_held_against_those_that_keep_has_deleted) {
  for (const auto& parts :
       {std::vector<std::string>{"G_step_#.pth", "D_step_#.pth"}, {"student/step_#", "teacher/step_#"}}) {
    SCOPED_TRACE(parts.front());
    parts_ = parts;
    use(parts.front().ends_with(".pth") ? "Plain" : "Auto");
    auto watching = watch(1);
    save_both(watching, {100, 200});
    ASSERT_FALSE(exists(named(parts_[0], 100)));
    put(parts_[0], 300);
    watching.look();
    EXPECT_EQ(watching.seen().durable->step, 200) << "its other part is to come";
    ++self_.attempt;
    use(env_.format);
    const auto next = restored();
    EXPECT_EQ(next.point.step, 200);
    EXPECT_THAT(next.notes, Contains(HasSubstr("the save of step 300 is not whole")));
    fs::remove_all(root());
    fs::create_directories(root());
    ++self_.attempt;
  }
}

TEST_F(KnownSavesTest, a_save_is_held_against_those_that_a_library_has_deleted) {
  use("Plain");
  auto watching = watch();
  for (const int step : {100, 200, 300}) {
    save_both(watching, {step});
    for (const std::string& part : parts_) fs::remove(root() / named(part, step - 100));
  }
  put(parts_[0], 400);
  watching.look();
  EXPECT_EQ(watching.seen().durable->step, 300);
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 300);
}

TEST_F(KnownSavesTest, a_training_that_saves_without_a_part_from_now_on_is_whole_again) {
  use("Plain");
  auto watching = watch();
  save_both(watching, {100, 200});
  for (const int step : {300, 400, 500}) {
    put(parts_[0], step);
    watching.look();
    watching.look();
    for (const std::string& part : parts_) fs::remove(root() / named(part, step - 100));
  }
  EXPECT_EQ(watching.seen().durable->step, 500);
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 500);
}

TEST_F(KnownSavesTest, halves_that_were_put_aside_show_no_new_way) {
  use("Plain");
  {
    auto watching = watch(1);
    save_both(watching, {100, 200});
  }
  for (const int step : {300, 310, 320, 330}) {
    ++self_.attempt;
    auto watching = watch(1);
    put(parts_[0], step);
    watching.look();
    watching.look();
    EXPECT_EQ(watching.seen().durable->step, 200) << step;
  }
}

TEST_F(KnownSavesTest, a_training_that_begins_anew_is_held_against_nothing) {
  use("Plain");
  auto watching = watch(1);
  save_both(watching, {100, 200});
  ++self_.attempt;
  env_.resume = ResumePolicy::FromScratch;
  static_cast<void>(restored());
  env_.resume = ResumePolicy::Latest;
  put(parts_[0], 300);
  ++self_.attempt;
  EXPECT_EQ(restored().point.step, 300);
}

TEST_F(KnownSavesTest, what_a_volume_lets_write_once_alone_is_not_written) {
  use("Plain");
  volume_->findings->set({.overwrite = false});
  auto watching = watch(1);
  save_both(watching, {100, 200});
  EXPECT_FALSE(exists(".reprise/saves.json"));
}

TEST(KnownSaves, are_the_last_few_as_they_lie_and_what_is_gone_as_it_was_known) {
  const auto part = [](const std::string& name, std::int64_t step) {
    return KnownPart{.checkpoint = {.name = name, .step = step, .complete = true}, .made = {}};
  };
  KnownParts before;
  for (const int step : {1, 2, 3, 4, 5})
    for (const char* kind : {"D_step", "G_step"}) before.push_back(part(kind + std::to_string(step), step));
  const auto last =
      last_saves({{.name = "G_step6", .step = 6, .complete = true}, {.name = "D_step6", .step = 6}}, {}, before);
  EXPECT_EQ(last.size(), 9U) << "step 1 is too old";
  EXPECT_EQ(last.front(), part("G_step6", 6));
  EXPECT_EQ(last_saves({}, {}, last), last);
  EXPECT_EQ(decode_known(encode_known(last)), last);
  EXPECT_THAT(decode_known(R"({"parts": [{"name": "x")"), IsEmpty());
}

TEST(KnownSaves, a_file_of_a_part_that_is_a_checkpoint_by_now_is_no_piece_that_it_lacks) {
  const auto rank0 = [](const std::string& piece) {
    Checkpoint save{.name = "step-10-rank0", .step = 10, .complete = true};
    if (!piece.empty()) save.pieces.for_resume = {{.kind = piece, .count = 1, .first = piece, .last = piece}};
    return save;
  };
  const Checkpoints found{{.name = "step-10-rank1", .step = 10, .complete = true}, rank0("")};
  const KnownParts early{{.checkpoint = rank0("step-10-rank1/state.bin"), .made = {}}};
  EXPECT_THAT(last_saves(found, {}, early).front().checkpoint.pieces.for_resume, IsEmpty());
  const KnownParts whole{{.checkpoint = rank0("replay_10.bin"), .made = {}}};
  EXPECT_EQ(last_saves(found, {}, whole).front(), whole.front());
}

TEST(KnownSaves, no_number_of_others_pushes_a_jobs_own_out) {
  const auto entry = [](std::int64_t order, const std::string& name, bool doubtful) {
    return MadeCheckpoint{.order = order, .name = name, .job_uid = "job", .attempt = 1, .doubtful = doubtful};
  };
  Checkpoints found{{.name = "run/step_100", .step = 100, .complete = true}};
  MadeCheckpoints made{entry(1, "run/step_100", false)};
  for (int step = 5'000; step < 12'000; step += 1'000) {
    const std::string number = std::to_string(step);
    found.push_back({.name = "before/step_" + number, .step = step, .complete = true});
    found.push_back({.name = "notebook/step_" + number, .step = step, .complete = true});
    made.push_back(entry(step, "notebook/step_" + number, true));
  }
  const auto last = last_saves(found, made, {});
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(last, [&](const KnownPart& each) { return each.checkpoint.name.starts_with(name); });
  };
  EXPECT_TRUE(has("run/step_100"));
  EXPECT_FALSE(has("notebook/"));
}

TEST_F(KnownSavesTest, that_are_too_long_with_what_is_in_them_are_written_down_without_that) {
  Checkpoints found;
  for (int rank = 0; rank < 60; ++rank) {
    const std::string name = "rank" + std::to_string(rank) + "/step_10";
    found.push_back({.name = name, .step = 10, .complete = true, .format = "Marker"});
    for (const char* file : {"/model.pt", "/optimizer.pt", "/scheduler.pt", "/sampler.pt", "/ema.pt", "/rng.pt"})
      for (const char* more : {"a", "b", "c"})
        found.back().state.kinds.push_back(
            {.kind = more + std::string(file), .count = 1, .first = name + file, .last = name + file});
  }
  KnownSaves known, read;
  for (int look = 0; look < 2; ++look) known.note(volume_->files, volume_->layout, found, {});
  read.read(volume_->files, volume_->layout);
  ASSERT_EQ(read.get().size(), 60U);
  EXPECT_TRUE(read.get().front().checkpoint.state.kinds.empty());
}

// Or a volume that hangs would stop the agent that is to save at a stop.
TEST_F(KnownSavesTest, that_are_being_written_can_be_asked_for) {
  use("Plain");
  auto watching = watch(1);
  int asked = 0;
  calls_->on_call = [&] {
    static_cast<void>(volume_->known_saves->get());
    ++asked;
  };
  save_both(watching, {10, 20});
  EXPECT_GT(asked, 0);
  EXPECT_TRUE(exists(".reprise/saves.json"));
}

TEST_F(KnownSavesTest, a_half_that_is_called_by_a_number_alone_is_held_against_those_that_keep_has_deleted) {
  use("Plain");
  const auto put_workers = [&](int step, int workers) {
    for (int worker = 0; worker < workers; ++worker)
      put_text(root() / std::to_string(step) / ("worker" + std::to_string(worker) + ".pt"),
               testing_support::plain_file());
  };
  auto watching = watch(1);
  for (const int step : {10, 20, 30}) {
    put_workers(step, 4);
    for (int look = 0; look < 3; ++look) watching.look();
  }
  put_workers(40, 3);
  watching.look();
  ++self_.attempt;
  use("Plain");
  EXPECT_EQ(restored().point.path, "30");
}

TEST(KnownSaves, a_half_in_doubt_is_held_against_saves_of_its_own_series) {
  const auto save = [](int step, std::int64_t workers) {
    const std::string name = std::to_string(step);
    return Checkpoint{.name = name,
                      .step = step,
                      .complete = true,
                      .format = "Plain",
                      .state = {{{.kind = "worker#.pt",
                                  .count = workers,
                                  .first = name + "/worker0.pt",
                                  .last = name + "/worker" + std::to_string(workers - 1) + ".pt"}}}};
  };
  const auto entry = [](std::int64_t order, const std::string& name, bool doubtful) {
    return MadeCheckpoint{
        .order = order, .name = name, .job_uid = "job", .attempt = 1, .gang = {.ranks = 1}, .doubtful = doubtful};
  };
  const KnownParts known{{.checkpoint = save(20, 4), .made = entry(2, "20", false)}};
  const auto halves =
      find_half_saves({save(40, 3), save(30, 4)}, {entry(3, "30", true), entry(4, "40", true)}, Holds::AllRanks, known);
  ASSERT_EQ(halves.size(), 1U);
  EXPECT_EQ(halves.front().step, 40);
}

// Several numbers alike show where a training saves, and `keep: 1` leaves one of them.
TEST_F(KnownSavesTest, a_torn_save_is_this_job_s_though_keep_has_deleted_those_that_show_where_it_saves) {
  use("Auto");
  const auto put_weights = [&](int step) {
    for (const char* name : {"w0.pt", "w1.pt", "w2.pt"})
      put_text(root() / std::to_string(step) / name, testing_support::plain_file());
  };
  auto watching = watch(1);
  for (const int step : {10, 20, 30, 40}) {
    put_weights(step);
    put_text(root() / std::to_string(step) / "_COMPLETE", "");
    for (int look = 0; look < 3; ++look) watching.look();
  }
  EXPECT_FALSE(exists("30"));
  put_weights(50);
  watching.look();
  ++self_.attempt;
  use("Auto");
  EXPECT_EQ(restored().point.path, "40");
  EXPECT_FALSE(exists("50"));
}

}  // namespace
}  // namespace reprise::agent
