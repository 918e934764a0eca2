#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "apps/reprise/metrics_recording.h"
#include "apps/reprise/simulate/simulate_command.h"

namespace reprise::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Simulate, a_seed_gives_the_same_output_each_time) {
  std::ostringstream first, second, err;
  ASSERT_EQ(run_simulate({"--seed", "3"}, first, err), 0);
  ASSERT_EQ(run_simulate({"--seed", "3"}, second, err), 0);
  EXPECT_EQ(first.str(), second.str());
  EXPECT_THAT(first.str(), HasSubstr("1 scenarios, "));
  EXPECT_THAT(first.str(), Not(HasSubstr("a minute of one core")));
  EXPECT_THAT(err.str(), HasSubstr("a minute of one core"));
}

// A look at a cluster must not change what happens in it.
TEST(Simulate, goes_the_same_way_whether_its_metrics_are_recorded_or_not) {
  const std::string file = ::testing::TempDir() + "simulate-metrics-" + std::to_string(::getpid()) + ".om";
  std::ostringstream without, with, err;
  ASSERT_EQ(run_simulate({"--seed", "3"}, without, err), 0);
  ASSERT_EQ(run_simulate({"--seed", "3", "--metrics-file", file}, with, err), 0);
  EXPECT_EQ(without.str(), with.str());
  std::ifstream recorded(file);
  std::string last;
  int jobs = 0;
  for (std::string line; std::getline(recorded, line); last = line)
    jobs += line.starts_with("reprise_jobs{pod=") ? 1 : 0;
  EXPECT_GT(jobs, 100);
  EXPECT_EQ(last, "# EOF");
  std::filesystem::remove(file);
}

TEST(Simulate, says_when_the_metrics_cannot_be_written) {
  std::ostringstream out, err;
  EXPECT_EQ(run_simulate({"--seed", "3", "--metrics-file", "/nowhere/metrics.om"}, out, err), 1);
  EXPECT_THAT(err.str(), HasSubstr("/nowhere/metrics.om"));
}

TEST(MetricsRecording, a_sample_gets_its_label_and_its_time) {
  EXPECT_EQ(timed_sample("up 1", "pod=\"a\"", 60), "up{pod=\"a\"} 1 60.000\n");
  EXPECT_EQ(timed_sample("jobs{state=\"on hold\"} 2", "pod=\"a\"", 0.5), "jobs{pod=\"a\",state=\"on hold\"} 2 0.500\n");
}

}  // namespace
}  // namespace reprise::apps
