#include "controllers/resumablejob/shell/apply.h"

#include <type_traits>
#include <utility>

#include "api/karpenter.h"
#include "controllers/resumablejob/claims/claim_reservation.h"
#include "controllers/resumablejob/kueue/priority_boost.h"
#include "controllers/resumablejob/pods/names.h"
#include "controllers/resumablejob/ranks/own_node_claim.h"
#include "protocol/agent_protocol.h"
#include "runtime/kube/core.h"
#include "runtime/kube/object_writer.h"
#include "runtime/manager/removal.h"

namespace reprise::controllers::resumablejob {
namespace {

using runtime::ErrorClass;
using runtime::Result;

// True for an object that is being deleted, and for one of a deleted ResumableJob, whose garbage is being collected,
// marked or not.
bool is_going(const kube::ObjectMeta& holder, const api::ResumableJob& job) {
  const kube::OwnerReference* const owner = controlling_job(holder);
  return holder.deletion_timestamp || (owner != nullptr && owner->name == job.meta.name && owner->uid != job.meta.uid);
}

// Not only the API server rejects: webhooks do with whatever code they like, and change their minds. So no rejection is
// for good.
bool is_rejection(runtime::Error& error) {
  if (error.error_class == ErrorClass::Terminal) error.error_class = ErrorClass::Invalid;
  return error.error_class == ErrorClass::Invalid || error.error_class == ErrorClass::Forbidden;
}

void note_rejection(runtime::Error& error, const std::string& doing, std::string& rejection) {
  if (is_rejection(error) && rejection.empty()) rejection = doing + ": " + error.message;
}

// Claims are found by their names, all others by the label.
template <class T>
bool took(const api::ResumableJob& job, const kube::ObjectMeta& holder) {
  if constexpr (std::is_same_v<T, kube::PersistentVolumeClaim>) return is_claim_for_job(holder, job);
  return is_of_job(holder, job) && holder.label(kJobUidLabel) == job.meta.uid;
}

// A name that is taken is fine when this job took it: by an earlier request whose answer was lost. The next observation
// says what is to be done about a claim: no message here says to remove one.
template <class T>
Result<void> create(runtime::ReconcileContext& context, const api::ResumableJob& job, const std::string& name,
                    std::string body, std::string& rejection) {
  const std::string doing =
      "create " + std::string(kube::KindOf<T>::info().kind) + " " + job.meta.namespace_ + "/" + name;
  auto made = context.create<T>(job.meta.namespace_, std::move(body));
  if (made) return {};
  if (made.error().error_class != ErrorClass::AlreadyExists) {
    note_rejection(made.error(), doing, rejection);
    return std::unexpected(std::move(made).error().with_context(doing));
  }
  auto there = context.read_live<T>(job.meta.namespace_, name);
  if (!there) return std::unexpected(std::move(there).error().with_context(doing));
  if (there->has_value() && took<T>(job, (*there)->meta)) return {};
  if (!there->has_value() || is_going((*there)->meta, job))
    return runtime::fail(ErrorClass::Conflict, doing + ": the name is held by an object being deleted");
  std::string taken = doing + ": the name is taken by an object that is not this job's (uid " + (*there)->meta.uid +
                      "); remove it or rename the job";
  if (rejection.empty() && !std::is_same_v<T, kube::PersistentVolumeClaim>) rejection = taken;
  return runtime::fail(ErrorClass::Conflict, std::move(taken));
}

// Labels and owners may have changed since the caches saw them, or the caches may be of another time: nothing that
// costs somebody else's node rests on them.
Result<void> confirm_own_node_claim(runtime::ReconcileContext& context, const DeleteNodeClaim& action) {
  const auto claim = context.read_live<api::NodeClaim>("", action.name);
  if (!claim) return std::unexpected(claim.error());
  if (!claim->has_value() || (*claim)->meta.uid != action.uid) return {};  // gone; the deletion names the uid
  const std::string node_pool_name((*claim)->meta.label(kNodePoolLabel));
  const auto node_pool = context.read_live<api::NodePool>("", node_pool_name);
  if (!node_pool) return std::unexpected(node_pool.error());
  if (node_pool->has_value() && is_of_pool(**claim, **node_pool, action.pool_name, action.pool_uid)) return {};
  return runtime::fail(ErrorClass::Conflict,
                       "NodeClaim " + action.name + " is not of GpuPool " + action.pool_name + ": it is left alone");
}

std::string reservation(const ReserveClaim& action) {
  const bool others = action.owners && !action.owners->empty();
  kube::ObjectMeta left;
  if (others) left.owner_references = *action.owners;
  kube::ObjectWriter claim =
      others ? kube::ObjectWriter(kube::KindOf<kube::PersistentVolumeClaim>::info(), left) : kube::ObjectWriter();
  claim.text("metadata.resourceVersion", action.resource_version)
      .entry("metadata.annotations", kUsedByAnnotation, action.used_by);
  if (action.owners && !others) claim.null("metadata.ownerReferences");
  return claim.json();
}

struct Doer {
  runtime::ReconcileContext& context;
  const api::ResumableJob& job;
  std::string& rejection;

