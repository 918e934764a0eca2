// Never two attempts on one volume, with real processes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>
#include <thread>

#include "agent/core/fencing/fence.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/restore/resume_point.h"
#include "agent/testing/scene.h"
#include "agent/volume/file_descriptor.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing_support::after_a_suspension;
using testing_support::agent_binary;
using testing_support::eventually;
using testing_support::lives;
using testing_support::Process;
using testing_support::put_checkpoint;
using testing_support::put_text;
using testing_support::Scene;
using testing_support::status_of;
using testing_support::text_in;

// Somebody else's heartbeat, until it goes or is stopped.
class ForeignHeartbeat {
 public:
  ForeignHeartbeat(const Scene& scene, Identity who)
      : thread_([this, file = scene.layout().alive(who.attempt, who.index), who] {
          for (std::uint64_t counter = 1; !stop_; ++counter) {
            const auto next = file.parent_path() / "next";
            put_text(next, encode_heartbeat({.who = who, .counter = counter, .period = 100ms}));
            std::filesystem::rename(next, file);
            begun_ = true;
            std::this_thread::sleep_for(20ms);
          }
        }) {
    while (!begun_) std::this_thread::yield();
  }
  ~ForeignHeartbeat() { stop(); }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<bool> begun_ = false;
  std::thread thread_;
};

