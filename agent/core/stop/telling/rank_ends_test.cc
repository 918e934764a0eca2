// How a training ended whose launcher says less than its ranks.
#include "agent/core/stop/telling/rank_ends.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>

#include "agent/testing/machine.h"

namespace reprise::agent {
namespace {

constexpr int kAgain = 85, kNever = 93, kTerminated = 128 + SIGTERM, kKilled = 128 + SIGKILL;
constexpr std::nullopt_t kUnknown = std::nullopt;

TEST(exit_code_of_training, is_the_launchers_where_no_rank_says_more) {
  EXPECT_EQ(exit_code_of_training(0, {}), 0);
  EXPECT_EQ(exit_code_of_training(1, {}), 1);
  EXPECT_EQ(exit_code_of_training(1, {kUnknown, kUnknown}), 1);
  EXPECT_EQ(exit_code_of_training(1, {2, kTerminated}), 1);
  EXPECT_EQ(exit_code_of_training(1, {0, 0}), 1);
  EXPECT_EQ(exit_code_of_training(kAgain, {kUnknown}), kAgain);
}

TEST(exit_code_of_training, never_again_is_said_by_any_rank) {
  EXPECT_EQ(exit_code_of_training(1, {kTerminated, kNever}), kNever);
  EXPECT_EQ(exit_code_of_training(1, {kKilled, kNever}), kNever);
  EXPECT_EQ(exit_code_of_training(1, {kAgain, kNever}), kNever);
  EXPECT_EQ(exit_code_of_training(kNever, {kUnknown}), kNever);
}

TEST(exit_code_of_training, run_me_again_is_said_by_one_beside_which_none_has_failed) {
  EXPECT_EQ(exit_code_of_training(1, {kAgain, kTerminated}), kAgain);
  EXPECT_EQ(exit_code_of_training(1, {kAgain, 0, kUnknown}), kAgain);
  EXPECT_EQ(exit_code_of_training(1, {kAgain, kKilled}), 1) << "out of memory, perhaps";
  EXPECT_EQ(exit_code_of_training(1, {kAgain, 2}), 1);
}

TEST(exit_code_of_training, no_0_of_a_launcher_hides_how_its_ranks_ended) {
  EXPECT_EQ(exit_code_of_training(0, {0, 0}), 0);
  EXPECT_EQ(exit_code_of_training(0, {0, 2}), 2);
  EXPECT_EQ(exit_code_of_training(0, {kAgain, kAgain}), kAgain);
  EXPECT_EQ(exit_code_of_training(0, {0, kTerminated}), kTerminated);
}

class RankEndsTest : public testing::Test {
 protected:
  static constexpr pid_t kLauncher = 2;

  static Process rank(pid_t pid, pid_t parent = kLauncher) {
    return {.pid = pid, .parent = parent, .name = "python3", .command = 20, .burn = 0.5};
  }
  void note() { ends_.note(machine_.tree); }

  testing_support::Machine machine_{.tree = {{.pid = kLauncher, .parent = 1, .name = "torchrun"}, rank(4), rank(5)}};
  testing_support::MachinesHost host_{machine_};
  testing_support::MachinesTrainer trainer_{machine_};
  RankEnds ends_{host_, trainer_, "/checkpoints"};
};

TEST_F(RankEndsTest, of_ranks_that_a_launcher_leaves_at_work_are_the_trainings) {
  note();
  machine_.end(kLauncher, 0);
  EXPECT_TRUE(ends_.outlive_launcher());
  machine_.end(4, 0);
  EXPECT_TRUE(ends_.outlive_launcher());
  machine_.end(5, 0);
  EXPECT_FALSE(ends_.outlive_launcher());
  EXPECT_EQ(ends_.exit_code(0), 0);
}

TEST_F(RankEndsTest, of_which_one_is_a_failure_are_not_waited_for_further) {
  note();
  machine_.end(kLauncher, 0);
  EXPECT_TRUE(ends_.outlive_launcher());
  machine_.end(5, 7);
  EXPECT_FALSE(ends_.outlive_launcher());
  machine_.end(4, kKilled);
  EXPECT_EQ(ends_.exit_code(0), 7) << "the other one was killed since";
}

TEST_F(RankEndsTest, are_nobodys_where_one_of_them_came_before_the_launchers) {
  note();
  machine_.end(4, 0);
  machine_.end(kLauncher, 0);
  EXPECT_FALSE(ends_.outlive_launcher());
}

TEST_F(RankEndsTest, of_which_one_failed_as_its_launcher_ended_are_a_failure) {
  note();
  machine_.end(4, 7);
  machine_.end(kLauncher, 0);
  EXPECT_FALSE(ends_.outlive_launcher());
  EXPECT_EQ(ends_.exit_code(0), 7);
}

TEST_F(RankEndsTest, of_one_that_was_started_anew_alone_are_no_failure) {
  note();
  machine_.end(4, 7);
  machine_.tree.push_back(rank(6));
  note();
  machine_.end(kLauncher, 0);
  EXPECT_TRUE(ends_.outlive_launcher());
  machine_.end(5, 0);
  machine_.end(6, 0);
  EXPECT_FALSE(ends_.outlive_launcher());
  EXPECT_EQ(ends_.exit_code(0), 0);
}

TEST_F(RankEndsTest, below_a_shell_are_what_the_shell_says) {
  machine_.tree.front().name = "bash";
  note();
  machine_.end(4, kNever);
  machine_.end(kLauncher, 1);
  EXPECT_EQ(ends_.exit_code(1), 1);
}

TEST_F(RankEndsTest, of_ranks_that_were_started_anew_count_and_no_others) {
  note();
  machine_.end(4, kNever);
  machine_.end(5, kTerminated);
  machine_.tree.push_back(rank(6));
  machine_.tree.push_back(rank(7));
  note();
  machine_.end(6, 2);
  machine_.end(7, kTerminated);
  machine_.end(kLauncher, 1);
  EXPECT_EQ(ends_.exit_code(1), 1);
}

TEST_F(RankEndsTest, of_one_rank_are_remembered_while_the_others_run) {
  note();
  machine_.end(4, kNever);
  note();
  machine_.end(5, kTerminated);
  machine_.end(kLauncher, 1);
  EXPECT_EQ(ends_.exit_code(1), kNever);
}

TEST_F(RankEndsTest, that_a_launcher_has_seen_and_ends_with_0_all_the_same_change_nothing) {
  note();
  machine_.end(4, 2);
  note();
  machine_.end(5, 0);
  machine_.end(kLauncher, 0);
  EXPECT_EQ(ends_.exit_code(0), 0);
}

TEST_F(RankEndsTest, of_those_that_were_told_count_behind_a_0_too) {
  ends_.note_told({4, 5}, machine_.tree);
  machine_.end(4, kTerminated);
  machine_.end(5, kTerminated);
  EXPECT_TRUE(ends_.all_ended_with(std::array{0, kTerminated}));
  EXPECT_FALSE(ends_.all_ended_with(std::array{0, kAgain}));
  machine_.end(kLauncher, 0);
  EXPECT_EQ(ends_.exit_code(0), kTerminated);
}

}  // namespace
}  // namespace reprise::agent
