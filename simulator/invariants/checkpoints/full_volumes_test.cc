// The invariant about full volumes objects to violations and to nothing else.
#include <gtest/gtest.h>

#include <string>

#include "simulator/invariants/invariants.h"
#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using testing::trainer;

class FullVolumeInvariant : public testing::InvariantBench {
 protected:
  static std::string job(int failures, int attempt, int last_end, bool waits = false) {
    return R"({"metadata": {"name": "j", "uid": "job", "generation": 3}, "status": {"failures": )" +
           std::to_string(failures) + R"(, "attempt": )" + std::to_string(attempt) +
           (waits ? R"(, "volumeFull": {"generation": 3})" : "") + R"(, "lastEnd": {"attempt": )" +
           std::to_string(last_end) + "}}}";
  }
  std::size_t objections(const std::string& before, const std::string& after, bool recorded = true) {
    const TrainingLog full{.no_room = {trainer(1, 0)}};
    const auto invariant = full_volumes_count_nothing(api, full);
    Disks disks;
    if (recorded) disks["pv"].attempts[1].records[0] = {.job_uid = "job", .pod_uid = "p", .exit_code = 1, .step = {}};
    step(*invariant, disks, full);
    return reported(*invariant, job_change(before.c_str(), after.c_str())).size();
  }
};

TEST_F(FullVolumeInvariant, an_end_for_want_of_room_is_no_failure) {
  EXPECT_EQ(objections(job(1, 1, 0), job(1, 1, 1)), 0U);
  EXPECT_EQ(objections(job(1, 1, 0), job(2, 1, 1)), 1U);
  EXPECT_EQ(objections(job(1, 1, 0), job(2, 1, 1), false), 0U) << "nobody could tell";
  EXPECT_EQ(objections(job(1, 2, 1), job(2, 2, 2)), 0U) << "another attempt";
}

TEST_F(FullVolumeInvariant, nothing_begins_before_somebody_has_made_room) {
  EXPECT_EQ(objections(job(1, 1, 1, true), job(1, 2, 1)), 1U);
  EXPECT_EQ(objections(job(1, 1, 1, false), job(1, 2, 1)), 0U);
  std::string edited = job(1, 2, 1);
  edited.replace(edited.find(R"("generation": 3)"), 15, R"("generation": 4)");
  EXPECT_EQ(objections(job(1, 1, 1, true), edited), 0U);
}

}  // namespace
}  // namespace reprise::simulator
