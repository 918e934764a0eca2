// The part of a ResumableJob's status that remembers its attempt: where each rank runs, how it ended, and why the
// attempt is to end.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/kube/meta.h"

namespace reprise::api {

// The proof by which a rank is known to have ended, as `kubectl get rj -o yaml` shows it.
enum class EndProof {
  None,
  NeverBound,       // the pod went without a node, or was called Failed while it had none: no kubelet ever started it
  KubeletReport,    // every container terminated in the pod's last seen status, or the pod was never admitted
  MachineGone,      // the NodeClaim recorded at binding is gone, or the machine booted anew
  PersonConfirmed,  // annotation reprise.dev/confirm-ended, or the node's out-of-service taint
};

// One rank of the current attempt: the facts that later prove that it ended. Written at creation and at binding, never
// forgotten before the proof.
struct RankStatus {
  std::int32_t index = 0;
  kube::Text pod_name;
  kube::Text pod_uid;
  kube::Text node_name;  // empty until bound
  kube::Text node_uid;
  kube::Text boot_id;  // node.status.nodeInfo.bootID
  kube::Text provider_id;
  kube::Text node_claim_name;  // empty where no NodeClaim stands behind the node
  kube::Text node_claim_uid;
  EndProof proof = EndProof::None;
  std::optional<std::int32_t> exit_code;
  bool finished = false;                 // the trainer ended by itself with 0
  std::optional<kube::Time> ended_time;  // when its last container did, as the kubelet says
  static void fields(auto& self, auto& field) {
    field("index", self.index);
    field("podName", self.pod_name);
    field("podUID", self.pod_uid);
    field("nodeName", self.node_name);
    field("nodeUID", self.node_uid);
    field("bootID", self.boot_id);
    field("providerID", self.provider_id);
    field("nodeClaimName", self.node_claim_name);
    field("nodeClaimUID", self.node_claim_uid);
    field("proof", self.proof);
    field("exitCode", self.exit_code);
    field("finished", self.finished);
    field("endedTime", self.ended_time);
  }
  bool operator==(const RankStatus&) const = default;
};

enum class AttemptEndCause {
  Interruption,        // resume, not counted as a failure
  CheckpointedExit,    // exit 85 without a request: run again
  ApplicationFailure,  // judged by podFailurePolicy and backoffLimit
  IgnoredFailure,      // a podFailurePolicy rule said Ignore
  Rejected,            // a kubelet did not admit a pod: nothing of it ran
  NotInstalled,        // the agent could not be brought into a pod
  Refused,             // an agent would not start the trainer: checkpoint lost, or another writer is alive
  Hung,                // an agent ended its trainer, which brought nothing new for spec.progressTimeoutSeconds
  VolumeFull,          // a trainer failed because its saves found no room: not counted
  Outdated,            // the pool or a claim has changed since the attempt began
  Suspended,
  PodsReadyTimeout,
  Succeeded,
  Failed,  // terminal; `reason` is the Failed condition's reason
  Deleted,
};

// The intent to end the current attempt; written before any pod is deleted, so that a restart goes on with it.
struct AttemptEnd {
  std::int32_t attempt = 0;
  AttemptEndCause cause = AttemptEndCause::Interruption;
  kube::Text reason;  // "SpotInterrupted", "DeletionByTaintManager", "BackoffLimitExceeded" ...
  kube::Text message;
  kube::Text node;  // the node that was taken, where one was
  kube::Time time{};
  std::optional<kube::Time> deadline;  // when the node goes, where known
  static void fields(auto& self, auto& field) {
    field("attempt", self.attempt);
    field("cause", self.cause);
    field("reason", self.reason);
    field("message", self.message);
    field("node", self.node);
    field("time", self.time);
    field("deadline", self.deadline);
  }
  bool operator==(const AttemptEnd&) const = default;
};

// An agent did not find the checkpoint that was expected: no attempt begins until a person has said how to go on.
struct LostCheckpoint {
  std::int32_t attempt = 0;
  std::int64_t generation = 0;               // the job's; another one is a person's answer
  std::optional<std::int64_t> offered_step;  // the step that is there instead
  kube::Text message;
  static void fields(auto& self, auto& field) {
    field("attempt", self.attempt);
    field("generation", self.generation);
    field("offeredStep", self.offered_step);
    field("message", self.message);
  }
  bool operator==(const LostCheckpoint&) const = default;
};

// An attempt failed because its saves found no room: no other begins until a person has made some.
struct FullVolume {
  std::int32_t attempt = 0;
  std::int64_t generation = 0;  // the job's; another one is a person's answer
  kube::Text claim_name;
  kube::Text capacity;  // the claim's; another one is an answer, too
  kube::Text message;
  static void fields(auto& self, auto& field) {
    field("attempt", self.attempt);
    field("generation", self.generation);
    field("claimName", self.claim_name);
    field("capacity", self.capacity);
    field("message", self.message);
  }
  bool operator==(const FullVolume&) const = default;
};

// Complete checkpoints that an attempt has put aside, since nothing proves that they are on the storage. The status
// stays until another attempt puts some aside.
struct UnprovenStatus {
  std::int32_t attempt = 0;
  std::int64_t checkpoints = 0;                // how many
  std::int64_t step = 0;                       // the highest of them
  std::optional<std::int64_t> resumed_from{};  // the step resumed from; empty: none, or not known
  kube::Text message;
  static void fields(auto& self, auto& field) {
    field("attempt", self.attempt);
    field("checkpoints", self.checkpoints);
    field("step", self.step);
    field("resumedFromStep", self.resumed_from);
    field("message", self.message);
  }
  bool operator==(const UnprovenStatus&) const = default;
};

}  // namespace reprise::api
