// Interruption signals: many sources (Karpenter, node termination handlers, cloud node conditions, Events, a pod being
// deleted or gone) become one value. Pure: what was seen goes in, what it means comes out.
//
// Three strengths. A Hint (an Event alone, a rebalance recommendation) asks for a checkpoint and ends nothing. A Notice
// means that the node or the pod is on its way out: the attempt ends, with what time is left. Gone means that the
// pod or the node has been removed without a notice.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/karpenter.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"
#include "runtime/kube/time.h"

namespace reprise::controllers::interruption {

// The reason where the node goes, or its trainer has failed, and monitors call its GPUs broken
// (controllers/common/gpu_health.h).
inline constexpr std::string_view kHardwareFailure = "HardwareFailure";

// The reason where the node's pool gives it back because it has drifted; where it does so for another of a preferred
// capacity type it is api::kPreferredCapacity.
inline constexpr std::string_view kNodeDrifted = "NodeDrifted";

// An Event alone asks for a checkpoint on a node no more often than this: a person who may write Events chooses their
// number.
inline constexpr std::chrono::minutes kBetweenHints{5};

enum class Strength { Hint, Notice, Gone };

struct Signal {
  Strength strength = Strength::Hint;
  std::string reason;   // the source's own reason where it has one: "SpotInterrupted", "DeletionByTaintManager", ...
  std::string message;  // one sentence for people; names the object that said so
  std::string node;     // the one that goes, where it is a node
  std::optional<kube::Time> deadline;  // when the node or the pod is ended by others, by the API server's clock
  std::string id;                      // changes with each new occurrence (a Hint is acted on once per id)
  std::optional<std::chrono::seconds> notice = {};  // from the node's deletion to the deadline
  // The time since when the object says so, by the clock of its writer; empty where it does not tell, as most taints
  // and objects that are gone.
  std::optional<kube::Time> since = {};
  bool is_planned = false;      // the pool has chosen the moment itself: nothing was taken from anybody
  bool is_event_alone = false;  // only an Event says so: a rate is set for those (kBetweenHints)
};

// All that is known about the place where one rank runs.
struct Surroundings {
  const kube::Pod* pod = nullptr;  // the live object; nullptr when it is gone
  bool pod_expected = true;        // false before the pod was created
  std::string node_name;           // empty while unbound
  const kube::Node* node = nullptr;
  bool node_expected = false;  // the node has been seen before: now missing, it is gone and not late
  const api::NodeClaim* node_claim = nullptr;
  bool node_claim_expected = false;                        // a NodeClaim stood behind the node when it was bound
  std::vector<std::shared_ptr<const kube::Event>> events;  // about this node or NodeClaim
  const api::GpuPool* pool = nullptr;                      // the node's, where there is one
  std::optional<std::int64_t> notice_seconds;              // how long this capacity type warns, where the pool says
};

// The strongest signal there is, preferring a node's own reason over the pod's; nothing when all is well.
[[nodiscard]] std::optional<Signal> strongest_signal(const Surroundings& seen);

// True when its kubelet has said so itself (Kubernetes 1.35: pkg/kubelet/nodeshutdown). It reports what it ends until
// it is gone.
[[nodiscard]] bool says_it_shuts_down(const kube::Node& node);

}  // namespace reprise::controllers::interruption
