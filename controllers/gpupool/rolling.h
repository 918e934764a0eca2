// Gives back nodes without need, so that Karpenter makes others: those that have drifted, one after the other
// (drifted_nodes.h), and those of a capacity type that is a makeshift, all of a job together (fallback_nodes.h).
//
// Each is written to the status first, and its NodeClaim deleted by a pass right after, which sees that, and that the
// node may still go. No more than kMostRolledPerHour.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/decide.h"
#include "controllers/gpupool/may_go.h"

namespace reprise::controllers::gpupool {

inline constexpr int kMostRolledPerHour = 6;

// For the condition NodesUpToDate.
struct NodesUpToDate {
  std::string_view reason;  // empty: the pool is of existing nodes
  std::string message;
  bool is_up_to_date = true;
  bool waits_for_jobs = false;  // to save
};

inline constexpr std::string_view kRollingHeld = "RollingHeld";

struct NodeToRoll {
  const api::NodeClaim* claim = nullptr;
  MayGo may_go = {};
  std::string why = {};         // the end of a sentence: "it has drifted (NodePoolDrifted)"
  std::string_view event = {};  // the reason of the Event
  // As they stand in the record.
  std::string_view reason = {};
  std::optional<kube::Time> fallback_since = {};
};

// The pool's own, usable, and not going already.
[[nodiscard]] bool is_in_service(const Observation& seen, const api::NodeClaim& claim);
// As NodeUsers::may_go, and what asks for the node itself to stay.
[[nodiscard]] MayGo may_go(const Observation& seen, const NodeUsers& users, const api::NodeClaim& claim);

// What goes together, at least one and at most kMostRolledPerHour.
using NodesToRoll = std::vector<NodeToRoll>;

// Those that may go now, at least one group, in order of preference: what of one is written down already goes when it
// is due; else the first is written down, when it does not exceed what an hour allows. Writes plan.status.drift.
[[nodiscard]] NodesUpToDate roll(const Observation& seen, const std::vector<NodesToRoll>& groups, Plan& plan);

// Each pass, before that: takes out the records of nodes that were used again before they were due. Whatever is deleted
// later was not deleted for them.
void forget_nodes_that_stayed(const Observation& seen, Plan& plan);

[[nodiscard]] bool may_go_now(const NodesToRoll& group);
// Its deletion is still wanted, and was rejected.
[[nodiscard]] bool is_refused(const Observation& seen, const NodeToRoll& node);
// What forbids one forbids the next one mostly, and a person has to look: no other goes meanwhile. It is said alike
// whether or not jobs have just saved, and all of its group is tried again once in a while, when it may go.
[[nodiscard]] NodesUpToDate retry_refused(const Observation& seen, bool serves, const NodesToRoll& group, Plan& plan);

}  // namespace reprise::controllers::gpupool
