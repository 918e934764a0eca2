// The ranks of the current attempt: what is remembered of each, what is seen of each now.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "controllers/interruption/signal.h"
#include "controllers/resumablejob/decide/observation.h"
#include "protocol/common_checkpoint.h"
#include "protocol/record.h"

namespace reprise::controllers::resumablejob {

// The state of a rank. "Asked" means that a stop was requested before the end: the pod was deleted, the attempt's end
// had been decided, the node was going, or the agent's own record says so.
enum class RankState {
  NotCreated,  // no pod yet
  Pending,     // pod exists, the trainer does not run yet
  Running,
  Succeeded,     // the trainer ended by itself with 0
  Stopped,       // ended as requested: 0, 85, 143 or 137
  Checkpointed,  // 85 by itself: run again
  Failed,        // any other exit
  Refused,       // the agent would not start the trainer: checkpoint lost, or another writer is alive
  Hung,          // the trainer brought nothing new for spec.progressTimeoutSeconds, and its agent ended it
  Rejected,      // the kubelet did not admit the pod: nothing of it ever ran
  Vanished,      // no report of how it ended: no pod, or a pod whose node does not know either
};

struct Rank {
  api::RankStatus memory;                 // to be written back
  std::shared_ptr<const kube::Pod> pod;   // live
  std::shared_ptr<const kube::Pod> last;  // live, or the last state seen before it went
  std::shared_ptr<const kube::Node> node;
  std::shared_ptr<const api::NodeClaim> node_claim;
  // True: the claim was learnt in this pass, and nobody has asked for it yet, so that its absence says nothing.
  bool node_claim_unconfirmed = false;
  std::optional<protocol::Record> record;
  std::optional<protocol::ListedCheckpoints> listed;  // from a volume of its own (common_step.h)
  std::optional<interruption::Signal> signal;
  RankState state = RankState::NotCreated;
  bool ready = false;
  bool ended_by_kubelet = false;  // stopped, and nobody but the kubelet had a reason to: a failed probe or hook
  bool overfilled_disk = false;   // its own: the kubelet ended it for a limit of the pod's (interruption/own_disk.h)
  // The init container that failed, so that the trainer never ran.
  std::string failed_init = {};
  std::int32_t failed_init_code = 0;
  bool cut_off = false;  // its machine restarted under it: the runtime found its trainer gone

  // The exit code of the trainer, or of the init container that failed before it; -1 where there is none.
  [[nodiscard]] std::int32_t exit_code() const;
  [[nodiscard]] bool ended() const;  // no more of its trainer to come, as far as it reports itself
};

// The name of the container of the rank's pod that trains: as the pod was made, whatever the job says by now. A pod of
// an older operator, which did not note it there, has the one that the job says.
[[nodiscard]] std::string_view trainer_name(const Observation& seen, const Rank& rank);
// The status of that container; null where its pod was never seen, or says nothing of it.
[[nodiscard]] const kube::ContainerStatus* trainer_status(const Observation& seen, const Rank& rank);

// Under restartPolicy Never (which every pod of ours has) an init container that ended badly means that no further
// container is ever started: those stay Waiting for good.
[[nodiscard]] bool ended_in_init(const kube::Pod& pod);

// True when the kubelet's admission rejected the pod. Not so where a container of it was seen running: a kubelet that
// restarts admits its pods again and shows no containers of those that it rejects then, before it has ended them.
// (docs/decisions/attempts/0023-rejected-pods.md)
[[nodiscard]] bool is_rejected(const Rank& rank);

// One entry per entry of status.members, with bindings, exit codes and states brought up to date.
[[nodiscard]] std::vector<Rank> look_at_ranks(const Observation& seen);

}  // namespace reprise::controllers::resumablejob
