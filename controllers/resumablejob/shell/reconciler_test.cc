// The shell around decide(): its memory between two passes, and its treatment of errors.
#include "controllers/resumablejob/shell/reconciler.h"

#include <gtest/gtest.h>

#include "controllers/resumablejob/claims/claim_reservation.h"
#include "controllers/resumablejob/testing/cached_job.h"

namespace reprise::controllers::resumablejob {
namespace {

using runtime::ErrorClass;
using runtime::Next;
using runtime::Result;
using testing::CachedJob;

const runtime::ObjectKey kFit{"vision", "fit"};

// One process with a job whose claim and Service are there; what it writes comes to be seen at once, but for pods.
struct Process {
  Process() {
    CachedJob::show(world.pools, *controllers::testing::MakePool("t4").get());
    kube::Service service;
    service.meta.name = service_name("fit");
    service.meta.namespace_ = "vision";
    service.meta.owner_references = {kube::owner_reference(world.job)};
    CachedJob::show(world.services, service);
    show();
    world.api.on_create = [](const auto&, const std::string& body) { return Result<std::string>(body); };
    world.api.on_patch = [this](const kube::KindInfo& kind, const std::string& body) -> Result<std::string> {
      if (kind.kind == "ResumableJob") world.job.status = kube::KindOf<api::ResumableJob>::decode(body)->status;
      if (during_write) during_write();
      return body;
    };
    world.api.on_remove = [](const auto&, const auto&) { return Result<void>{}; };
  }
  // The claim bears the name of whatever attempt is under way.
  void show() {
    CachedJob::show(world.jobs, world.job);
    kube::PersistentVolumeClaim claim;
    claim.meta.name = "fit-checkpoints";
    claim.meta.namespace_ = "vision";
    claim.meta.uid = "uid-claim";
    claim.meta.owner_references = {kube::owner_reference(world.job)};
    if (world.job.status.attempt > 0) {
      claim.meta.annotations = {{std::string(kUsedByAnnotation), reservation_text(world.job)}};
      claim.meta.owner_references = {};
    }
    claim.access_modes = {"ReadWriteMany"};
    CachedJob::show(world.claims, claim);
  }
  Result<Next> reconcile() {
    auto next = reconciler.reconcile(world.api, kFit);
    show();
    return next;
  }
  // The attempt begins, and its rank is bound: the binding is held back and not written.
  void hold_a_binding() {
    (void)reconcile();
    CachedJob::show(world.pods, world.pod("fit-1-0", "node-z"));
    CachedJob::show(world.nodes, *controllers::testing::MakeNode("node-z").get());
    world.api.objects["Node/node-z"] = R"({"metadata":{"name":"node-z","uid":"uid-node-z"}})";
    (void)reconcile();
  }

