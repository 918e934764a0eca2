// Checkpoints that somebody else writes beside a training are neither deleted nor moved.
#include "agent/core/fencing/own_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(place_of, saves_of_one_series_have_one) {
  EXPECT_EQ(place_of("run/step_100"), place_of("run/step_200"));
  EXPECT_EQ(place_of("step_100/rank_0"), place_of("step_200/rank_1"));
  EXPECT_EQ(place_of("rank_0/step_100.pt"), place_of("rank_1/step_100.pt"));
  EXPECT_EQ(place_of("run/epoch=1-step=100.ckpt"), place_of("run/epoch=2-step=200.ckpt"));
  EXPECT_EQ(place_of("epoch=1-step=100-val_loss=0.12.ckpt"), place_of("epoch=2-step=200-val_loss=-0.3.ckpt"));
}

TEST(place_of, numbers_of_ranks_tell_places_of_single_processes_apart_and_those_of_steps_do_not) {
  EXPECT_NE(place_of("gpu0/step_5", Ranks::Apart), place_of("gpu1/step_5", Ranks::Apart));
  for (const std::string name : {"out/checkpoint-", "step-", "run/", "gpu0/global_step", "version_0/epoch=1-step="})
    EXPECT_EQ(place_of(name + "180", Ranks::Apart), place_of(name + "360", Ranks::Apart)) << name;
}

TEST(place_of, unfinished_saves_have_that_of_the_whole_one) {
  EXPECT_EQ(place_of("run/tmp-checkpoint-20"), place_of("run/checkpoint-10"));
  EXPECT_EQ(place_of("run/500.orbax-checkpoint-tmp-1764"), place_of("run/400"));
  EXPECT_EQ(place_of("epoch_3_acc_0.93/model.pt"), place_of("epoch_4_acc_0.95/model.pt"));
}

TEST(place_of, trainings_and_copies_have_others) {
  EXPECT_NE(place_of("runs/run1/step_100"), place_of("runs/run2/step_100"));
  EXPECT_NE(place_of("version_0/step_100"), place_of("version_1/step_100"));
  EXPECT_NE(place_of("outputs/2026-11-30/step_100"), place_of("outputs/2026-12-01/step_100"));
  EXPECT_NE(place_of("step_100"), place_of("backup_step_100"));
  EXPECT_NE(place_of("step_100"), place_of("notebook/step_100"));
}

TEST(own_places, what_has_no_step_counts_by_its_directory) {
  const auto own = own_places({{.order = 1, .name = "run/step_10", .job_uid = "job", .attempt = 1}}, "job");
  EXPECT_TRUE(own.have("run/step_20"));
  EXPECT_TRUE(own.have("run/last.ckpt"));
  EXPECT_FALSE(own.have("notebook/last.ckpt"));
  EXPECT_FALSE(own.have("run/backup_step_10"));
  EXPECT_TRUE(own_places({{.order = 1, .name = "run/step_10", .job_uid = "job", .attempt = 1}}, "another").empty());
  const auto only_last = own_places({{.order = 1, .name = "run/last.ckpt", .job_uid = "job", .attempt = 1}}, "job");
  EXPECT_TRUE(only_last.have("run/step_10"));
  EXPECT_FALSE(only_last.have("notebook/step_10"));
}

TEST(shows_own, a_file_that_is_open_in_a_save_or_beside_it_does) {
  const auto shown_by = [](const char* file, const char* name) { return shows_own({.paths = {file}}, name); };
  EXPECT_TRUE(shown_by("run/step_10/weights", "run/step_10"));
  EXPECT_TRUE(shown_by("run/step_20/weights", "run/step_10")) << "the next one of the series";
  EXPECT_TRUE(shown_by("run/tmp-step_20/weights", "run/step_10"));
  EXPECT_TRUE(shown_by("tmp-step_20/weights", "step_10"));
  EXPECT_TRUE(shown_by("run/events.out", "run/step_10"));
  EXPECT_FALSE(shown_by("events.out", "step_10")) << "the root is everybody's";
  EXPECT_FALSE(shown_by("runs/run1/step_20/weights", "runs/run2/step_10"));
  EXPECT_FALSE(shown_by("runs/run1/step_20/weights", "runs/step_10"));
  EXPECT_FALSE(shown_by("run/eval/metrics", "run/step_10"));
}

