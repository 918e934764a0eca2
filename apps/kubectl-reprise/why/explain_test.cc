#include "apps/kubectl-reprise/why/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

std::vector<Row> all_rows() {
  std::vector<Row> all;
  for (const auto& rows : {rows_about_operator(), rows_about_jobs(), rows_about_creation(), rows_about_pods(),
                           rows_about_scheduling(), rows_about_machines(), rows_about_pools()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::string page(const std::string& name) {
  std::ifstream file(std::string(REPRISE_DOCS) + "/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The words in backticks in the first column of the table below that heading.
std::vector<std::string> first_column(const std::string& text, const std::string& heading) {
  std::vector<std::string> words;
  std::istringstream lines(text.substr(std::min(text.find(heading), text.size())));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.starts_with("## ")) {
    if (!line.starts_with("| `")) continue;
    std::istringstream parts(line.substr(0, line.find('|', 1)));
    std::string part;
    for (bool within = false; std::getline(parts, part, '`'); within = !within) {
      if (within) words.push_back(part);
    }
  }
  return words;
}

struct ReasonOfPool {
  std::string type, reason;
};

// The reasons of the conditions that say whether a pool serves jobs.
std::vector<ReasonOfPool> reasons_of_pools() {
  const std::string text = page("reference/reasons.md");
  std::istringstream lines(text.substr(std::min(text.find("## GpuPool"), text.size())));
  const std::regex word("`([A-Z][A-Za-z]+)`");
  const auto words = [&](const std::string& of) {
    std::vector<std::string> all;
    for (std::sregex_iterator at(of.begin(), of.end(), word), end; at != end; ++at) all.push_back((*at)[1]);
    return all;
  };
  std::vector<ReasonOfPool> reasons;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `") || line.find("`NodesUpToDate`") < 5) continue;
    const auto bar = line.find('|', 1);
    for (const std::string& reason : words(line.substr(bar)))
      reasons.push_back({.type = words(line.substr(0, bar)).front(), .reason = reason});
  }
  return reasons;
}

// Reasons of conditions that say that all is well; and a condition that is named there.
const std::set<std::string> kGoodReasons = {"Ready",       "Synced",         "RunningDry",       "NotNeeded",
                                            "Configured",  "NoShortageSeen", "NodesFound",       "NoFaultReported",
                                            "Progressing", "ReplacingNodes", "CapacityAvailable"};
const std::set<std::string> kPassingReasons = {"Writing", "NodePoolsNotReady"};

}  // namespace

TEST(Explain, each_reason_for_which_a_pool_serves_no_job_is_a_cause_of_its_own) {
  const std::vector<ReasonOfPool> reasons = reasons_of_pools();
  EXPECT_GT(reasons.size(), 35U);
  for (const auto& [type, reason] : reasons) {
    if (kGoodReasons.contains(reason)) continue;
    SCOPED_TRACE(type + " " + reason);
    const Explanation said =
        explain_at_noon(world_of_pool({pool(condition(type, type == "Stalled" ? "True" : "False", reason, "why"))}));
    ASSERT_TRUE(said.finding);
    const bool has_none = said.finding->cause == Cause::PoolNotReady || said.finding->cause == Cause::PoolStalled;
    EXPECT_EQ(has_none, kPassingReasons.contains(reason)) << text_of(said.finding->cause).name;
    EXPECT_EQ(said.finding->found, reason + ": why");
  }
}

TEST(Explain, each_cause_is_found_in_some_row) {
  std::set<std::string_view> found;
  for (const Row& row : all_rows()) found.insert(text_of(row.cause).name);
  for (const CauseText& cause : all_causes()) {
    EXPECT_TRUE(found.contains(cause.name)) << "no row finds " << cause.name;
  }
}

TEST(Explain, no_two_causes_have_one_name) {
  std::set<std::string_view> names;
  for (const CauseText& cause : all_causes()) EXPECT_TRUE(names.insert(cause.name).second) << cause.name;
}

TEST(Explain, a_job_that_runs_is_blocked_by_nothing_and_the_chain_says_what_was_looked_at) {
  const Explanation explanation = explain_at_noon(world({running()}));
  EXPECT_FALSE(explanation.finding.has_value());
  EXPECT_FALSE(explanation.blocked());
  EXPECT_EQ(explanation.summary, "nothing blocks ResumableJob vision/finetune");
  ASSERT_GE(explanation.chain.size(), 2U);
  EXPECT_EQ(explanation.chain.front().looked_at, "Lease reprise-system/reprise-operator");
}

TEST(Explain, what_the_attempt_that_runs_has_put_aside_is_told_where_nothing_needs_a_person) {
  const auto aside = [](int attempt) { return "unproven: {attempt: " + std::to_string(attempt) + ", message: aside}"; };
  const Explanation now = explain_at_noon(world({running(aside(1))}));
  ASSERT_TRUE(now.finding);
  EXPECT_EQ(now.finding->cause, Cause::CheckpointUnproven);
  EXPECT_FALSE(now.blocked());
  EXPECT_FALSE(explain_at_noon(world({running(aside(3))})).finding) << "attempt 1 runs";
  const std::string full = job(condition("PodsReady", "True", "Started", "attempt 1 runs") + ", " +
                                   condition("VolumeNearlyFull", "True", "LittleRoom", "5.0 GiB are free"),
                               "progress: {activity: Training}, " + aside(1));
  EXPECT_EQ(explain_at_noon(world({full})).finding->cause, Cause::VolumeNearlyFull);
}

TEST(Explain, of_two_causes_the_first_in_the_chain_is_told) {
  const std::string pull = pod(waiting_container("ImagePullBackOff", "no such image"));
  const std::string quota = stalled("FailedCreate", "create Pod: exceeded quota: team, requested: pods=1");
  const std::string no_pool = pool(condition("Stalled", "True", "KarpenterNotInstalled", "no kinds"));
  const struct {
    const char* sentence;
    std::vector<std::string> objects;
    std::vector<std::string> without;
    Cause first;
  } rows[] = {
      {"no operator before what the job says", {quota}, {"Deployment", "Lease"}, Cause::OperatorNotInstalled},
      {"what the job says before its pods", {quota, pull}, {}, Cause::QuotaExceeded},
      {"pods before the pool", {pull, no_pool}, {}, Cause::ImagePullFailed},
      {"an image before a node that another pod waits for",
       {pull,
        "{kind: Pod, metadata: {name: finetune-1-0, namespace: vision, labels: {reprise.dev/job-uid: job-1, "
        "reprise.dev/attempt: \"1\"}}, status: {phase: Pending, conditions: [" +
            condition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available: 1 Insufficient cpu.") +
            "]}}"},
       {},
       Cause::ImagePullFailed},
      {"a volume before the machine",
       {unscheduled("0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
        claim("storageClassName: fast", "Pending"),
        node_claim("2026-11-23T11:40:00Z", condition("Launched", "Unknown", "LaunchFailed", "no"))},
       {},
       Cause::StorageClassMissing},
      {"the machine before its pool",
       {unscheduled("0/1 nodes are available: 1 Insufficient nvidia.com/gpu."), no_pool,
        node_claim("2026-11-23T11:40:00Z", condition("Launched", "Unknown", "LaunchFailed", "no"))},
       {},
       Cause::LaunchFailed},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.sentence);
    const Explanation explanation = explain_at_noon(world(row.objects, row.without));
    ASSERT_TRUE(explanation.finding.has_value());
    EXPECT_EQ(text_of(explanation.finding->cause).name, text_of(row.first).name);
    EXPECT_EQ(std::ranges::count(explanation.chain, Mark::Blocks, &Step::mark), 1);
  }
}

TEST(Explain, the_page_for_troubleshooting_holds_the_table_as_it_is_here) {
  EXPECT_THAT(page("troubleshooting.md"), ::testing::HasSubstr(troubleshooting_tables()))
      << "docs/troubleshooting.md: replace its tables with what `kubectl reprise why --causes` prints";
}

TEST(Explain, each_reason_why_a_job_is_stalled_is_a_cause) {
  const std::vector<std::string> reasons =
      first_column(page("reference/reasons.md"), "## Why a ResumableJob is Stalled");
  EXPECT_GT(reasons.size(), 15U);
  for (const std::string& reason : reasons) {
    if (reason == "FailedCreate") continue;  // its causes are told apart
    EXPECT_TRUE(std::ranges::any_of(all_causes(), [&](const CauseText& cause) { return cause.name == reason; }))
        << "docs/reference/reasons.md has " << reason << ", cause.h has not";
  }
}

}  // namespace reprise::plugin::why::testing
