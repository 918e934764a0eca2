// Pods that may lose the node that they are on, and when.
#include "controllers/gpupool/machines/may_go.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/testing/drifting_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Drifting;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::pod_on;
using testing::training_job;

TEST(JustSaved, is_a_job_whose_attempt_reported_a_durable_checkpoint_within_two_minutes) {
  struct Case {
    const char* when;
    void (*change)(api::ResumableJobStatus&);
    bool saved;
  };
  const Case table[] = {
      {"it has", [](auto&) {}, true},
      {"it was two minutes ago", [](auto& s) { s.progress->checkpoint->time = kStart - minutes(2); }, true},
      {"it was longer ago", [](auto& s) { s.progress->checkpoint->time = kStart - minutes(2) - seconds(1); }, false},
      {"by a clock that is far ahead", [](auto& s) { s.progress->checkpoint->time = kStart + minutes(10); }, false},
      {"it resumed from it", [](auto& s) { s.attempt_start_time = kStart - seconds(10); }, false},
      {"nobody knows when", [](auto& s) { s.progress->checkpoint->time.reset(); }, false},
      {"nothing was reported", [](auto& s) { s.progress.reset(); }, false},
      {"it saves on what proves nothing durable",
       [](auto& s) {
         s.progress->volume.emplace();
         s.progress->volume->durability = "StructureOnly";
       },
       false},
      {"it is not known to be durable yet", [](auto& s) { s.progress->checkpoint->verified = false; }, false},
      {"its ranks are not ready", [](auto& s) { s.ready_attempt = 0; }, false},
      {"its attempt ends", [](auto& s) { s.attempt_end.emplace(); }, false},
      {"one of its ranks has ended", [](auto& s) { s.members[0].proof = api::EndProof::KubeletReport; }, false},
      {"it has no attempt", [](auto& s) { s.members.clear(); }, false},
  };
  for (const Case& row : table) {
    api::ResumableJob job = training_job("fit", kStart);
    row.change(job.status);
    EXPECT_EQ(why_not_just_saved(job, kStart).empty(), row.saved) << row.when;
  }
}

// Each job saves every ten minutes, and they never do so within two minutes of each other.
TEST(MayGo, a_node_of_several_jobs_has_as_many_times_as_long) {
  Drifting pool;
  api::ResumableJob other = training_job("other", kStart);
  other.status.progress->checkpoint->time = kStart - minutes(3);
  pool.runs(training_job("fit", kStart)).runs(other);
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-0"));
  other.status.progress->checkpoint->time = kStart - minutes(5);
  Drifting later;
  later.runs(training_job("fit", kStart)).runs(other);
  EXPECT_THAT(later.rolled(), ElementsAre());
}

TEST(MayGo, a_job_that_was_moved_is_left_alone_for_an_hour_whatever_else_took_it_since) {
  Drifting pool;
  api::ResumableJob job = training_job("fit", kStart);
  job.status.last_planned_time = kStart - minutes(20);
  job.status.last_interruption.emplace();
  job.status.last_interruption->time = kStart - minutes(10);
  job.status.last_interruption->node = "spot-taken";
  job.status.last_interruption->recovered_time = kStart - minutes(9);
  pool.runs(job);
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.plan_.wake_at, kStart + minutes(40));
}

TEST(MayGo, a_node_of_several_jobs_waits_for_all_of_them) {
  Drifting pool;
  pool.runs(training_job("fast", kStart)).runs(training_job("slow", kStart - minutes(30)));
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_EQ(pool.message(), "node node-0: job vision/slow, which has not just saved");
}

TEST(MayGo, a_job_that_was_moved_is_left_alone_for_an_hour) {
  Drifting pool;
  api::ResumableJob job = training_job("fit", kStart);
  job.status.last_interruption.emplace();
  job.status.last_interruption->time = kStart - minutes(20);
  job.status.last_interruption->node = "gone";
  job.status.last_interruption->recovered_time = kStart - minutes(19);
  pool.runs(job);
  pool.change_pool([](auto& p) { p.status.drift.rolled = {{"claim-gone", "gone", kStart - minutes(20)}}; });
  EXPECT_THAT(pool.rolled(), ElementsAre());
  EXPECT_THAT(pool.message(), HasSubstr("which was moved within the last hour"));
  ASSERT_EQ(pool.plan_.wake_at, kStart + minutes(40));
  pool.seen_.now = *pool.plan_.wake_at;
  pool.change_job("fit", [&](auto& j) { j.status.progress->checkpoint->time = pool.seen_.now; });
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-0"));
}

TEST(MayGo, a_job_that_lost_another_node_may_be_moved) {
  Drifting pool;
  api::ResumableJob job = training_job("fit", kStart);
  job.status.last_interruption.emplace();
  job.status.last_interruption->time = kStart - minutes(20);
  job.status.last_interruption->node = "spot-taken";
  job.status.last_interruption->recovered_time = kStart - minutes(19);
  pool.runs(job);
  EXPECT_THAT(pool.rolled(), ElementsAre("claim-0"));
}

TEST(MayGo, pods_of_others_keep_a_node_only_where_they_ask_for_it) {
  struct Case {
    const char* what;
    kube::Pod pod;
    bool goes;
  };
  const auto asking = [](kube::Pod pod, std::string value = "true") {
    pod.meta.annotations = {{"karpenter.sh/do-not-disrupt", std::move(value)}};
    return pod;
  };
  const auto labelled = [](kube::Pod pod, std::string key) {
    pod.meta.labels = {{std::move(key), "t4"}};
    return pod;
  };
  kube::Pod ended = asking(pod_on("node-0", "notebook", "StatefulSet", "u"));
  ended.phase = kube::PodPhase::Succeeded;
  const Case table[] = {
      {"a server", pod_on("node-0", "server", "ReplicaSet", "u"), true},
      {"a notebook that asks to stay", asking(pod_on("node-0", "notebook", "StatefulSet", "u")), false},
      {"one that asks for half an hour", asking(pod_on("node-0", "notebook", "StatefulSet", "u"), "30m"), false},
      {"one that takes it back", asking(pod_on("node-0", "notebook", "StatefulSet", "u"), "false"), true},
      {"one that has ended", ended, true},
      {"one elsewhere", asking(pod_on("node-9", "notebook", "StatefulSet", "u")), true},
      {"a DaemonSet's", asking(pod_on("node-0", "plugin", "DaemonSet", "u")), true},
      {"a warm GPU", labelled(pod_on("node-0", "t4-warm-0", "GpuPool", "u"), "reprise.dev/warm"), true},
      {"a standby pod", labelled(pod_on("node-0", "a", "ResumableJob", "u"), "reprise.dev/standby"), true},
      {"a notebook that calls itself a standby pod",
       asking(labelled(pod_on("node-0", "a", "StatefulSet", "u"), "reprise.dev/standby")), false},
      {"a trainer of a job that names another pool", asking(pod_on("node-0", "a", "ResumableJob", "u")), false},
  };
  for (const Case& row : table) {
    Drifting pool;
    pool.runs_pod(row.pod);
    EXPECT_EQ(pool.rolled().size(), row.goes ? 1U : 0U) << row.what;
    EXPECT_EQ(pool.state(), row.goes ? "False/RollingNode" : "False/RollingHeld") << row.what;
  }
}

}  // namespace
}  // namespace reprise::controllers::gpupool
