// The processes that are told to stop, and those that are asked for a checkpoint: the table of launchers.
#include "agent/core/stop/telling/told.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <initializer_list>

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr std::uint64_t masks(std::initializer_list<int> signals) {
  std::uint64_t mask = 0;
  for (const int signal : signals) mask |= std::uint64_t{1} << (signal - 1);
  return mask;
}

constexpr std::uint64_t kHandles = masks({SIGUSR1});
constexpr std::uint64_t kTerm = masks({SIGTERM});
constexpr std::uint64_t kEverything = ~(masks({SIGKILL, SIGSTOP, SIGCHLD}));
constexpr pid_t kAgent = 1, kTop = 2;

std::vector<pid_t> told(const std::vector<Process>& tree) {
  return told_to_stop(SIGTERM, kTop, tree).pids;
}

std::vector<pid_t> after(const std::vector<Process>& tree) {
  return told_to_stop(SIGTERM, kTop, tree).after;
}

std::vector<pid_t> asked(const std::vector<Process>& tree) {
  return told_to_answer(SIGUSR1, kAgent, tree);
}

struct Row {
  const char* name;
  std::vector<Process> tree;
  std::vector<pid_t> told, after{};
};

class ToldByEvidence : public testing::TestWithParam<Row> {};

TEST_P(ToldByEvidence, are_the_ranks_and_those_above_them_only_afterwards) {
  EXPECT_EQ(told(GetParam().tree), GetParam().told);
  EXPECT_EQ(after(GetParam().tree), GetParam().after);
}

// Commands: 10 the launcher's, 20 a trainer's, 30 of something else.
INSTANTIATE_TEST_SUITE_P(
    table, ToldByEvidence,
    testing::Values(Row{"a_trainer_and_its_data_loader",
                        {{.pid = 2, .parent = 1, .caught = kTerm, .command = 20, .burn = 0.6},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .burn = 1},
                         {.pid = 4, .parent = 2, .caught = kTerm, .command = 20, .burn = 1}},
                        {2}},
                    Row{"a_trainer_without_a_handler_whose_workers_have_one",
                        {{.pid = 2, .parent = 1, .command = 20, .burn = 0.6},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .burn = 1}},
                        {2}},
                    Row{"a_trainer_that_waits_for_its_data_loader",
                        {{.pid = 2, .parent = 1, .caught = kTerm, .command = 20, .burn = 0.01},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .burn = 1},
                         {.pid = 4, .parent = 2, .caught = kTerm, .command = 31, .multiprocessing = true, .burn = 1}},
                        {2}},
                    Row{"timeout",
                        {{.pid = 2, .parent = 1, .caught = kTerm, .name = "timeout", .command = 10, .burn = 0},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .burn = 0.9},
                         {.pid = 4, .parent = 3, .command = 20, .burn = 0.1}},
                        {3}},
                    Row{"torchrun",
                        {{.pid = 2, .parent = 1, .caught = kTerm, .command = 10, .burn = 0.011},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .burn = 0.9},
                         {.pid = 4, .parent = 2, .caught = kTerm, .command = 20, .burn = 0.001},
                         {.pid = 5, .parent = 3, .caught = kTerm, .command = 20, .burn = 0.4}},
                        {3, 4}},
                    Row{"spawn",
                        {{.pid = 2, .parent = 1, .command = 20, .burn = 0},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 30, .multiprocessing = true, .burn = 1},
                         {.pid = 4, .parent = 2, .caught = kTerm, .command = 30, .multiprocessing = true, .burn = 1}},
                        {3, 4},
                        {2}},
                    Row{"spawn_below_a_parent_with_a_handler",
                        {{.pid = 2, .parent = 1, .caught = kTerm, .command = 20, .burn = 0},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 30, .multiprocessing = true, .burn = 1},
                         {.pid = 4, .parent = 2, .caught = kTerm, .command = 30, .multiprocessing = true, .burn = 1}},
                        {3, 4}},
                    Row{"accelerate_in_a_shell",
                        {{.pid = 2, .parent = 1, .name = "bash", .burn = 0.5},
                         {.pid = 3, .parent = 2, .command = 10, .burn = 0},
                         {.pid = 4, .parent = 3, .caught = kTerm, .command = 20, .burn = 0.9}},
                        {4},
                        {3}},
                    Row{"two_launchers_one_above_the_other",
                        {{.pid = 2, .parent = 1, .command = 10, .burn = 0},
                         {.pid = 3, .parent = 2, .command = 11, .burn = 0},
                         {.pid = 4, .parent = 3, .caught = kTerm, .command = 20, .burn = 0.9}},
                        {4},
                        {2, 3}},
                    Row{"a_service_that_catches_everything_beside_the_trainer",
                        {{.pid = 2, .parent = 1, .command = 20, .burn = 0.9},
                         {.pid = 3, .parent = 2, .caught = kEverything, .command = 30, .burn = 0.02}},
                        {2}},
                    Row{"a_script_that_its_first_line_starts",
                        {{.pid = 2,
                          .parent = 1,
                          .caught = kTerm,
                          .name = "train.sh",
                          .program = "bash",
                          .command = 10,
                          .burn = 0.5},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .burn = 0.9}},
                        {3}},
                    Row{"a_rank_that_starts_others_itself",
                        {{.pid = 2, .parent = 1, .caught = kTerm, .command = 20, .burn = 0.9},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .burn = 0.9}},
                        {2}},
                    Row{"a_pipeline",
                        {{.pid = 2, .parent = 1, .name = "bash", .burn = 0},
                         {.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .burn = 0.9},
                         {.pid = 4, .parent = 2, .name = "tee", .command = 30, .burn = 0}},
                        {3}}),
    [](const auto& each) { return each.param.name; });

