// Gives back nodes without need, so that Karpenter makes others: those that have drifted, one after the other
// (drifted_nodes.h), and those of a capacity type that is a makeshift, all of a job together (fallback_nodes.h).
//
// Each node is written to the status first, and its NodeClaim deleted by a pass right after, which sees that, and that
// the node may still go. No more than kMostRolledPerHour.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/machines/may_go.h"

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
  // Both as they stand in the record.
  std::string_view reason = {};
  std::optional<kube::Time> fallback_since = {};
};

// True for a machine that is the pool's own, usable, and not going already.
[[nodiscard]] bool is_in_service(const Observation& seen, const api::NodeClaim& claim);
// The answer of NodeUsers::may_go, or that the node itself is asked to stay.
[[nodiscard]] MayGo may_go(const Observation& seen, const NodeUsers& users, const api::NodeClaim& claim);

// Nodes that go together, at least one and at most kMostRolledPerHour.
using NodesToRoll = std::vector<NodeToRoll>;

// Rolls one of the groups that may go now, at least one, in order of preference: a group of which nodes are written
// down already goes when it is due; else the first is written down, when it does not exceed what an hour allows. Writes
// plan.status.drift.
[[nodiscard]] NodesUpToDate roll(const Observation& seen, const std::vector<NodesToRoll>& groups, Plan& plan);

// To be called in each pass, before that: takes out the records of nodes that were used again before they were due. A
// later deletion of theirs has another cause.
void forget_nodes_that_stayed(const Observation& seen, Plan& plan);

[[nodiscard]] bool may_go_now(const NodesToRoll& group);
// True when its deletion is still wanted, and was rejected.
[[nodiscard]] bool is_refused(const Observation& seen, const NodeToRoll& node);
// An obstacle to one deletion is mostly one to the next, and a person has to look: no other node goes meanwhile. The
// report is the same whether or not jobs have just saved, and all of the group is tried again once in a while, when it
// may go.
[[nodiscard]] NodesUpToDate retry_refused(const Observation& seen, bool serves, const NodesToRoll& group, Plan& plan);

}  // namespace reprise::controllers::gpupool
