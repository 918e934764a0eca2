// The invariants about ranks with a volume each object to violations and to nothing else.
#include <gmock/gmock.h>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class CommonStepInvariants : public testing::InvariantBench {
 protected:
  static Disk disk(std::vector<std::int64_t> steps) {
    Disk made;
    made.gang_volumes = 2;
    made.fence_job_uid = "job";
    made.fence_attempt = 2;
    for (const std::int64_t step : steps) made.checkpoints[step] = {.step = step, .complete = true};
    return made;
  }
  static Disk loaded(Disk by, int rank, std::int64_t step) {
    by.attempts[2].loads[rank] = {.by = {.pod_uid = std::to_string(rank), .job_uid = "job", .attempt = 2, .rank = rank},
                                  .step = step};
    return by;
  }
};

TEST_F(CommonStepInvariants, what_ranks_load_is_the_newest_that_all_volumes_have) {
  for (const std::int64_t from : {10, 20, 30, -1}) {
    const Disks disks{{"a", loaded(disk({10, 20, 30}), 0, from)}, {"b", loaded(disk({10, 20}), 1, from)}};
    EXPECT_THAT(step(*resumes_common(), disks), SizeIs(from == 20 ? 0 : 1)) << from;
  }
  EXPECT_THAT(step(*resumes_common(), {{"a", loaded(disk({10}), 0, -1)}, {"b", loaded(disk({20}), 1, -1)}}), IsEmpty());
  EXPECT_THAT(step(*resumes_common(), {{"a", loaded(disk({10}), 0, 10)}, {"b", disk({10, 20})}}), IsEmpty())
      << "the second has loaded nothing yet";
}

TEST_F(CommonStepInvariants, ranks_load_one_step_whatever_volume_it_is_on) {
  EXPECT_THAT(step(*one_resume_step(), {{"a", loaded(disk({10, 20}), 0, 20)}, {"b", loaded(disk({10, 20}), 1, 10)}}),
              SizeIs(1));
  EXPECT_THAT(step(*one_resume_step(), {{"a", loaded(disk({10, 20}), 0, 20)}, {"b", loaded(disk({10, 20}), 1, 20)}}),
              IsEmpty());
}

TEST_F(CommonStepInvariants, what_all_volumes_have_stays_on_all) {
  const auto invariant = common_checkpoint_stays();
  EXPECT_THAT(step(*invariant, {{"a", disk({10, 20})}, {"b", disk({10, 20})}}), IsEmpty());
  EXPECT_THAT(step(*invariant, {{"a", disk({10, 20, 30})}, {"b", disk({20})}}), IsEmpty());
  EXPECT_THAT(step(*invariant, {{"a", disk({10, 30})}, {"b", disk({10, 20})}}), SizeIs(1));
  Disk scratch = disk({});
  scratch.attempts[2].renounces = true;
  EXPECT_THAT(step(*invariant, {{"a", scratch}, {"b", disk({10, 20})}}), IsEmpty()) << "a person gave them up";
}

}  // namespace
}  // namespace reprise::simulator
