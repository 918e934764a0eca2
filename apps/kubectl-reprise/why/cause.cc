#include "apps/kubectl-reprise/why/cause.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>

namespace reprise::plugin::why {
namespace {

using enum Weight;

constexpr CauseText kCauses[] = {
    {Cause::OperatorNotInstalled, "OperatorNotInstalled", Place::Operator, NeedsPerson,
     "no Deployment of the operator is found, and nobody renews its lease", "install the chart"},
    {Cause::OperatorNotReady, "OperatorNotReady", Place::Operator, NeedsPerson,
     "the operator's Deployment has no ready pod", "look at its pods: image, permissions, log"},
    {Cause::OperatorNotLeading, "OperatorNotLeading", Place::Operator, NeedsPerson,
     "the operator's pods are ready, but none renews the lease: nothing is decided",
     "look at the operator's log; the API server may refuse its writes"},
    {Cause::NotReconciled, "NotReconciled", Place::Operator, NeedsPerson, "the operator has never looked at the object",
     "look at the operator's log; is the object's namespace one that it watches?"},
    {Cause::StatusBehind, "StatusBehind", Place::Operator, Passes,
     "the object was changed, and its status is about the spec before", "nothing: it takes seconds"},

    {Cause::BackoffLimitExceeded, "BackoffLimitExceeded", Place::Job, NeedsPerson,
     "the trainer failed more often than `spec.backoffLimit` allows",
     "read the trainer's log, mend it, and create the job anew: it goes on from its checkpoints if it names their "
     "claim"},
    {Cause::PodFailurePolicy, "PodFailurePolicy", Place::Job, NeedsPerson,
     "a rule of `spec.podFailurePolicy` ended the job", "read the trainer's log; create the job anew"},
    {Cause::DeadlineExceeded, "DeadlineExceeded", Place::Job, NeedsPerson, "`spec.activeDeadlineSeconds` is over",
     "create the job anew with a longer deadline or none"},
    {Cause::Suspended, "Suspended", Place::Job, NeedsPerson, "somebody set `spec.suspend`", "resume it"},
    {Cause::InterruptionLimitReached, "InterruptionLimitReached", Place::Job, NeedsPerson,
     "the job was interrupted as often as `spec.interruption.limit` allows", "raise the limit, or remove it"},
    {Cause::MaxCostReached, "MaxCostReached", Place::Job, NeedsPerson,
     "the job has cost what `spec.placement.maxCost` allows", "raise it, or remove it"},
    {Cause::PoolNotFound, "PoolNotFound", Place::Job, NeedsPerson, "there is no GpuPool of the name in `spec.poolName`",
     "create it, or create the job with the name of one that is there"},
    {Cause::PoolDeleting, "PoolDeleting", Place::Job, NeedsPerson, "the GpuPool is being deleted", "name another pool"},
    {Cause::NamespaceNotAllowed, "NamespaceNotAllowed", Place::Job, NeedsPerson,
     "the pool's `spec.allowedNamespaces` does not match the labels of the job's namespace",
     "ask the pool's admin, or name another pool"},
    {Cause::PoolNameMissing, "PoolNameMissing", Place::Job, NeedsPerson,
     "the job asks for units or a placement, which belong to a pool, and names none", "set `spec.poolName`"},
    {Cause::InvalidUnits, "InvalidUnits", Place::Job, NeedsPerson,
     "the number of units asked for is none that the pool can give", "write what the message says"},
    {Cause::InvalidPattern, "InvalidPattern", Place::Job, NeedsPerson,
     "`spec.checkpoint.progressPattern` is no regular expression with a group for the step", "correct it"},
    {Cause::WholeGpuRequested, "WholeGpuRequested", Place::Job, NeedsPerson,
     "the template asks for `nvidia.com/gpu` in a pool that shares its GPUs", "ask for `reprise.dev/gpu` instead"},
    {Cause::CommandMissing, "CommandMissing", Place::Job, NeedsPerson,
     "the container that trains has no `command`, which the agent would start", "write the image's entry point there"},
    {Cause::ContainerNotFound, "ContainerNotFound", Place::Job, NeedsPerson,
     "no container of the template is known to train: `spec.container` names none that is there, or is missing where "
     "none "
     "or several of them ask for GPUs",
     "suspend the job, write the name of the one that trains, resume it"},
    {Cause::RestartPolicy, "RestartPolicy", Place::Job, NeedsPerson,
     "the template's `restartPolicy` would start a container again in its pod", "remove it"},
    {Cause::CheckpointPathMounted, "CheckpointPathMounted", Place::Job, NeedsPerson,
     "the template mounts something at `spec.checkpoint.path`", "remove the mount, or name its claim as `claimName`"},
    {Cause::ReservedKey, "ReservedKey", Place::Job, NeedsPerson, "the template sets what is the operator's to set",
     "remove it"},
    {Cause::ClaimNotFound, "ClaimNotFound", Place::Job, NeedsPerson,
     "the claim in `spec.checkpoint.volume.claimName` does not exist", "create it"},
    {Cause::ClaimExists, "ClaimExists", Place::Job, NeedsPerson,
     "a claim of the name that the job would give exists and is not the job's",
     "name it as `claimName` to go on with it, those of ranks in the annotation `reprise.dev/accept-claims`, or rename "
     "the job"},
    {Cause::ClaimDeleting, "ClaimDeleting", Place::Job, NeedsPerson, "the checkpoint claim is being deleted",
     "see what still uses it; save what it holds first"},
    {Cause::AccessMode, "AccessMode", Place::Job, NeedsPerson,
     "several ranks would share a claim that only one node may mount", "use a claim with ReadWriteMany"},
    {Cause::CheckpointLost, "CheckpointLost", Place::Job, NeedsPerson, "the volume lacks checkpoints that were there",
     "bring it back; or accept an older checkpoint, or the loss of all, as the message says"},
    {Cause::VolumeFull, "VolumeFull", Place::Job, NeedsPerson,
     "the last attempt failed because its saves found no room on the volume; `spec.backoffLimit` does not count it",
     "set `spec.checkpoint.keep`, let the claim grow, or delete something, as the message says"},
    {Cause::NotSupported, "NotSupported", Place::Job, NeedsPerson, "this version does not act on a field of the job",
     "remove the field"},
    {Cause::NoProgress, "NoProgress", Place::Job, NeedsPerson,
     "three attempts in a row made no newer checkpoint: money is spent for nothing",
     "read the trainer's log; save more often than nodes are taken"},
    {Cause::PodsReadyTimeout, "PodsReadyTimeout", Place::Job, NeedsPerson,
     "attempt after attempt some ranks found no place within `spec.podsReadyTimeoutSeconds`: no trainer ran",
     "see why the pool gives no more machines (`kubectl reprise why gpupool/NAME`), or let the job wait longer"},
    {Cause::WriterNotFenced, "WriterNotFenced", Place::Job, NeedsPerson,
     "a rank of the last attempt is not proven to have ended, so nothing else may write",
     "wait while its machine is being ended; if you know that the machine is off, confirm it"},
    {Cause::ClaimInUse, "ClaimInUse", Place::Job, NeedsPerson, "another pod or job uses the checkpoint claim",
     "end that pod; or wait for that job, suspend or delete it"},
    {Cause::WaitForQuota, "WaitForQuota", Place::Job, Passes,
     "the job is in a queue of Kueue, which has not admitted it, or has evicted it",
     "nothing, or ask for more quota; the message has Kueue's words"},
    {Cause::KueueDisabled, "KueueDisabled", Place::Job, NeedsPerson,
     "the job names a queue of Kueue, and the operator's feature gate is off",
     "turn `featureGates.Kueue` on, or take the label off"},
    {Cause::KueueNotInstalled, "KueueNotInstalled", Place::Job, NeedsPerson,
     "the job names a queue of Kueue, and the cluster does not serve Kueue's kinds",
     "install Kueue, or take the label off"},
    {Cause::FlavorConflict, "FlavorConflict", Place::Job, NeedsPerson,
     "Kueue has counted the quota on nodes that the job's pool does not have",
     "give the ResourceFlavor the pool's label"},
    {Cause::NeverFits, "NeverFits", Place::Job, NeedsPerson,
     "the pool can never have room for all ranks at once, whatever ends there: no pod is made, no machine rented",
     "change the pool's limits or the job, as the message says by numbers; no other job's end helps"},
    {Cause::Stalled, "Stalled", Place::Job, NeedsPerson, "the job needs a person, for a reason not listed here",
     "do what the message says"},
    {Cause::Recovering, "Recovering", Place::Job, Passes, "an attempt has ended or is ending, and the next one follows",
     "nothing"},
    {Cause::CheckpointOverdue, "CheckpointOverdue", Place::Job, NeedsPerson,
     "the job runs, but no newer checkpoint came for three times `spec.checkpoint.periodSeconds`",
     "read the trainer's log: does it still save?"},
    {Cause::CheckpointsOutOfOrder, "CheckpointsOutOfOrder", Place::Job, NeedsPerson,
     "a checkpoint completed later has the lower number: nothing is pruned any more, and the volume fills",
     "let the last number in the names of checkpoints be the step"},
    {Cause::CheckpointUnproven, "CheckpointUnproven", Place::Job, Passes,
     "the job runs, from an older checkpoint: an end came that no agent saw, and newer ones that nothing proves to be "
     "on the storage were put aside",
     "nothing; who knows that one of them is whole moves it back, as the message says"},
    {Cause::VolumeNearlyFull, "VolumeNearlyFull", Place::Job, NeedsPerson,
     "the job runs, and the checkpoint volume has too little room for what it is about to save",
     "set `spec.checkpoint.keep`, or let the claim grow, before saves fail"},
    {Cause::Late, "Late", Place::Job, NeedsPerson,
     "the job will not be complete by `spec.placement.completeBy`, by what is known of the work that is left",
     "move the deadline; or suspend the job, and give it more or faster nodes"},
    {Cause::NodeBeingDrained, "NodeBeingDrained", Place::Job, Passes,
     "the job runs, but a node of it is going: it saves and moves", "nothing"},

    {Cause::QuotaExceeded, "QuotaExceeded", Place::Creation, NeedsPerson,
     "a ResourceQuota of the namespace has no room for what the job creates",
     "end something in the namespace, or ask its admin for more; pods that still end count"},
    {Cause::LimitRangeExceeded, "LimitRangeExceeded", Place::Creation, NeedsPerson,
     "a LimitRange of the namespace does not allow the requests of a pod or claim",
     "change the requests in the template, or the LimitRange"},
    {Cause::PodSecurityViolated, "PodSecurityViolated", Place::Creation, NeedsPerson,
     "the template is not what the Pod Security level of the namespace allows",
     "set the template's securityContext as the message says"},
    {Cause::PolicyDenied, "PolicyDenied", Place::Creation, NeedsPerson, "a ValidatingAdmissionPolicy denies the object",
     "change the template, or ask the policy's owner"},
    {Cause::WebhookDenied, "WebhookDenied", Place::Creation, NeedsPerson, "an admission webhook denies the object",
     "change the template, or ask the webhook's owner"},
    {Cause::WebhookUnreachable, "WebhookUnreachable", Place::Creation, NeedsPerson,
     "an admission webhook does not answer, and the API server asks it before it creates anything",
     "see why its pods do not answer"},
    {Cause::ServiceAccountMissing, "ServiceAccountMissing", Place::Creation, NeedsPerson,
     "the template names a ServiceAccount that does not exist", "create it, or correct the name"},
    {Cause::PriorityClassMissing, "PriorityClassMissing", Place::Creation, NeedsPerson,
     "the template names a PriorityClass that does not exist", "create it, or correct the name"},
    {Cause::NameTaken, "NameTaken", Place::Creation, NeedsPerson,
     "an object of somebody else has the name that the job would give", "rename the job, or remove that object"},
    {Cause::CreationRejected, "CreationRejected", Place::Creation, NeedsPerson,
     "the API server rejects an object of the job", "as the message says; it is tried again by itself"},

    {Cause::PodsNotMade, "PodsNotMade", Place::Pod, Passes, "the pods of the attempt are about to be made",
     "nothing; the message says what is waited for"},
    {Cause::PodNotEnding, "PodNotEnding", Place::Pod, NeedsPerson,
     "a pod should have ended, and its kubelet has not said so",
     "look at its node; do not delete the pod by force: that proves nothing to the job"},
    {Cause::PodRejected, "PodRejected", Place::Pod, NeedsPerson, "a kubelet did not admit the pod: no room, no device",
     "see what the node has; tried again, later each time"},
    {Cause::Evicted, "Evicted", Place::Pod, NeedsPerson,
     "the node ran out of memory or disk, or the pod overfilled its own disk, and its kubelet evicted it",
     "request what the trainer needs: memory, ephemeral-storage; where the message names a limit of the pod raise "
     "that, or "
     "write checkpoints below `spec.checkpoint.path` and caches nowhere"},
    {Cause::Preempted, "Preempted", Place::Pod, Passes, "a pod of higher priority took the node",
     "nothing; a priorityClassName in the template makes it rarer"},
    {Cause::OutOfMemory, "OutOfMemory", Place::Pod, NeedsPerson, "a container used more memory than its limit",
     "raise the memory limit of the container, or use less"},
    {Cause::AgentInstallFailed, "AgentInstallFailed", Place::Pod, NeedsPerson,
     "the init container that brings the agent failed", "read its log; tried again, later each time"},
    {Cause::InitContainerFailed, "InitContainerFailed", Place::Pod, NeedsPerson, "an init container failed",
     "read its log"},
    {Cause::TrainerFailed, "TrainerFailed", Place::Pod, NeedsPerson, "a container of the pod ended with an error",
     "read its log; the job tries again until `spec.backoffLimit`"},
    {Cause::TrainerHung, "TrainerHung", Place::Pod, NeedsPerson,
     "the trainer brought nothing new for `spec.progressTimeoutSeconds`, and its agent ended it",
     "read its log: `REPRISE_HANG_SIGNAL` has it print its stacks; the job goes on from the last checkpoint by itself"},
    {Cause::GpuHeld, "GpuHeld", Place::Pod, NeedsPerson,
     "the trainer of a rank has finished, and another container of its pod holds the GPU for as long as it runs",
     "let that container end when the trainer does, or make it an init container with `restartPolicy: Always`, which "
     "its "
     "kubelet ends"},
    {Cause::NodeNotReady, "NodeNotReady", Place::Pod, NeedsPerson, "the node of the pod is not ready",
     "see the node's conditions; if it is lost, the job moves by itself"},
    {Cause::ImagePullFailed, "ImagePullFailed", Place::Pod, NeedsPerson, "an image cannot be pulled",
     "correct the image's name, or give the pod a pull secret"},
    {Cause::ConfigMissing, "ConfigMissing", Place::Pod, NeedsPerson,
     "a ConfigMap or Secret that the template names, or a key of it, is not there", "create it, or correct the name"},
    {Cause::ContainerNotCreated, "ContainerNotCreated", Place::Pod, NeedsPerson,
     "the container runtime cannot create or start a container", "as the message says: often the command is not there"},
    {Cause::VolumeAttachedElsewhere, "VolumeAttachedElsewhere", Place::Pod, NeedsPerson,
     "the volume is still attached to another node",
     "it is detached six minutes after an unclean loss; sooner if you remove the VolumeAttachment of a machine that is "
     "off"},
    {Cause::VolumeNotMounted, "VolumeNotMounted", Place::Pod, NeedsPerson, "a volume cannot be attached or mounted",
     "as the message says; see the storage driver's log"},
    {Cause::SandboxNotCreated, "SandboxNotCreated", Place::Pod, NeedsPerson,
     "the pod's network or sandbox cannot be set up", "see the network plugin on the node"},
    {Cause::ReadinessProbeFails, "ReadinessProbeFails", Place::Pod, NeedsPerson,
     "a container runs, but its readiness probe fails", "read its log; a trainer seldom needs such a probe"},
    {Cause::ContainersStarting, "ContainersStarting", Place::Pod, Passes,
     "the pod has a node; images are pulled, volumes mounted, containers started", "nothing"},

    {Cause::ClaimMissing, "ClaimMissing", Place::Volume, NeedsPerson,
     "the template mounts a PersistentVolumeClaim that does not exist", "create it, or correct the name"},
    {Cause::ClaimBeingDeleted, "ClaimBeingDeleted", Place::Volume, NeedsPerson,
     "the template mounts a PersistentVolumeClaim that is being deleted", "name another claim"},
    {Cause::VolumeGone, "VolumeGone", Place::Volume, NeedsPerson, "the volume behind the claim is gone (phase Lost)",
     "bring the volume back from a snapshot; or start from scratch"},
    {Cause::NoStorageClass, "NoStorageClass", Place::Volume, NeedsPerson,
     "the claim names no storage class, and the cluster has no default",
     "write `storageClassName` into the claim template"},
    {Cause::StorageClassMissing, "StorageClassMissing", Place::Volume, NeedsPerson,
     "the claim names a storage class that does not exist", "create it, or correct the name"},
    {Cause::ProvisioningFailed, "ProvisioningFailed", Place::Volume, NeedsPerson,
     "the storage driver cannot make the volume", "as the message says: quota, zone, parameters of the class"},
    {Cause::ClaimPending, "ClaimPending", Place::Volume, NeedsPerson,
     "the claim is not bound and its class does not wait for a pod", "see the storage driver's log"},

    {Cause::SchedulerSilent, "SchedulerSilent", Place::Scheduler, NeedsPerson, "no scheduler has looked at the pod",
     "is the scheduler running? does one answer to the pod's `schedulerName`?"},
    {Cause::SchedulingGated, "SchedulingGated", Place::Scheduler, NeedsPerson, "the pod carries scheduling gates",
     "whoever set them has to remove them"},
    {Cause::ClaimHeldByPod, "ClaimHeldByPod", Place::Scheduler, NeedsPerson,
     "another pod uses a claim that one pod alone may use (ReadWriteOncePod)", "end that pod"},
    {Cause::VolumeInAnotherZone, "VolumeInAnotherZone", Place::Scheduler, NeedsPerson,
     "the volume lies in a zone in which the pool may rent no node", "allow the zone in the pool, or copy the volume"},
    {Cause::TooManyVolumes, "TooManyVolumes", Place::Scheduler, NeedsPerson,
     "the nodes have as many volumes attached as they can", "wait for a pod to end, or use larger nodes"},
    {Cause::AffinityNotMet, "AffinityNotMet", Place::Scheduler, NeedsPerson,
     "the template's pod affinity or topology spread cannot be met", "loosen it"},
    {Cause::NodeSelectorMatchesNone, "NodeSelectorMatchesNone", Place::Scheduler, NeedsPerson,
     "no node that there is or can be rented has the labels that the template asks for",
     "correct the template's nodeSelector and affinity, or the pool's zones and requirements"},
    {Cause::TaintNotTolerated, "TaintNotTolerated", Place::Scheduler, NeedsPerson,
     "the template does not tolerate a taint of the nodes", "add the toleration to the template"},
    {Cause::NodesCordoned, "NodesCordoned", Place::Scheduler, NeedsPerson, "the nodes that fit are cordoned",
     "uncordon them"},
    {Cause::NoRoom, "NoRoom", Place::Scheduler, NeedsPerson,
     "no node has room, and the job has no pool that could rent one", "free a node; or name a pool"},
    {Cause::WaitsForNode, "WaitsForNode", Place::Scheduler, Passes, "the pod waits for a node to be rented", "nothing"},

    {Cause::InsufficientCapacity, "InsufficientCapacity", Place::NodeClaim, NeedsPerson,
     "the provider has no such machine at the moment", "wait; or allow more zones, models, sizes or on-demand"},
    {Cause::LaunchFailed, "LaunchFailed", Place::NodeClaim, NeedsPerson, "the provider does not start the machine",
     "as the message says: often a quota or permissions of the account"},
    {Cause::NodeNotRegistered, "NodeNotRegistered", Place::NodeClaim, NeedsPerson,
     "the machine was started, and its kubelet has not joined the cluster",
     "look at the machine's console: image, bootstrap, network"},
    {Cause::GpuNotRegistered, "GpuNotRegistered", Place::NodeClaim, NeedsPerson,
     "the node is there, and its device plugin offers no GPU", "look at driver and device plugin on the node"},
    {Cause::StartupTaintKept, "StartupTaintKept", Place::NodeClaim, NeedsPerson, "a startup taint is still on the node",
     "see what should remove it, or take it out of the pool's startupTaints"},
    {Cause::NodeNotInitialized, "NodeNotInitialized", Place::NodeClaim, NeedsPerson,
     "the node joined and did not become usable", "as the message says; the pool ends it at its deadline"},
    {Cause::NodeStarting, "NodeStarting", Place::NodeClaim, Passes, "a machine is being started", "nothing"},

    {Cause::NodePoolMissing, "NodePoolMissing", Place::NodePool, NeedsPerson, "a NodePool of the pool is not there",
     "see the pool's conditions; the operator makes it"},
    {Cause::NodeClassNotReady, "NodeClassNotReady", Place::NodePool, NeedsPerson,
     "the node class that the pool names is missing or not ready", "create it, or see its conditions"},
    {Cause::NodePoolInvalid, "NodePoolInvalid", Place::NodePool, NeedsPerson, "Karpenter does not take the NodePool",
     "change the pool's requirements, labels or taints as the message says"},
    {Cause::NodePoolNotReady, "NodePoolNotReady", Place::NodePool, NeedsPerson,
     "Karpenter calls the NodePool not ready", "as its condition says"},
    {Cause::NodePoolLimitReached, "NodePoolLimitReached", Place::NodePool, NeedsPerson,
     "the pool has rented as many whole machines as `maxGpus` or `maxCostPerHour` allows",
     "wait for another job to end, or raise `spec.capacity[].maxGpus` or `spec.maxCostPerHour`: the pool's condition "
     "`CapacityAvailable` says `MaxCostReached` where it is the money"},
    {Cause::NoInstanceTypeFits, "NoInstanceTypeFits", Place::NodePool, NeedsPerson,
     "no instance type of the pool has room for a pod with such requests",
     "lower the template's requests, or widen the pool's `gpu`, `instanceTypes`, `zones`"},
    {Cause::KarpenterSilent, "KarpenterSilent", Place::NodePool, NeedsPerson,
     "the pod waits for a node, and Karpenter neither starts one nor says why", "look at Karpenter's pods and log"},

    {Cause::KarpenterNotInstalled, "KarpenterNotInstalled", Place::Pool, NeedsPerson,
     "the cluster does not serve Karpenter's kinds", "install Karpenter; nothing needs a restart"},
    {Cause::PoolNotSupported, "PoolNotSupported", Place::Pool, NeedsPerson,
     "this version does not act on a field of the pool", "remove the field"},
    {Cause::PoolInvalidSpec, "PoolInvalidSpec", Place::Pool, NeedsPerson, "the pool's spec cannot be translated",
     "as the message says"},
    {Cause::NodePoolNotOwned, "NodePoolNotOwned", Place::Pool, NeedsPerson,
     "a NodePool of the pool's name is somebody else's", "rename the pool, or remove that NodePool"},
    {Cause::DevicePluginKeyNotOwned, "DevicePluginKeyNotOwned", Place::Pool, NeedsPerson,
     "the device plugin's ConfigMap has the pool's key with another content",
     "remove the key, or name another map in `spec.devicePluginConfigMapRef`"},
    {Cause::PoolObjectRejected, "PoolObjectRejected", Place::Pool, NeedsPerson,
     "the API server rejects an object of the pool", "as the message says; it is tried again by itself"},
    {Cause::ChangedBack, "ChangedBack", Place::Pool, NeedsPerson,
     "somebody in the cluster changes back what the pool writes", "find who does: the message names the object"},
    {Cause::NodeOverlayNotServed, "NodeOverlayNotServed", Place::Pool, NeedsPerson,
     "Karpenter's NodeOverlay kind is not installed, which slices need", "install its CRD"},
    {Cause::NodeOverlayIgnored, "NodeOverlayIgnored", Place::Pool, NeedsPerson,
     "Karpenter's feature gate NodeOverlay is off, which slices need", "switch it on"},
    {Cause::NodeOverlayNotReady, "NodeOverlayNotReady", Place::Pool, NeedsPerson, "Karpenter rejects a NodeOverlay",
     "as its message says"},
    {Cause::NodeOverlayNotOwned, "NodeOverlayNotOwned", Place::Pool, NeedsPerson,
     "a NodeOverlay of the pool's name is somebody else's", "remove it, or rename the pool"},
    {Cause::NodeSharingFailed, "NodeSharingFailed", Place::Pool, NeedsPerson,
     "the GPUs of a node could not be shared as the pool says", "as the message says, which names the node"},
    {Cause::UnitsMissing, "UnitsMissing", Place::Pool, NeedsPerson,
     "a node has GPUs and does not offer the pool's units of them", "as the message says: usually its device plugin"},
    {Cause::NodeLabelNotOwned, "NodeLabelNotOwned", Place::Pool, NeedsPerson,
     "somebody else has put a label on a node that the pool would put there with another value",
     "take the label off, or take the node out of `spec.existingNodes.selector`"},
    {Cause::NodeOfAnotherPool, "NodeOfAnotherPool", Place::Pool, NeedsPerson,
     "a node that the pool selects is another pool's", "narrow `spec.existingNodes.selector` of one of them"},
    {Cause::NodesInUse, "NodesInUse", Place::Pool, Passes,
     "how the GPUs of a node are shared is changed when no pod uses them", "nothing; or end that pod"},
    {Cause::NoExistingNodes, "NoExistingNodes", Place::Pool, NeedsPerson,
     "`spec.existingNodes.selector` names no node that the pool can have", "label a node so, or change the selector"},
    {Cause::ExistingNodesFull, "ExistingNodesFull", Place::Pool, Passes,
     "no node of the pool is free, and nobody makes another", "wait for a job to end, or add a node"},
    {Cause::NoInstanceType, "NoInstanceType", Place::Pool, NeedsPerson, "no known instance type fits `spec.gpu`",
     "change `spec.gpu`, or name `spec.instanceTypes`"},
    {Cause::LimitBelowOneNode, "LimitBelowOneNode", Place::Pool, NeedsPerson,
     "`spec.capacity[].maxGpus` is below the GPUs of the smallest machine that the pool may rent: nothing is rented",
     "raise it, or allow smaller machines; no job's end helps"},
    {Cause::InitializationDeadlineExceeded, "InitializationDeadlineExceeded", Place::Pool, NeedsPerson,
     "the last machines that were paid for never became useful; the next one waits until the time that the message "
     "says",
     "look at what the node lacked: driver, device plugin, image, startup taints; then `kubectl annotate gp POOL "
     "reprise.dev/retry=1` tries at once"},
    {Cause::NodeGpuFault, "NodeGpuFault", Place::Pool, NeedsPerson,
     "a monitor calls the GPUs of a node broken, and the node stays",
     "see to the node; or let `spec.health.policy: Replace` give such nodes back"},
    {Cause::NodeReplacementHeld, "NodeReplacementHeld", Place::Pool, NeedsPerson,
     "too many nodes are called broken, or were given back for it within an hour, to give back another",
     "find out whether nodes, driver or monitor are at fault; then delete the NodeClaims of the nodes that the message "
     "names"},
    {Cause::NodePoolTerminating, "NodePoolTerminating", Place::Pool, Passes,
     "a NodePool of the pool's name is being deleted; a new one is made when it is gone", "nothing"},
    {Cause::PoolNotReady, "PoolNotReady", Place::Pool, Passes, "the pool's objects are being written",
     "nothing; see its conditions if it lasts"},
};

constexpr bool in_the_order_of_the_enum() {
  for (std::size_t i = 0; i < std::size(kCauses); ++i) {
    if (static_cast<std::size_t>(kCauses[i].cause) != i) return false;
  }
  return std::size(kCauses) == static_cast<std::size_t>(Cause::PoolNotReady) + 1;
}
static_assert(in_the_order_of_the_enum());

}  // namespace

const CauseText& text_of(Cause cause) {
  return kCauses[static_cast<std::size_t>(cause)];
}

std::span<const CauseText> all_causes() {
  return kCauses;
}

std::string_view heading_of(Place place) {
  switch (place) {
    case Place::Operator:
      return "The operator";
    case Place::Job:
      return "The job";
    case Place::Creation:
      return "What the job creates";
    case Place::Pod:
      return "A pod";
    case Place::Volume:
      return "A volume of a pod that has no node";
    case Place::Scheduler:
      return "A pod that has no node";
    case Place::NodeClaim:
      return "A machine that is to come (NodeClaim)";
    case Place::NodePool:
      return "Where machines come from (NodePool)";
    case Place::Pool:
      return "The pool";
  }
  return {};
}

std::string troubleshooting_tables() {
  std::string text;
  const Place* open = nullptr;
  for (const CauseText& row : kCauses) {
    if (open == nullptr || *open != row.place) {
      fmt::format_to(std::back_inserter(text), "{}## {}\n\n| Cause | What it means | What to do |\n|---|---|---|\n",
                     open == nullptr ? "" : "\n", heading_of(row.place));
      open = &row.place;
    }
    fmt::format_to(std::back_inserter(text), "| `{}`{} | {} | {} |\n", row.name,
                   row.weight == Passes ? " (passes)" : "", row.means, row.to_do);
  }
  return text;
}

}  // namespace reprise::plugin::why
