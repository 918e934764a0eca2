// Stops and requests: who gets which, what the record says afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::eventually;
using testing_support::put_text;
using testing_support::Scene;
using testing_support::text_in;
using testing_support::Variables;

const Variables kBySignal{{"REPRISE_NOTICE_SIGNAL", "SIGUSR1"}};

TEST(stop, a_trainer_that_stands_still_goes_on_to_save) {
  const Scene scene;
  auto agent = scene.run(
      {}, {"sh", "-c", "trap 'echo saved; exit 0' TERM; echo started; kill -STOP $$; while :; do sleep 0.02; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.wait_for_text(1, "saved"));
  EXPECT_TRUE(scene.record(1)->stop_requested);
}

TEST(stop, a_trainer_that_comes_to_stand_still_while_it_saves_goes_on) {
  const Scene scene;
  auto agent = scene.run(
      {}, {"sh", "-c", "trap 'kill -STOP $$; echo saved; exit 0' TERM; echo started; while :; do sleep 0.02; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.wait_for_text(1, "saved"));
}

// Room for memory and for no stack of one more thread, as where the container has used up its processes.
void take_threads_from(pid_t pid) {
  rlimit stack{};
  ASSERT_EQ(::getrlimit(RLIMIT_STACK, &stack), 0);
  constexpr rlim_t kMemory = rlim_t{4} << 20U;
  ASSERT_GT(stack.rlim_cur, kMemory) << "a stack of this size finds room in the memory that is left";
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t limit = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kMemory;
  const rlimit bounds{.rlim_cur = limit, .rlim_max = limit};
  ASSERT_EQ(::prlimit(pid, RLIMIT_AS, &bounds, nullptr), 0);
}

TEST(stop, a_trainer_saves_although_its_agent_may_have_no_more_threads) {
  const Scene scene;
  auto agent = scene.run({}, {"sh", "-c",
                              "trap 'sleep 0.5; echo saved; exit 0' TERM; mkdir $REPRISE_CHECKPOINT_DIR/step-1; "
                              ": > $REPRISE_CHECKPOINT_DIR/step-1/_COMPLETE; while :; do sleep 0.02; done"});
  // The worker that sees it is the last one to be started.
  ASSERT_TRUE(eventually([&] { return !text_in(scene.volume() / ".reprise/made/1.json").empty(); }));
  take_threads_from(agent.pid());
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.wait_for_text(1, "saved"));
}

// A pipe that nobody reads, in the place where the notice is prepared: as a volume that does not answer.
TEST(stop, a_notice_file_that_cannot_be_written_in_time_keeps_the_signal_from_nobody) {
  const Scene scene;
  auto agent =
      scene.run({.variables = {{"REPRISE_NOTICE_FILE", (scene.volume() / "notice").string()}}},
                {"sh", "-c", "trap 'echo signalled; exit 0' TERM; echo started; while :; do sleep 0.02; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  ASSERT_EQ(::mkfifo((scene.volume() / ".notice.pod-1-0.tmp").c_str(), 0600), 0);
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.wait_for_text(1, "signalled"));
  EXPECT_THAT(scene.record(1)->message, HasSubstr("the notice file could not be written in time"));
}

struct End {
  const char* name;
  std::vector<std::string> options;
  int want_code;
};

class Stopped : public testing::TestWithParam<End> {};

TEST_P(Stopped, the_record_has_the_trainers_own_code) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_CHECKPOINT_GRACE_SECONDS", "1"}}},
                         scene.trainer(1'000'000, 0, 2, GetParam().options));
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), GetParam().want_code);
  const auto record = scene.record(1);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->exit_code, GetParam().want_code);
  EXPECT_TRUE(record->stop_requested);
  EXPECT_FALSE(record->finished);
  const bool saves = GetParam().options.at(1) == "save";
  EXPECT_EQ(record->saved, saves);
  EXPECT_EQ(record->durable, saves);
  if (GetParam().want_code == 137) {
    EXPECT_THAT(record->message, HasSubstr("killed"));
  }
}

