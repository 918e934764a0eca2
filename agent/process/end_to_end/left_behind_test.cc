// A launcher's 0 while its rank trains is no end, by whatever way the rank came to be the agent's child.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <list>
#include <optional>

#include "agent/process/trainer/held_files.h"
#include "agent/testing/scene.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::Scene;

struct Launched {
  const char* how;
  Scene scene{};
  std::optional<testing_support::Process> agent{};
  std::chrono::steady_clock::time_point began{};

  void start(const char* seconds, const char* code) {
    began = std::chrono::steady_clock::now();
    // As pods of a framework's operator have them.
    agent.emplace(scene.run({.variables = {{"RANK", "0"}, {"LOCAL_RANK", "0"}}},
                            {"python3", std::string(REPRISE_TEST_SCRIPTS) + "/left.py", how, seconds, code}));
  }
};

TEST(left_behind, a_rank_trains_on_behind_its_launchers_0_and_its_end_counts) {
  std::list<Launched> all;
  for (const char* how : {"at-once", "shell", "twice"}) all.emplace_back(how).start("12", "7");
  for (Launched& each : all) {
    SCOPED_TRACE(each.how);
    EXPECT_EQ(each.agent->wait(), 7) << each.scene.output(1);
    EXPECT_FALSE(each.scene.record(1)->finished);
    EXPECT_THAT(each.scene.record(1)->message, HasSubstr("launcher"));
  }
}

TEST(left_behind, a_rank_that_ends_with_0_behind_its_launcher_is_done) {
  Launched done{.how = "at-once"};
  done.start("6", "0");
  EXPECT_EQ(done.agent->wait(), 0) << done.scene.output(1);
  EXPECT_TRUE(done.scene.record(1)->finished);
  EXPECT_GE(std::chrono::steady_clock::now() - done.began, std::chrono::seconds(6));
}

TEST(left_behind, a_process_that_does_nothing_is_waited_for_ten_seconds) {
  Launched idle{.how = "idle"};
  idle.start("0", "0");
  EXPECT_EQ(idle.agent->wait(), 0) << idle.scene.output(1);
  EXPECT_TRUE(idle.scene.record(1)->finished);
}

TEST(held_files, change_as_a_process_writes_below_the_directory) {
  const testing_support::TemporaryDirectory directory;
  const auto written = [&] { return files_held_by(::getpid(), directory.path().string()).written; };
  EXPECT_FALSE(written());
  std::ofstream out(directory.path() / "part");
  const auto before = written();
  EXPECT_TRUE(before);
  out << "x" << std::flush;
  EXPECT_NE(written(), before);
  EXPECT_FALSE(files_held_by(::getpid(), directory.path().string() + "/part-of-a-name").written);
  out.close();
  const std::ifstream in(directory.path() / "part");
  EXPECT_FALSE(written()) << "it reads only";
}

}  // namespace
}  // namespace reprise::agent
