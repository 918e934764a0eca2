#include <stdexcept>
#include <utility>

#include "controllers/resumablejob/kueue/priority_boost.h"
#include "controllers/resumablejob/kueue/workload.h"
#include "controllers/testing/job_world.h"
#include "runtime/kube/conditions.h"

// The world's Kueue: the Workload, and what the queue does to it.
namespace reprise::controllers::testing {

namespace rj = resumablejob;

void JobWorld::write_workload(const rj::Action& action, const std::string& uid) {
  if (const auto* create = std::get_if<rj::CreateWorkload>(&action)) {
    if (kueue_.workload) throw std::logic_error("Workload created twice");
    api::Workload made;
    made.meta = create->request.meta;
    made.meta.uid = uid;
    made.spec = create->request.spec;
    put_workload(std::move(made));
  } else if (std::holds_alternative<rj::DeleteWorkload>(action)) {
    kueue_.workload = nullptr;
  } else if (const auto* release = std::get_if<rj::ReleaseQuota>(&action)) {
    if (release->resource_version != kueue_.workload->meta.resource_version) return;
    change_workload([&](api::Workload& workload) {
      workload.conditions = release->conditions;
      workload.has_admission = false;
      workload.assigned_flavors.clear();
    });
  } else if (const auto* report = std::get_if<rj::ReportToWorkload>(&action)) {
    if (report->resource_version != kueue_.workload->meta.resource_version) return;
    change_workload([&](api::Workload& workload) { workload.conditions = report->conditions; });
  } else if (const auto* boost = std::get_if<rj::BoostPriority>(&action)) {
    kueue_.boosted = {boost->boost, now_};
    change_workload([&](api::Workload& workload) {
      auto& annotations = workload.meta.annotations;
      annotations.erase(std::string(rj::kPriorityBoostAnnotation));
      if (boost->boost != 0) annotations[std::string(rj::kPriorityBoostAnnotation)] = std::to_string(boost->boost);
    });
  }
}

void JobWorld::put_workload(api::Workload workload) {
  workload.meta.resource_version = std::to_string(++claim_version_);
  kueue_.workload = std::make_shared<const api::Workload>(std::move(workload));
}

void JobWorld::change_workload(const std::function<void(api::Workload&)>& change) {
  api::Workload workload = *kueue_.workload;
  change(workload);
  put_workload(std::move(workload));
}

void JobWorld::admit(const std::vector<std::string>& flavors) {
  change_workload([&](api::Workload& workload) {
    kube::ConditionSetter set(workload.conditions, 1, now_);
    set.set_true("QuotaReserved", "QuotaReserved", "Quota reserved in ClusterQueue gpus");
    set.set_true("Admitted", "Admitted", "The workload is admitted");
    if (workload.is_true("Evicted")) set.set_false("Evicted", "QuotaReserved", "Previously: evicted");
    workload.has_admission = true;
    workload.assigned_flavors = flavors;
  });
}

void JobWorld::evict(const std::string& reason, const std::string& message) {
  change_workload([&](api::Workload& workload) {
    kube::ConditionSetter(workload.conditions, 1, now_).set_true("Evicted", reason, message);
  });
}

JobWorld queued_job(std::int32_t parallelism) {
  JobWorld world(MakeJob("fit")
                     .parallelism(parallelism)
                     .with([](auto& job) { job.meta.labels[std::string(rj::kQueueNameLabel)] = "team-a"; })
                     .get());
  world.kueue_.enabled = world.kueue_.served = true;
  return world;
}

JobWorld admitted_job(std::int32_t parallelism) {
  JobWorld world = queued_job(parallelism);
  world.settle();
  world.admit();
  world.settle();
  world.schedule_all();
  world.settle();
  return world;
}

bool holds_quota(const JobWorld& world) {
  const auto& workload = world.kueue_.workload;
  return workload && workload->is_true("QuotaReserved") && workload->has_admission;
}

}  // namespace reprise::controllers::testing
