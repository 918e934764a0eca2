// A gang whose pods are told to stop at different moments saves at one step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>

#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::Process;
using testing_support::put_text;
using testing_support::Scene;
using testing_support::Variables;

constexpr const char* kScripts = REPRISE_TEST_SCRIPTS;

Process rank(const Scene& scene, int index, int ranks, Variables variables = {}, const std::string& end = "0") {
  const std::string scripts = kScripts;
  variables["PYTHONPATH"] = scripts + "/../../../python/src";
  variables["PYTHONDONTWRITEBYTECODE"] = "1";
  variables["REPRISE_PARALLELISM"] = std::to_string(ranks);
  return scene.run({.index = index, .variables = std::move(variables)},
                   {"python3", scripts + "/steps_trainer.py", scene.volume().string(), scene.path("meeting").string(),
                    std::to_string(index), std::to_string(ranks), "0.005", end});
}

class ToldApart : public testing::TestWithParam<int> {};

TEST_P(ToldApart, save_at_one_step) {
  const Scene scene;
  auto first = rank(scene, 0, 2);
  auto second = rank(scene, 1, 2);
  for (const int index : {0, 1})
    ASSERT_TRUE(
        testing_support::eventually([&] { return scene.output(1, index).find("started") != std::string::npos; }));
  ASSERT_TRUE(testing_support::eventually([&] { return std::filesystem::exists(scene.path("meeting") / "1"); }));
  (GetParam() >= 0 ? first : second).send(SIGTERM);
  std::this_thread::sleep_for(std::chrono::milliseconds(std::abs(GetParam())));
  (GetParam() >= 0 ? second : first).send(SIGTERM);
  EXPECT_EQ(first.wait(), 143);
  EXPECT_EQ(second.wait(), 143);
  EXPECT_EQ(scene.checkpoints().size(), 1);
  EXPECT_TRUE(scene.record(1, 0)->saved);
  EXPECT_TRUE(scene.record(1, 1)->saved);
}

INSTANTIATE_TEST_SUITE_P(by_milliseconds, ToldApart, testing::Values(0, 150, -150, 1'000));

TEST(save_step, a_trainer_alone_saves_behind_its_next_step_without_a_notice_file_of_the_users) {
  const Scene scene;
  auto agent = rank(scene, 0, 1);
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_TRUE(scene.record(1)->saved);
}

TEST(save_step, a_trainer_that_has_saved_may_end_by_itself_before_a_signal_comes) {
  const Scene scene;
  auto agent = rank(scene, 0, 1, {}, "1.5");
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_THAT(scene.output(1), HasSubstr("ends\n"));
}

TEST(save_step, a_request_is_met_and_the_training_goes_on) {
  const Scene scene;
  const auto annotations = scene.path("annotations");
  put_text(annotations, "reprise.dev/checkpoint-request=\"1\"\n");
  auto agent = rank(scene, 0, 1, {{"REPRISE_ANNOTATIONS_FILE", annotations.string()}});
  ASSERT_TRUE(testing_support::eventually([&] { return std::filesystem::exists(scene.path("meeting") / "0"); }));
  put_text(annotations, "reprise.dev/checkpoint-request=\"2\"\n");
  EXPECT_TRUE(scene.wait_for_checkpoint());
  EXPECT_TRUE(agent.running());
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_EQ(scene.checkpoints().size(), 2);
}

// One process of a pod is in the save of that step already, and the other one has yet to ask.
TEST(save_step, a_stop_behind_a_request_that_is_not_met_keeps_its_step) {
  const Scene scene;
  const auto annotations = scene.path("annotations");
  put_text(annotations, "reprise.dev/checkpoint-request=\"1\"\n");
  const std::string scripts = kScripts;
  const std::string trainer =
      "python3 " + scripts + "/steps_trainer.py " + scene.volume().string() + " " + scene.path("meeting").string();
  auto agent = scene.run({.variables = {{"PYTHONPATH", scripts + "/../../../python/src"},
                                        {"PYTHONDONTWRITEBYTECODE", "1"},
                                        {"REPRISE_ANNOTATIONS_FILE", annotations.string()},
                                        {"WORLD_SIZE", "2"},
                                        {"LOCAL_WORLD_SIZE", "2"}}},
                         {"sh", "-c", trainer + " 0 2 0.005 0 & " + trainer + " 1 2 0.005 0 0.4 & wait"});
  ASSERT_TRUE(testing_support::eventually([&] { return std::filesystem::exists(scene.path("meeting") / "1"); }));
  put_text(annotations, "reprise.dev/checkpoint-request=\"2\"\n");
  ASSERT_TRUE(scene.wait_for_text(1, "saves "));
  agent.send(SIGTERM);
  EXPECT_TRUE(agent.wait());
  EXPECT_EQ(scene.checkpoints().size(), 1);
  EXPECT_TRUE(scene.record(1)->saved);
}

TEST(save_step, a_rank_whose_peer_is_gone_is_not_waited_for) {
  const Scene scene;
  auto first = rank(scene, 0, 2, {{"REPRISE_CHECKPOINT_GRACE_SECONDS", "4"}});
  auto second = rank(scene, 1, 2);
  ASSERT_TRUE(testing_support::eventually([&] { return std::filesystem::exists(scene.path("meeting") / "1"); }));
  second.send(SIGKILL);
  first.send(SIGTERM);
  EXPECT_NE(first.wait(), 0);
  EXPECT_THAT(scene.output(1, 0), HasSubstr("have not agreed on a step"));
}

}  // namespace
}  // namespace reprise::agent