TEST(told, by_a_signal_that_no_rank_handles_is_told_by_sigterm) {
  const std::vector<Process> tree{{.pid = 2, .parent = 1, .caught = masks({SIGINT}), .command = 10, .burn = 0},
                                  {.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .burn = 1}};
  EXPECT_EQ(told_to_stop(SIGINT, kTop, tree), (Told{.signal = SIGTERM, .pids = {3}, .after = {2}}));
}

TEST(told, where_nobody_computes_are_those_who_handle_the_signal) {
  EXPECT_THAT(told({{.pid = 2, .parent = 1, .caught = kTerm, .name = "python3", .burn = 0.001},
                    {.pid = 3, .parent = 2, .caught = 0, .name = "python3", .burn = 0.002}}),
              ElementsAre(2));
}

TEST(told, a_trainer_that_handles_the_signal_is_told_and_nobody_below_it) {
  EXPECT_THAT(told({{.pid = 2, .parent = 1, .caught = kTerm, .name = "python3"},
                    {.pid = 3, .parent = 2, .caught = 0, .name = "python3"},        // a data loader's worker
                    {.pid = 4, .parent = 2, .caught = kTerm, .name = "python3"}}),  // a rank that a launcher tells
              ElementsAre(2));
}

TEST(told, a_shell_that_waits_is_looked_through_whatever_traps_it_has) {
  for (const std::uint64_t trap : {std::uint64_t{0}, kTerm, kEverything}) {
    for (const auto& [name, program] : {std::pair{"bash", ""}, {"train.sh", "bash"}, {"bash", "-bash"}}) {
      EXPECT_THAT(told({{.pid = 2, .parent = 1, .caught = trap, .name = name, .program = program},
                        {.pid = 3, .parent = 2, .caught = kTerm, .name = "python3"},
                        {.pid = 4, .parent = 3, .caught = 0, .name = "python3"},
                        {.pid = 5, .parent = 2, .caught = 0, .name = "tee"}}),
                  ElementsAre(3));
    }
  }
}

