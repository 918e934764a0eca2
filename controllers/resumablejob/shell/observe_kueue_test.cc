// Admissions by the cache, or by the API server: which of them is believed.
#include "controllers/resumablejob/shell/observe_kueue.h"

#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/resumablejob/kueue/workload.h"
#include "controllers/resumablejob/testing/cached_job.h"

namespace reprise::controllers::resumablejob {
namespace {

using testing::CachedJob;

constexpr const char* kWorkload = "Workload/resumablejob-fit-uid-fit";

std::string workload(const std::string& uid, bool admitted, const std::string& job_uid = "uid-fit") {
  return R"({"metadata":{"name":"resumablejob-fit-uid-fit","namespace":"vision","uid":")" + uid +
         R"(","ownerReferences":[{"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob","name":"fit","uid":")" +
         job_uid + R"(","controller":true}],"labels":{"reprise.dev/job":"fit","reprise.dev/job-uid":")" + job_uid +
         R"("}},"spec":{"queueName":"team-a"},"status":{"conditions":[{"type":"Admitted","status":")" +
         (admitted ? "True" : "False") + R"(","reason":"R","message":""}],"admission":{"clusterQueue":"gpus",)" +
         R"("podSetAssignments":[{"name":"ranks","flavors":{"reprise.dev/gpu":"t4"}}]}}})";
}

struct QueuedJob : CachedJob {
  QueuedJob() {
    job.meta.labels[std::string(kQueueNameLabel)] = "team-a";
    caches.kueue.emplace(Caches::Kueue{workloads, flavors, workload_classes, classes});
    api::ResourceFlavor flavor;
    flavor.meta.name = "t4";
    show(flavors, flavor);
  }
  void cache_shows(bool admitted) { show(workloads, *kube::KindOf<api::Workload>::decode(workload("w", admitted))); }
  Observation::Kueue kueue() {
    if (!job.status.members.empty()) show(pods, pod("fit-1-0", ""));
    return see().kueue;
  }

  runtime::Store<api::Workload> workloads;
  runtime::Store<api::ResourceFlavor> flavors;
  runtime::Store<api::WorkloadPriorityClass> workload_classes;
  runtime::Store<api::PriorityClass> classes;
};

TEST(ObserveKueue, an_admission_that_only_the_cache_shows_begins_no_attempt) {
  QueuedJob world;
  world.cache_shows(true);
  world.api.objects[kWorkload] = workload("w", false);
  EXPECT_FALSE(is_admitted(*world.kueue().workload));
  world.api.objects.clear();
  EXPECT_FALSE(world.kueue().workload) << "it is gone";
}

TEST(ObserveKueue, an_admission_that_only_the_cache_lacks_ends_no_attempt) {
  QueuedJob world;
  world.begin(1);
  world.cache_shows(false);
  world.api.objects[kWorkload] = workload("w", true);
  EXPECT_TRUE(is_admitted(*world.kueue().workload));
}

TEST(ObserveKueue, a_workload_that_only_the_cache_lacks_ends_no_attempt) {
  QueuedJob world;
  world.begin(1);
  world.api.objects[kWorkload] = workload("w", true);
  ASSERT_TRUE(world.kueue().workload);
  EXPECT_TRUE(is_admitted(*world.kueue().workload));
}

TEST(ObserveKueue, a_workload_that_the_job_does_not_control_admits_nobody) {
  QueuedJob world;
  api::Workload foreign = *kube::KindOf<api::Workload>::decode(workload("w", true));
  foreign.meta.owner_references.front().controller = false;
  CachedJob::show(world.workloads, foreign);
  EXPECT_FALSE(world.kueue().workload);
  world.api.objects[kWorkload] = workload("w", true, "another");
  world.begin(1);
  EXPECT_FALSE(world.kueue().workload) << "nor one that the API server shows";
}

TEST(ObserveKueue, the_pass_that_closes_an_attempt_and_begins_the_next_asks_as_well) {
  QueuedJob world;
  world.begin(1);
  world.job.status.attempt_end = api::AttemptEnd{};
  world.cache_shows(true);
  world.api.objects[kWorkload] = workload("w", false);
  EXPECT_FALSE(is_admitted(*world.kueue().workload));
}

TEST(ObserveKueue, asks_nothing_while_an_admitted_attempt_runs_or_a_job_waits) {
  for (const bool runs : {true, false}) {
    QueuedJob world;
    if (runs) world.begin(1);
    world.cache_shows(runs);
    (void)world.kueue();
    EXPECT_EQ(world.api.times(std::string("get ") + kWorkload), 0U);
  }
}

TEST(ObserveKueue, a_workload_of_an_earlier_job_of_that_name_is_not_this_one_s) {
  QueuedJob world;
  CachedJob::show(world.workloads, *kube::KindOf<api::Workload>::decode(workload("w", true, "uid-before")));
  EXPECT_FALSE(world.kueue().workload);
}

TEST(ObserveKueue, names_the_flavors_that_kueue_has_assigned_and_the_one_that_is_not_there) {
  QueuedJob world;
  world.begin(1);
  world.cache_shows(true);
  const auto with = world.kueue();
  ASSERT_EQ(with.flavors.size(), 1U);
  EXPECT_EQ(with.not_found, "");
  (void)world.flavors.erase("", {"", "t4"}, "9");
  EXPECT_EQ(world.kueue().not_found, "ResourceFlavor t4, which Kueue has assigned, is not there");
}

TEST(ObserveKueue, takes_the_priority_of_kueue_s_class_before_that_of_the_pods_before_the_cluster_s_default) {
  QueuedJob world;
  const auto add = [&](const char* name, std::int32_t value, bool by_default) {
    api::PriorityClass made;
    made.meta.name = name;
    made.value = value;
    made.global_default = by_default;
    CachedJob::show(world.classes, made);
  };
  EXPECT_FALSE(world.kueue().priority);
  add("usual", 1, true);
  EXPECT_EQ(world.kueue().priority, 1);
  add("high", 10, false);
  world.job.spec.pod_template.priority_class_name = "high";
  EXPECT_EQ(world.kueue().priority, 10);
  api::WorkloadPriorityClass urgent;
  urgent.meta.name = "urgent";
  urgent.value = 100;
  CachedJob::show(world.workload_classes, urgent);
  world.job.meta.labels[std::string(kPriorityClassLabel)] = "urgent";
  const auto seen = world.kueue();
  EXPECT_EQ(seen.priority, 100);
  EXPECT_EQ(seen.priority_class->kind, "WorkloadPriorityClass");
}

TEST(ObserveKueue, a_priority_class_that_went_after_the_workload_was_made_holds_nothing_up) {
  QueuedJob world;
  world.job.meta.labels[std::string(kPriorityClassLabel)] = "urgent";
  world.cache_shows(true);
  world.api.objects[kWorkload] = workload("w", true);
  EXPECT_EQ(world.kueue().not_found, "");
}

TEST(ObserveKueue, a_priority_class_that_is_not_there_is_named) {
  QueuedJob world;
  world.job.spec.pod_template.priority_class_name = "high";
  EXPECT_EQ(world.kueue().not_found, "spec.template.spec.priorityClassName: PriorityClass high is not there");
  world.job.meta.labels[std::string(kPriorityClassLabel)] = "urgent";
  EXPECT_EQ(world.kueue().not_found, "label kueue.x-k8s.io/priority-class: WorkloadPriorityClass urgent is not there");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