INSTANTIATE_TEST_SUITE_P(table, Stopped,
                         testing::Values(End{"saves_and_exits_0", {"--on-sigterm", "save", "--exit-code", "0"}, 0},
                                         End{"saves_and_exits_85", {"--on-sigterm", "save", "--exit-code", "85"}, 85},
                                         End{"saves_and_exits_143", {"--on-sigterm", "save"}, 143},
                                         End{"exits_143", {"--on-sigterm", "exit"}, 143},
                                         End{"exits_1", {"--on-sigterm", "exit", "--exit-code", "1"}, 1},
                                         End{"ignores_it", {"--on-sigterm", "ignore"}, 137}),
                         [](const auto& each) { return each.param.name; });

struct OwnEnd {
  const char* command;
  int want_code;
};

class Ended : public testing::TestWithParam<OwnEnd> {};

TEST_P(Ended, by_itself_the_code_is_mirrored_and_only_0_is_finished) {
  const Scene scene;
  auto agent = scene.run({}, {"sh", "-c", GetParam().command});
  EXPECT_EQ(agent.wait(), GetParam().want_code);
  const auto record = scene.record(1);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->exit_code, GetParam().want_code);
  EXPECT_FALSE(record->stop_requested);
  EXPECT_EQ(record->finished, GetParam().want_code == 0);
  EXPECT_EQ(scene.termination(1), record);
}

INSTANTIATE_TEST_SUITE_P(table, Ended,
                         testing::Values(OwnEnd{"exit 0", 0}, OwnEnd{"exit 1", 1}, OwnEnd{"exit 85", 85},
                                         OwnEnd{"kill -KILL $$", 137}, OwnEnd{"kill -TERM $$", 143},
                                         OwnEnd{"kill -SEGV $$", 139}));

