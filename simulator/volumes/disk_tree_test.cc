#include "simulator/volumes/disk_tree.h"

#include <gtest/gtest.h>

#include "agent/core/fence.h"
#include "agent/core/heartbeat.h"
#include "agent/core/record.h"
#include "agent/core/resume_point.h"

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
