// The invariant about a job's known saves objects to violations and to nothing else.
#include <gtest/gtest.h>

#include <string>

#include "simulator/invariants/invariants.h"
#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

class ExpectationInvariant : public testing::InvariantBench {
 protected:
  static std::string job(int step, int minute, const std::string& unproven = {}, const std::string& annotations = {}) {
    const std::string time = "2026-11-21T09:" + std::to_string(minute) + ":00Z";
    return R"({"metadata": {"name": "j", "uid": "job", "annotations": {)" + annotations +
           R"(}}, "status": {"attempt": 2, )" + (unproven.empty() ? "" : R"("unproven": {)" + unproven + "}, ") +
           R"("checkpoint": {"step": )" + std::to_string(step) + R"(, "time": ")" + time + R"("}}})";
  }
  std::size_t objections(const std::string& before, const std::string& after) {
    const auto invariant = expectations_fall_for_a_reason(api);
    return reported(*invariant, job_change(before.c_str(), after.c_str())).size();
  }
};

TEST_F(ExpectationInvariant, what_a_job_has_saved_is_forgotten_for_a_reason_alone) {
  const std::string forty = job(40, 30);
  EXPECT_EQ(objections(forty, job(50, 40)), 0U);
  EXPECT_EQ(objections(forty, job(30, 20)), 1U);
  EXPECT_EQ(objections(forty, job(30, 40)), 0U) << "steps begin again";
  EXPECT_EQ(objections(forty, job(30, 20, {}, R"("reprise.dev/accept-checkpoint": "30/1")")), 0U);
}

TEST_F(ExpectationInvariant, what_was_put_aside_is_a_reason_up_to_its_step) {
  const std::string forty = job(40, 30);
  EXPECT_EQ(objections(forty, job(30, 20, R"("attempt": 2, "step": 45, "resumedFromStep": 30)")), 0U);
  EXPECT_EQ(objections(forty, job(35, 20, R"("attempt": 2, "step": 40, "resumedFromStep": 30)")), 0U) << "saved since";
  EXPECT_EQ(objections(forty, job(30, 20, R"("attempt": 2, "step": 39, "resumedFromStep": 30)")), 1U);
  EXPECT_EQ(objections(forty, job(20, 20, R"("attempt": 2, "step": 45, "resumedFromStep": 30)")), 1U);
  EXPECT_EQ(objections(forty, job(30, 20, R"("attempt": 1, "step": 45, "resumedFromStep": 30)")), 1U);
  EXPECT_EQ(objections(forty, job(30, 20, R"("attempt": 2, "step": 45)")), 1U);
}

}  // namespace
}  // namespace reprise::simulator