TEST(stop, a_trainer_that_does_not_handle_the_notice_signal_never_gets_it) {
  const Scene scene;
  auto agent = scene.run({.variables = kBySignal}, {"sh", "-c", "echo up; exec sleep 1000"});
  ASSERT_TRUE(scene.wait_for_text(1, "up"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);  // by SIGTERM, not 138 by SIGUSR1
  EXPECT_TRUE(scene.record(1)->stop_requested);
  EXPECT_FALSE(scene.record(1)->saved);
}

TEST(stop, a_handler_below_a_shell_is_found) {
  const Scene scene;
  auto command = scene.trainer(1'000'000, 0, 2, {"--on-sigterm", "exit"});
  std::vector<std::string> shell{"sh", "-c", "\"$@\"; exit $?", "sh"};
  shell.insert(shell.end(), command.begin(), command.end());
  auto agent = scene.run({.variables = kBySignal}, shell);
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  agent.send(SIGTERM);
  ASSERT_TRUE(agent.wait());
  EXPECT_TRUE(scene.record(1)->saved);  // only the notice can have done that
}

TEST(stop, what_a_shell_leaves_behind_may_still_save) {
  const Scene scene;
  auto command = scene.trainer(1'000'000, 0, 300);  // SIGTERM ends the shell at once, the trainer at its next step
  std::vector<std::string> shell{"sh", "-c", "\"$@\"; exit $?", "sh"};
  shell.insert(shell.end(), command.begin(), command.end());
  auto agent = scene.run({}, shell);
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_TRUE(scene.record(1)->saved);
}

TEST(stop, the_notice_file_asks_as_well) {
  const Scene scene;
  const auto file = scene.path("notice/file");
  put_text(file, "left by an earlier attempt");
  auto agent = scene.run({.variables = {{"REPRISE_NOTICE_FILE", file.string()}}},
                         scene.trainer(1'000'000, 0, 2, {"--on-sigterm", "exit"}));
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
  EXPECT_TRUE(scene.record(1)->saved);
  EXPECT_THAT(text_in(file),
              testing::AnyOf(HasSubstr(R"({"reason":"Stop","deadlineSeconds":24,"attempt":1,"request":1})"),
                             HasSubstr(R"("deadlineSeconds":23,)")))
      << "whole seconds of those that are left now";
}

TEST(stop, a_notified_trainer_that_saves_nothing_is_terminated_before_its_grace_ends) {
  const Scene scene;
  auto agent = scene.run({.variables = {{"REPRISE_NOTICE_FILE", scene.path("unread").string()},
                                        {"REPRISE_CHECKPOINT_GRACE_SECONDS", "1"}}},
                         {"sh", "-c", "trap 'echo signalled; exit 85' TERM; echo up; while :; do sleep 0.01; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "up"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 85);
  EXPECT_THAT(scene.output(1), HasSubstr("signalled"));
  EXPECT_FALSE(scene.record(1)->saved);
}

TEST(stop, a_trainer_that_ends_instead_of_saving_is_not_waited_for) {
  const Scene scene;
  auto agent =
      scene.run({.variables = {{"REPRISE_NOTICE_SIGNAL", "SIGUSR1"}, {"REPRISE_CHECKPOINT_GRACE_SECONDS", "1000"}}},
                {"sh", "-c", "trap 'exit 0' USR1; echo up; while :; do sleep 0.01; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "up"));
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.record(1)->stop_requested);
  EXPECT_FALSE(scene.record(1)->finished);
}

TEST(request, a_changed_annotation_brings_a_checkpoint_and_no_end) {
  const Scene scene;
  const auto annotations = scene.path("annotations");
  const auto file = scene.path("notice");
  put_text(annotations, "reprise.dev/checkpoint-request=\"1\"\n");
  auto agent = scene.run(
      {.variables = {{"REPRISE_ANNOTATIONS_FILE", annotations.string()}, {"REPRISE_NOTICE_FILE", file.string()}}},
      scene.trainer(1'000'000, 0, 2));
  ASSERT_TRUE(scene.wait_for_text(1, "started"));
  EXPECT_TRUE(scene.checkpoints().empty());
  put_text(annotations, "reprise.dev/checkpoint-request=\"2\"\n");
  EXPECT_TRUE(scene.wait_for_checkpoint());
  EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(file); }));  // met, and removed
  EXPECT_TRUE(agent.running());
  agent.send(SIGTERM);
  EXPECT_EQ(agent.wait(), 143);
}

TEST(request, a_trainer_that_answers_it_with_exit_0_counts_as_requested_and_not_finished) {
  const Scene scene;
  const auto annotations = scene.path("annotations");
  put_text(annotations, "a=\"b\"\n");
  auto agent = scene.run(
      {.variables = {{"REPRISE_ANNOTATIONS_FILE", annotations.string()}, {"REPRISE_NOTICE_SIGNAL", "SIGUSR1"}}},
      {"sh", "-c", "trap 'exit 0' USR1; echo up; while :; do sleep 0.01; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "up"));
  put_text(annotations, "reprise.dev/checkpoint-request=\"1\"\n");
  EXPECT_EQ(agent.wait(), 0);
  const auto record = scene.record(1);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->stop_requested);
  EXPECT_FALSE(record->finished);
  auto next = scene.run({.attempt = 2}, {"sh", "-c", "echo ran"});
  EXPECT_EQ(next.wait(), 0);
  EXPECT_THAT(scene.output(2), HasSubstr("ran\n"));
  EXPECT_TRUE(scene.record(2)->finished);
}

TEST(request, a_signal_from_outside_is_one_and_a_crash_long_after_it_is_a_crash) {
  for (const int code : {0, 3}) {
    const Scene scene;
    auto agent =
        scene.run({.variables = kBySignal},
                  {"sh", "-c", "trap 'exit " + std::to_string(code) + "' USR1; echo up; while :; do sleep 0.01; done"});
    ASSERT_TRUE(scene.wait_for_text(1, "up"));
    agent.send(SIGUSR1);
    EXPECT_EQ(agent.wait(), code);
    EXPECT_EQ(scene.record(1)->stop_requested, code == 0);
    EXPECT_FALSE(scene.record(1)->finished);
  }
}

TEST(request, without_a_way_to_ask_the_trainer_is_left_alone) {
  const Scene scene;
  const auto annotations = scene.path("annotations");
  put_text(annotations, "a=\"b\"\n");
  auto agent =
      scene.run({.variables = {{"REPRISE_ANNOTATIONS_FILE", annotations.string()}}},
                {"sh", "-c", "echo up; while [ ! -e " + scene.path("go").string() + " ]; do sleep 0.01; done"});
  ASSERT_TRUE(scene.wait_for_text(1, "up"));
  put_text(annotations, "reprise.dev/checkpoint-request=\"1\"\n");
  ASSERT_TRUE(scene.wait_for_text(1, "takes neither"));
  put_text(scene.path("go"), "");
  EXPECT_EQ(agent.wait(), 0);
  EXPECT_TRUE(scene.record(1)->finished);
}

}  // namespace
}  // namespace reprise::agent