// The fence is a pipe until the agent has replaced it: reading it waits for this test.
class HeldFence {
 public:
  explicit HeldFence(std::filesystem::path file) : file_(std::move(file)) {
    std::filesystem::create_directories(file_.parent_path());
    EXPECT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  }
  // Waits for a reader; it reads what is written when this is closed.
  [[nodiscard]] FileDescriptor reader_comes() const {
    FileDescriptor end;
    EXPECT_TRUE(eventually([&] {
      end = FileDescriptor(::open(file_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
      return end.valid();
    }));
    return end;
  }
  void reader_goes() const {
    EXPECT_TRUE(
        eventually([&] { return !FileDescriptor(::open(file_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)).valid(); }));
  }

 private:
  std::filesystem::path file_;
};

TEST(fence, an_older_writer_that_goes_on_while_the_fence_is_raised_is_not_overlooked) {
  const Scene scene;
  const HeldFence fence(scene.layout().fence());
  const Identity older{.job_uid = "job-1", .pod_uid = "pod-1-0", .attempt = 1, .index = 0};
  std::filesystem::create_directories(scene.layout().alive(1, 0).parent_path());
  put_text(scene.layout().alive(1, 0), encode_heartbeat({.who = older, .counter = 1'000, .period = 100ms}));
  auto agent = scene.run({.attempt = 2, .variables = {{"REPRISE_HEARTBEAT_SECONDS", "0.4"}}}, {"sh", "-c", "echo ran"});
  const std::string first = encode_fence({.job_uid = "job-1", .attempt = 1});
  {
    const auto first_look = fence.reader_comes();
    ASSERT_GT(::write(first_look.get(), first.data(), first.size()), 0);
  }
  fence.reader_goes();
  std::optional<ForeignHeartbeat> heartbeat;
  {
    const auto before_it_is_raised = fence.reader_comes();
    heartbeat.emplace(scene, older);
    ASSERT_GT(::write(before_it_is_raised.get(), first.data(), first.size()), 0);
  }
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_THAT(scene.output(2), testing::Not(HasSubstr("ran")));
}

// The start had read the fence of attempt 1, and stood still until attempt 3 trained.
TEST(fence, a_start_that_raises_its_fence_over_a_newer_attempts_is_rejected) {
  const Scene scene;
  const HeldFence fence(scene.layout().fence());
  const std::string first = encode_fence({.job_uid = "job-1", .attempt = 1});
  put_text(scene.layout().resume_point(1), encode_resume_point({.job_uid = "job-1", .attempt = 1}));
  const Identity silent{.job_uid = "job-1", .pod_uid = "pod-1-0", .attempt = 1, .index = 0};
  put_text(scene.layout().alive(1, 0), encode_heartbeat({.who = silent, .counter = 7, .period = 100ms}));
  auto agent = scene.run({.attempt = 2, .variables = {{"REPRISE_HEARTBEAT_SECONDS", "0.4"}}}, {"sh", "-c", "echo ran"});
  {
    const auto look = fence.reader_comes();
    ASSERT_GT(::write(look.get(), first.data(), first.size()), 0);
  }
  fence.reader_goes();
  std::optional<ForeignHeartbeat> heartbeat;
  {
    const auto before_it_is_raised = fence.reader_comes();
    std::filesystem::create_directories(scene.layout().attempt(3));
    heartbeat.emplace(scene, Identity{.job_uid = "job-1", .pod_uid = "pod-3-0", .attempt = 3, .index = 0});
    ASSERT_GT(::write(before_it_is_raised.get(), first.data(), first.size()), 0);
  }
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_THAT(scene.output(2), testing::Not(HasSubstr("ran\n")));
}

// Attempt 2 has read the fence of attempt 1, and stood still until somebody else has raised another over it. A former
// job has left attempt 90, behind the fence of attempt 1 nobody asks for it: its heart moves in these tests alone.
class FenceRaisedMeanwhile : public testing::Test {
 protected:
  FenceRaisedMeanwhile() {
    put_text(scene_.layout().resume_point(1), encode_resume_point({.job_uid = "job-1", .attempt = 1}));
    std::filesystem::create_directories(scene_.layout().attempt(90));
    settled_.emplace(scene_, Identity{.job_uid = "former", .pod_uid = "settled", .attempt = 90, .index = 0});
  }
  std::optional<int> start_with(const Fence& meanwhile) const {
    const HeldFence fence(scene_.layout().fence());
    auto agent =
        scene_.run({.attempt = 2, .variables = {{"REPRISE_HEARTBEAT_SECONDS", "0.4"}}}, {"sh", "-c", "echo ran"});
    for (const Fence& each : {Fence{.job_uid = "job-1", .attempt = 1}, meanwhile}) {
      {
        const auto look = fence.reader_comes();
        const std::string text = encode_fence(each);
        EXPECT_GT(::write(look.get(), text.data(), text.size()), 0);
      }
      if (each != meanwhile) fence.reader_goes();
    }
    return agent.wait();
  }

  const Scene scene_;
  std::optional<ForeignHeartbeat> settled_;
};

TEST_F(FenceRaisedMeanwhile, by_a_newer_attempt_ends_the_start_before_it_looks_for_anybody) {
  EXPECT_EQ(start_with({.job_uid = "job-1", .attempt = 3}), 87);
  EXPECT_THAT(scene_.termination(2)->message, HasSubstr("attempt 3 of this job owns the volume"));
}

TEST_F(FenceRaisedMeanwhile, by_another_job_has_what_was_open_behind_it_looked_at_and_nobody_else) {
  EXPECT_EQ(start_with({.job_uid = "another", .attempt = 7, .open = {{{.first = 4, .last = 4}}}}), 0);
  EXPECT_THAT(scene_.output(2), HasSubstr("ran\n"));
  EXPECT_EQ(decode_fence(text_in(scene_.layout().fence())),
            (Fence{.job_uid = "job-1",
                   .attempt = 2,
                   .open = {{{.first = 1, .last = 2}, {.first = 4, .last = 4}, {.first = 7, .last = 7}}}}));
}

TEST_F(FenceRaisedMeanwhile, by_another_job_that_goes_on_is_waited_for) {
  std::filesystem::create_directories(scene_.layout().attempt(4));
  const ForeignHeartbeat open(scene_, {.job_uid = "another", .pod_uid = "pod-4", .attempt = 4, .index = 0});
  EXPECT_EQ(start_with({.job_uid = "another", .attempt = 7, .open = {{{.first = 4, .last = 4}}}}), 87);
  EXPECT_THAT(scene_.termination(2)->message, HasSubstr("pod-4 still writes"));
}

TEST(fence, a_rank_does_not_start_behind_the_fence_of_a_job_that_came_after_its_own) {
  const Scene scene;
  put_text(scene.layout().resume_point(1), encode_resume_point({.job_uid = "job-1", .attempt = 1}));
  put_text(scene.layout().fence(), encode_fence({.job_uid = "next job", .attempt = 9}));
  auto agent =
      scene.run({.attempt = 1, .index = 1, .variables = {{"REPRISE_PARALLELISM", "2"}}}, {"sh", "-c", "echo ran"});
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_THAT(scene.output(1, 1), testing::Not(HasSubstr("ran\n")));
}

TEST(fence, a_newer_attempt_ends_the_old_trainer_and_all_it_started) {
  const Scene scene;
  const std::string pids = scene.path("pids").string();
  auto old =
      scene.run({.attempt = 1},
                {"sh", "-c", "trap '' TERM; sleep 1000 & echo $! >> " + pids + "; echo $$ >> " + pids + "; wait"});
  ASSERT_TRUE(eventually([&] {
    const std::string text = text_in(pids);
    return std::count(text.begin(), text.end(), '\n') == 2;
  }));
  put_text(scene.layout().fence(), encode_fence({.job_uid = "job-1", .attempt = 2}));
  EXPECT_EQ(old.wait(), 87);
  std::istringstream lines(text_in(pids));
  for (pid_t pid = 0; lines >> pid;) EXPECT_FALSE(lives(pid));
  const auto record = scene.record(1);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->reason, "Fenced");
  EXPECT_THAT(record->message, HasSubstr("attempt 2"));
  EXPECT_EQ(scene.termination(1), record);
}

TEST(fence, a_start_behind_a_newer_fence_is_rejected) {
  const Scene scene;
  put_checkpoint(scene.volume(), "step-10", true);
  put_text(scene.layout().fence(), encode_fence({.job_uid = "job-1", .attempt = 5}));
  auto agent = scene.run({.attempt = 4}, {"sh", "-c", "echo ran"});
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_THAT(scene.output(4), testing::Not(HasSubstr("ran\n")));
  EXPECT_EQ(scene.record(4)->reason, "Fenced");
  EXPECT_FALSE(scene.record(4)->step) << "it may be another job's";
  EXPECT_EQ(decode_fence(text_in(scene.layout().fence()))->attempt, 5);
}

TEST(fence, a_start_behind_a_fence_that_cannot_be_read_is_rejected) {
  for (const char* text : {"", R"({"jobUid":"job-1","att)"}) {
    const Scene scene;
    put_text(scene.layout().fence(), text);
    auto agent = scene.run({.attempt = 4}, {"sh", "-c", "echo ran"});
    EXPECT_EQ(agent.wait(), 87);
    EXPECT_THAT(scene.output(4), testing::Not(HasSubstr("ran\n")));
    EXPECT_EQ(scene.termination(4)->reason, "VolumeUnavailable");
    EXPECT_THAT(scene.termination(4)->message, HasSubstr("fence.json cannot be read"));
    EXPECT_EQ(text_in(scene.layout().fence()), text) << "whoever writes it comes to its end";
  }
}

TEST(fence, a_fence_that_cannot_be_read_is_waited_for) {
  const Scene scene;
  put_text(scene.layout().fence(), R"({"jobUid":"job-1","att)");
  auto agent = scene.run({.attempt = 4, .variables = {{"REPRISE_HEARTBEAT_SECONDS", "1"}}}, {"sh", "-c", "echo ran"});
  std::this_thread::sleep_for(300ms);
  put_text(scene.layout().fence(), encode_fence({.job_uid = "job-1", .attempt = 5}));
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_EQ(scene.termination(4)->reason, "Fenced");
}

// As on a share by SMB without a cache.
TEST(fence, a_fence_that_is_not_there_for_a_moment_is_looked_for_again_where_attempts_were) {
  const Scene scene;
  put_text(scene.layout().resume_point(5), encode_resume_point({.job_uid = "job-1", .attempt = 5}));
  auto agent = scene.run({.attempt = 4}, {"sh", "-c", "echo ran"});
  std::this_thread::sleep_for(150ms);
  const auto beside = scene.path("beside");
  put_text(beside, encode_fence({.job_uid = "job-1", .attempt = 5}));
  std::filesystem::rename(beside, scene.layout().fence());
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_THAT(scene.output(4), testing::Not(HasSubstr("ran\n")));
}

TEST(fence, an_older_writer_that_still_moves_is_named_and_the_start_rejected) {
  const Scene scene;
  for (const char* job : {"job-1", "former-job"}) {
    ForeignHeartbeat heartbeat(scene, {.job_uid = job, .pod_uid = "old pod", .attempt = 1, .index = 0});
    auto agent = scene.run({.attempt = 2}, {"sh", "-c", "echo ran"});
    EXPECT_EQ(agent.wait(), 87);
    EXPECT_THAT(scene.output(2), testing::Not(HasSubstr("ran\n")));
    EXPECT_THAT(scene.termination(2)->message, HasSubstr("old pod still writes"));
    EXPECT_FALSE(std::filesystem::exists(scene.layout().fence()));
  }
}

TEST(fence, an_older_writer_that_falls_silent_is_waited_for) {
  const Scene scene;
  ForeignHeartbeat heartbeat(scene, {.job_uid = "job-1", .pod_uid = "old pod", .attempt = 1, .index = 0});
  auto agent = scene.run({.attempt = 2, .variables = {{"REPRISE_HEARTBEAT_SECONDS", "0.5"}}}, {"sh", "-c", "echo ran"});
  std::this_thread::sleep_for(200ms);
  heartbeat.stop();
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(2), HasSubstr("ran\n"));
  EXPECT_EQ(decode_fence(text_in(scene.layout().fence()))->attempt, 2);
}

// A hibernated instance, a laptop: one of the kernel's clocks has stood still meanwhile.
TEST(fence, an_older_writer_that_is_silent_is_waited_for_no_longer_on_a_machine_that_was_suspended) {
  const Scene scene;
  put_text(scene.layout().alive(1, 0),
           encode_heartbeat(
               {.who = {.job_uid = "job-1", .pod_uid = "old pod", .attempt = 1}, .counter = 7, .period = 100ms}));
  Process agent({.words = after_a_suspension({agent_binary(), "run", "--", "sh", "-c", "echo ran"}),
                 .variables = scene.variables({.attempt = 2}),
                 .output = scene.path("output-2-0"),
                 .input = {},
                 .directory = {}});
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.output(2), HasSubstr("ran\n"));
}

TEST(fence, another_pod_in_the_same_place_is_rejected_and_its_files_are_left_alone) {
  const Scene scene;
  ForeignHeartbeat heartbeat(scene, {.job_uid = "job-1", .pod_uid = "twin", .attempt = 1, .index = 0});
  auto agent = scene.run({.attempt = 1}, {"sh", "-c", "echo ran"});
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_FALSE(scene.record(1));
  const auto termination = scene.termination(1);
  ASSERT_TRUE(termination);
  EXPECT_EQ(termination->reason, "Fenced");
  EXPECT_THAT(termination->message, HasSubstr("twin"));
  EXPECT_THAT(termination->message, HasSubstr("belong to another pod"));
}

TEST(fence, of_two_real_attempts_only_the_newer_writes) {
  const Scene scene;
  auto old = scene.run({.attempt = 1}, scene.trainer(100'000, 10, 2));
  ASSERT_TRUE(scene.wait_for_checkpoint());
  old.send(SIGSTOP);  // a frozen machine; its trainer goes on
  auto next =
      scene.run({.attempt = 2}, {"sh", "-c", "while [ ! -e " + scene.path("go").string() + " ]; do sleep 0.02; done"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(scene.layout().resume_point(2)); }));
  old.send(SIGCONT);
  EXPECT_EQ(old.wait(), 87);
  put_text(scene.path("go"), "");
  EXPECT_EQ(next.wait(), 0);
}

// Between two heartbeats, as it is after a machine that stood still has gone on.
TEST(fence, a_trainer_is_not_started_behind_a_fence_that_came_while_its_agent_waited_for_index_0) {
  const Scene scene;
  auto agent = scene.run(
      {.attempt = 1, .index = 1, .variables = {{"REPRISE_PARALLELISM", "2"}, {"REPRISE_HEARTBEAT_SECONDS", "30"}}},
      {"sh", "-c", "echo ran"});
  ASSERT_TRUE(eventually([&] {  // the heartbeat at the start, and the first of the thread
    const auto heartbeat = decode_heartbeat(text_in(scene.layout().alive(1, 1)));
    return heartbeat && heartbeat->counter == 2;
  }));
  put_text(scene.layout().fence(), encode_fence({.job_uid = "job-1", .attempt = 2}));
  put_text(scene.layout().resume_point(1), encode_resume_point({.job_uid = "job-1", .attempt = 1}));
  EXPECT_EQ(agent.wait(), 87);
  EXPECT_THAT(scene.output(1, 1), testing::Not(HasSubstr("ran\n")));
}

TEST(fence, a_rejected_start_can_be_stopped_while_it_waits) {
  const Scene scene;
  ForeignHeartbeat heartbeat(scene, {.job_uid = "job-1", .pod_uid = "old pod", .attempt = 1, .index = 0});
  auto agent = scene.run({.attempt = 2, .variables = {{"REPRISE_HEARTBEAT_SECONDS", "30"}}}, {"true"});
  ASSERT_TRUE(eventually([&] { return status_of(agent.pid(), "SigBlk").find_first_not_of('0') != std::string::npos; }));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_TRUE(scene.termination(2)->stop_requested);
}

}  // namespace
}  // namespace reprise::agent
