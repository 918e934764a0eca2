// The laws about what the status of a job says object to what breaks them and to nothing else.
#include "simulator/invariants/laws.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "simulator/invariants/testing/law_bench.h"

namespace reprise::simulator {
namespace {

using testing::kCompleteJob;
using testing::trainer;

class JobStatusLaws : public testing::LawBench {};

TEST_F(JobStatusLaws, counters_never_go_down) {
  const auto law = counters_grow(api);
  const char* two =
      R"({"metadata": {"name": "j"}, "status": {"attempt": 2, "interruptions": [{"count": 2}, {"count": 1}]}})";
  const char* one = R"({"metadata": {"name": "j"}, "status": {"attempt": 2, "interruptions": [{"count": 2}]}})";
  EXPECT_TRUE(told(*law, job_change(one, two)).empty());
  EXPECT_EQ(told(*law, job_change(two, one)).size(), 1U);
  const char* other = R"({"metadata": {"name": "j"}, "status": {"interruptions": [{"reason": "a", "count": 1}]}})";
  const char* instead = R"({"metadata": {"name": "j"}, "status": {"interruptions": [{"reason": "b", "count": 2}]}})";
  EXPECT_EQ(told(*law, job_change(other, instead)).size(), 1U) << "one may not fall because another rises";
}

TEST_F(JobStatusLaws, complete_is_never_taken_back_and_no_attempt_follows) {
  const auto law = terminal_stays(api);
  EXPECT_TRUE(told(*law, job_change(kCompleteJob, kCompleteJob)).empty());
  const char* undone = R"({"metadata": {"name": "j"}, "status": {"attempt": 2}})";
  EXPECT_EQ(told(*law, job_change(kCompleteJob, undone)).size(), 2U);
}

TEST_F(JobStatusLaws, complete_is_said_only_when_all_ranks_of_one_attempt_have_finished) {
  TrainingLog training;
  training.finished = {trainer(1, 0), trainer(2, 1)};
  EXPECT_EQ(told(*complete_is_true(api, training), job_change("{}", kCompleteJob)).size(), 1U);
  training.finished.insert(trainer(2, 0));
  EXPECT_TRUE(told(*complete_is_true(api, training), job_change("{}", kCompleteJob)).empty());
}

TEST_F(JobStatusLaws, the_status_of_a_condition_is_found_by_its_type) {
  const Value job = boost::json::parse(
      R"({"status": {"conditions": [{"type": "Complete", "status": "False"}, {"type": "Failed", "status": "True"}]}})");
  EXPECT_EQ(condition(job, "Complete"), "False");
  EXPECT_EQ(condition(job, "Stalled"), "");
  EXPECT_TRUE(has_ended(job));
}

}  // namespace
}  // namespace reprise::simulator
