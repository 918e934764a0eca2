// Stopping what people really run: data loaders, pipelines, shells, launchers, images with a stop signal of their own.
// Everywhere the trainer must be able to save to the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "agent/process/trainer/process_tree.h"
#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::agent_binary;
using testing_support::as_pid_1;
using testing_support::eventually;
using testing_support::put_text;
using testing_support::Scene;
using testing_support::text_in;

using Words = std::vector<std::string>;

Words joined(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::string script(const std::string& name) {
  return std::string(REPRISE_TEST_SCRIPTS) + "/" + name;
}

Words trainer(const Scene& scene, const Words& more = {}) {
  return joined({"python3", script("loader_trainer.py"), scene.volume().string()}, more);
}

struct Script {
  const char* name;
  Words around;  // words of the command that starts the trainer
  int want_code = 143;
};

class Scripts : public testing::TestWithParam<Script> {};

TEST_P(Scripts, save_to_the_end_when_a_stop_is_requested) {
  const Scene scene;
  auto agent = scene.run({}, joined(GetParam().around, trainer(scene)));
  ASSERT_TRUE(scene.wait_for_text(1, "training"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), GetParam().want_code);
  const auto record = scene.record(1);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->stop_requested);
  EXPECT_TRUE(record->saved) << scene.output(1);
  EXPECT_TRUE(record->durable);
  EXPECT_THAT(scene.output(1), HasSubstr("\nsaved\n"));
}

INSTANTIATE_TEST_SUITE_P(
    table, Scripts,
    testing::Values(Script{"with_workers", {}}, Script{"behind_a_shell_that_execs", {"sh", "-c", "exec \"$@\"", "sh"}},
                    Script{"behind_a_shell_that_waits", {"sh", "-c", "\"$@\"; exit $?", "sh"}},
                    Script{"in_a_pipeline", {"bash", "-o", "pipefail", "-c", "\"$@\" | tee /dev/null", "bash"}},
                    Script{"behind_a_shell_that_cleans_up", {"bash", "-c", "trap 'echo bye' EXIT; \"$@\"", "bash"}},
                    Script{"behind_a_shell_whose_trap_waits",
                           {"bash", "-c", "trap 'echo signalled' TERM; \"$@\"; exit $?", "bash"}},
                    Script{"behind_a_shell_that_forwards",
                           {"bash", "-c", "\"$@\" & pid=$!; trap 'kill -TERM $pid' TERM; wait $pid; exit $?", "bash"}},
                    Script{"behind_a_shell_that_starts_it_again", {"sh", "-c", "while :; do \"$@\"; done", "sh"}},
                    Script{"behind_a_launcher_that_forwards", {"python3", script("launcher.py"), "forward"}},
                    Script{"behind_a_launcher_that_forwards_into_a_session",
                           {"python3", script("launcher.py"), "session"}},
                    Script{"behind_a_launcher_in_a_shell",
                           {"bash", "-c", "\"$@\" | tee /dev/null; exit ${PIPESTATUS[0]}", "bash", "python3",
                            script("launcher.py"), "forward"}},
                    Script{"behind_a_launcher_that_handles_nothing", {"python3", script("launcher.py"), "plain"}}),
    [](const auto& each) { return each.param.name; });

TEST(scripts, a_trainer_that_handles_nothing_ends_of_the_signal_and_not_of_its_workers_ends) {
  const Scene scene;
  auto agent = scene.run({}, trainer(scene, {"--signal", "none", "--workers-handle"}));
  ASSERT_TRUE(scene.wait_for_text(1, "training"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_FALSE(scene.record(1)->saved);
}

TEST(scripts, what_a_trainer_leaves_behind_ends_with_it_and_not_with_the_grace) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_CHECKPOINT_GRACE_SECONDS", "1000"}}},
                         {"sh", "-c", "sleep 1000 & trap 'exit 0' TERM; echo up; while :; do sleep 0.01; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "up"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
}

// The image's STOPSIGNAL, or lifecycle.stopSignal: sent by the container runtime, from outside the PID namespace.
struct StopSignal {
  const char* name;
  int sent;
  const char* handled;
  int want_code;
};

class StopSignals : public testing::TestWithParam<StopSignal> {};

TEST_P(StopSignals, are_requests_to_stop_and_the_trainer_gets_the_one_it_handles) {
  const Scene scene;
  put_text(scene.termination_log(1, 0), "");
  testing_support::Process container(
      {.words = as_pid_1(joined({agent_binary(), "run", "--"}, trainer(scene, {"--signal", GetParam().handled}))),
       .variables = scene.variables({}),
       .output = scene.path("output-1-0"),
       .input = {},
       .directory = {}});
  ASSERT_TRUE(scene.wait_for_text(1, "training"));
  const auto first = children_of(container.pid(), processes_below(container.pid()));
  ASSERT_EQ(first.size(), 1U);
  ::kill(first[0], GetParam().sent);
  EXPECT_EQ(container.wait(), GetParam().want_code);
  const auto record = scene.record(1);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->stop_requested);
  EXPECT_TRUE(record->saved) << scene.output(1);
}

INSTANTIATE_TEST_SUITE_P(table, StopSignals,
                         testing::Values(StopSignal{"interrupt", SIGINT, "SIGINT", 143},
                                         StopSignal{"quit", SIGQUIT, "SIGQUIT", 143},
                                         StopSignal{"user_1", SIGUSR1, "SIGUSR1", 143},
                                         StopSignal{"quit_of_a_trainer_that_saves_on_sigterm", SIGQUIT, "SIGTERM", 143},
                                         StopSignal{"systemds", SIGRTMIN + 3, "SIGTERM", 143}),
                         [](const auto& each) { return each.param.name; });

TEST(stop_signal, before_the_trainer_runs_ends_the_agent_as_sigterm_does) {
  const Scene scene;
  put_text(scene.termination_log(1, 1), "");
  auto variables = scene.variables({.index = 1});
  variables["REPRISE_PARALLELISM"] = "2";  // waits for index 0
  testing_support::Process container({.words = as_pid_1({agent_binary(), "run", "--", "true"}),
                                      .variables = variables,
                                      .output = scene.path("output-1-1"),
                                      .input = {},
                                      .directory = {}});
  ASSERT_TRUE(eventually([&] { return !text_in(scene.layout().alive(1, 1)).empty(); }));
  const auto first = children_of(container.pid(), processes_below(container.pid()));
  ASSERT_EQ(first.size(), 1U);
  ::kill(first[0], SIGINT);
  EXPECT_EQ(container.wait(), 143);
  EXPECT_TRUE(scene.record(1, 1)->stop_requested);
}

}  // namespace
}  // namespace reprise::agent
