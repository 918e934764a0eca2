// Who is left behind a launcher's 0: by what they do.
#include "agent/core/stop/telling/left_behind.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "agent/core/stop/telling/rank_ends.h"
#include "agent/testing/machine.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class LeftBehindTest : public testing::Test {
 protected:
  static constexpr pid_t kAgent = 1, kLauncher = 2, kRank = 4, kOther = 5, kService = 6;

  static Process process(pid_t pid, pid_t parent, const char* name, std::optional<double> burn = {}) {
    return {.pid = pid, .parent = parent, .name = name, .command = static_cast<std::uint64_t>(pid), .burn = burn};
  }
  void start(Process process) { machine_.tree.push_back(std::move(process)); }
  Process& at(pid_t pid) { return *std::ranges::find(machine_.tree, pid, &Process::pid); }
  // Looks each second.
  void run(seconds time) {
    for (seconds passed{0}; passed < time; passed += seconds(1)) {
      machine_.now += seconds(1);
      ends_.note(machine_.tree, moves_);
    }
  }
  // The agent is the parent of those whose own has ended.
  void end(pid_t pid, int code = 0) {
    machine_.end(pid, code);
    for (Process& each : machine_.tree)
      if (each.parent == pid) each.parent = kAgent;
  }
  [[nodiscard]] bool goes_on() { return ends_.outlive_launcher(); }

  testing_support::Machine machine_{.tree = {process(kLauncher, kAgent, "launch", 0.0)}};
  testing_support::MachinesHost host_{machine_};
  testing_support::MachinesTrainer trainer_{machine_};
  RankEnds ends_{host_, trainer_, "/checkpoints"};
  std::string moves_ = "0";
};

TEST_F(LeftBehindTest, nobody_is_the_end_at_once) {
  run(seconds(60));
  end(kLauncher);
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(ends_.exit_code(0), 0);
}

TEST_F(LeftBehindTest, nobody_but_one_that_nobody_has_waited_for_yet_is_the_end_at_once) {
  start(process(kRank, kLauncher, "tee"));
  run(seconds(1));
  at(kRank).ended = true;
  end(kLauncher);
  EXPECT_FALSE(goes_on());
}

TEST_F(LeftBehindTest, before_the_first_look_they_are_given_time_to_show_that_they_work) {
  start(process(kRank, kLauncher, "python3"));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  run(seconds(4));
  at(kRank).burn = 0.5;
  run(seconds(1));
  at(kRank).burn = 0.001;
  run(seconds(60));
  EXPECT_TRUE(goes_on());
  end(kRank, 7);
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(ends_.exit_code(0), 7);
}

TEST_F(LeftBehindTest, whoever_idles_from_the_first_look_on_has_ten_seconds) {
  start(process(kService, kLauncher, "wandb-core"));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  run(seconds(9));
  EXPECT_TRUE(goes_on());
  run(seconds(1));
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(ends_.exit_code(0), 0);
}

TEST_F(LeftBehindTest, one_that_fails_before_its_share_is_known_is_a_failure) {
  start(process(kRank, kLauncher, "python3"));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  at(kRank).cpu += milliseconds(900);
  run(seconds(1));
  end(kRank, 1);
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(ends_.exit_code(0), 1);
}

TEST_F(LeftBehindTest, a_helper_that_never_worked_fails_nothing) {
  start(process(kService, kLauncher, "watchdog"));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  run(seconds(1));
  end(kService, 141);
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(ends_.exit_code(0), 0);
}

TEST_F(LeftBehindTest, ranks_below_shells_train_and_the_shell_says_what_their_ends_mean) {
  start(process(3, kLauncher, "sh", 0.0));
  start(process(kRank, 3, "python3", 0.5));
  run(seconds(60));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  run(minutes(9));
  EXPECT_TRUE(goes_on());
  end(kRank, 7);
  EXPECT_TRUE(goes_on()) << "its shell has not ended";
  run(seconds(1));
  end(3, 0);
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(ends_.exit_code(0), 0);
}

TEST_F(LeftBehindTest, a_rank_that_is_nobodys_child_any_more_trains) {
  start(process(kRank, kAgent, "python3", 0.5));
  run(seconds(60));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  end(kRank, 3);
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(ends_.exit_code(0), 3);
}

TEST_F(LeftBehindTest, one_that_another_has_started_and_left_is_found) {
  start(process(kRank, kLauncher, "daemonize"));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  start(process(kOther, kAgent, "python3"));
  machine_.end(kRank);
  EXPECT_TRUE(goes_on());
  at(kOther).burn = 0.5;
  run(seconds(30));
  EXPECT_TRUE(goes_on());
}

TEST_F(LeftBehindTest, a_service_that_stood_beside_the_trainer_delays_its_end_by_nothing) {
  at(kLauncher).burn = 0.9;
  start(process(kService, kLauncher, "wandb-core", 0.012));
  run(seconds(60));
  end(kLauncher);
  EXPECT_FALSE(goes_on());
}

TEST_F(LeftBehindTest, one_that_a_busy_launcher_has_just_started_is_no_service) {
  at(kLauncher).burn = 0.9;
  run(seconds(60));
  start(process(kRank, kLauncher, "python3", 0.0));
  run(seconds(15));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
}

TEST_F(LeftBehindTest, one_that_was_late_beside_ranks_that_run_is_a_rank) {
  start(process(kRank, kLauncher, "python3", 0.9));
  start(process(kOther, kLauncher, "python3", 0.0));
  run(seconds(60));
  at(kOther).burn = 0.9;
  run(seconds(1));
  end(kRank, 7);
  run(seconds(1));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
}

