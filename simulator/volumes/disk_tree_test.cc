#include "simulator/volumes/disk_tree.h"

#include <gtest/gtest.h>

#include "agent/core/fencing/fence.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/proofs/proven_list.h"
#include "agent/core/record/record.h"
#include "agent/core/restore/resume_point.h"

namespace reprise::simulator {
namespace {

using ::testing::Test;
using Names = std::vector<std::string>;

class DiskTree : public Test {
 protected:
  DiskTree() {
    env_.job_uid = "job";
    env_.pod_uid = "pod";
    env_.attempt = 2;
    for (const std::int64_t step : {10, 20}) disk_.checkpoints[step] = {.step = step, .complete = true};
    disk_.checkpoints[30] = {.step = 30};
  }
  [[nodiscard]] DiskView view(std::int64_t milliseconds = 0) const {
    return {.env = env_, .now = runtime::Duration(milliseconds), .start = {}};
  }
  [[nodiscard]] bool is_complete(const std::string& name) const {
    return look_at(disk_, view(), name + "/_COMPLETE").has_value();
  }
  Notify write(const std::string& path, const std::string& text, std::int64_t at = 0) {
    return write_file(disk_, view(at), path, text);
  }

  agent::Environment env_;
  Disk disk_;
};

TEST_F(DiskTree, shows_the_checkpoints_that_trainers_have_made) {
  EXPECT_EQ(list_directory(disk_, ""), (Names{".reprise", "step-10", "step-20", "step-30"}));
  EXPECT_TRUE(is_complete("step-20"));
  EXPECT_FALSE(is_complete("step-30"));
  EXPECT_FALSE(look_at(disk_, view(), "step-40"));
}

TEST_F(DiskTree, a_fence_that_is_written_is_the_one_that_is_read) {
  EXPECT_FALSE(read_file(disk_, view(), ".reprise/fence.json"));
  const std::string text = agent::encode_fence(
      {.job_uid = "job", .attempt = 2, .open = std::vector<agent::AttemptSpan>{{.first = 1, .last = 1}}});
  EXPECT_EQ(write(".reprise/fence.json", text), Notify::All);
  EXPECT_EQ(disk_.fence_attempt, 2);
  EXPECT_EQ(read_file(disk_, view(), ".reprise/fence.json"), text);
}

TEST_F(DiskTree, a_heartbeat_counts_with_time_and_with_each_write) {
  const std::string file = ".reprise/attempts/2/0.alive";
  const auto counter = [&](std::int64_t at) {
    return agent::decode_heartbeat(*read_file(disk_, view(at), file))->counter;
  };
  const std::string text = agent::encode_heartbeat(
      {.who = {.job_uid = "job", .pod_uid = "pod", .attempt = 2}, .counter = 1, .period = env_.heartbeat_period});
  write(file, text);
  const auto first = counter(0);
  EXPECT_EQ(counter(4'999), first);
  EXPECT_EQ(counter(5'000), first + 1);
  write(file, text, 7'000);
  EXPECT_EQ(counter(7'000), first + 2);
}

TEST_F(DiskTree, what_was_published_names_the_step_whatever_its_directory_is_called) {
  disk_.checkpoints[40] = {.step = 40, .complete = true, .name = "ckpt-40-10"};
  write(
      ".reprise/attempts/2/resume.json",
      agent::encode_resume_point({.job_uid = "job", .attempt = 2, .pod_uid = "pod", .step = 10, .path = "ckpt-40-10"}));
  ASSERT_TRUE(disk_.attempts[2].resume);
  EXPECT_EQ(disk_.attempts[2].resume->step, 40);
}

TEST_F(DiskTree, what_is_moved_away_is_no_longer_there_and_counts_by_where_it_lies) {
  EXPECT_TRUE(move_directory(disk_, view(), "step-30", ".reprise/torn/step-30.2"));
  EXPECT_EQ(list_directory(disk_, ".reprise/torn"), Names{"step-30.2"});
  EXPECT_TRUE(move_directory(disk_, view(), "step-10", ".reprise/trash/step-10"));
  EXPECT_EQ(list_directory(disk_, ""), (Names{".reprise", "step-20"}));
  EXPECT_FALSE(disk_.checkpoints.contains(10));
  disk_.traits.moves = false;
  EXPECT_FALSE(move_directory(disk_, view(), "step-20", ".reprise/trash/step-20"));
}

// A checkpoint of Trainer's that is half written, and one of Lightning's.
class LibraryTree : public DiskTree {
 protected:
  LibraryTree() {
    disk_.checkpoints.clear();
    disk_.checkpoints[60] = {.step = 60, .name = "out/checkpoint-60", .library = Library::HuggingFace};
    disk_.checkpoints[60].files = {{"config.json", {.text = "{}", .time = runtime::Duration(5)}}};
    disk_.checkpoints[90] = {.step = 90, .complete = true, .name = "out/step=90.ckpt", .library = Library::Lightning};
    disk_.checkpoints[90].files = {{"", {.text = "archive", .time = runtime::Duration(7)}}};
    disk_.beside = {{"data/day-1/part-0", {.text = "PAR1"}}};
    for (const char* path : {"out/checkpoint-60", "data/day-1/part-0"}) disk_.touch_folders(path, {});
  }
  [[nodiscard]] std::optional<agent::FileInfo> look(const std::string& path) const {
    return look_at(disk_, view(), path);
  }
};

TEST_F(LibraryTree, checkpoints_lie_in_folders_as_their_libraries_write_them) {
  EXPECT_EQ(list_directory(disk_, ""), (Names{".reprise", "data", "out"}));
  EXPECT_EQ(list_directory(disk_, "out"), (Names{"checkpoint-60", "step=90.ckpt"}));
  EXPECT_EQ(list_directory(disk_, "out/checkpoint-60"), Names{"config.json"});
  EXPECT_EQ(read_file(disk_, view(), "out/step=90.ckpt"), "archive");
  EXPECT_EQ(look("out/step=90.ckpt")->kind, agent::FileInfo::Kind::File);
  EXPECT_EQ(look("out/checkpoint-60")->kind, agent::FileInfo::Kind::Directory);
  EXPECT_EQ(look("data/day-1/part-0")->size, 4U);
  EXPECT_FALSE(look("out/checkpoint-60/model.safetensors"));
}

TEST_F(LibraryTree, what_is_moved_away_keeps_its_files_there) {
  EXPECT_TRUE(move_directory(disk_, view(9), "out/checkpoint-60", ".reprise/torn/out+checkpoint-60.2"));
  EXPECT_EQ(list_directory(disk_, "out"), Names{"step=90.ckpt"});
  EXPECT_TRUE(disk_.checkpoints[60].quarantined);
  EXPECT_EQ(look("out")->modified - runtime::WallTime{}, runtime::Duration(9)) << "something has gone from there";
  EXPECT_EQ(read_file(disk_, view(), ".reprise/torn/out+checkpoint-60.2/config.json"), "{}");
}

TEST_F(LibraryTree, a_checkpoint_without_one_of_its_files_is_torn) {
  EXPECT_EQ(remove_file(disk_, view(), "out/step=90.ckpt"), Notify::All);
  EXPECT_FALSE(disk_.newest_complete());
}

TEST_F(LibraryTree, data_that_is_deleted_or_moved_is_gone) {
  Disk moved = disk_;
  EXPECT_TRUE(move_directory(moved, view(), "data/day-1", ".reprise/torn/data+day-1.2"));
  EXPECT_TRUE(moved.beside.empty());
  EXPECT_EQ(remove_tree(disk_, view(), "data"), Notify::All);
  EXPECT_TRUE(disk_.beside.empty());
}

TEST_F(LibraryTree, a_power_loss_leaves_the_names_of_what_was_not_durable) {
  disk_.checkpoints[90].unsynced_on = "machine";
  EXPECT_FALSE(disk_.lose_power("machine", {}));
  EXPECT_EQ(look("out/step=90.ckpt")->size, 0U);
  EXPECT_FALSE(disk_.newest_complete());
}

TEST_F(LibraryTree, what_is_lost_because_a_trainer_had_deleted_the_one_before_is_told) {
  disk_.checkpoints[90].unsynced_on = "machine";
  disk_.rotated.insert(60);
  EXPECT_TRUE(disk_.lose_power("machine", {}));
}

TEST_F(DiskTree, a_machine_that_is_lost_while_its_disk_writes_leaves_names_without_bytes) {
  disk_.traits.names_stay = runtime::Duration{5'000};
  for (const std::int64_t step : {10, 20}) disk_.checkpoints[step].unsynced_on = "machine";
  disk_.checkpoints[20].time = runtime::Duration{8'000};
  disk_.lose_power("machine", runtime::Duration{10'000});
  EXPECT_TRUE(is_complete("step-10"));
  EXPECT_TRUE(disk_.checkpoints.at(10).hollow);
  EXPECT_FALSE(look_at(disk_, view(), "step-20")) << "its names were not there yet";
  EXPECT_FALSE(disk_.newest_complete());
  EXPECT_EQ(disk_.newest_durable(), -1);
}

TEST_F(DiskTree, a_write_that_fails_is_told_once_and_takes_the_bytes) {
  disk_.traits.failing_syncs = 1;
  EXPECT_FALSE(disk_.fail_sync("machine")) << "there is nothing to write";
  disk_.checkpoints[20].unsynced_on = "machine";
  EXPECT_TRUE(disk_.fail_sync("machine"));
  EXPECT_TRUE(disk_.checkpoints.at(20).hollow);
  disk_.checkpoints[10].unsynced_on = "machine";
  EXPECT_FALSE(disk_.fail_sync("machine"));
  EXPECT_EQ(disk_.newest_complete(), 10);
}

TEST_F(DiskTree, what_nothing_proves_is_put_aside_in_a_place_of_its_own) {
  const agent::ProvenList list{.job_uid = "job", .attempt = 1, .checkpoints = {{.name = "step-10"}}};
  write(".reprise/proven", agent::encode_proven(list));
  EXPECT_TRUE(disk_.checkpoints.at(10).listed);
  ASSERT_TRUE(move_directory(disk_, view(), "step-20", ".reprise/unproven/step-20.2"));
  EXPECT_TRUE(disk_.checkpoints.at(20).unproven);
  EXPECT_EQ(list_directory(disk_, ".reprise/unproven"), Names{"step-20.2"});
  EXPECT_TRUE(list_directory(disk_, ".reprise/quarantine").empty());
}

// One of two ranks, each with a directory of its own.
class RanksTree : public DiskTree {
 protected:
  RanksTree() {
    disk_.checkpoints.clear();
    disk_.checkpoints[60] = {.step = 60, .complete = true, .name = "rank0/step-60", .library = Library::RankFolders};
    disk_.checkpoints[60].files = {{"state.bin", {.text = "state"}}, {"_COMPLETE", {}}};
    disk_.checkpoints[60].of_other_ranks["rank1/step-60"] = {{"state.bin", {.text = "state"}}, {"_COMPLETE", {}}};
    for (const char* path : {"rank0/step-60", "rank1/step-60"}) disk_.touch_folders(path, {});
  }
};

TEST_F(RanksTree, a_checkpoint_lies_in_the_directories_of_all_ranks) {
  EXPECT_EQ(list_directory(disk_, ""), (Names{".reprise", "rank0", "rank1"}));
  EXPECT_EQ(list_directory(disk_, "rank1"), Names{"step-60"});
  EXPECT_EQ(read_file(disk_, view(), "rank1/step-60/state.bin"), "state");
  EXPECT_EQ(disk_.step_at("/checkpoints/rank1/step-60"), 60);
}

TEST_F(RanksTree, what_is_moved_of_one_rank_leaves_the_others_where_it_is) {
  EXPECT_TRUE(move_directory(disk_, view(), "rank0/step-60", ".reprise/torn/rank0+step-60.2"));
  EXPECT_TRUE(list_directory(disk_, "rank0").empty());
  EXPECT_EQ(list_directory(disk_, "rank1"), Names{"step-60"});
  EXPECT_FALSE(disk_.newest_complete());
}

TEST_F(RanksTree, a_checkpoint_is_gone_with_the_directory_of_its_last_rank) {
  EXPECT_EQ(remove_tree(disk_, view(), "rank1/step-60"), Notify::All);
  EXPECT_FALSE(disk_.newest_complete());
  EXPECT_TRUE(disk_.checkpoints.contains(60));
  EXPECT_EQ(remove_tree(disk_, view(), "rank0/step-60"), Notify::All);
  EXPECT_FALSE(disk_.checkpoints.contains(60));
}

TEST_F(DiskTree, a_former_job_has_left_attempts_of_which_the_last_is_unrecorded) {
  disk_.former = {.job_uid = "former", .attempts = 3, .ranks = 1};
  disk_.attempts[2].loads[0] = {};
  EXPECT_EQ(list_directory(disk_, ".reprise/attempts"), (Names{"1", "2", "3"}));
  const auto record = read_file(disk_, view(), ".reprise/attempts/2/0.json");
  ASSERT_TRUE(record);
  EXPECT_EQ(agent::decode_record(*record)->job_uid, "former");
  EXPECT_FALSE(read_file(disk_, view(), ".reprise/attempts/3/0.json"));
  remove_tree(disk_, view(), ".reprise/attempts/1");
  EXPECT_EQ(list_directory(disk_, ".reprise/attempts"), (Names{"2", "3"}));
}

}  // namespace
}  // namespace reprise::simulator