class OwnPlacesTest : public testing_support::LayoutFormatTest {
 protected:
  OwnPlacesTest() {
    use("Marker");
    self_.attempt = 1;
    calls_->open = OpenFiles{};
  }
  CheckpointWatch watch() {
    auto restored = restore(*volume_, env_, self_);
    EXPECT_TRUE(restored);
    return CheckpointWatch(volume_, {.resumed_from = restored->point.step,
                                     .resumed_path = restored->point.path,
                                     .keep = 1,
                                     .prunes = true,
                                     .before = restored->before,
                                     .made = restored->made,
                                     .self = self_});
  }
  void save(CheckpointWatch& watching, const std::string& name) const {
    checkpoint(name);
    watching.look();
  }
  // Somebody else's beside them, which no process of this job holds open.
  void save_beside(CheckpointWatch& watching, const std::string& place) const {
    for (const char* step : {"10", "20", "30"}) {
      save(watching, "step_" + std::string(step) + "00");
      save(watching, place + step);
    }
    save(watching, "step_4000");
  }
};

TEST_F(OwnPlacesTest, keep_deletes_nothing_that_others_write_in_a_place_of_their_own) {
  auto watching = watch();
  save_beside(watching, "notebook/run1/step_");
  for (const char* name : {"step_10", "step_20", "step_30"}) EXPECT_TRUE(exists("notebook/run1/" + std::string(name)));
  EXPECT_FALSE(exists("step_3000"));
  EXPECT_THAT(watching.seen().left_alone, Contains(HasSubstr("notebook/run1/step_10 and 2 more")));
}

TEST_F(OwnPlacesTest, keep_deletes_no_copy_that_a_person_makes_beside_them) {
  auto watching = watch();
  save_beside(watching, "backup_step_");
  save(watching, "backup_step_4000");  // a copy of the newest, the only one that is left
  for (const char* name : {"step_5000", "step_6000"}) save(watching, name);
  for (const char* step : {"10", "20", "4000"}) EXPECT_TRUE(exists("backup_step_" + std::string(step)));
  EXPECT_FALSE(exists("step_4000")) << "the copy is no part of it";
}

TEST_F(OwnPlacesTest, the_next_attempt_moves_and_deletes_nothing_of_it) {
  auto first = watch();
  save_beside(first, "notebook/run1/step_");
  began();
  self_.attempt = 2;
  checkpoint("notebook/run1/step_9000", false);
  auto second = watch();
  save(second, "step_5000");
  EXPECT_TRUE(exists("notebook/run1/step_10"));
  EXPECT_TRUE(exists("notebook/run1/step_9000")) << "somebody writes it";
  EXPECT_FALSE(exists("step_4000"));
}

TEST_F(OwnPlacesTest, who_has_saved_there_before_the_job_is_somebody_else) {
  checkpoint("notebook/step_10");
  env_.resume = ResumePolicy::Never;
  auto watching = watch();
  save(watching, "notebook/step_20");
  save_beside(watching, "notebook/run1/step_");
  EXPECT_TRUE(exists("notebook/step_20"));
  EXPECT_FALSE(exists("step_3000"));
}

TEST_F(OwnPlacesTest,
       where_a_start_from_scratch_saves_and_nobody_else_is_its_place_though_another_training_saved_there) {
  checkpoint("step_10");
  checkpoint("step_20");
  env_.resume = ResumePolicy::Never;
  auto watching = watch();
  for (const char* name : {"step_1100", "step_2100"}) save(watching, name);
  EXPECT_TRUE(exists("step_1100")) << "somebody else may go on there";
  for (const char* name : {"step_3100", "step_4100"}) save(watching, name);
  watching.look();
  for (const char* name : {"step_1100", "step_2100", "step_3100"}) EXPECT_FALSE(exists(name)) << name;
  for (const char* name : {"step_10", "step_20", "step_4100"}) EXPECT_TRUE(exists(name)) << name;
}

