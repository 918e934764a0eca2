// The volumes of a pod that has no node.
#include <algorithm>

#include "apps/kubectl-reprise/why/phases/phases.h"
#include "apps/kubectl-reprise/why/reading/scheduler_message.h"

namespace reprise::plugin::why {
namespace {

bool complains_of(const Pod& pod, Complaint complaint) {
  const Condition* scheduled = with_status(pod.conditions, "PodScheduled", "False");
  if (scheduled == nullptr) return false;
  const auto complaints = read_complaints(scheduled->message);
  return std::ranges::find(complaints, complaint) != complaints.end();
}

Finding about(const Inquiry& inquiry, const Claim& claim, Cause cause, std::string found) {
  const ObjectRef object = ref("PersistentVolumeClaim", claim.meta);
  const Event* event = newest_event(inquiry, object, {"ProvisioningFailed", "FailedBinding"});
  if (event != nullptr) found += "; " + event->message;
  return {.cause = cause,
          .object = object,
          .found = std::move(found),
          .to_do = {"kubectl describe pvc " + claim.meta.name + " -n " + claim.meta.namespace_,
                    "kubectl get storageclasses"}};
}

std::optional<Finding> why_pending(const Inquiry& inquiry, const Pod& pod, const Claim& claim) {
  const auto& classes = inquiry.seen.storage_classes;
  const bool known = inquiry.seen.saw("StorageClass");
  const Event* failed = newest_event(inquiry, ref("PersistentVolumeClaim", claim.meta), {"ProvisioningFailed"});
  if (!claim.storage_class && known && std::ranges::none_of(classes, &StorageClass::is_default)) {
    return about(inquiry, claim, Cause::NoStorageClass, "spec.storageClassName is absent and no class is the default");
  }
  if (claim.storage_class && !claim.storage_class->empty()) {
    const bool there =
        std::ranges::any_of(classes, [&](const StorageClass& c) { return c.meta.name == *claim.storage_class; });
    if (known && !there) {
      return about(inquiry, claim, Cause::StorageClassMissing,
                   "spec.storageClassName: there is no StorageClass " + *claim.storage_class);
    }
  }
  if (failed != nullptr) return about(inquiry, claim, Cause::ProvisioningFailed, "the volume cannot be made");
  if (complains_of(pod, Complaint::ClaimUnbound)) {
    return about(inquiry, claim, Cause::ClaimPending, "it is not bound to a volume");
  }
  return std::nullopt;
}

std::optional<Finding> why_claim_blocks(const Inquiry& inquiry, const Pod& pod, const Claim& claim) {
  if (claim.meta.deleted) return about(inquiry, claim, Cause::ClaimBeingDeleted, "it is being deleted");
  if (claim.phase == "Lost") {
    return about(inquiry, claim, Cause::VolumeGone, "its PersistentVolume " + claim.volume_name + " is gone");
  }
  return claim.phase == "Pending" ? why_pending(inquiry, pod, claim) : std::nullopt;
}

}  // namespace

void look_at_volumes(Inquiry& inquiry) {
  const Pod* pod = pod_without_node(inquiry);
  if (pod == nullptr) return;
  if (!inquiry.seen.saw("PersistentVolumeClaim")) return;
  for (const std::string& name : pod->claim_names) {
    const auto claim = std::ranges::find_if(inquiry.seen.claims, [&](const Claim& c) { return c.meta.name == name; });
    if (claim == inquiry.seen.claims.end()) {
      return inquiry.found(
          {.cause = Cause::ClaimMissing,
           .object = {.kind = "PersistentVolumeClaim", .namespace_ = pod->meta.namespace_, .name = name},
           .found = "pod " + pod->meta.name + " mounts it, and it does not exist",
           .to_do = {"kubectl get pvc -n " + pod->meta.namespace_,
                     "create it, or correct the name in spec.template.spec.volumes"}});
    }
    if (auto finding = why_claim_blocks(inquiry, *pod, *claim)) return inquiry.found(*std::move(finding));
    inquiry.ok(ref("PersistentVolumeClaim", claim->meta),
               claim->phase == "Pending" ? "is bound when the pod has a node" : claim->phase);
  }
}

}  // namespace reprise::plugin::why