  // A request about a pod that is gone, or that another one has replaced under its name, needs no doing: such a patch
  // of the uid is answered Invalid. A conflict may also be about the version: the pod says which it is.
  Result<void> for_the_very_pod(Result<kube::Pod> patched, const std::string& name, const std::string& uid,
                                const char* doing) const {
    if (patched || patched.error().error_class == ErrorClass::NotFound) return {};
    if (patched.error().error_class == ErrorClass::Conflict || patched.error().error_class == ErrorClass::Invalid) {
      auto there = context.read_live<kube::Pod>(job.meta.namespace_, name);
      if (there && (!there->has_value() || (*there)->meta.uid != uid)) return {};
    }
    return std::unexpected(std::move(patched).error().with_context(doing + name));
  }

  Result<void> operator()(const CreateClaim& action) const {
    return create<kube::PersistentVolumeClaim>(context, job, action.meta.name,
                                               kube::encode_claim(action.meta, action.spec_json), rejection);
  }
  Result<void> operator()(const CreateService& action) const {
    return create<kube::Service>(context, job, action.meta.name,
                                 kube::encode_headless_service(action.meta, action.selector), rejection);
  }
  Result<void> operator()(const ReserveClaim& action) const {
    const std::string doing = "reserve PersistentVolumeClaim " + job.meta.namespace_ + "/" + action.name;
    auto reserved = context.patch<kube::PersistentVolumeClaim>(job.meta.namespace_, action.name,
                                                               runtime::PatchType::Merge, reservation(action));
    // A cluster may let those alone change owners who may delete the object (OwnerReferencesPermissionEnforcement).
    const bool refused = !reserved && reserved.error().error_class == ErrorClass::Forbidden;
    if (refused && action.owners && action.owners_may_stay) {
      ReserveClaim with_owners = action;
      with_owners.owners.reset();
      return (*this)(with_owners);
    }
    // A webhook may take away what it does not know: then the name is accepted and does not stand.
    if (reserved && reserved->meta.annotation(kUsedByAnnotation) != action.used_by)
      reserved = runtime::fail(ErrorClass::Invalid, "the annotation " + std::string(kUsedByAnnotation) +
                                                        " does not stay on the claim: something removes it");
    // Checkpoints that are saved there would go with the job.
    if (reserved && action.owners && !action.owners_may_stay && is_of_job(reserved->meta, job))
      reserved = runtime::fail(ErrorClass::Invalid,
                               "the job's reference does not go from the claim, which is to outlive the job: "
                               "something puts it back");
    if (reserved) return {};
    note_rejection(reserved.error(), doing, rejection);
    return std::unexpected(std::move(reserved).error().with_context(doing));
  }
  Result<void> operator()(const CreatePod& action) const {
    auto body = api::render_pod(action.pod_builder);
    if (!body) return runtime::fail(ErrorClass::Invalid, body.error().path + ": " + body.error().message);
    if (action.pod_builder.standby_command.empty()) {
      return create<kube::Pod>(context, job, action.pod_builder.name, *std::move(body), rejection);
    }
    // A place that may not be held costs time and stands in nobody's way.
    std::string no_place;
    auto held = create<kube::Pod>(context, job, action.pod_builder.name, *std::move(body), no_place);
    return no_place.empty() ? held : Result<void>{};
  }
  Result<void> operator()(const DeletePod& action) const {
    return runtime::remove_by_uid<kube::Pod>(context, job.meta.namespace_, action.name, action.uid,
                                             action.grace_period_seconds);
  }
  Result<void> operator()(const MarkPodFailed& action) const {
    std::string body = kube::ObjectWriter()
                           .text("metadata.uid", action.uid)
                           .text("metadata.resourceVersion", action.resource_version)
                           .text("status.phase", "Failed")
                           .text("status.reason", kMarkedFailed)
                           .json();
    auto marked = context.patch<kube::Pod>(job.meta.namespace_, action.name, runtime::PatchType::Merge, std::move(body),
                                           "status");
    return for_the_very_pod(std::move(marked), action.name, action.uid, "mark failed pod ");
  }
  Result<void> operator()(const DeleteNodeClaim& action) const {
    if (auto own = confirm_own_node_claim(context, action); !own) return own;
    return runtime::remove_by_uid<api::NodeClaim>(context, "", action.name, action.uid);
  }
  Result<void> annotate(const std::string& pod, const std::string& uid, std::string_view key, const std::string& value,
                        const char* doing) const {
    std::string body = kube::ObjectWriter().text("metadata.uid", uid).entry("metadata.annotations", key, value).json();
    auto annotated = context.patch<kube::Pod>(job.meta.namespace_, pod, runtime::PatchType::Merge, std::move(body));
    return for_the_very_pod(std::move(annotated), pod, uid, doing);
  }
  Result<void> operator()(const AnnotatePod& action) const {
    return annotate(action.pod_name, action.pod_uid, action.key, action.value,
                    "say which checkpoint all ranks have to pod ");
  }
  Result<void> operator()(const RequestCheckpoint& action) const {
    return annotate(action.pod_name, action.pod_uid, protocol::kCheckpointRequestAnnotation, action.id,
                    "ask for a checkpoint of pod ");
  }
  Result<void> operator()(const PointReports& action) const {
    auto told = annotate(action.pod_name, action.pod_uid, protocol::kReportToAnnotation, action.to,
                         "say where to report to pod ");
    if (told || !is_rejection(told.error())) return told;
    context.logger().debug("A pod cannot be told where to report", {{"error", told.error().message}});
    return {};  // the job needs no reports
  }
  Result<void> operator()(const CreateWorkload& action) const {
    auto body = api::encode(action.request);
    if (!body) return runtime::fail(ErrorClass::Invalid, body.error().path + ": " + body.error().message);
    return create<api::Workload>(context, job, action.request.meta.name, *std::move(body), rejection);
  }
  Result<void> operator()(const DeleteWorkload& action) const {
    return runtime::remove_by_uid<api::Workload>(context, job.meta.namespace_, action.name, action.uid);
  }
  Result<void> patch_workload(const std::string& name, std::string body, const char* doing) const {
    auto patched =
        context.patch<api::Workload>(job.meta.namespace_, name, runtime::PatchType::Merge, std::move(body), "status");
    if (patched || patched.error().error_class == ErrorClass::NotFound) return {};
    return std::unexpected(std::move(patched).error().with_context(doing + name));
  }
  Result<void> operator()(const ReleaseQuota& action) const {
    return patch_workload(
        action.name, api::encode_workload_status(action.conditions, api::KeepAdmission::No, action.resource_version),
        "give back the quota of Workload ");
  }
  Result<void> operator()(const ReportToWorkload& action) const {
    return patch_workload(
        action.name, api::encode_workload_status(action.conditions, api::KeepAdmission::Yes, action.resource_version),
        "set conditions of Workload ");
  }
  Result<void> operator()(const BoostPriority& action) const {
    const auto value = action.boost == 0 ? std::nullopt : std::optional(std::to_string(action.boost));
    std::string body = kube::ObjectWriter()
                           .text("metadata.uid", action.uid)
                           .entry("metadata.annotations", kPriorityBoostAnnotation, value)
                           .json();
    auto boosted =
        context.patch<api::Workload>(job.meta.namespace_, action.name, runtime::PatchType::Merge, std::move(body));
    if (!boosted)
      context.logger().debug("A Workload's priority boost cannot be set", {{"error", boosted.error().message}});
    return {};  // the job needs none
  }
  Result<void> operator()(const DeleteJob& action) const {
    return runtime::remove_by_uid<api::ResumableJob>(context, job.meta.namespace_, action.name, action.uid);
  }
};

}  // namespace

Result<void> apply(runtime::ReconcileContext& context, const api::ResumableJob& job, const std::vector<Action>& actions,
                   std::string& rejection) {
  const std::string before = std::exchange(rejection, {});
  Result<void> first;
  for (const Action& action : actions) {
    auto done = std::visit(Doer{context, job, rejection}, action);
    if (!done && first) first = std::move(done);
  }
  // A failure with a passing cause says nothing about what stood in the way before.
  if (!first && rejection.empty()) rejection = before;
  return first;
}

}  // namespace reprise::controllers::resumablejob
