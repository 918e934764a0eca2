#include "controllers/resumablejob/status/hold_back.h"

#include <gtest/gtest.h>

#include "controllers/resumablejob/decide/phases.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::resumablejob {
namespace {

using std::chrono::seconds;
using testing::kStart;

// A job whose attempt of two ranks has begun, and nothing of it is recorded yet.
api::ResumableJob begun() {
  api::ResumableJob job = testing::MakeJob("fit").parallelism(2).get();
  job.meta.resource_version = "7";
  job.status.attempt = 1;
  job.status.members = {{.index = 0, .pod_name = "fit-1-0"}, {.index = 1, .pod_name = "fit-1-1"}};
  ConditionSetter(job.status.conditions, 1, kStart).set_false("PodsReady", "WaitForStart", "2 of 2 pods are not ready");
  return job;
}

Plan wants(const api::ResumableJob& job, const std::function<void(api::ResumableJobStatus&)>& change) {
  Plan plan{.status = job.status, .actions = {}, .announcements = {}, .wake_at = {}};
  change(plan.status);
  return plan;
}

void bind(api::ResumableJobStatus& status, std::size_t rank) {
  status.members[rank].pod_uid = "uid-pod";
  status.members[rank].node_name = "node-a";
  status.active = 1;
}

TEST(HoldBack, what_a_status_decides_is_written_at_once) {
  const api::ResumableJob job = begun();
  EXPECT_EQ(urgency_of(job.status, wants(job, [](auto& s) { s.attempt_end = api::AttemptEnd{.attempt = 1}; })),
            Urgency::Now);
  EXPECT_EQ(urgency_of(job.status, wants(job, [](auto& s) { s.members.clear(); })), Urgency::Now);
  EXPECT_EQ(urgency_of(job.status, wants(job, [](auto& s) { ++s.attempt; })), Urgency::Now);
  EXPECT_EQ(urgency_of(job.status, wants(job, [](auto& s) { s.checkpoint.emplace(); })), Urgency::Now);
  EXPECT_EQ(
      urgency_of(job.status,
                 wants(job,
                       [](auto& s) {
                         ConditionSetter(s.conditions, 1, kStart).set_false("PodsReady", "WriterNotFenced", "say so");
                       })),
      Urgency::Now);
}

TEST(HoldBack, a_status_is_written_before_anything_is_done_or_said) {
  const api::ResumableJob job = begun();
  Plan does = wants(job, [](auto& s) { bind(s, 0); });
  does.actions.emplace_back(DeletePod{"fit-1-0", "uid-pod", {}});
  EXPECT_EQ(urgency_of(job.status, does), Urgency::Now);
  Plan says = wants(job, [](auto& s) { bind(s, 0); });
  says.announcements.push_back({EventType::Normal, "Started", "StartAttempt", {}});
  EXPECT_EQ(urgency_of(job.status, says), Urgency::Now);
}

TEST(HoldBack, bindings_wait_for_each_other_and_a_rank_that_has_started_waits_less) {
  const auto written = std::make_shared<const api::ResumableJob>(begun());
  const api::ResumableJob& job = *written;
  const Plan bound = wants(job, [](auto& s) { bind(s, 0); });
  const auto held = hold_back(written, bound, kStart, nullptr);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->due(), kStart + seconds(60));
  const Plan started = wants(job, [](auto& s) {
    bind(s, 0);
    bind(s, 1);
    s.members[0].boot_id = "boot-a";
  });
  const auto longer = hold_back(written, started, kStart + seconds(20), held.get());
  ASSERT_TRUE(longer);
  EXPECT_EQ(longer->due(), kStart + seconds(35));
  EXPECT_EQ(longer->status, started.status);
  EXPECT_FALSE(hold_back(written, started, kStart + seconds(35), longer.get()));
}

// Otherwise whoever annotates a job once a minute would keep it from ever being written.
TEST(HoldBack, what_is_held_outlasts_a_change_of_the_job_that_is_none_of_its_status) {
  const auto written = std::make_shared<const api::ResumableJob>(begun());
  const auto held = hold_back(written, wants(*written, [](auto& s) { bind(s, 0); }), kStart, nullptr);
  ASSERT_TRUE(held);
  EXPECT_TRUE(held->fits(*written));
  api::ResumableJob annotated = *written;
  annotated.meta.resource_version = "8";
  EXPECT_TRUE(held->fits(annotated));
  annotated.status.members[0].node_name = "node-z";
  EXPECT_FALSE(held->fits(annotated));
}

TEST(HoldBack, an_end_is_recorded_soon) {
  const api::ResumableJob job = begun();
  EXPECT_EQ(urgency_of(job.status, wants(job, [](auto& s) { s.members[1].proof = api::EndProof::KubeletReport; })),
            Urgency::Ended);
  EXPECT_EQ(urgency_of(job.status, wants(job, [](auto& s) { s.members[1].exit_code = 1; })), Urgency::Ended);
}

TEST(HoldBack, what_says_nothing_new_is_neither_held_nor_written) {
  const auto written = std::make_shared<const api::ResumableJob>(begun());
  EXPECT_FALSE(hold_back(written, wants(*written, [](auto&) {}), kStart, nullptr));
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
