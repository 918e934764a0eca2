// Volumes that fail: the trainer goes on, and the termination message says what happened.
// The full volume is a small tmpfs in a mount namespace of the test's own; as root, and as anybody else with a user
// namespace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "agent/testing/attempt_files.h"
#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::eventually;
using testing_support::put_checkpoint;
using testing_support::put_ended_attempt;
using testing_support::put_published;
using testing_support::put_text;
using testing_support::Scene;
using testing_support::text_in;

// Waits for a file, then exits 0.
std::vector<std::string> until(const Scene& scene, const std::string& file) {
  return {"sh", "-c", "echo up; while [ ! -e " + scene.path(file).string() + " ]; do sleep 0.01; done"};
}

void enter_private_mounts() {
  const bool root = ::geteuid() == 0;
  ASSERT_EQ(::unshare(CLONE_NEWNS | (root ? 0 : CLONE_NEWUSER)), 0) << std::strerror(errno);
  ASSERT_EQ(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0) << std::strerror(errno);
}

// Writes until nothing more fits.
void fill(const std::filesystem::path& file) {
  std::ofstream out(file, std::ios::binary);
  const std::string block(512, 'x');
  while (out.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
  }
}

class SmallVolume : public testing::Test {
 protected:
  void SetUp() override {
    enter_private_mounts();
    ASSERT_EQ(::mount("none", scene_.volume().c_str(), "tmpfs", 0, "size=256k"), 0) << std::strerror(errno);
  }
  void TearDown() override { ::umount2(scene_.volume().c_str(), MNT_DETACH); }
  Scene scene_;
};

TEST_F(SmallVolume, that_fills_up_costs_no_trainer_and_is_reported) {
  auto agent = scene_.run({}, until(scene_, "go"));
  ASSERT_TRUE(scene_.wait_for_text(1, "up"));
  const std::string before = text_in(scene_.layout().alive(1, 0));
  fill(scene_.volume() / "filler");
  const std::string full = text_in(scene_.layout().alive(1, 0));
  EXPECT_TRUE(eventually([&] { return text_in(scene_.layout().alive(1, 0)) != full; }));  // rewritten in place
  EXPECT_TRUE(agent.running());
  put_text(scene_.path("go"), "");
  EXPECT_EQ(agent.wait(), 0);
  const auto termination = scene_.termination(1);
  ASSERT_TRUE(termination);
  EXPECT_TRUE(termination->finished);
  ASSERT_TRUE(scene_.record(1)) << "the record has room of its own";
  EXPECT_TRUE(scene_.record(1)->finished);
  EXPECT_FALSE(std::filesystem::exists(scene_.layout().room(1, 0)));
}

TEST_F(SmallVolume, that_is_full_at_the_start_has_no_trainer_run_that_nobody_would_see) {
  fill(scene_.volume() / "filler");
  auto agent = scene_.run({}, {"sh", "-c", "echo ran"});
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_THAT(scene_.output(1), testing::Not(HasSubstr("ran\n")));
  EXPECT_EQ(scene_.termination(1)->reason, "VolumeFull");
  EXPECT_TRUE(scene_.termination(1)->full);
  EXPECT_THAT(scene_.termination(1)->message, HasSubstr("No space left on device"));
  EXPECT_THAT(scene_.termination(1)->message, HasSubstr("no heartbeat could be written"));
}