TEST_F(OwnPlacesTest, data_that_a_trainer_unpacks_is_no_place_to_which_it_saves) {
  auto first = watch();
  save(first, "data/20261124");
  self_.attempt = 2;
  auto second = watch();
  for (const char* name : {"out/step_10", "out/step_20", "out/step_30"}) save(second, name);
  EXPECT_FALSE(exists("out/step_10"));
  EXPECT_FALSE(exists("out/step_20"));
  EXPECT_TRUE(exists("data/20261124"));
}

TEST_F(OwnPlacesTest, the_place_that_an_attempt_resumed_from_is_where_it_saves) {
  auto first = watch();
  save(first, "run/step_10");
  checkpoint("imported/checkpoint-20");
  self_.attempt = 2;
  auto second = watch();
  save(second, "imported/checkpoint-30");
  EXPECT_FALSE(read_made(*volume_)->back().doubtful);
}

TEST_F(OwnPlacesTest, the_directory_of_the_next_run_is_the_jobs_where_it_saves_there_first) {
  auto first = watch();
  save(first, "logs/version_0/step_10");
  self_.attempt = 2;
  auto second = watch();
  for (const char* name : {"logs/version_1/step_20", "logs/version_1/step_30", "logs/version_1/step_40"})
    save(second, name);
  EXPECT_FALSE(exists("logs/version_1/step_20"));
  EXPECT_TRUE(exists("logs/version_1/step_40"));
}

TEST_F(OwnPlacesTest, what_the_volume_did_not_list_shows_nothing_of_where_the_job_saves) {
  auto watching = watch();
  calls_->rename_problem = EIO;
  save(watching, "step_10");
  ASSERT_THAT(*read_made(*volume_), testing::IsEmpty());
  calls_->rename_problem = 0;
  save(watching, "step_20");
  const auto made = *read_made(*volume_);
  ASSERT_FALSE(made.empty());
  EXPECT_TRUE(std::ranges::none_of(made, &MadeCheckpoint::doubtful));
}

TEST_F(OwnPlacesTest, a_second_part_of_the_first_save_is_the_jobs) {
  auto watching = watch();
  for (const char* step : {"10", "20", "30"})
    for (const char* part : {"model_step_", "optimizer_step_"}) save(watching, part + std::string(step));
  for (const char* name : {"model_step_10", "optimizer_step_10"}) EXPECT_FALSE(exists(name));
  EXPECT_THAT(watching.seen().left_alone, Not(Contains(HasSubstr("no process of this job"))));
}

TEST_F(OwnPlacesTest, where_a_process_of_the_trainer_is_seen_to_write_is_a_place_of_the_job) {
  auto watching = watch();
  save(watching, "stage_1/step_10");
  save(watching, "stage_2/step_20");
  EXPECT_TRUE(read_made(*volume_)->back().doubtful);
  calls_->open = OpenFiles{.paths = {"stage_2/step_30/weights"}};
  save(watching, "stage_2/step_30");
  calls_->open = OpenFiles{};
  save(watching, "stage_2/step_40");
  const auto made = *read_made(*volume_);
  EXPECT_TRUE(std::ranges::none_of(made, &MadeCheckpoint::doubtful));
  EXPECT_FALSE(exists("stage_2/step_20"));
  EXPECT_TRUE(exists("stage_2/step_40"));
}