TEST(told, a_launcher_that_would_end_of_the_signal_comes_after_the_trainer_below_it) {
  const std::vector<Process> tree{{.pid = 2, .parent = 1, .caught = 0, .name = "sh"},
                                  {.pid = 3, .parent = 2, .caught = 0, .name = "launch", .command = 10},
                                  {.pid = 4, .parent = 3, .caught = kTerm, .name = "python3", .command = 20}};
  EXPECT_THAT(told(tree), ElementsAre(4));
  EXPECT_THAT(after(tree), ElementsAre(3));
}

TEST(told, a_trainer_whose_forks_alone_handle_the_signal_is_told_with_them) {
  EXPECT_THAT(told({{.pid = 2, .parent = 1, .caught = 0, .command = 20},
                    {.pid = 3, .parent = 2, .caught = kTerm, .command = 20}}),
              ElementsAre(2, 3));
}

TEST(told, who_blocks_or_ignores_the_signal_is_looked_through) {
  EXPECT_THAT(told({{.pid = 2, .parent = 1, .blocked = kTerm, .name = "tini"},
                    {.pid = 3, .parent = 2, .ignored = kTerm, .name = "nohup"},
                    {.pid = 4, .parent = 3, .caught = kTerm, .name = "python3"}}),
              ElementsAre(4));
}

TEST(told, where_nobody_handles_the_signal_the_trainer_is_told) {
  EXPECT_THAT(told({{.pid = 2, .parent = 1, .name = "bash"}, {.pid = 3, .parent = 2, .name = "python3"}}),
              ElementsAre(2));
  EXPECT_THAT(told({{.pid = 2, .parent = 1, .blocked = kTerm, .name = "tini"}, {.pid = 3, .parent = 2}}),
              ElementsAre(2));
  EXPECT_THAT(told({{.pid = 2, .parent = 1, .name = "python3"},
                    {.pid = 3, .parent = 2, .caught = kEverything, .name = "wandb-core"}}),
              ElementsAre(2));
  EXPECT_THAT(told({}), ElementsAre(2));  // no /proc
  // A process that has left the trainer's tree is not what it saves with.
  EXPECT_THAT(told({{.pid = 2, .parent = 1}, {.pid = 3, .parent = 1, .caught = kTerm}}), ElementsAre(2));
}

TEST(told, a_small_program_that_passes_the_signal_on_is_looked_through_from_the_start) {
  using std::chrono::milliseconds;
  const Process timeout{
      .pid = 2, .parent = 1, .caught = kTerm, .name = "timeout", .command = 10, .cpu = milliseconds(10)};
  Process launcher = timeout;
  launcher.cpu = milliseconds(30);
  const Process trainer{.pid = 3, .parent = 2, .caught = kTerm, .command = 20, .cpu = milliseconds(50)};
  EXPECT_THAT(told({timeout, trainer}), ElementsAre(3));
  EXPECT_THAT(told({launcher, trainer}), ElementsAre(2));
  EXPECT_THAT(told({timeout, {.pid = 3, .parent = 2, .command = 20}}), ElementsAre(2));
}

TEST(told, a_shell_with_a_trap_is_told_where_nobody_below_it_handles_the_signal) {
  EXPECT_THAT(told({{.pid = 2, .parent = 1, .caught = kTerm, .name = "sh"}, {.pid = 3, .parent = 2, .name = "sleep"}}),
              ElementsAre(2));
}

TEST(told, what_a_trainer_left_behind_is_told_when_it_has_ended) {
  const Process gone{.pid = 2, .parent = 1, .caught = kTerm, .ended = true};
  const Process saving{.pid = 3, .parent = 1, .caught = kTerm};
  EXPECT_THAT(told({gone, saving}), ElementsAre(3));
  EXPECT_THAT(told({saving}), ElementsAre(3));
  EXPECT_THAT(told({gone, {.pid = 4, .parent = 1}}), IsEmpty());
}

TEST(told, the_trainer_gets_the_signal_that_it_handles) {
  const std::vector<Process> by_int{{.pid = 2, .parent = 1, .caught = masks({SIGINT})}};
  EXPECT_EQ(told_to_stop(SIGINT, 2, by_int).signal, SIGINT);
  EXPECT_EQ(told_to_stop(SIGQUIT, 2, by_int).signal, SIGTERM);
  EXPECT_EQ(told_to_stop(SIGINT, 2, {{.pid = 2, .parent = 1, .caught = kTerm}}).signal, SIGTERM);
}

