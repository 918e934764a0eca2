// What can keep a ResumableJob or a GpuPool from going on. The names are stable: `-o json` prints them, and the table
// of docs/troubleshooting.md is made of this one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace reprise::plugin::why {

// Where it is found, in the order in which it is looked for.
enum class Place { Operator, Job, Creation, Pod, Volume, Scheduler, NodeClaim, NodePool, Pool };
enum class Weight {
  Passes,      // usually by itself: nothing to do yet
  NeedsPerson  // nothing goes on, or work is at risk, until somebody acts
};

enum class Cause {
  OperatorNotInstalled,
  OperatorNotReady,
  OperatorNotLeading,
  NotReconciled,
  StatusBehind,
  // The job's own conditions say it: the names are their reasons (docs/reference/reasons.md).
  BackoffLimitExceeded,
  PodFailurePolicy,
  DeadlineExceeded,
  Suspended,
  InterruptionLimitReached,
  MaxCostReached,
  PoolNotFound,
  PoolDeleting,
  NamespaceNotAllowed,
  PoolNameMissing,
  InvalidUnits,
  InvalidPattern,
  WholeGpuRequested,
  CommandMissing,
  ContainerNotFound,
  RestartPolicy,
  CheckpointPathMounted,
  ReservedKey,
  ClaimNotFound,
  ClaimExists,
  ClaimDeleting,
  AccessMode,
  CheckpointLost,
  VolumeFull,
  NotSupported,
  NoProgress,
  PodsReadyTimeout,
  WriterNotFenced,
  ClaimInUse,
  WaitForQuota,
  KueueDisabled,
  KueueNotInstalled,
  FlavorConflict,
  NeverFits,
  Stalled,
  Recovering,
  CheckpointOverdue,
  CheckpointsOutOfOrder,
  CheckpointUnproven,
  VolumeNearlyFull,
  Late,
  NodeBeingDrained,
  // The API server does not let the operator create what the job needs.
  QuotaExceeded,
  LimitRangeExceeded,
  PodSecurityViolated,
  PolicyDenied,
  WebhookDenied,
  WebhookUnreachable,
  ServiceAccountMissing,
  PriorityClassMissing,
  NameTaken,
  CreationRejected,
  // A pod, as its kubelet tells.
  PodsNotMade,
  PodNotEnding,
  PodRejected,
  Evicted,
  Preempted,
  OutOfMemory,
  AgentInstallFailed,
  InitContainerFailed,
  TrainerFailed,
  TrainerHung,
  GpuHeld,
  NodeNotReady,
  ImagePullFailed,
  ConfigMissing,
  ContainerNotCreated,
  VolumeAttachedElsewhere,
  VolumeNotMounted,
  SandboxNotCreated,
  ReadinessProbeFails,
  ContainersStarting,
  // The volumes of a pod that has no node.
  ClaimMissing,
  ClaimBeingDeleted,
  VolumeGone,
  NoStorageClass,
  StorageClassMissing,
  ProvisioningFailed,
  ClaimPending,
  // A pod without a node, as the scheduler and Karpenter tell.
  SchedulerSilent,
  SchedulingGated,
  ClaimHeldByPod,
  VolumeInAnotherZone,
  TooManyVolumes,
  AffinityNotMet,
  NodeSelectorMatchesNone,
  TaintNotTolerated,
  NodesCordoned,
  NoRoom,
  WaitsForNode,
  // The machine that is to come.
  InsufficientCapacity,
  LaunchFailed,
  NodeNotRegistered,
  GpuNotRegistered,
  StartupTaintKept,
  NodeNotInitialized,
  NodeStarting,
  NodePoolMissing,
  NodeClassNotReady,
  NodePoolInvalid,
  NodePoolNotReady,
  NodePoolLimitReached,
  NoInstanceTypeFits,
  KarpenterSilent,
  // The pool's own conditions say it.
  KarpenterNotInstalled,
  PoolNotSupported,
  PoolInvalidSpec,
  NodePoolNotOwned,
  DevicePluginKeyNotOwned,
  PoolObjectRejected,
  ChangedBack,
  NodeOverlayNotServed,
  NodeOverlayIgnored,
  NodeOverlayNotReady,
  NodeOverlayNotOwned,
  NodeSharingFailed,
  UnitsMissing,
  NodeLabelNotOwned,
  NodeOfAnotherPool,
  NodesInUse,
  NoExistingNodes,
  ExistingNodesFull,
  NoInstanceType,
  LimitBelowOneNode,
  CostLimitBelowOneNode,
  InitializationDeadlineExceeded,
  PoolMaxCostReached,
  PoolStalled,
  NodeGpuFault,
  NodeReplacementHeld,
  NodePoolTerminating,
  PoolNotReady,
};

struct CauseText {
  Cause cause;
  std::string_view name;
  Place place;
  Weight weight;
  std::string_view means;  // Markdown, one line
  std::string_view to_do;  // likewise; what is printed for one object has its names in it
};

[[nodiscard]] const CauseText& text_of(Cause cause);
// In the order of the enum.
[[nodiscard]] std::span<const CauseText> all_causes();
[[nodiscard]] std::string_view heading_of(Place place);
// The tables of docs/troubleshooting.md, one for each place.
[[nodiscard]] std::string troubleshooting_tables();

}  // namespace reprise::plugin::why