  CachedJob world;
  std::function<void()> during_write;
  runtime::MetricsRegistry registry;
  metrics::Recorder recorder{registry};
  JobReconciler reconciler{world.caches, world.deleted_pods, Settings{.agent_image = "reprise:test"}, recorder};
};

// The pod's containers may have run: somebody removed it by force before a watch that was late showed it.
TEST(JobReconciler, does_not_make_a_pod_again_that_it_made_and_that_went_before_it_was_seen) {
  Process process;
  ASSERT_TRUE(process.reconcile());  // the attempt begins
  ASSERT_EQ(process.world.job.status.attempt, 1);
  ASSERT_EQ(process.world.api.times("create Pod"), 1U);
  process.world.api.lists["Event"] =
      R"({"metadata":{"name":"e","creationTimestamp":"2026-11-21T09:00:00Z"},"reason":"Scheduled",)"
      R"("involvedObject":{"kind":"Pod","name":"fit-1-0","uid":"uid-gone"},)"
      R"("message":"Successfully assigned vision/fit-1-0 to node-z"})";
  process.world.api.lists["NodeClaim"] =
      R"({"metadata":{"name":"claim-z","uid":"uid-claim-z"},"status":{"nodeName":"node-z"}})";
  for (int i = 0; i < 3; ++i) (void)process.reconcile();
  EXPECT_EQ(process.world.api.times("create Pod"), 1U);
  ASSERT_EQ(process.world.job.status.members.size(), 1U);
  EXPECT_EQ(process.world.job.status.members[0].node_name, "node-z");
}

// The process that writes a status counts it, once: not one that tried in vain, and not one that sees it again.
TEST(JobReconciler, counts_what_a_written_status_says_and_nothing_else) {
  Process process;
  const auto begun = [&] {
    return process.registry.counter("reprise_attempts_begun_total", {}, {{"pool", "t4"}}).value();
  };
  const auto patch = process.world.api.on_patch;
  process.world.api.on_patch = [&](const auto&, const auto&) -> Result<std::string> {
    return runtime::fail(ErrorClass::Conflict, "changed");
  };
  (void)process.reconcile();
  EXPECT_EQ(begun(), 0);
  process.world.api.on_patch = patch;
  for (int i = 0; i < 3; ++i) (void)process.reconcile();
  EXPECT_EQ(process.world.job.status.attempt, 1);
  EXPECT_EQ(begun(), 1);
}

// The API server has stored it, and the connection broke before it could say so.
TEST(JobReconciler, counts_what_a_status_says_whose_writing_got_no_answer_once_it_is_seen) {
  Process process;
  const auto begun = [&] {
    return process.registry.counter("reprise_attempts_begun_total", {}, {{"pool", "t4"}}).value();
  };
  const auto patch = process.world.api.on_patch;
  process.world.api.on_patch = [&](const kube::KindInfo& kind, const std::string& body) -> Result<std::string> {
    (void)patch(kind, body);
    return runtime::fail(ErrorClass::Unavailable, "connection reset");
  };
  (void)process.reconcile();
  EXPECT_EQ(begun(), 0) << "nobody knows yet";
  process.world.api.on_patch = patch;
  for (int i = 0; i < 3; ++i) (void)process.reconcile();
  EXPECT_EQ(process.world.job.status.attempt, 1);
  EXPECT_EQ(begun(), 1);
}

TEST(JobReconciler, counts_once_what_is_written_again_because_it_was_not_stored) {
  Process process;
  const auto begun = [&] {
    return process.registry.counter("reprise_attempts_begun_total", {}, {{"pool", "t4"}}).value();
  };
  const auto patch = process.world.api.on_patch;
  process.world.api.on_patch = [](const auto&, const auto&) -> Result<std::string> {
    return runtime::fail(ErrorClass::Unavailable, "connection refused");
  };
  for (int i = 0; i < 6; ++i) (void)process.reconcile();
  process.world.api.on_patch = patch;
  for (int i = 0; i < 3; ++i) (void)process.reconcile();
  EXPECT_EQ(begun(), 1);
}

TEST(JobReconciler, asks_nobody_about_a_pod_that_it_has_not_made_yet) {
  Process process;
  (void)process.reconcile();
  EXPECT_EQ(process.world.api.times("get Pod/fit-1-0"), 0U);
}

// Otherwise each of a thousand jobs that begin at once would wait for all others between two of its own steps.
TEST(JobReconciler, makes_the_pods_of_an_attempt_in_the_pass_in_which_its_name_comes_to_stand_on_the_claim) {
  Process process;
  ASSERT_TRUE(process.reconcile());
  std::vector<std::string> written;
  for (const std::string& asked : process.world.api.requests)
    if (!asked.starts_with("get") && !asked.starts_with("list")) written.push_back(asked);
  EXPECT_EQ(written, (std::vector<std::string>{"patch ResumableJob/fit/status",
                                               "patch PersistentVolumeClaim/fit-checkpoints", "create Pod"}));
}

TEST(JobReconciler, makes_no_pod_when_the_status_or_the_name_on_the_claim_was_rejected) {
  for (const char* rejected : {"ResumableJob", "PersistentVolumeClaim"}) {
    Process process;
    const auto patch = process.world.api.on_patch;
    process.world.api.on_patch = [&](const kube::KindInfo& kind, const std::string& body) -> Result<std::string> {
      if (kind.kind == rejected) return runtime::fail(ErrorClass::Conflict, "changed");
      return patch(kind, body);
    };
    (void)process.reconcile();
    EXPECT_EQ(process.world.api.times("create Pod"), 0U) << rejected;
  }
}

// An admission webhook, or a policy, may take annotations away that it does not know.
TEST(JobReconciler, makes_no_pod_where_the_name_was_accepted_and_does_not_stand_on_the_claim) {
  Process process;
  const auto patch = process.world.api.on_patch;
  process.world.api.on_patch = [&](const kube::KindInfo& kind, const std::string& body) -> Result<std::string> {
    if (kind.kind != "PersistentVolumeClaim") return patch(kind, body);
    return R"({"metadata":{"name":"fit-checkpoints","namespace":"vision","uid":"uid-claim","resourceVersion":"9"}})";
  };
  (void)process.reconcile();
  EXPECT_EQ(process.world.api.times("create Pod"), 0U);
}

TEST(JobReconciler, looks_again_at_who_mounts_the_claim_before_the_first_pod_is_made) {
  Process process;
  process.world.pods.add_index(kByClaim, [](const kube::Pod& pod) {
    std::vector<std::string> keys;
    for (const auto& claim : pod.claim_names) keys.push_back(pod.meta.namespace_ + "/" + claim);
    return keys;
  });
  process.during_write = [&] {
    kube::Pod debug = process.world.pod("debug", "node-z");
    debug.meta.labels.clear();
    debug.phase = kube::PodPhase::Running;
    debug.claim_names = {"fit-checkpoints"};
    CachedJob::show(process.world.pods, debug);
  };
  (void)process.reconcile();
  EXPECT_EQ(process.world.job.status.attempt, 1);
  EXPECT_EQ(process.world.api.times("create Pod"), 0U);
}

TEST(JobReconciler, makes_no_pod_of_a_job_that_is_changed_or_deleted_while_its_attempt_begins) {
  Process process;
  process.during_write = [&] {
    api::ResumableJob changed = process.world.job;
    changed.meta.generation = 2;
    CachedJob::show(process.world.jobs, changed);
  };
  (void)process.reconcile();
  EXPECT_EQ(process.world.api.times("create Pod"), 0U);
}

TEST(JobReconciler, keeps_what_it_saw_of_a_pod_that_goes_while_it_writes) {
  Process process;
  (void)process.reconcile();
  process.during_write = [&] {
    process.world.deleted_pods.on_leaving(std::make_shared<const kube::Pod>(process.world.pod("fit-1-0", "node-z")),
                                          false);
  };
  process.world.job.meta.generation = 2;  // makes it write its status
  process.show();
  (void)process.reconcile();
  EXPECT_EQ(process.world.deleted_pods.size(), 1U);
}

TEST(JobReconciler, where_a_rank_is_bound_is_written_with_what_comes_next_whichever_process_writes_it) {
  Process process;
  (void)process.reconcile();
  const std::size_t written = process.world.api.times("patch ResumableJob/fit/status");
  kube::Pod pod = process.world.pod("fit-1-0", "node-z");
  CachedJob::show(process.world.pods, pod);
  CachedJob::show(process.world.nodes, *controllers::testing::MakeNode("node-z").get());
  process.world.api.objects["Node/node-z"] =
      R"({"metadata":{"name":"node-z","uid":"uid-node-z"},"status":{"nodeInfo":{"bootID":"boot-z"}}})";
  const auto held = process.reconcile();
  ASSERT_TRUE(held && held->after);
  EXPECT_LE(*held->after, std::chrono::seconds(60));
  const std::size_t looked = process.world.api.times("get Node/node-z");
  (void)process.reconcile();
  EXPECT_EQ(process.world.api.times("patch ResumableJob/fit/status"), written);
  EXPECT_EQ(process.world.api.times("get Node/node-z"), looked) << "what is held is known";

  JobReconciler next{process.world.caches, process.world.deleted_pods, Settings{.agent_image = "reprise:test"},
                     process.recorder};
  pod.phase = kube::PodPhase::Running;
  pod.conditions = {{"Ready", "True", "", ""}};
  CachedJob::show(process.world.pods, pod);
  ASSERT_TRUE(next.reconcile(process.world.api, kFit));
  EXPECT_EQ(process.world.api.times("patch ResumableJob/fit/status"), written + 1);
  EXPECT_EQ(process.world.job.status.members.at(0).pod_uid, "uid-of-fit-1-0");
  EXPECT_EQ(process.world.job.status.members.at(0).node_uid, "uid-node-z");
}

TEST(JobReconciler, what_is_held_is_written_when_the_process_ends_in_order) {
  Process process;
  process.hold_a_binding();
  ASSERT_EQ(process.world.job.status.members.at(0).node_name, "");
  ASSERT_EQ(process.reconciler.held_back(), std::vector{kFit});
  ASSERT_TRUE(process.reconciler.write_back(process.world.api, kFit));
  EXPECT_EQ(process.world.job.status.members.at(0).node_name, "node-z");
  EXPECT_EQ(process.world.job.status.members.at(0).node_uid, "uid-node-z");
}

TEST(JobReconciler, what_is_held_is_not_written_over_what_somebody_has_written_since) {
  Process process;
  (void)process.reconcile();
  CachedJob::show(process.world.pods, process.world.pod("fit-1-0", "node-z"));
  (void)process.reconcile();
  ASSERT_FALSE(process.reconciler.held_back().empty());
  process.world.job.status.members.at(0).pod_uid = "uid-of-fit-1-0";
  process.world.job.meta.resource_version = "8";
  process.show();
  const std::size_t written = process.world.api.times("patch ResumableJob/fit/status");
  EXPECT_TRUE(process.reconciler.write_back(process.world.api, kFit));
  EXPECT_EQ(process.world.api.times("patch ResumableJob/fit/status"), written);
}

// The rank's pod and machine may be gone by the next pass: the held status is all that tells which machine it was.
TEST(JobReconciler, what_is_held_outlasts_an_annotation_and_a_write_that_fails) {
  Process process;
  process.hold_a_binding();
  ASSERT_EQ(process.world.job.status.members.at(0).pod_uid, "");
  const std::size_t looked = process.world.api.times("get Node/node-z");

  process.world.job.meta.resource_version = "8";
  process.world.job.meta.annotations["example.com/seen"] = "1";
  process.show();
  (void)process.reconcile();
  EXPECT_EQ(process.world.api.times("get Node/node-z"), looked);

  const auto patch = process.world.api.on_patch;
  process.world.api.on_patch = [](const auto&, const auto&) { return runtime::fail(ErrorClass::Conflict, "no"); };
  process.world.job.meta.generation = 2;  // makes it write its status
  process.show();
  (void)process.reconcile();
  process.world.api.on_patch = patch;
  (void)process.reconcile();
  EXPECT_EQ(process.world.api.times("get Node/node-z"), looked);
  EXPECT_EQ(process.world.job.status.members.at(0).node_uid, "uid-node-z");
}

TEST(JobReconciler, tries_again_whatever_it_was_answered) {
  Process unreadable;
  unreadable.world.begin(1);
  unreadable.world.job.status.members[0].pod_uid = "uid-of-fit-1-0";
  unreadable.world.api.objects["Pod/fit-1-0"] = "<html>";
  unreadable.show();
  const auto looked = unreadable.reconcile();
  ASSERT_TRUE(looked ? looked->error.has_value() : true);
  EXPECT_NE((looked ? *looked->error : looked.error()).error_class, ErrorClass::Terminal);

  Process rejected;
  rejected.world.api.on_patch = [](const auto&, const auto&) { return runtime::fail(ErrorClass::Terminal, "no"); };
  const auto written = rejected.reconcile();
  ASSERT_TRUE(written ? written->error.has_value() : true);
  EXPECT_NE((written ? *written->error : written.error()).error_class, ErrorClass::Terminal);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
