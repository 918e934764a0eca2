// The invariants about the status of jobs object to violations and to nothing else.
#include "simulator/invariants/invariants.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using testing::kCompleteJob;
using testing::trainer;

class JobStatusInvariants : public testing::InvariantBench {};

TEST_F(JobStatusInvariants, counters_never_go_down) {
  const auto invariant = counters_grow(api);
  const char* two =
      R"({"metadata": {"name": "j"}, "status": {"attempt": 2, "interruptions": [{"count": 2}, {"count": 1}]}})";
  const char* one = R"({"metadata": {"name": "j"}, "status": {"attempt": 2, "interruptions": [{"count": 2}]}})";
  EXPECT_TRUE(reported(*invariant, job_change(one, two)).empty());
  EXPECT_EQ(reported(*invariant, job_change(two, one)).size(), 1U);
  const char* other = R"({"metadata": {"name": "j"}, "status": {"interruptions": [{"reason": "a", "count": 1}]}})";
  const char* instead = R"({"metadata": {"name": "j"}, "status": {"interruptions": [{"reason": "b", "count": 2}]}})";
  EXPECT_EQ(reported(*invariant, job_change(other, instead)).size(), 1U) << "one may not fall because another rises";
}

TEST_F(JobStatusInvariants, complete_is_never_taken_back_and_no_attempt_follows) {
  const auto invariant = terminal_stays(api);
  EXPECT_TRUE(reported(*invariant, job_change(kCompleteJob, kCompleteJob)).empty());
  const char* undone = R"({"metadata": {"name": "j"}, "status": {"attempt": 2}})";
  EXPECT_EQ(reported(*invariant, job_change(kCompleteJob, undone)).size(), 2U);
}

TEST_F(JobStatusInvariants, no_attempt_begins_at_the_limit_of_interruptions) {
  const auto invariant = limit_holds(api);
  const auto job = [](int attempt, int interruptions, int limit) {
    return R"({"metadata": {"name": "j"}, "spec": {"interruption": {"limit": )" + std::to_string(limit) +
           R"(}}, "status": {"attempt": )" + std::to_string(attempt) + R"(, "interruptionCount": )" +
           std::to_string(interruptions) + "}}";
  };
  EXPECT_TRUE(reported(*invariant, job_change(job(1, 1, 2).c_str(), job(2, 1, 2).c_str())).empty());
  EXPECT_TRUE(reported(*invariant, job_change(job(2, 1, 2).c_str(), job(2, 2, 2).c_str())).empty());
  EXPECT_TRUE(reported(*invariant, job_change(job(2, 2, 3).c_str(), job(3, 2, 3).c_str())).empty()) << "it was raised";
  EXPECT_EQ(reported(*invariant, job_change(job(2, 2, 2).c_str(), job(3, 2, 2).c_str())).size(), 1U);
}

TEST_F(JobStatusInvariants, no_deadline_counts_the_time_in_which_the_job_was_suspended) {
  const auto job = [](bool suspended, bool failed) {
    return R"({"metadata": {"name": "j", "uid": "job"}, "spec": {"activeDeadlineSeconds": 3600, "suspend": )" +
           std::string(suspended ? "true" : "false") +
           R"(}, "status": {"conditions": [{"type": "Failed", "status": ")" + (failed ? "True" : "False") +
           R"(", "reason": "DeadlineExceeded"}]}})";
  };
  const auto objections = [&](bool suspends, std::chrono::minutes then) {
    const auto invariant = deadline_counts_running(api, loop);
    EXPECT_TRUE(reported(*invariant, job_change("{}", job(suspends, false).c_str())).empty());
    loop.run_until(loop.now() + std::chrono::hours(2));
    EXPECT_TRUE(reported(*invariant, job_change(job(suspends, false).c_str(), job(false, false).c_str())).empty());
    loop.run_until(loop.now() + then);
    return reported(*invariant, job_change(job(false, false).c_str(), job(false, true).c_str())).size();
  };
  EXPECT_EQ(objections(false, std::chrono::minutes(1)), 0U);
  EXPECT_EQ(objections(true, std::chrono::minutes(60)), 0U);
  EXPECT_EQ(objections(true, std::chrono::minutes(10)), 1U);
}

TEST_F(JobStatusInvariants, no_standby_pod_keeps_a_machine_while_a_quota_rejects_a_pod_of_its_job) {
  const auto job = [](const char* message) {
    return R"({"metadata": {"name": "j", "uid": "job"}, "status": {"conditions": [{"type": "PodsReady", "message": ")" +
           std::string(message) + R"("}]}})";
  };
  const std::string rejected = job("create Pod team/j-2-0: forbidden: exceeded quota: team"),
                    waits = job("1 of 2 wait");
  const auto invariant = standby_gives_way(api, loop);
  const auto objections = [&](const std::string& before, const std::string& now, std::chrono::minutes then) {
    EXPECT_TRUE(reported(*invariant, job_change(before.c_str(), now.c_str())).empty());
    loop.run_until(loop.now() + then);
    return reported(*invariant, job_change(now.c_str(), now.c_str())).size();
  };
  EXPECT_EQ(objections("{}", rejected, std::chrono::minutes(20)), 0U) << "there is none";
  ASSERT_TRUE(api.create(api.resource("", "pods"), boost::json::parse(R"({"metadata": {"name": "s", "namespace":
      "default", "labels": {"reprise.dev/job-uid": "job", "reprise.dev/standby": "1"}},
      "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]}})")));
  EXPECT_EQ(objections(rejected, waits, std::chrono::minutes(20)), 0U);
  EXPECT_EQ(objections(waits, rejected, std::chrono::minutes(10)), 0U);
  EXPECT_EQ(objections(rejected, rejected, std::chrono::minutes(10)), 1U);
}

TEST_F(JobStatusInvariants, complete_is_said_only_when_all_ranks_of_one_attempt_have_finished) {
  TrainingLog training;
  training.finished = {trainer(1, 0), trainer(2, 1)};
  EXPECT_EQ(reported(*complete_is_true(api, training), job_change("{}", kCompleteJob)).size(), 1U);
  training.finished.insert(trainer(2, 0));
  EXPECT_TRUE(reported(*complete_is_true(api, training), job_change("{}", kCompleteJob)).empty());
}

TEST_F(JobStatusInvariants, the_status_of_a_condition_is_found_by_its_type) {
  const Value job = boost::json::parse(
      R"({"status": {"conditions": [{"type": "Complete", "status": "False"}, {"type": "Failed", "status": "True"}]}})");
  EXPECT_EQ(condition(job, "Complete"), "False");
  EXPECT_EQ(condition(job, "Stalled"), "");
  EXPECT_TRUE(has_ended(job));
}

}  // namespace
}  // namespace reprise::simulator