TEST_F(OwnPlacesTest, what_another_rank_has_seen_its_trainer_write_counts_for_index_0) {
  auto watching = watch();
  save(watching, "stage_1/step_10");
  save(watching, "stage_2/step_20");
  Identity other = self_;
  other.index = 1;
  CheckpointWatch rank_1(volume_, {.gang = true, .self = other});
  calls_->open = OpenFiles{.paths = {"stage_2/step_30/weights"}};
  rank_1.look();
  calls_->open = OpenFiles{};
  EXPECT_TRUE(exists(".reprise/places/1-1-0.json"));
  save(watching, "stage_2/step_30");
  save(watching, "stage_2/step_40");
  EXPECT_FALSE(exists("stage_2/step_20"));
}

TEST_F(OwnPlacesTest, a_place_of_another_job_is_none_of_this_one) {
  auto watching = watch();
  save(watching, "step_1000");
  Identity other = self_;
  other.job_uid = "another";
  ASSERT_TRUE(write_place(*volume_, other, "notebook/run1/step_5"));
  save_beside(watching, "notebook/run1/step_");
  EXPECT_TRUE(exists("notebook/run1/step_10"));
}

TEST_F(OwnPlacesTest, a_part_in_doubt_spares_the_rest_of_its_save_until_the_next_save_has_it_too) {
  auto watching = watch();
  for (const char* name : {"agent/step_100", "buffer/step_100", "agent/step_200"}) save(watching, name);
  watching.look();
  EXPECT_TRUE(exists("agent/step_100")) << "buffer/step_200 is not there yet";
  for (const char* name : {"buffer/step_200", "agent/step_300", "buffer/step_300"}) save(watching, name);
  EXPECT_FALSE(exists("agent/step_100"));
  EXPECT_TRUE(exists("agent/step_300"));
  EXPECT_TRUE(exists("buffer/step_100"));
}

TEST_F(OwnPlacesTest, another_number_of_a_rank_is_a_neighbour_of_a_training_of_one_process) {
  self_.gang = {.ranks = 1, .devices = 1};
  auto watching = watch();
  for (const int step : {10, 20, 30, 40}) {
    save(watching, "gpu0/step_" + std::to_string(step));
    save(watching, "gpu1/step_" + std::to_string(step - 5));
  }
  watching.look();
  EXPECT_FALSE(exists("gpu0/step_20"));
  for (const char* step : {"5", "15", "25", "35"}) EXPECT_TRUE(exists("gpu1/step_" + std::string(step))) << step;
  began();
  self_.attempt = 2;
  checkpoint("gpu1/step_45", false);
  auto restored = restore(*volume_, env_, self_);
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->point.path, "gpu0/step_40");
  EXPECT_TRUE(exists("gpu1/step_45"));
}

TEST_F(OwnPlacesTest, on_a_list_of_an_earlier_agent_places_with_few_entries_are_in_doubt) {
  const auto old = [](std::int64_t order, const char* name) {
    return MadeCheckpoint{.order = order, .name = name, .job_uid = "job", .attempt = 1, .unsaid = true};
  };
  MadeCheckpoints made{old(1, "run/step_10"), old(2, "notebook/step_5"), old(3, "run/step_20")};
  doubt_unsaid(made);
  EXPECT_FALSE(made[0].doubtful);
  EXPECT_TRUE(made[1].doubtful);
  EXPECT_FALSE(made[2].doubtful);
  MadeCheckpoints one_each{old(1, "agent/step_10"), old(2, "buffer/step_10")};
  doubt_unsaid(one_each);
  EXPECT_TRUE(std::ranges::none_of(one_each, &MadeCheckpoint::doubtful));
}

TEST_F(OwnPlacesTest, an_entry_says_whether_it_is_in_doubt) {
  checkpoint("run/step_10");
  ASSERT_TRUE(write_made(*volume_, {.order = 1, .name = "run/step_10", .job_uid = "job", .attempt = 1}));
  EXPECT_FALSE(read_made(*volume_)->front().unsaid);
  testing_support::put_text(volume_->layout.made(1), R"({"order":1,"name":"run/step_10","jobUid":"job","attempt":1})");
  EXPECT_TRUE(read_made(*volume_)->front().unsaid);
}

}  // namespace
}  // namespace reprise::agent
