#include "controllers/resumablejob/reconciler.h"

#include "controllers/resumablejob/apply.h"
#include "controllers/resumablejob/decide.h"
#include "controllers/resumablejob/observe.h"

namespace reprise::controllers::resumablejob {

std::string JobReconciler::refusal_of(const runtime::ObjectKey& job) {
  const std::lock_guard lock(mutex_);
  const auto found = refusals_.find(job);
  return found == refusals_.end() ? std::string() : found->second;
}

void JobReconciler::remember_refusal(const runtime::ObjectKey& job, const std::string& refusal) {
  const std::lock_guard lock(mutex_);
  if (refusal.empty()) {
    refusals_.erase(job);
  } else {
    refusals_[job] = refusal;
  }
}

runtime::Result<runtime::Next> JobReconciler::reconcile(runtime::ReconcileContext& context,
                                                        const runtime::ObjectKey& key) {
  auto job = caches_.jobs.get(key);
  if (!job) {  // owner references clean up after it
    remember_refusal(key, {});
    return runtime::Next::done();
  }
  context.set_owner(job->meta.uid);

  auto seen = observe(caches_, departed_, client_, context, job);
  if (!seen) return std::unexpected(std::move(seen).error().with_context("observe ResumableJob " + to_string(key)));
  seen->refusal = refusal_of(key);
  const Plan plan = decide(*seen, settings_);

  if (plan.status != job->status) {
    auto written = context.patch<api::ResumableJob>(
        key.namespace_, key.name, runtime::PatchType::Merge,
        api::encode_status_patch(plan.status, job->meta.resource_version), "status");
    if (!written) {
      if (written.error().error_class == runtime::ErrorClass::NotFound) return runtime::Next::done();
      return std::unexpected(std::move(written).error().with_context("write status of ResumableJob " + to_string(key)));
    }
  }
  std::vector<std::string> remembered;
  for (const api::MemberStatus& member : plan.status.members) remembered.push_back(member.pod_uid);
  departed_.keep_only(job->meta.uid, remembered);
  for (const Announcement& said : plan.announcements) {
    context.events().record(*job, said.type == EventType::Warning ? runtime::EventType::Warning : runtime::EventType::Normal,
                            said.reason, said.action, said.note);
    context.logger().info("Decided", {{"reason", said.reason}, {"note", said.note}});
  }
  std::string refusal;
  auto done = apply(context, *job, plan.actions, refusal);
  remember_refusal(key, refusal);
  if (!refusal.empty() && refusal != seen->refusal) return runtime::Next::at(context.clock().wall(), context.clock());
  if (!done) return std::unexpected(std::move(done).error());
  if (plan.wake_at) return runtime::Next::at(*plan.wake_at, context.clock());
  return runtime::Next::done();
}

}  // namespace reprise::controllers::resumablejob