TEST_F(SmallVolume, that_was_filled_by_what_is_on_its_way_out_gives_that_room_to_a_heartbeat) {
  std::filesystem::create_directories(scene_.layout().trash() / "step-1");
  fill(scene_.layout().trash() / "step-1" / "state.bin");
  auto agent = scene_.run({}, {"sh", "-c", "echo ran"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene_.output(1), HasSubstr("ran\n"));
}

TEST_F(SmallVolume, that_is_full_has_the_room_of_ranks_that_were_killed) {
  put_checkpoint(scene_.volume(), "step-10", true);
  put_text(scene_.layout().room(1, 0), std::string(32'768, 'x'));
  fill(scene_.volume() / "filler");
  auto agent = scene_.run({.attempt = 2}, {"true"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(scene_.termination(2)->resumed_from, 10);
}

TEST_F(SmallVolume, that_takes_no_heartbeat_any_more_ends_the_trainer_before_the_next_attempt_may_start) {
  auto agent = scene_.run({.variables = {{"REPRISE_HEARTBEAT_SECONDS", "1"}}}, until(scene_, "go"));
  ASSERT_TRUE(scene_.wait_for_text(1, "up"));
  ASSERT_EQ(::mount("none", scene_.volume().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(2'500));
  const auto termination = scene_.termination(1);
  ASSERT_TRUE(termination);
  EXPECT_EQ(termination->reason, "VolumeUnavailable");
  EXPECT_FALSE(termination->finished);
  EXPECT_THAT(termination->message, HasSubstr("its heartbeat came onto the volume no more"));
  EXPECT_THAT(termination->message, HasSubstr("Read-only file system"));
}

TEST_F(SmallVolume, that_refuses_a_few_heartbeats_costs_no_trainer) {
  auto agent = scene_.run({.variables = {{"REPRISE_HEARTBEAT_SECONDS", "1"}}}, until(scene_, "go"));
  ASSERT_TRUE(scene_.wait_for_text(1, "up"));
  ASSERT_EQ(::mount("none", scene_.volume().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1'200));
  ASSERT_EQ(::mount("none", scene_.volume().c_str(), nullptr, MS_REMOUNT, "size=256k"), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1'500));
  EXPECT_TRUE(agent.running());
  put_text(scene_.path("go"), "");
  EXPECT_EQ(agent.wait(), 0);
}

TEST_F(SmallVolume, that_cannot_take_the_word_of_index_0_keeps_a_gang_from_running_apart) {
  fill(scene_.volume() / "filler");
  auto agent = scene_.run({.variables = {{"REPRISE_PARALLELISM", "2"}}}, {"sh", "-c", "echo ran"});
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_EQ(scene_.termination(1)->reason, "VolumeFull");
  EXPECT_TRUE(scene_.termination(1)->full);
}

TEST_F(SmallVolume, that_has_no_room_for_a_save_is_named_as_the_cause_of_the_failure) {
  put_checkpoint(scene_.volume(), "step-10", true);
  auto agent = scene_.run({}, {"sh", "-c",
                               "mkdir $REPRISE_CHECKPOINT_DIR/step-20; head -c 1M /dev/zero "
                               ">$REPRISE_CHECKPOINT_DIR/step-20/state.bin || exit 3"});
  EXPECT_EQ(agent.wait(), 3);
  const auto termination = scene_.termination(1);
  ASSERT_TRUE(termination && termination->full);
  EXPECT_LT(termination->full->free_bytes, 4096);
  EXPECT_THAT(termination->message, HasSubstr("no room for a save"));
}

TEST_F(SmallVolume, with_room_left_is_no_cause_of_a_failure) {
  put_checkpoint(scene_.volume(), "step-10", true);
  auto agent = scene_.run({}, {"sh", "-c", "mkdir $REPRISE_CHECKPOINT_DIR/step-20; exit 3"});
  EXPECT_EQ(agent.wait(), 3);
  EXPECT_FALSE(scene_.termination(1)->full);
}

TEST_F(SmallVolume, with_a_torn_checkpoint_for_want_of_room_resumes_from_the_one_before) {
  put_checkpoint(scene_.volume(), "step-10", true);
  put_text(scene_.layout().reserve(), std::string(65'536, 'x'));
  std::filesystem::create_directory(scene_.volume() / "step-20");
  fill(scene_.volume() / "step-20" / "state.bin");
  auto agent = scene_.run({}, {"true"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_EQ(scene_.termination(1)->resumed_from, 10);
}

TEST(lost_volume, that_goes_away_is_not_made_again) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_HEARTBEAT_SECONDS", "5"}}}, until(scene, "go"));
  ASSERT_TRUE(scene.wait_for_text(1, "up"));
  std::filesystem::rename(scene.volume(), scene.path("elsewhere"));
  put_text(scene.path("go"), "");
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_FALSE(std::filesystem::exists(scene.volume()));
  const auto termination = scene.termination(1);
  ASSERT_TRUE(termination);
  EXPECT_TRUE(termination->finished);
  EXPECT_THAT(termination->message, HasSubstr("No such file or directory"));
}

TEST(lost_volume, that_was_never_there_is_rejected_and_never_taken_for_empty) {
  const Scene scene;
  std::filesystem::remove(scene.volume());
  auto agent = scene.run({}, {"sh", "-c", "echo ran"});
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_THAT(scene.output(1), testing::Not(HasSubstr("ran\n")));
  EXPECT_EQ(scene.termination(1)->reason, "VolumeUnavailable");
  EXPECT_FALSE(std::filesystem::exists(scene.volume()));
}

TEST(crowded_volume, loses_its_former_attempts_while_the_trainer_runs_and_keeps_their_numbers) {
  const Scene scene;
  for (int attempt = 1; attempt <= 20; ++attempt) put_ended_attempt(scene.layout(), "job-1", attempt, 3);
  put_published(scene.layout(), "job-1", 20);
  auto agent = scene.run({.attempt = 21}, until(scene, "go"));
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(scene.layout().attempt(13)); }));
  put_text(scene.path("go"), "");
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.record(14));
  EXPECT_THAT(text_in(scene.layout().former()), HasSubstr(R"("through":13,"attempts":13,"members":39)"));
}

TEST(report, without_a_termination_log_is_on_the_volume_alone) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_TERMINATION_LOG", scene.path("none/log").string()}}}, {"true"});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.record(1));
  EXPECT_FALSE(std::filesystem::exists(scene.path("none")));
}

}  // namespace
}  // namespace reprise::agent
