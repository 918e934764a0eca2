// Each invariant about jobs in queues objects to violations, and to nothing else.
#include <gtest/gtest.h>

#include "simulator/api_server/schema/custom_resource.h"
#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using testing::InvariantBench;
using testing::trainer;

class QueuesTest : public InvariantBench {
 protected:
  QueuesTest() {
    api.add_custom_resource(custom_rules_without_schema({.group = "kueue.x-k8s.io",
                                                         .version = "v1beta2",
                                                         .plural = "workloads",
                                                         .kind = "Workload",
                                                         .namespaced = true,
                                                         .status_subresource = true,
                                                         .generation = true}));
  }
  static std::string workload(const std::string& status) {
    return R"({"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Workload", "metadata": {"name": "w", "namespace":
        "default", "labels": {"reprise.dev/job-uid": "job"}}, "spec": {"podSets": [{"count": 2, "template": {"spec":
        {"containers": [{"resources": {"limits": {"reprise.dev/gpu": 1}}}]}}}]}, "status": )" +
           status + "}";
  }
  [[nodiscard]] ObjectChange workload_change(const std::string& before, const std::string& now,
                                             Change change = Change::Modified) const {
    const auto parsed = [](const std::string& status) {
      return std::make_shared<const Value>(boost::json::parse(workload(status)));
    };
    return {.resource = api.resource("kueue.x-k8s.io", "workloads"),
            .change = change,
            .object = parsed(now),
            .before = parsed(before)};
  }
  [[nodiscard]] ObjectChange pod_added() const {
    return {
        .resource = api.resource("", "pods"),
        .change = Change::Added,
        .object = std::make_shared<const Value>(boost::json::parse(
            R"({"metadata": {"name": "p", "labels": {"reprise.dev/job-uid": "job", "reprise.dev/attempt": "1"}}})")),
        .before = nullptr};
  }
};

constexpr const char *kAdmitted = R"({"admission": {}, "conditions": [{"type": "Admitted", "status": "True"}]})",
                     *kReleased = R"({"conditions": [{"type": "Admitted", "status": "False"}]})",
                     *kEvicted = R"({"admission": {}, "conditions": [{"type": "Admitted", "status": "True"},
                         {"type": "Evicted", "status": "True"}]})";

TEST_F(QueuesTest, quota_that_is_given_back_under_a_trainer_is_objected_to) {
  const auto invariant = quota_outlasts_ranks(api);
  Disks training;
  training["v"].writers.insert(trainer(1, 0));
  EXPECT_TRUE(reported(*invariant, workload_change(kAdmitted, kEvicted)).empty());
  EXPECT_TRUE(step(*invariant, training).empty()) << "it is evicted, and holds its quota";
  (void)reported(*invariant, workload_change(kEvicted, kReleased));
  EXPECT_EQ(step(*invariant, training).size(), 1U);
  (void)reported(*invariant, workload_change(kEvicted, kReleased));
  EXPECT_TRUE(step(*invariant, {}).empty()) << "nothing trains any more";
}

TEST_F(QueuesTest, a_person_who_deletes_a_workload_gives_its_quota_back_and_an_operator_must_not) {
  const auto invariant = quota_outlasts_ranks(api);
  Disks training;
  training["v"].writers.insert(trainer(1, 0));
  (void)reported(*invariant, workload_change(kAdmitted, kAdmitted, Change::Deleted));
  EXPECT_TRUE(step(*invariant, training).empty());
  invariant->on_request("operator-0",
                        {.method = runtime::Method::Delete,
                         .path_and_query = "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads/w"},
                        [](const std::string&) {});
  (void)reported(*invariant, workload_change(kAdmitted, kAdmitted, Change::Deleted));
  EXPECT_EQ(step(*invariant, training).size(), 1U);
}

TEST_F(QueuesTest, a_pod_of_a_queued_job_that_is_not_admitted_is_objected_to) {
  const auto invariant = runs_while_admitted(api, loop);
  EXPECT_TRUE(reported(*invariant, pod_added()).empty()) << "of a job without a queue";
  const char* queued = R"({"metadata": {"uid": "job", "labels": {"kueue.x-k8s.io/queue-name": "team-a"}}})";
  (void)reported(*invariant, job_change(queued, queued));
  EXPECT_EQ(reported(*invariant, pod_added()).size(), 1U);
  (void)reported(*invariant, workload_change(kReleased, kAdmitted));
  EXPECT_TRUE(reported(*invariant, pod_added()).empty());
}

TEST_F(QueuesTest, quota_that_is_held_behind_another_job_is_objected_to_when_it_lasts) {
  const char* waits = R"({"metadata": {"uid": "job"}, "status": {"conditions": [{"type": "PodsReady", "status": "False",
      "reason": "ClaimInUse", "message": "ResumableJob other trains on the checkpoint claim"}]}})";
  const char* starts = R"({"metadata": {"uid": "job"}, "status": {}})";
  const auto invariant = no_quota_behind_another_job(api, loop);
  (void)reported(*invariant, workload_change(kReleased, kAdmitted));
  EXPECT_TRUE(reported(*invariant, job_change(starts, waits)).empty()) << "it gives it back";
  loop.run_until(Duration{16 * 60'000});
  EXPECT_EQ(reported(*invariant, job_change(waits, waits)).size(), 1U);
  EXPECT_TRUE(reported(*invariant, job_change(waits, waits)).empty()) << "once";

  const auto another = no_quota_behind_another_job(api, loop);
  (void)reported(*another, workload_change(kReleased, kAdmitted));
  (void)reported(*another, job_change(starts, waits));
  (void)reported(*another, workload_change(kAdmitted, kReleased));
  loop.run_until(Duration{32 * 60'000});
  EXPECT_TRUE(reported(*another, job_change(waits, waits)).empty());
}

TEST_F(QueuesTest, an_eviction_that_counts_is_objected_to) {
  const auto invariant = evictions_count_nothing(api);
  const char* before = R"({"metadata": {"name": "j"}, "status": {"interruptionCount": 1}})";
  const auto now = [](int count) {
    return R"({"metadata": {"name": "j"}, "status": {"attemptEnd": {"reason": "Evicted"}, "interruptionCount": )" +
           std::to_string(count) + "}}";
  };
  EXPECT_TRUE(reported(*invariant, job_change(before, now(1).c_str())).empty());
  EXPECT_EQ(reported(*invariant, job_change(before, now(2).c_str())).size(), 1U);
}

TEST_F(QueuesTest, more_than_the_queue_has_is_objected_to) {
  ASSERT_TRUE(api.create(api.resource("kueue.x-k8s.io", "workloads"), boost::json::parse(workload("{}"))));
  ASSERT_TRUE(api.update(
      {api.resource("kueue.x-k8s.io", "workloads"), "default", "w"},
      [](Value& value) {
        set(value, {"status", "admission"}, JsonObject{{"clusterQueue", "c"}});
      },
      "status"));
  EXPECT_TRUE(reported(*queue_holds(api, 2), workload_change(kReleased, kAdmitted)).empty());
  EXPECT_EQ(reported(*queue_holds(api, 1), workload_change(kReleased, kAdmitted)).size(), 1U);
}

}  // namespace
}  // namespace reprise::simulator
