// The order in which processes are signalled, and that nobody begins to train anew, on a machine of values.
#include "agent/core/stop/telling/telling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "agent/testing/machine.h"

namespace reprise::agent {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::Machine;
using testing_support::MachinesHost;
using testing_support::MachinesTrainer;
using testing_support::Sent;

constexpr std::uint64_t kSigterm = std::uint64_t{1} << (SIGTERM - 1);
const Process kLoopOfAll{.pid = 2, .parent = 1, .name = "sh", .command = 10, .started = 1};
const Process kLaunch{.pid = 3, .parent = 2, .name = "launch", .command = 11, .started = 2};
const Process kFirstRank{.pid = 4, .parent = 3, .caught = kSigterm, .name = "python3", .command = 20, .started = 3};
const Process kSecondRank{.pid = 5, .parent = 3, .caught = kSigterm, .name = "python3", .command = 20, .started = 3};

class TellingTest : public testing::Test {
 protected:
  Machine machine_{.tree = {kLoopOfAll, kLaunch, kFirstRank, kSecondRank}, .given_a_rank = {4, 5}};
  MachinesHost host_{machine_};
  MachinesTrainer trainer_{machine_};
  Telling telling_{host_, trainer_};

  void tell() { said_ = telling_.tell(SIGTERM, machine_.tree); }
  std::string said_;
};

TEST_F(TellingTest, reaches_a_launcher_only_when_its_last_rank_has_ended) {
  tell();
  EXPECT_THAT(said_, HasSubstr("SIGTERM goes to python3 4, python3 5"));
  EXPECT_THAT(machine_.take(), ElementsAre(Sent{4, SIGTERM}, Sent{5, SIGTERM}));
  EXPECT_EQ(telling_.go_on(), "");
  machine_.end(4);
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.take(), IsEmpty());
  EXPECT_FALSE(telling_.ended());
  machine_.end(5);
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.take(), ElementsAre(Sent{3, SIGTERM}));
  EXPECT_FALSE(telling_.ended());
  machine_.end(3);
  EXPECT_TRUE(telling_.ended());
}

TEST_F(TellingTest, shows_a_launcher_the_ends_of_its_ranks_together) {
  tell();
  EXPECT_THAT(machine_.hidden, ElementsAre(4, 5)) << "before they are told";
  machine_.end(4);
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.hidden, ElementsAre(4, 5));
  machine_.end(5);
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.hidden, IsEmpty());
}

// A service beside the trainer, and a program that somebody else waits for.
TEST_F(TellingTest, hides_no_end_of_who_was_given_no_rank) {
  machine_.given_a_rank = {5};
  tell();
  EXPECT_THAT(machine_.hidden, ElementsAre(5));
}

TEST_F(TellingTest, shows_ends_at_the_latest_when_the_rest_of_the_grace_is_the_launchers) {
  tell();
  machine_.end(4);
  telling_.let_go();
  EXPECT_THAT(machine_.hidden, IsEmpty());
}

TEST_F(TellingTest, says_that_a_launcher_sees_each_end_where_nobody_may_be_traced) {
  machine_.may_trace = false;
  tell();
  EXPECT_THAT(said_, HasSubstr("may not trace"));
  EXPECT_THAT(machine_.take(), ElementsAre(Sent{4, SIGTERM}, Sent{5, SIGTERM}));
}

TEST_F(TellingTest, hides_no_end_of_a_rank_alone_below_a_shell_and_of_none_of_the_agents_own) {
  machine_.tree = {kLoopOfAll, {.pid = 4, .parent = 2, .caught = kSigterm, .name = "python3", .command = 20}};
  machine_.may_trace = false;
  tell();
  EXPECT_THAT(said_, Not(HasSubstr("may not trace")));
  machine_.tree = {{.pid = 2, .parent = 1, .caught = kSigterm, .name = "python3", .command = 20}};
  machine_.may_trace = true;
  Telling alone(host_, trainer_);
  static_cast<void>(alone.tell(SIGTERM, machine_.tree));
  EXPECT_THAT(machine_.hidden, IsEmpty());
}

TEST_F(TellingTest, kills_a_second_life_and_stops_who_began_it_once_nobody_saves_any_more) {
  tell();
  static_cast<void>(machine_.take());
  machine_.end(4);
  machine_.tree.push_back({.pid = 9, .parent = 3, .command = 20, .started = 50});
  EXPECT_THAT(telling_.go_on(), HasSubstr("launch 3 started the trainer again"));
  EXPECT_THAT(machine_.take(), ElementsAre(Sent{9, SIGKILL})) << "the second rank still saves";
  machine_.end(9);
  machine_.end(5);
  machine_.tree.push_back({.pid = 10, .parent = 3, .command = 20, .started = 60});
  EXPECT_EQ(telling_.go_on(), "") << "it is said once";
  EXPECT_THAT(machine_.take(), Contains(Sent{10, SIGKILL}));
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.take(), Contains(Sent{3, SIGKILL})) << "who was told and goes on all the same";
}

// While others save for minutes, and a profiler wakes the agent a thousand times a second.
TEST_F(TellingTest, lists_processes_for_a_second_life_only_where_one_was_started) {
  tell();
  machine_.newest_pid = 8;
  machine_.end(4);
  for (int look = 0; look < 20; ++look) EXPECT_EQ(telling_.go_on(), "");
  const int lists = machine_.lists;
  EXPECT_LE(lists, 3);
  machine_.newest_pid = 9;
  EXPECT_EQ(telling_.go_on(), "") << "it has a number and is in no list yet";
  machine_.tree.push_back({.pid = 9, .parent = 3, .command = 20, .started = 50});
  EXPECT_THAT(telling_.go_on(), HasSubstr("launch 3 started the trainer again"));
  EXPECT_EQ(machine_.lists, lists + 2);
}

TEST_F(TellingTest, leaves_the_forks_of_ranks_that_save_alone) {
  tell();
  static_cast<void>(machine_.take());
  machine_.end(4);
  machine_.tree.push_back({.pid = 9, .parent = 5, .command = 20, .started = 50});
  machine_.tree.push_back({.pid = 10, .parent = 1, .command = 20, .started = 50});
  EXPECT_EQ(telling_.go_on(), "");
  EXPECT_THAT(machine_.take(), IsEmpty());
}

TEST_F(TellingTest, looks_often_only_where_somebody_stands_above_the_ranks) {
  const auto later = host_.clock().steady() + std::chrono::seconds(1);
  EXPECT_EQ(telling_.wake_at(later), later);
  tell();
  EXPECT_LT(telling_.wake_at(later), later);
  machine_.tree = {{.pid = 2, .parent = 1, .caught = kSigterm, .name = "python3", .command = 20}};
  Telling alone(host_, trainer_);
  static_cast<void>(alone.tell(SIGTERM, machine_.tree));
  EXPECT_EQ(alone.wake_at(later), later);
}

}  // namespace
}  // namespace reprise::agent
