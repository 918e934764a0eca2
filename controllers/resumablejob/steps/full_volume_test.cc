// Saves that find no room: a person is asked, and no failure is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::admitted_job;
using controllers::testing::holds_quota;
using controllers::testing::JobWorld;
using controllers::testing::running_job;
using ::testing::HasSubstr;

constexpr const char* kFull =
    R"("full":{"freeBytes":4096,"saveBytes":4294967296,"generations":5,"keep":2,"keepDeletes":3,"keepFreesBytes":12884901888})";

std::string record_of_end(const std::string& more, int index = 0, int code = 1) {
  return R"({"attempt":1,"index":)" + std::to_string(index) + R"(,"exitCode":)" + std::to_string(code) +
         R"(,"finished":false,"asked":false,"saved":false,)" + more + "}";
}

JobWorld full_job(const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  JobWorld world = running_job(1, change);
  world.exit("fit-1-0", 1, record_of_end(kFull));
  world.settle();
  return world;
}

void grow_claim(JobWorld& world, const std::string& capacity) {
  for (auto& [name, claim] : world.claims_) {
    auto grown = std::make_shared<kube::PersistentVolumeClaim>(*claim);
    grown->capacity = capacity;
    claim = std::move(grown);
  }
}

std::int64_t count_of(const JobWorld& world, std::string_view reason) {
  return std::ranges::count(world.announced_, reason, &Announcement::reason);
}

TEST(FullVolumeOfJob, a_job_without_room_waits_for_a_person_and_counts_no_failure) {
  JobWorld world = full_job([](api::ResumableJob& job) { job.spec.backoff_limit = 0; });
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.status().attempts_without_progress, 0);
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
  EXPECT_EQ(world.state("Stalled"), "True/VolumeFull");
  EXPECT_EQ(world.state("PodsReady"), "False/VolumeFull");
  EXPECT_EQ(count_of(world, "VolumeFull"), 1);
  const std::string message(world.condition("Stalled").message);
  for (const char* part : {"fit-checkpoints", "4.0 KiB are free", "a save takes 4.0 GiB", "5 complete checkpoints",
                           "spec.checkpoint.keep to 2", "3 of them (12.0 GiB)", "kubectl reprise suspend fit"})
    EXPECT_THAT(message, HasSubstr(part));
  for (int hour = 0; hour < 5; ++hour) {
    world.now_ += std::chrono::hours(1);
    world.settle();
  }
  EXPECT_EQ(world.status().attempt, 1) << "and nothing begins by itself";
  EXPECT_EQ(world.state("Stalled"), "True/VolumeFull");
  EXPECT_EQ(count_of(world, "VolumeFull"), 1);
}

TEST(FullVolumeOfJob, an_edited_job_goes_on) {
  JobWorld world = full_job();
  world.job_.spec.checkpoint.keep = 2;
  ++world.job_.meta.generation;
  world.settle();
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_FALSE(world.status().volume_full);
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
}

TEST(FullVolumeOfJob, a_claim_that_has_grown_lets_the_job_go_on) {
  JobWorld world = full_job();
  grow_claim(world, "100Gi");
  world.now_ += std::chrono::hours(1);
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(FullVolumeOfJob, a_job_without_room_gives_its_quota_back) {
  JobWorld world = admitted_job();
  world.exit("fit-1-0", 1, record_of_end(kFull));
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/VolumeFull");
  EXPECT_FALSE(holds_quota(world));
}

TEST(FullVolumeOfJob, one_rank_that_says_it_is_enough) {
  JobWorld world = running_job(2);
  world.exit("fit-1-0", 1, record_of_end(R"("step":5,"durable":true)"));
  world.exit("fit-1-1", 1, record_of_end(kFull, 1));
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/VolumeFull");
  EXPECT_EQ(world.status().failures, 0);
}

TEST(FullVolumeOfJob, a_record_without_a_word_of_it_counts_as_ever) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 1, record_of_end(R"("step":5,"durable":true)"));
  world.settle();
  EXPECT_EQ(world.status().failures, 1);
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
}

// Its pod is deleted first, the other one saves for a while, and meanwhile the operator is another one.
TEST(FullVolumeOfJob, is_remembered_by_an_operator_that_has_not_seen_the_record) {
  JobWorld world = running_job(2);
  world.exit("fit-1-0", 1, record_of_end(kFull));
  world.settle();
  world.forget_deleted_pods();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/VolumeFull");
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_THAT(std::string(world.condition("Stalled").message), HasSubstr("4.0 KiB are free"));
  EXPECT_EQ(count_of(world, "VolumeFull"), 1);
}

TEST(FullVolumeOfJob, a_rule_that_fails_the_job_stands) {
  JobWorld world = running_job(1, [](api::ResumableJob& job) {
    api::PodFailureRule rule;
    rule.action = api::FailureAction::FailJob;
    rule.on_exit_codes_operator = "In";
    rule.on_exit_codes_values = {1};
    job.spec.pod_failure_rules = {rule};
  });
  world.exit("fit-1-0", 1, record_of_end(kFull));
  world.settle();
  EXPECT_EQ(world.state("Failed"), "True/PodFailurePolicy");
}

TEST(FullVolumeOfJob, an_agent_that_finds_no_room_for_its_own_files_stalls_the_job_too) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 87, record_of_end(R"("reason":"VolumeFull","full":{"freeBytes":0,"generations":0})", 0, 87));
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/VolumeFull");
  EXPECT_THAT(std::string(world.condition("Stalled").message), HasSubstr("let the claim grow"));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
