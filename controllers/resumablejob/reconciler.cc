#include "controllers/resumablejob/reconciler.h"

#include "controllers/resumablejob/apply.h"
#include "controllers/resumablejob/decide.h"
#include "controllers/resumablejob/observe.h"

namespace reprise::controllers::resumablejob {

runtime::Result<runtime::Next> JobReconciler::reconcile(runtime::ReconcileContext& context,
                                                        const runtime::ObjectKey& key) {
  auto job = caches_.jobs.get(key);
  if (!job) return runtime::Next::done();  // owner references clean up after it
  context.set_owner(job->meta.uid);

  auto seen = observe(caches_, departed_, client_, context, job);
  if (!seen) return std::unexpected(std::move(seen).error().with_context("observe ResumableJob " + to_string(key)));
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
  if (auto done = apply(context, *job, plan.actions); !done) return std::unexpected(std::move(done).error());
  if (plan.wake_at) return runtime::Next::at(*plan.wake_at, context.clock());
  return runtime::Next::done();
}

}  // namespace reprise::controllers::resumablejob
