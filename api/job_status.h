// The status of a ResumableJob. Field meanings for users are in crds/reprise.dev_resumablejobs.yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/attempt_status.h"
#include "runtime/kube/memory/rare.h"
#include "runtime/kube/meta.h"

namespace reprise::api {

struct InterruptionCount {
  kube::Text reason;
  std::int32_t count = 0;
  static void fields(auto& self, auto& field) {
    field("reason", self.reason);
    field("count", self.count);
  }
  bool operator==(const InterruptionCount&) const = default;
};

struct LastInterruption {
  kube::Time time{};
  kube::Text reason;
  kube::Text node;
  std::optional<std::int32_t> notice_seconds;
  std::optional<bool> asked;                 // did the agent ask the trainer to save
  std::optional<bool> saved;                 // did a newer complete checkpoint become durable
  std::optional<kube::Time> signal_time;     // when its cause began, as the object that tells of it says
  std::optional<kube::Time> ended_time;      // when its last container ended, as kubelets say
  std::optional<kube::Time> recovered_time;  // when all ranks were ready again
  std::optional<kube::Time> training_time;   // when the trainer had passed a step again, as it says
  static void fields(auto& self, auto& field) {
    field("time", self.time);
    field("reason", self.reason);
    field("node", self.node);
    field("noticeSeconds", self.notice_seconds);
    field("asked", self.asked);
    field("saved", self.saved);
    field("signalTime", self.signal_time);
    field("endedTime", self.ended_time);
    field("recoveredTime", self.recovered_time);
    field("trainingTime", self.training_time);
  }
  bool operator==(const LastInterruption&) const = default;
};

// The properties of the volume that the agent has found out. A property that it has not found out is absent.
struct VolumeStatus {
  kube::Text type;  // "nfs4", "fuse.gcsfuse"
  std::optional<bool> rename, overwrite, remove;
  kube::Text durability;  // protocol/reported_volume.h
  static void fields(auto& self, auto& field) {
    field("type", self.type);
    field("rename", self.rename);
    field("overwrite", self.overwrite);
    field("delete", self.remove);
    field("durability", self.durability);
  }
  bool operator==(const VolumeStatus&) const = default;
};

struct CheckpointStatus {
  std::int64_t step = 0;
  kube::Text path;
  kube::Text format;  // the format that recognised it, "HuggingFace"; empty: not known
  std::optional<kube::Time> time;
  std::optional<std::int64_t> size_bytes;
  bool verified = false;
  kube::Text claim_name;
  kube::Text claim_uid;
  kube::Text snapshot_name;
  kube::Rare<VolumeStatus> volume;
  static void fields(auto& self, auto& field) {
    field("step", self.step);
    field("path", self.path);
    field("format", self.format);
    field("time", self.time);
    field("sizeBytes", self.size_bytes);
    field("verified", self.verified);
    field("claimName", self.claim_name);
    field("claimUID", self.claim_uid);
    field("snapshotName", self.snapshot_name);
    field("volume", self.volume);
  }
  bool operator==(const CheckpointStatus&) const = default;
};

// The newest complete checkpoint according to live reports and records. The next attempt has to find the one in
// CheckpointStatus, which comes from records alone.
struct LiveCheckpointStatus {
  std::int64_t step = 0;
  kube::Text path;
  kube::Text format;  // the format that recognised it; empty: not known
  std::optional<kube::Time> time;
  std::optional<std::int64_t> size_bytes;
  std::optional<std::int64_t> save_seconds;
  bool verified = false;  // complete and durable, as of CheckpointStatus
  static void fields(auto& self, auto& field) {
    field("step", self.step);
    field("path", self.path);
    field("format", self.format);
    field("time", self.time);
    field("sizeBytes", self.size_bytes);
    field("saveSeconds", self.save_seconds);
    field("verified", self.verified);
  }
  bool operator==(const LiveCheckpointStatus&) const = default;
};

// A checkpoint volume that will soon be full.
struct RoomStatus {
  kube::Text claim_name;
  std::int64_t free_bytes = 0;
  std::optional<std::int64_t> save_bytes{};    // size of the newest complete checkpoint, all parts of it
  std::optional<std::int64_t> needed_bytes{};  // with less free than this it is full before long
  std::int64_t generations = 0;                // complete checkpoints of this job
  std::optional<std::int32_t> keep{};          // the spec.checkpoint.keep that would help; empty: none would
  std::int64_t keep_deletes = 0, keep_frees_bytes = 0;
  // Below .reprise/torn, .reprise/quarantine and .reprise/unproven.
  std::int64_t torn_bytes = 0, quarantine_bytes = 0, unproven_bytes = 0;
  static void fields(auto& self, auto& field) {
    field("claimName", self.claim_name);
    field("freeBytes", self.free_bytes);
    field("saveBytes", self.save_bytes);
    field("neededBytes", self.needed_bytes);
    field("checkpoints", self.generations);
    field("keep", self.keep);
    field("keepDeletes", self.keep_deletes);
    field("keepFreesBytes", self.keep_frees_bytes);
    field("tornBytes", self.torn_bytes);
    field("quarantineBytes", self.quarantine_bytes);
    field("unprovenBytes", self.unproven_bytes);
  }
  bool operator==(const RoomStatus&) const = default;
};

struct ProgressStatus {
  std::optional<std::int32_t> percentage;
  std::optional<std::int64_t> estimated_remaining_seconds;
  std::optional<std::int64_t> step;
  kube::Text steps_per_second;              // "2.5"; empty: not known
  kube::Text activity;                      // activity of the rank that holds the others up; empty: not known
  kube::Text message;                       // says what that rank waits for
  std::optional<kube::Time> activity_time;  // when the activity began
  std::optional<LiveCheckpointStatus> checkpoint;
  kube::Rare<VolumeStatus> volume;
  kube::Rare<RoomStatus> room;  // while it is short
  std::optional<kube::Time> last_updated_time;
  static void fields(auto& self, auto& field) {
    field("percentage", self.percentage);
    field("estimatedRemainingSeconds", self.estimated_remaining_seconds);
    field("step", self.step);
    field("stepsPerSecond", self.steps_per_second);
    field("activity", self.activity);
    field("message", self.message);
    field("activityTime", self.activity_time);
    field("checkpoint", self.checkpoint);
    field("volume", self.volume);
    field("room", self.room);
    field("lastUpdatedTime", self.last_updated_time);
  }
  bool operator==(const ProgressStatus&) const = default;
};

struct JobCostStatus {
  kube::Text spent, on_demand_equivalent;  // until counted_time
  kube::Text since_checkpoint;             // the part of spent since the newest checkpoint was heard of; empty: none
  // The attempt's rates since counted_time; empty: nothing runs, or no price is known.
  kube::Text per_hour, on_demand_per_hour;
  std::optional<kube::Time> counted_time;
  static void fields(auto& self, auto& field) {
    field("spent", self.spent);
    field("onDemandEquivalent", self.on_demand_equivalent);
    field("sinceCheckpoint", self.since_checkpoint);
    field("perHour", self.per_hour);
    field("onDemandPerHour", self.on_demand_per_hour);
    field("countedTime", self.counted_time);
  }
  bool operator==(const JobCostStatus&) const = default;
};

struct JobPlacementStatus {
  kube::Text capacity;  // "Spot", "OnDemand"
  kube::Text zone;
  // The capacity type that the attempt asks for, so that the job is complete in time; empty: the pool's preference.
  kube::Text requested;
  static void fields(auto& self, auto& field) {
    field("capacity", self.capacity);
    field("zone", self.zone);
    field("requested", self.requested);
  }
  bool operator==(const JobPlacementStatus&) const = default;
};

struct ClaimStatus {
  kube::Text name, uid;
  static void fields(auto& self, auto& field) {
    field("name", self.name);
    field("uid", self.uid);
  }
  bool operator==(const ClaimStatus&) const = default;
};

struct ResumableJobStatus;
// The time at which the newest checkpoint in the status, recorded or reported live, was complete.
[[nodiscard]] std::optional<kube::Time> newest_checkpoint_time(const ResumableJobStatus& status);

struct ResumableJobStatus {
  std::int64_t observed_generation = -1;
  std::vector<kube::Condition> conditions;
  std::int32_t attempt = 0;
  std::int32_t failures = 0;
  std::vector<InterruptionCount> interruptions;
  std::int32_t interruption_count = 0;          // the sum, for the printer column
  std::int32_t planned_interruptions = 0;       // made by the pool to move the job; they count toward no limit
  std::optional<kube::Time> last_planned_time;  // time of the newest planned one
  kube::Rare<LastInterruption> last_interruption;
  std::optional<CheckpointStatus> checkpoint;
  kube::Rare<ProgressStatus> progress;
  std::int64_t lost_seconds = 0;
  std::optional<std::int64_t> trained_seconds;  // by closed attempts, as far as the newest checkpoint holds it
  kube::Rare<JobCostStatus> cost;
  kube::Rare<JobPlacementStatus> placement;
  std::optional<kube::Time> start_time;
  std::optional<kube::Time> completion_time;
  std::optional<kube::Time> retry_after;         // the next attempt starts not before
  std::optional<kube::Time> attempt_start_time;  // when the last attempt began
  std::optional<kube::Time> starting_since;      // the attempt holds a node, and not all of its pods are ready
  std::int32_t active = 0;
  std::int32_t ready = 0;
  std::int32_t from_scratch_attempt = 0;  // started under the present spec.resume FromScratch; 0: none yet
  std::int32_t attempts_without_progress = 0;
  std::int32_t attempts_cut_short = 0;        // how many of them were cut short
  std::int32_t ready_attempt = 0;             // the last attempt of which all ranks were ready
  std::optional<kube::Time> ready_time;       // when all its ranks were ready
  std::optional<std::int64_t> start_seconds;  // how long that took from its first node on
  std::vector<RankStatus> members;
  kube::List<kube::Text> lingering_pods;  // uids of pods of closed attempts: end proven, object not gone yet
  kube::Rare<AttemptEnd> attempt_end;
  kube::Rare<AttemptEnd> last_end;  // end of the last attempt that was closed, or of the job
  kube::Rare<LostCheckpoint> checkpoint_lost;
  kube::Rare<FullVolume> volume_full;
  kube::Rare<UnprovenStatus> unproven;
  std::vector<ClaimStatus> claims;
  static void fields(auto& self, auto& field) {
    field("observedGeneration", self.observed_generation);
    field("conditions", self.conditions);
    field("attempt", self.attempt);
    field("failures", self.failures);
    field("interruptions", self.interruptions);
    field("interruptionCount", self.interruption_count);
    field("plannedInterruptions", self.planned_interruptions);
    field("lastPlannedInterruptionTime", self.last_planned_time);
    field("lastInterruption", self.last_interruption);
    field("checkpoint", self.checkpoint);
    field("progress", self.progress);
    field("lostSeconds", self.lost_seconds);
    field("trainedSeconds", self.trained_seconds);
    field("cost", self.cost);
    field("placement", self.placement);
    field("startTime", self.start_time);
    field("completionTime", self.completion_time);
    field("retryAfter", self.retry_after);
    field("attemptStartTime", self.attempt_start_time);
    field("startingSince", self.starting_since);
    field("active", self.active);
    field("ready", self.ready);
    field("fromScratchAttempt", self.from_scratch_attempt);
    field("attemptsWithoutProgress", self.attempts_without_progress);
    field("attemptsCutShort", self.attempts_cut_short);
    field("readyAttempt", self.ready_attempt);
    field("readyTime", self.ready_time);
    field("startSeconds", self.start_seconds);
    field("members", self.members);
    field("lingeringPods", self.lingering_pods);
    field("attemptEnd", self.attempt_end);
    field("lastEnd", self.last_end);
    field("checkpointLost", self.checkpoint_lost);
    field("volumeFull", self.volume_full);
    field("unproven", self.unproven);
    field("claims", self.claims);
  }
  bool operator==(const ResumableJobStatus&) const = default;
};

}  // namespace reprise::api
