// The promise itself: however a training is interrupted, its result has the same bits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "agent/testing/scene.h"
#include "runtime/base/random.h"

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing_support::eventually;
using testing_support::lives;
using testing_support::Process;
using testing_support::Scene;
using testing_support::text_in;

constexpr int kSteps = 120;

std::string uninterrupted() {
  const Scene scene;
  auto agent = scene.run({}, scene.trainer(kSteps, 10, 0));
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.record(1) && scene.record(1)->finished);
  return scene.weights();
}

class Interrupted : public testing::TestWithParam<int> {};

// Odd seeds lose power (SIGKILL, no warning), even ones get a notice; both at a random moment.
TEST_P(Interrupted, training_ends_with_the_same_bits) {
  const int seed = GetParam();
  runtime::SeededRandom random(static_cast<std::uint64_t>(seed));
  const Scene scene;
  const int interruptions = 1 + seed / 2;
  int attempt = 1;
  for (; attempt <= interruptions; ++attempt) {
    auto agent = scene.run({.attempt = attempt, .variables = {{"REPRISE_NOTICE_SIGNAL", "SIGUSR1"}}},
                           scene.trainer(kSteps, 10, 10));
    ASSERT_TRUE(eventually([&] { return !scene.output(attempt).empty() || !agent.running(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(static_cast<int>(random.uniform() * 500)));
    agent.send(seed % 2 == 0 ? SIGTERM : SIGKILL);
    const auto code = agent.wait();
    ASSERT_TRUE(code);
    if (*code == 0) break;  // the trainer was done before the interruption
    EXPECT_EQ(*code, seed % 2 == 0 ? 143 : 137);
  }
  auto last = scene.run({.attempt = attempt + 1}, scene.trainer(kSteps, 10, 0));
  EXPECT_EQ(last.wait(), 0);
  EXPECT_EQ(scene.weights(), uninterrupted());
}

INSTANTIATE_TEST_SUITE_P(seed, Interrupted, testing::Range(1, 9));

TEST(training, after_a_notice_no_step_is_lost) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_NOTICE_SIGNAL", "SIGUSR1"}}}, scene.trainer(100'000, 0, 5));
  ASSERT_TRUE(scene.wait_for_text(1, "started from scratch"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  const auto record = scene.record(1);
  ASSERT_TRUE(record && record->step);
  EXPECT_TRUE(record->stop_requested);
  EXPECT_TRUE(record->saved);
  EXPECT_TRUE(record->durable);
  EXPECT_FALSE(record->finished);
  EXPECT_GT(*record->step, 0);
  EXPECT_EQ(record->path, "step-" + std::to_string(*record->step));
  EXPECT_GT(record->size_bytes.value_or(0), 0);
  EXPECT_TRUE(record->checkpoint_time);
  EXPECT_EQ(scene.termination(1), record);
  auto next = scene.run({.attempt = 2}, scene.trainer(static_cast<int>(*record->step) + 1, 0, 0));
  EXPECT_EQ(next.wait(), 0);
  EXPECT_THAT(scene.output(2), HasSubstr("resumed from step " + std::to_string(*record->step)));
  EXPECT_EQ(scene.record(2)->resumed_from, record->step);
}

TEST(training, power_loss_takes_the_trainer_with_the_agent_and_the_next_attempt_resumes) {
  const Scene scene;
  auto agent = scene.run({}, {"sh", "-c", "echo $$ > " + scene.path("pid").string() + "; exec \"$@\"", "sh",
                              REPRISE_TRAINER_BINARY, "--data", REPRISE_TRAINER_DATA, "--dir", scene.volume().string(),
                              "--steps", "100000", "--save-every", "5", "--step-milliseconds", "2"});
  ASSERT_TRUE(scene.wait_for_checkpoint());
  const pid_t trainer = std::stoi(text_in(scene.path("pid")));
  agent.send(SIGKILL);
  EXPECT_EQ(agent.wait(), 137);
  EXPECT_TRUE(eventually([&] { return !lives(trainer); }));
  EXPECT_FALSE(scene.record(1));
  auto next = scene.run({.attempt = 2}, {"sh", "-c", "exit 0"});
  EXPECT_EQ(next.wait(), 0);
  EXPECT_TRUE(scene.record(2)->resumed_from);
}

TEST(training, the_volume_is_pruned_to_what_is_to_be_kept) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_CHECKPOINT_KEEP", "3"}}}, scene.trainer(50, 5, 1));
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_THAT(scene.checkpoints(), testing::UnorderedElementsAre("step-40", "step-45", "step-50"));
}

TEST(training, the_shipped_data_is_what_its_generator_makes) {
  const Scene scene;
  Process generator({.words = {REPRISE_TRAINER_DATA_BINARY, "256", "7"},
                     .variables = {},
                     .output = scene.path("csv"),
                     .input = {},
                     .directory = {}});
  EXPECT_EQ(generator.wait(), 0);
  EXPECT_EQ(text_in(scene.path("csv")), text_in(REPRISE_TRAINER_DATA));
}

}  // namespace
}  // namespace reprise::agent
