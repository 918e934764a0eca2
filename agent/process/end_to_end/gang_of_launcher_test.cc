// Launchers that end all ranks when one has ended: below the agent each rank saves to its end. And what a launcher's
// exit code does not say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <list>

#include "agent/testing/scene.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing_support::eventually;
using testing_support::Scene;

using Words = std::vector<std::string>;

struct Gang {
  const char* how;
  Words more{};
  Scene scene{};
  std::optional<testing_support::Process> agent{};

  void start() {
    Words words{"python3", std::string(REPRISE_TEST_SCRIPTS) + "/gang.py", how, scene.volume().string()};
    words.insert(words.end(), more.begin(), more.end());
    agent.emplace(scene.run({}, words));
  }
  [[nodiscard]] bool both_have(const std::string& name) const {
    return std::filesystem::exists(scene.volume() / "rank0" / name) &&
           std::filesystem::exists(scene.volume() / "rank1" / name);
  }
};

TEST(launchers_gang, saves_to_the_end_of_its_last_rank_and_its_codes_arrive) {
  std::list<Gang> gangs;
  for (const char* how : {"torchrun", "deepspeed", "mpirun"}) gangs.emplace_back(how, Words{"--codes", "85,85"});
  for (Gang& each : gangs) each.start();
  for (Gang& each : gangs) {
    SCOPED_TRACE(each.how);
    ASSERT_TRUE(eventually([&] { return each.both_have("warm"); })) << each.scene.output(1);
    each.agent->send(SIGTERM);
  }
  for (Gang& each : gangs) {
    SCOPED_TRACE(each.how);
    EXPECT_EQ(each.agent->wait(), 85) << each.scene.output(1);
    EXPECT_TRUE(each.both_have("step-1/_COMPLETE")) << each.scene.output(1);
    EXPECT_EQ(each.scene.record(1)->exit_code, 85);
    EXPECT_TRUE(each.scene.record(1)->stop_requested);
  }
}

TEST(launchers_gang, that_a_launcher_leaves_at_work_with_0_ends_when_its_ranks_end) {
  Gang fails{.how = "leaves", .more = {"--burn", "10", "--ends", "7"}};
  fails.start();
  EXPECT_EQ(fails.agent->wait(), 7) << fails.scene.output(1);
  EXPECT_FALSE(fails.scene.record(1)->finished);
  EXPECT_THAT(fails.scene.record(1)->message, HasSubstr("launcher"));
}

}  // namespace
}  // namespace reprise::agent