TEST(asked, are_the_topmost_that_handle_the_signal) {
  const std::vector<Process> tree{{.pid = 2, .parent = 1, .caught = 0},         // a shell
                                  {.pid = 3, .parent = 2, .caught = 0},         // a launcher
                                  {.pid = 4, .parent = 3, .caught = kHandles},  // trainers
                                  {.pid = 5, .parent = 3, .caught = kHandles},
                                  {.pid = 6, .parent = 4, .caught = kHandles},  // a data loader's worker
                                  {.pid = 7, .parent = 2, .caught = 0}};
  EXPECT_THAT(asked(tree), ElementsAre(4, 5));
  EXPECT_THAT(told_to_answer(SIGUSR2, kAgent, tree), IsEmpty());
  EXPECT_THAT(asked({}), IsEmpty());
  EXPECT_THAT(children_of(2, tree), ElementsAre(3, 7));
}

TEST(asked, is_nobody_who_would_end_of_the_question) {
  // bash that catches everything for a trap on EXIT, and a service whose runtime does.
  for (const auto& [name, program] : {std::pair{"bash", ""}, {"train.sh", "bash"}, {"wandb-core", "wandb-core"}}) {
    const Process everything{.pid = 2, .parent = 1, .caught = kEverything, .name = name, .program = program};
    EXPECT_THAT(asked({everything}), IsEmpty()) << name;
    EXPECT_THAT(asked({everything, {.pid = 3, .parent = 2, .caught = kHandles, .name = "python3"}}), ElementsAre(3))
        << name;
    EXPECT_THAT(asked({everything, {.pid = 3, .parent = 2, .name = "python3"}}), IsEmpty()) << name;
  }
}

TEST(asked, is_a_shell_with_a_trap_of_its_own_where_nobody_below_it_handles_the_signal) {
  const Process shell{.pid = 2, .parent = 1, .caught = kHandles, .name = "bash"};
  EXPECT_THAT(asked({shell, {.pid = 3, .parent = 2, .name = "python3"}}), ElementsAre(2));
  EXPECT_THAT(asked({shell, {.pid = 3, .parent = 2, .caught = kHandles, .name = "python3"}}), ElementsAre(3));
}

// A shell forks for each command, and its fork has its handlers until it has become that command.
TEST(asked, and_told_is_a_shell_and_not_its_fork_that_becomes_a_command) {
  const Process shell{.pid = kTop, .parent = kAgent, .caught = kHandles | kTerm, .name = "sh", .command = 10};
  const Process fork{.pid = 3, .parent = kTop, .caught = kHandles | kTerm, .name = "sh", .command = 10};
  EXPECT_THAT(asked({shell, fork}), ElementsAre(kTop));
  EXPECT_THAT(told({shell, fork}), ElementsAre(kTop));
  Process read_later = fork;
  read_later.command = 11;
  read_later.program = "sleep";
  EXPECT_THAT(asked({shell, read_later}), ElementsAre(kTop)) << "it has become one between two reads";
  const Process command{.pid = 4, .parent = 3, .name = "sleep", .command = 11};
  EXPECT_THAT(asked({shell, fork, command}), ElementsAre(3)) << "a subshell with traps runs commands";
  EXPECT_THAT(told({shell, fork, command}), ElementsAre(3));
}

TEST(asked, are_ranks_below_a_launcher_that_handles_the_signal_too) {
  EXPECT_THAT(asked({{.pid = 2, .parent = 1, .caught = kHandles, .command = 10, .burn = 0},
                     {.pid = 3, .parent = 2, .caught = kHandles, .command = 20, .burn = 1},
                     {.pid = 4, .parent = 2, .caught = kHandles, .command = 20, .burn = 1}}),
              UnorderedElementsAre(3, 4));
}

}  // namespace
}  // namespace reprise::agent
