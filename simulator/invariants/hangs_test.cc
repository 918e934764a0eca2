// The invariants about trainers that hang object to violations and to nothing else.
#include <gtest/gtest.h>

#include <string>

#include "simulator/invariants/invariants.h"
#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using testing::trainer;

class HangInvariants : public testing::InvariantBench {
 protected:
  static std::string ended(const char* cause, int failures, int interruptions) {
    return R"({"metadata": {"name": "j", "uid": "job"}, "status": {"failures": )" + std::to_string(failures) +
           R"(, "interruptionCount": )" + std::to_string(interruptions) + R"(, "lastEnd": {"attempt": 1, "cause": ")" +
           cause + R"("}}})";
  }
  std::size_t objections(const char* cause, int failures, int interruptions, const TrainingLog& training) {
    const auto invariant = hangs_count_nothing(api, training);
    const char* before = R"({"metadata": {"name": "j", "uid": "job"}, "status": {"failures": 1}})";
    return reported(*invariant, job_change(before, ended(cause, failures, interruptions).c_str())).size();
  }
};

TEST_F(HangInvariants, a_hung_trainer_is_ended_in_time_unless_something_stood_in_the_way) {
  const auto judged = [](int lasted, int allowed) {
    const auto invariant = hangs_are_ended();
    return step(*invariant, {},
                {.hangs = {{.by = trainer(1, 0), .lasted = Duration{lasted}, .allowed = Duration{allowed}}}})
        .size();
  };
  EXPECT_EQ(judged(100, 100), 0U);
  EXPECT_EQ(judged(101, 100), 1U);
  EXPECT_EQ(judged(101, 0), 0U);
}

TEST_F(HangInvariants, a_hang_counts_neither_as_a_failure_nor_as_an_interruption) {
  const TrainingLog hung{.stood = {trainer(1, 0)}};
  EXPECT_EQ(objections("Hung", 1, 0, hung), 0U);
  EXPECT_EQ(objections("Hung", 2, 0, hung), 1U);
  EXPECT_EQ(objections("Hung", 1, 1, hung), 1U);
  EXPECT_EQ(objections("ApplicationFailure", 2, 0, hung), 0U);
}

TEST_F(HangInvariants, no_attempt_ends_as_hung_whose_trainers_went_on) {
  EXPECT_EQ(objections("Hung", 1, 0, {}), 1U);
  EXPECT_EQ(objections("Hung", 1, 0, {.stood = {trainer(2, 0)}}), 1U);
}

}  // namespace
}  // namespace reprise::simulator
