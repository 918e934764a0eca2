#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/reprise/estimate/estimate_command.h"
#include "apps/reprise/estimate/estimate_defaults.h"
#include "apps/reprise/estimate/estimate_options.h"

namespace reprise::apps {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Estimate : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(::testing::TempDir()) /
                 ("estimate-" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(directory_);
    std::ofstream trace(file("t.csv"));
    trace << "# gap_seconds=600\n# nodes_probed=4\n# on_demand_usd_per_hour=3\n# spot_usd_per_hour=1\n# value=nodes "
             "available\n"
             "tick,us-west-2a,us-west-2b\n";
    for (int t = 0; t < 400; ++t) trace << t << "," << (t % 40 < 30 ? 4 : 0) << "," << (t % 50 < 20 ? 4 : 1) << "\n";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  static std::string ticks(int count) {
    std::string rows;
    for (int t = 0; t < count; ++t) rows += std::to_string(t) + (t % 40 < 30 ? ",1\n" : ",0\n");
    return rows;
  }
  std::string file(const std::string& name) const { return (directory_ / name).string(); }

  int run(std::vector<std::string> arguments) {
    out_.str("");
    err_.str("");
    return run_estimate(arguments, {.programs = directory_ / "bin"}, out_, err_);
  }

  std::filesystem::path directory_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(Estimate, prints_a_row_per_policy_and_zone_and_one_for_the_mean) {
  ASSERT_EQ(run({"--trace", file("t.csv"), "--work-hours", "10", "--deadline-hours=14", "--nodes", "4"}), 0)
      << err_.str();
  for (const char* policy : {"reprise", "up-age", "up", "greedy", "on-demand", "omniscient"})
    EXPECT_THAT(out_.str(), HasSubstr(policy));
  std::istringstream lines(out_.str());
  int count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_EQ(count, 1 + 6 * 3);
}

// A trace in the place where an installation has those that come with the program.
TEST_F(Estimate, needs_no_flags_and_says_what_it_assumed) {
  std::filesystem::create_directories(directory_ / "bin");
  std::filesystem::create_directories(directory_ / "share/reprise/traces");
  std::ofstream(directory_ / "share/reprise/traces" / (std::string(kDefaultTrace) + ".csv"))
      << "# gap_seconds=3600\n# nodes_probed=1\n# on_demand_usd_per_hour=3\n# value=nodes available\ntick,z\n"
      << ticks(100);
  ASSERT_EQ(run({}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("reprise"));
  EXPECT_THAT(err_.str(), HasSubstr("assumed --trace v100x1-9zones-6days --max-slowdown 1.25 --work-hours 40\n"));
  EXPECT_THAT(err_.str(), HasSubstr("no price of spot, taken as 40 % of on-demand: 1.2 USD per node and hour"));
  const std::string assumed = out_.str();
  ASSERT_EQ(run({"--trace", std::string(kDefaultTrace) + ".csv", "--work-hours", "40", "--deadline-hours", "50",
                 "--spot-price", "1.2"}),
            0)
      << err_.str();
  EXPECT_EQ(err_.str(), "");
  EXPECT_EQ(out_.str(), assumed);
}

TEST_F(Estimate, the_work_that_is_assumed_fits_the_trace_and_the_deadline) {
  std::ofstream(file("day.csv")) << "# gap_seconds=3600\n# nodes_probed=1\n# on_demand_usd_per_hour=3\n"
                                    "# value=nodes available\ntick,z\n"
                                 << ticks(24);
  ASSERT_EQ(run({"--trace", file("day.csv")}), 0) << err_.str();
  EXPECT_THAT(err_.str(), HasSubstr("assumed --max-slowdown 1.25 --work-hours 9\n"));
  ASSERT_EQ(run({"--trace", file("t.csv"), "--deadline-hours", "20"}), 0) << err_.str();
  EXPECT_THAT(err_.str(), HasSubstr("assumed --work-hours 16\n"));
}

TEST_F(Estimate, the_trace_of_the_examples_needs_no_flags) {
  const std::string day = std::string(REPRISE_EXAMPLES) + "/traces/v100-us-west-2-day.csv";
  EXPECT_EQ(run({"--trace", day}), 0) << err_.str();
}

// A gap of less than a hundredth says nothing about a policy.
TEST_F(Estimate, no_share_of_a_gap_is_reported_where_greedy_is_as_good_as_the_bound) {
  std::ofstream up(file("up.csv"));
  up << "# gap_seconds=3600\n# nodes_probed=1\n# on_demand_usd_per_hour=3\n# spot_usd_per_hour=1\n"
        "# value=nodes available\ntick,z\n";
  for (int t = 0; t < 200; ++t) up << t << "," << (t == 36 ? 0 : 1) << "\n";
  up.close();
  ASSERT_EQ(run({"--trace", file("up.csv"), "--work-hours", "30", "--max-slowdown", "1.25", "--output", "json"}), 0)
      << err_.str();
  EXPECT_THAT(out_.str(), Not(HasSubstr("\"gapClosed\": -"))) << out_.str();
  EXPECT_THAT(out_.str(), HasSubstr("\"gapClosed\": null"));
}

TEST_F(Estimate, a_price_of_the_trace_is_not_assumed) {
  ASSERT_EQ(run({"--trace", file("t.csv"), "--work-hours", "10", "--deadline-hours=14"}), 0);
  EXPECT_EQ(err_.str(), "");
}

TEST_F(Estimate, json_is_a_list_with_the_promised_keys) {
  ASSERT_EQ(run({"--trace", file("t.csv"), "--zones", "us-west-2a", "--work-hours", "10", "--max-slowdown", "1.5",
                 "--policy", "reprise", "--output", "json"}),
            0)
      << err_.str();
  for (const char* key : {"policy", "zone", "starts", "costMean", "savingPercent", "gapClosed", "deadlineMisses",
                          "startsMean", "spotHours", "onDemandHours", "idleHours"})
    EXPECT_THAT(out_.str(), HasSubstr("\"" + std::string(key) + "\": "));
  EXPECT_THAT(out_.str(), HasSubstr("\"zone\": \"mean\""));
  EXPECT_THAT(out_.str(), Not(HasSubstr("greedy")));
  EXPECT_THAT(out_.str(), Not(HasSubstr("\"gapClosed\": null")));
}

TEST_F(Estimate, the_page_needs_nothing_else) {
  ASSERT_EQ(run({"--trace", file("t.csv"), "--work-hours", "10", "--deadline-hours", "14", "--output", "html"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("<svg"));
  EXPECT_THAT(out_.str(), HasSubstr("deadline"));
  for (const char* outside : {"src=", "href=", "http", "@import", "<script"})
    EXPECT_THAT(out_.str(), Not(HasSubstr(outside)));
}

TEST_F(Estimate, the_page_s_axis_has_a_few_labels_for_short_and_for_long_jobs) {
  for (const auto& [work, deadline] : {std::pair{"0.5", "1"}, {"10", "14"}, {"50", "60"}}) {
    ASSERT_EQ(run({"--trace", file("t.csv"), "--work-hours", work, "--deadline-hours", deadline, "--output", "html"}),
              0);
    const std::string page = out_.str();
    std::size_t labels = 0;
    for (std::size_t at = page.find("class=\"axis\""); at != std::string::npos;
         at = page.find("class=\"axis\"", at + 1))
      ++labels;
    EXPECT_GE(labels, 4U) << deadline;
    EXPECT_LE(labels, 13U) << deadline;
  }
}

TEST_F(Estimate, without_a_deadline_policies_that_need_one_are_left_out) {
  ASSERT_EQ(run({"--trace", file("t.csv"), "--work-hours", "10", "--value-of-time", "1"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), Not(HasSubstr("omniscient")));
  EXPECT_EQ(run({"--trace", file("t.csv"), "--work-hours", "10", "--spot-only", "--policy", "up"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("policy up needs a deadline"));
}

TEST_F(Estimate, a_job_may_move_between_zones) {
  ASSERT_EQ(run({"--trace", file("t.csv"), "--work-hours", "10", "--deadline-hours", "14", "--move-between-zones"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("any"));
}

TEST_F(Estimate, bad_arguments_end_with_2_and_say_what_is_allowed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{"--trace", "t", "--work-hours", "x"}, "--work-hours: found 'x', must be hours"},
      {{"--trace", "t", "--work-hours", "nan"}, "--work-hours: found 'nan'"},
      {{"--trace", "t", "--work-hours", "4", "--spot-only", "--deadline-hours", "5"},
       "found 2 goals, must be one of --deadline-hours"},
      {{"--trace", "t", "--work-hours", "4", "--max-slowdown", "1"}, "a number from 1.01"},
      {{"--trace", "t", "--work-hours", "4", "--spot-only", "--nodes", "1.5"},
       "--nodes: found '1.5', must be a whole number"},
      {{"--trace", "t", "--work-hours", "4", "--spot-only", "--policy", "best"}, "--policy: found 'best', must be all"},
      {{"--trace", "t", "--work-hours", "4", "--spot-only", "--output", "xml"}, "must be table, json or html"},
      {{"--trace", "t", "--work-hours", "4", "--spot-only", "--spot-price", "0"}, "USD per hour greater than 0"},
      {{"--trace", "t", "--work-hours", "4", "--spot-only", "--frobnicate"}, "--frobnicate"}};
  for (const auto& [arguments, expected] : rows) {
    EXPECT_EQ(run(arguments), 2) << expected;
    EXPECT_THAT(err_.str(), HasSubstr(expected));
  }
  EXPECT_EQ(run({"--trace", file("t.csv"), "--work-hours", "14", "--deadline-hours", "14"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("leaves no time"));
  EXPECT_EQ(run({"--help"}), 0);
}

TEST_F(Estimate, a_file_that_is_missing_or_wrong_is_named) {
  const std::vector<std::string> job{"--work-hours", "10", "--deadline-hours", "14"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), job.begin(), job.end());
    return run(more);
  };
  EXPECT_EQ(with({"--trace", file("none.csv")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("none.csv', must be a file"));
  EXPECT_EQ(with({"--trace", directory_.string()}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("is a directory, must be a file"));
  std::ofstream(file("bad.csv")) << "# gap_seconds=600\n# nodes_probed=1\n# value=1 = preempted\ntick,z\n0,1\n";
  EXPECT_EQ(with({"--trace", file("bad.csv")}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("bad.csv:3: the numbers count"));
}

TEST_F(Estimate, what_the_trace_does_not_hold_is_a_bad_argument) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{"--zones", "mars"}, "--zones: " + file("t.csv") + " has no zone 'mars', must be one of us-west-2a, us-west-2b"},
      {{"--zones", "us-west-2a,us-west-2a"}, "named twice"},
      {{"--zones", ","}, "--zones: found ',', must be names"},
      {{"--nodes", "9"}, "--nodes: found '9', must be at most 4"}};
  for (const auto& [more, expected] : rows) {
    std::vector<std::string> arguments{"--trace", file("t.csv"), "--work-hours", "10", "--deadline-hours", "14"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_EQ(run(arguments), 2) << expected;
    EXPECT_THAT(err_.str(), HasSubstr(expected));
  }
}

TEST_F(Estimate, a_policy_asked_for_twice_counts_once) {
  const std::vector<std::string> job{"--trace",          file("t.csv"), "--work-hours", "10",
                                     "--deadline-hours", "14",          "--policy"};
  const auto with = [&](const char* policies) {
    std::vector<std::string> arguments = job;
    arguments.emplace_back(policies);
    EXPECT_EQ(run(arguments), 0);
    return out_.str();
  };
  EXPECT_EQ(with("up,up"), with("up"));
}

TEST_F(Estimate, a_zone_with_the_name_of_a_sum_is_rejected) {
  std::ofstream(file("m.csv")) << "# gap_seconds=600\n# nodes_probed=1\n# value=nodes available\ntick,mean\n0,1\n";
  EXPECT_EQ(run({"--trace", file("m.csv"), "--work-hours", "10", "--deadline-hours", "14", "--on-demand-price", "3",
                 "--spot-price", "1"}),
            2);
  EXPECT_THAT(err_.str(), HasSubstr("zone 'mean'"));
}

TEST_F(Estimate, bad_arguments_for_events_end_with_2) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows{
      {{}, "--events is missing"},
      {{"--events", "e", "--gap-seconds", "1.5"}, "--gap-seconds: found '1.5', must be a whole number from 1 to 86400"},
      {{"--events", "e", "--gap-seconds", "0"}, "--gap-seconds: found '0'"},
      {{"--events", "e", "--zone", "a,b"}, "--zone: found 'a,b', must be one name"}};
  for (const auto& [arguments, expected] : rows) {
    err_.str("");
    EXPECT_EQ(run_trace_from_events(arguments, out_, err_), 2) << expected;
    EXPECT_THAT(err_.str(), HasSubstr(expected));
  }
}

TEST_F(Estimate, events_become_a_trace_that_can_be_estimated) {
  std::ofstream events(file("events.txt"));
  events << "2026-11-20T10:00:00Z Launched a us-west-2a\n2026-11-20T20:00:00Z SpotInterrupted a us-west-2a\n"
            "2026-11-20T21:00:00Z Launched b us-west-2a\n2026-11-22T21:00:00Z Registered b us-west-2a\n";
  events.close();
  ASSERT_EQ(run_trace_from_events({"--events", file("events.txt")}, out_, err_), 0) << err_.str();
  std::ofstream(file("own.csv")) << out_.str();
  EXPECT_EQ(run({"--trace", file("own.csv"), "--work-hours", "10", "--deadline-hours", "14", "--on-demand-price", "3",
                 "--spot-price", "1"}),
            0)
      << err_.str();
}

}  // namespace
}  // namespace reprise::apps
