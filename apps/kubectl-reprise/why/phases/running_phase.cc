// Looks at a job with all pods ready: does it still save, does a node of it go?
#include <fmt/format.h>

#include "apps/kubectl-reprise/why/phases/phases.h"
#include "protocol/node_taints.h"

namespace reprise::plugin::why {
namespace {

bool is_going(const Node& node) {
  if (node.meta.deleted) return true;
  for (const Taint& taint : node.taints) {
    if (taint.key == "karpenter.sh/disrupted" || taint.key == "ToBeDeletedByClusterAutoscaler" ||
        taint.key.starts_with("aws-node-termination-handler/") || taint.key == protocol::kSpotInterruptionTaint ||
        taint.key == protocol::kInstanceTerminationTaint || taint.key == protocol::kScheduledMaintenanceTaint) {
      return true;
    }
  }
  return false;
}

void look_at_checkpoints(Inquiry& inquiry) {
  const Job& job = *inquiry.seen.job;
  const Condition* checkpoints = find(job.conditions, "CheckpointReady");
  if (checkpoints != nullptr && checkpoints->reason == "OutOfOrder") {
    return inquiry.found({.cause = Cause::CheckpointsOutOfOrder,
                          .object = inquiry.seen.subject,
                          .found = checkpoints->message,
                          .to_do = {"let the last number in the names of checkpoints be the step"}});
  }
  // Without live reports the newest checkpoint is known only when the attempt ends.
  if (!job.reports_live) {
    return inquiry.unseen("Checkpoints", "of a running attempt are not reported: see the trainer's log");
  }
  if (checkpoints == nullptr || checkpoints->reason != "Overdue") return;
  inquiry.found(
      {.cause = Cause::CheckpointOverdue,
       .object = inquiry.seen.subject,
       .found = checkpoints->message,
       .to_do = {fmt::format("kubectl logs -n {} -l reprise.dev/job={},reprise.dev/attempt={} --prefix --tail=50",
                             job.meta.namespace_, job.meta.name, job.attempt)}});
}

// Reports unproven checkpoints of the running attempt; those of an earlier one say nothing about this one.
void look_at_unproven(Inquiry& inquiry) {
  const Job& job = *inquiry.seen.job;
  if (job.unproven_attempt == 0 || job.unproven_attempt != job.attempt) return;
  inquiry.found({.cause = Cause::CheckpointUnproven,
                 .object = inquiry.seen.subject,
                 .found = job.unproven_message,
                 .to_do = {"kubectl reprise checkpoints " + job.meta.name + " -n " + job.meta.namespace_}});
}

void look_at_room(Inquiry& inquiry) {
  const Condition* room = with_status(inquiry.seen.job->conditions, "VolumeNearlyFull", "True");
  if (room == nullptr) return;
  const auto& meta = inquiry.seen.job->meta;
  inquiry.found({.cause = Cause::VolumeNearlyFull,
                 .object = inquiry.seen.subject,
                 .found = room->message,
                 .to_do = {"kubectl edit resumablejob " + meta.name + " -n " + meta.namespace_,
                           "kubectl get persistentvolumeclaims -n " + meta.namespace_}});
}

void look_at_schedule(Inquiry& inquiry) {
  const Condition* schedule = with_status(inquiry.seen.job->conditions, "OnSchedule", "False");
  if (schedule == nullptr) return;
  const auto& meta = inquiry.seen.job->meta;
  inquiry.found({.cause = Cause::Late,
                 .object = inquiry.seen.subject,
                 .found = schedule->message,
                 .to_do = {"kubectl edit resumablejob " + meta.name + " -n " + meta.namespace_}});
}

}  // namespace

void look_at_running_job(Inquiry& inquiry) {
  const Condition* ready = with_status(inquiry.seen.job->conditions, "PodsReady", "True");
  if (ready == nullptr) return;
  inquiry.ok(inquiry.seen.subject, ready->message);
  look_at_unproven(inquiry);
  for (const Pod* pod : ranks_of_attempt(inquiry)) {
    const Node* node = node_of(inquiry, pod->node_name);
    if (node == nullptr || !is_going(*node)) continue;
    inquiry.found({.cause = Cause::NodeBeingDrained,
                   .object = ref("Node", node->meta),
                   .found = "the node is going; pod " + pod->meta.name + " saves and moves",
                   .to_do = {describe(ref("Node", node->meta))}});
  }
  look_at_checkpoints(inquiry);
  look_at_room(inquiry);
  look_at_schedule(inquiry);
  inquiry.close();
}

}  // namespace reprise::plugin::why
