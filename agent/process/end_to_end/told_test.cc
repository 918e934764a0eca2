// The processes that are told to stop where launchers, loops and shells stand above a trainer that has computed
// for a while, and those that are asked for a checkpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <list>
#include <thread>

#include "agent/process/trainer/process_tree.h"
#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::eventually;
using testing_support::put_text;
using testing_support::Scene;

using Words = std::vector<std::string>;

std::string script(const std::string& name) {
  return std::string(REPRISE_TEST_SCRIPTS) + "/" + name;
}

Words trainer(const Scene& scene, const Words& around, const Words& more) {
  Words words = around;
  for (const std::string& word : {std::string("python3"), script("loader_trainer.py"), scene.volume().string()})
    words.push_back(word);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

struct Shape {
  const char* name;
  Words around, more;
};

// Longer than the agent needs to see who computes.
const Words kWarm{"--burn", "7"};
const Words kRanks{"--burn", "7", "--ranks", "2"};

struct Running {
  const Shape& shape;
  Scene scene{};
  std::optional<testing_support::Process> agent{};

  [[nodiscard]] std::vector<std::filesystem::path> places() const {
    if (shape.more.size() <= kWarm.size()) return {scene.volume()};
    return {scene.volume() / "rank0", scene.volume() / "rank1"};
  }
  [[nodiscard]] bool all_have(const std::string& name) const {
    for (const auto& place : places())
      if (!std::filesystem::exists(place / name)) return false;
    return true;
  }
};

TEST(told_ranks, save_to_the_end_whatever_stands_above_them) {
  const std::vector<Shape> shapes{
      {"timeout", {"timeout", "7d"}, kWarm},
      {"a_launcher_that_signals_the_group", {"python3", script("launcher.py"), "group"}, kWarm},
      {"a_launcher_that_handles_nothing",
       {"bash", "-c", "\"$@\"; exit $?", "bash", "python3", script("launcher.py"), "plain"},
       kWarm},
      {"spawn", {}, kRanks},
      {"spawn_below_a_parent_that_handles_the_signal", {}, {"--burn", "7", "--ranks", "2", "--parent-handles"}}};
  std::list<Running> running;
  for (const Shape& shape : shapes) {
    Running& each = running.emplace_back(shape);
    each.agent.emplace(each.scene.run({}, trainer(each.scene, shape.around, shape.more)));
  }
  for (Running& each : running) {
    SCOPED_TRACE(each.shape.name);
    ASSERT_TRUE(eventually([&] { return each.all_have("warm"); })) << each.scene.output(1);
    each.agent->send(SIGTERM);
  }
  for (Running& each : running) {
    SCOPED_TRACE(each.shape.name);
    EXPECT_TRUE(each.agent->wait());
    EXPECT_TRUE(each.all_have("step-1/_COMPLETE")) << each.scene.output(1);
    EXPECT_THAT(each.scene.output(1), HasSubstr("SIGTERM goes to"));
    EXPECT_TRUE(each.scene.record(1)->stop_requested);
  }
}

class Loops : public testing::TestWithParam<Shape> {};

TEST_P(Loops, that_start_the_trainer_again_begin_no_second_life_after_the_save) {
  const Scene scene;
  auto agent = scene.run({}, trainer(scene, GetParam().around, {"--saves-again"}));
  ASSERT_TRUE(scene.wait_for_text(1, "training"));
  agent.send(SIGTERM);
  EXPECT_TRUE(agent.wait()) << scene.output(1);
  EXPECT_TRUE(std::filesystem::exists(scene.volume() / "step-1" / "_COMPLETE")) << scene.output(1);
  EXPECT_FALSE(std::filesystem::exists(scene.volume() / "step-0")) << scene.output(1);
  EXPECT_TRUE(scene.record(1)->saved);
}

INSTANTIATE_TEST_SUITE_P(
    table, Loops,
    testing::Values(
        Shape{"until", {"sh", "-c", "until \"$@\"; do :; done", "sh"}, {}},
        Shape{"while_with_a_trap", {"bash", "-c", "trap '' TERM; while :; do \"$@\"; done", "bash"}, {}},
        Shape{"with_a_pause", {"sh", "-c", "until \"$@\"; do sleep 0.3; done", "sh"}, {}},
        Shape{"of_python", {"python3", "-c", "import subprocess, sys\nwhile subprocess.call(sys.argv[1:]): pass"}, {}},
        Shape{"above_timeout", {"sh", "-c", "until timeout 7d \"$@\"; do :; done", "sh"}, {}}),
    [](const auto& each) { return each.param.name; });

TEST(processes, that_end_while_they_are_read_do_no_harm) {
  std::jthread ends([](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const pid_t child = ::fork();
      if (child == 0) ::_exit(0);
      ::waitpid(child, nullptr, 0);
    }
  });
  for (int look = 0; look < 300; ++look) static_cast<void>(processes_below(::getpid()));
}

// bash installs handlers for every signal that would end it, to run the trap first.
TEST(asked_ranks, are_found_below_a_shell_that_cleans_up_at_its_end_and_the_run_goes_on) {
  for (const bool by_its_first_line : {false, true}) {
    const Scene scene;
    const auto annotations = scene.path("annotations");
    put_text(annotations, "a=\"b\"\n");
    const auto file = scene.path("train.sh");
    put_text(file, "#!/bin/bash\ntrap 'echo bye' EXIT\n\"$@\"\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    Words around{file.string()};
    if (!by_its_first_line) around = {"bash", file.string()};
    around.insert(around.end(), {"python3", "-c",
                                 "import signal, time\n"
                                 "signal.signal(signal.SIGUSR1, lambda *_: print('asked', flush=True))\n"
                                 "print('training', flush=True)\n"
                                 "while True: time.sleep(0.01)"});
    auto agent = scene.run({.variables = {{"REPRISE_ANNOTATIONS_FILE", annotations.string()},
                                          {"REPRISE_NOTICE_SIGNAL", "SIGUSR1"},
                                          {"REPRISE_CHECKPOINT_GRACE_SECONDS", "2"}}},
                           around);
    ASSERT_TRUE(scene.wait_for_text(1, "training"));
    put_text(annotations, "reprise.dev/checkpoint-request=\"1\"\n");
    EXPECT_TRUE(scene.wait_for_text(1, "asked")) << scene.output(1);
    EXPECT_TRUE(agent.running());
    EXPECT_THAT(scene.output(1), Not(HasSubstr("bye")));
    agent.send(SIGTERM);
    EXPECT_TRUE(agent.wait());
  }
}

}  // namespace
}  // namespace reprise::agent
