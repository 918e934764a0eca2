// The pods that are kept after they have gone, and for how long.
#include "controllers/resumablejob/shell/deleted_pod_cache.h"

#include <gtest/gtest.h>

#include "controllers/resumablejob/pods/names.h"
#include "controllers/testing/builders.h"
#include "runtime/kube/owner_reference.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::MakeJob;

std::shared_ptr<const kube::Pod> pod_of(const api::ResumableJob& job) {
  kube::Pod pod;
  pod.meta.name = "fit-1-0";
  pod.meta.namespace_ = job.meta.namespace_;
  pod.meta.uid = "uid-pod";
  pod.meta.owner_references = {kube::owner_reference(job)};
  pod.meta.labels = {{std::string(kJobUidLabel), std::string(job.meta.uid)}, {std::string(kAttemptLabel), "1"}};
  pod.node_name = "node-a";
  return std::make_shared<const kube::Pod>(std::move(pod));
}

// A job that is deleted in the foreground stands while its pods go, and nobody looks at them afterwards.
TEST(DeletedPodCache, of_a_job_that_is_gone_are_not_kept) {
  runtime::Store<api::ResumableJob> jobs;
  DeletedPodCache deleted_pods(jobs);
  const auto job = std::make_shared<const api::ResumableJob>(MakeJob("fit").get());
  (void)jobs.upsert("", job);
  deleted_pods.on_leaving(pod_of(*job), false);
  EXPECT_EQ(deleted_pods.size(), 1U);
  (void)jobs.erase("", runtime::key_of(*job), "9");
  deleted_pods.of_jobs().on_delete(job, false);
  EXPECT_EQ(deleted_pods.size(), 0U);
  deleted_pods.on_leaving(pod_of(*job), false);
  EXPECT_EQ(deleted_pods.size(), 0U);
}

TEST(DeletedPodCache, of_others_are_not_kept_whatever_their_labels_say) {
  runtime::Store<api::ResumableJob> jobs;
  DeletedPodCache deleted_pods(jobs);
  api::ResumableJob job = MakeJob("fit").get();
  (void)jobs.upsert("", std::make_shared<const api::ResumableJob>(job));
  auto foreign = *pod_of(job);
  foreign.meta.namespace_ = "elsewhere";
  deleted_pods.on_leaving(std::make_shared<const kube::Pod>(foreign), false);
  auto labelled = *pod_of(job);
  labelled.meta.owner_references = {};
  deleted_pods.on_leaving(std::make_shared<const kube::Pod>(labelled), false);
  EXPECT_EQ(deleted_pods.size(), 0U);
  api::RankStatus rank;
  rank.pod_uid = "uid-pod";
  job.status.members = {rank};
  job.meta.resource_version = "2";
  (void)jobs.upsert("", std::make_shared<const api::ResumableJob>(job));
  deleted_pods.on_leaving(std::make_shared<const kube::Pod>(labelled), false);
  EXPECT_EQ(deleted_pods.size(), 1U) << "a rank whose reference was taken off";
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