TEST_F(LeftBehindTest, a_service_that_computes_behind_its_trainers_end_is_one_still) {
  start(process(kRank, kLauncher, "python3", 0.9));
  start(process(kService, kRank, "python3", 0.9));
  run(seconds(60));
  end(kRank, 0);
  run(seconds(20));
  end(kLauncher);
  EXPECT_FALSE(goes_on());
}

TEST_F(LeftBehindTest, a_server_beside_a_trainer_that_has_ended_with_0_is_meant_to_be_left) {
  at(kLauncher).name = "sh";
  start(process(kRank, kLauncher, "train.py", 0.9));
  start(process(kOther, kLauncher, "server", 0.9));
  run(seconds(60));
  end(kRank, 0);
  end(kLauncher);
  EXPECT_FALSE(goes_on());
}

TEST_F(LeftBehindTest, below_a_shell_the_same_where_no_kernel_tells_how_the_trainer_ended) {
  at(kLauncher).name = "sh";
  start(process(kRank, kLauncher, "train.py", 0.9));
  start(process(kOther, kLauncher, "server", 0.9));
  run(seconds(60));
  end(kRank, 0);
  machine_.codes.erase(kRank);
  end(kLauncher);
  EXPECT_FALSE(goes_on());
}

// DeepSpeed gives each rank words of its own.
TEST_F(LeftBehindTest, below_a_launcher_one_whose_fellow_ended_in_a_way_that_nobody_knows_has_ten_minutes) {
  start(process(kRank, kLauncher, "train.py", 0.9));
  start(process(kOther, kLauncher, "train.py", 0.9));
  run(seconds(60));
  end(kRank, 137);
  machine_.codes.erase(kRank);
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  run(minutes(9));
  EXPECT_TRUE(goes_on());
  moves_ = "1";
  run(minutes(9));
  EXPECT_TRUE(goes_on());
  run(minutes(2));
  EXPECT_FALSE(goes_on());
}

TEST_F(LeftBehindTest, beside_one_that_ended_with_0_computing_alone_is_believed_for_ten_minutes) {
  start(process(kRank, kLauncher, "train.py", 0.9));
  start(process(kService, kLauncher, "service", 0.9));
  run(seconds(60));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  run(minutes(20));
  EXPECT_TRUE(goes_on());
  end(kRank, 0);
  run(minutes(9));
  EXPECT_TRUE(goes_on());
  run(minutes(2));
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(ends_.exit_code(0), 0);
}

TEST_F(LeftBehindTest, steps_and_files_are_believed_further) {
  start(process(kRank, kLauncher, "train.py", 0.9));
  start(process(kOther, kLauncher, "train.py", 0.9));
  run(seconds(60));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  end(kRank, 0);
  run(minutes(9));
  moves_ = "1";
  run(minutes(9));
  EXPECT_TRUE(goes_on());
  machine_.held[kOther].written = 8;
  run(minutes(9));
  EXPECT_TRUE(goes_on());
  run(minutes(2));
  EXPECT_FALSE(goes_on());
}

TEST_F(LeftBehindTest, what_starts_behind_an_end_with_0_is_believed_by_its_computing) {
  start(process(kRank, kLauncher, "prepare.py", 0.9));
  run(seconds(60));
  start(process(3, kLauncher, "sh", 0.0));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  end(kRank, 0);
  run(seconds(1));
  start(process(kOther, 3, "train.py", 0.9));
  run(minutes(20));
  EXPECT_TRUE(goes_on());
}

TEST_F(LeftBehindTest, one_that_stands_still_is_waited_for_ten_minutes) {
  start(process(kRank, kLauncher, "python3", 0.5));
  run(seconds(60));
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  at(kRank).burn = 0.001;
  run(minutes(9));
  EXPECT_TRUE(goes_on());
  run(minutes(1));
  EXPECT_FALSE(goes_on());
  EXPECT_EQ(ends_.exit_code(0), 0);
}

TEST_F(LeftBehindTest, one_that_holds_a_gpu_has_ten_minutes_to_show_that_it_works) {
  start(process(kRank, kLauncher, "python3"));
  machine_.held[kRank].gpu = true;
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  run(minutes(9));
  EXPECT_TRUE(goes_on());
  run(minutes(1));
  EXPECT_FALSE(goes_on());
}

TEST_F(LeftBehindTest, a_save_that_goes_on_beside_the_trainer_is_waited_for_while_it_writes) {
  at(kLauncher).burn = 0.9;
  start(process(kService, kLauncher, "saver", 0.0));
  run(seconds(60));
  machine_.held[kService].written = 1;
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  for (int written = 2; written < 12; ++written) {
    machine_.held[kService].written = written;
    run(seconds(9));
    EXPECT_TRUE(goes_on());
  }
  run(seconds(10));
  EXPECT_FALSE(goes_on());
}

TEST_F(LeftBehindTest, a_service_that_writes_for_ever_is_waited_for_ten_minutes) {
  at(kLauncher).burn = 0.9;
  start(process(kService, kLauncher, "logger", 0.0));
  run(seconds(60));
  machine_.held[kService].written = 1;
  end(kLauncher);
  EXPECT_TRUE(goes_on());
  for (int minute = 0; minute < 70; ++minute) {
    ++*machine_.held[kService].written;
    run(seconds(9));
  }
  EXPECT_FALSE(goes_on());
}

}  // namespace
}  // namespace reprise::agent
