// Ranks with a volume each, after an end that no agent saw: they resume from the newest step that all volumes prove.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/resumablejob/claims/common_step.h"
#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using protocol::CommonStep;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Negative: nothing proves that one.
using Steps = std::vector<std::int64_t>;

std::vector<protocol::ListedCheckpoint> proofs_of(const Steps& steps) {
  std::vector<protocol::ListedCheckpoint> named;
  for (const std::int64_t step : steps) {
    const std::int64_t number = step < 0 ? -step : step;
    named.push_back({number, protocol::fingerprint("step-" + std::to_string(number)), step > 0, step < 0});
  }
  return named;
}

void list_proofs(JobWorld& world, std::int32_t index, const Steps& steps) {
  kube::ContainerStatus status;
  status.name = protocol::kListContainer;
  status.init = true;
  status.state = kube::ContainerStateKind::Terminated;
  status.exit_code = 0;
  status.message = protocol::encode_listed_checkpoints({world.status().attempt, index, proofs_of(steps)});
  world.pods_.at("fit-1-" + std::to_string(index)).container_statuses.push_back(std::move(status));
}

JobWorld with_lists(const Steps& first, const Steps& second, std::optional<std::int64_t> expected,
                    api::UnprovenCheckpoints unproven = api::UnprovenCheckpoints::PutAside) {
  JobWorld world = running_job(2, [&](api::ResumableJob& job) {
    job.spec.checkpoint.volume.access = api::VolumeAccess::PerIndex;
    job.spec.checkpoint.unproven = unproven;
  });
  if (expected) world.job_.status.checkpoint = api::CheckpointStatus{.step = *expected, .path = "step-rank0"};
  world.announced_.clear();
  list_proofs(world, 0, first);
  list_proofs(world, 1, second);
  return world;
}

std::optional<CommonStep> told_in(const JobWorld& world, const std::string& pod) {
  return protocol::decode_common_step(world.pod(pod).meta.annotation(protocol::kResumeStepAnnotation));
}

std::vector<std::string> reasons_said(const JobWorld& world) {
  std::vector<std::string> found;
  for (const Announcement& each : world.announced_) found.push_back(each.reason);
  return found;
}

struct Proofs {
  const char* what;
  Steps first, second;
  std::optional<std::int64_t> step, unproven_step;
};

TEST(UnprovenOnVolumes, the_common_step_is_the_newest_that_all_can_prove) {
  for (const Proofs& row : {
           Proofs{"one machine was lost", {-400, 300, 200}, {400, 300, 200}, 300, 400},
           Proofs{"both were", {-400, -300, 200}, {-400, 300, 200}, 200, 400},
           Proofs{"one alone has it", {-400, 300}, {300}, 300, {}},
           Proofs{"all can prove it", {400, 300}, {400, 300}, 400, {}},
           Proofs{"numbers that contradict the order", {-10, 300}, {10, 300}, 300, {}},
           Proofs{"none can prove anything", {-400}, {400}, {}, {}},
       }) {
    JobWorld world = with_lists(row.first, row.second, {});
    world.settle();
    for (const char* pod : {"fit-1-0", "fit-1-1"}) {
      ASSERT_TRUE(told_in(world, pod)) << row.what;
      EXPECT_EQ(told_in(world, pod)->step, row.step) << row.what;
      EXPECT_EQ(told_in(world, pod)->unproven_step, row.unproven_step) << row.what;
    }
  }
}

TEST(UnprovenOnVolumes, the_expectation_follows_and_it_is_said_once) {
  JobWorld world = with_lists({-400, 300}, {400, 300}, 400);
  world.settle_with_crashes();
  EXPECT_EQ(world.status().checkpoint->step, 300);
  EXPECT_EQ(world.status().checkpoint->path, "") << "each rank may have another name for it";
  EXPECT_EQ(told_in(world, "fit-1-0")->unproven_step, 400) << "these pods were made while step 400 was expected";
  EXPECT_EQ(told_in(world, "fit-1-1")->unproven_step, 400);
  ASSERT_TRUE(world.status().unproven);
  EXPECT_EQ(world.status().unproven->step, 400);
  EXPECT_EQ(world.status().unproven->resumed_from, 300);
  JobWorld steady = with_lists({-400, 300}, {400, 300}, 400);
  steady.settle();
  EXPECT_THAT(reasons_said(steady), ::testing::ElementsAre("CheckpointUnproven"));
  EXPECT_THAT(std::string(steady.announced_[0].note), HasSubstr(".reprise/ahead"));
}

TEST(UnprovenOnVolumes, what_is_newer_than_what_was_expected_lowers_nothing) {
  JobWorld world = with_lists({-400, 300}, {400, 300}, 300);
  world.settle();
  EXPECT_EQ(world.status().checkpoint->step, 300);
  EXPECT_THAT(reasons_said(world), ::testing::ElementsAre("CheckpointUnproven"));
}

TEST(UnprovenOnVolumes, a_volume_that_has_lost_what_was_expected_is_a_loss) {
  for (const Proofs& row :
       {Proofs{"emptied", {-400, 300}, {300}, {}, {}}, Proofs{"older", {-350, 300}, {350, 300}, {}, {}},
        Proofs{"nothing is proven", {-400}, {400}, {}, {}}}) {
    JobWorld world = with_lists(row.first, row.second, 400);
    world.settle();
    EXPECT_EQ(world.status().checkpoint->step, 400) << row.what;
    const auto told_first = told_in(world, "fit-1-0");
    EXPECT_FALSE(told_first && told_first->step && told_first->unproven_step >= 400) << row.what;
    EXPECT_EQ(std::ranges::count(reasons_said(world), "CheckpointUnproven"), 0) << row.what;
  }
}

TEST(UnprovenOnVolumes, a_person_is_told_of_what_lies_there_unproven) {
  JobWorld world = with_lists({-400}, {400}, 400);
  world.settle();
  for (const std::int32_t index : {0, 1}) {
    world.exit("fit-1-" + std::to_string(index), protocol::kCheckpointLostExitCode,
               R"({"attempt":1,"index":)" + std::to_string(index) +
                   R"(,"exitCode":86,"reason":"CheckpointLost","message":"no step is on all of them"})");
    list_proofs(world, index, index == 0 ? Steps{-400} : Steps{400});
  }
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_THAT(std::string(world.condition("Stalled").message), HasSubstr("step 400 is on all volumes, and not proven"));
  EXPECT_THAT(std::string(world.condition("Stalled").message), HasSubstr("spec.checkpoint.unproven Use"));
}

TEST(UnprovenOnVolumes, with_use_all_resume_from_the_newest_that_all_have) {
  JobWorld world = with_lists({-400, 300}, {400, 300}, 400, api::UnprovenCheckpoints::Use);
  world.settle();
  EXPECT_EQ(told_in(world, "fit-1-1")->step, 400);
  EXPECT_EQ(told_in(world, "fit-1-1")->unproven_step, std::nullopt);
  EXPECT_EQ(world.status().checkpoint->step, 400);
  EXPECT_THAT(reasons_said(world), IsEmpty());
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
