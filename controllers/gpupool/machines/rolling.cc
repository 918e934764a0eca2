#include "controllers/gpupool/machines/rolling.h"

#include <algorithm>
#include <optional>

#include "controllers/common/do_not_disrupt.h"
#include "controllers/gpupool/machines/given_back.h"
#include "controllers/gpupool/machines/own_node_claim.h"
#include "controllers/gpupool/machines/rolling_held.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"

namespace reprise::controllers::gpupool {
namespace {

constexpr std::chrono::seconds kUntilDeleted(1);
// Pods of the next job may be on their way to a node where a job has just ended.
constexpr std::chrono::seconds kUnusedFor(30);
// A record that is due allows a deletion for this long: the decision behind it is not old then.
constexpr std::chrono::minutes kRecordHolds(1);

class Rolling {
 public:
  Rolling(const Observation& seen, Plan& plan) : seen_(seen), done_(plan.status.drift.rolled, seen.now), plan_(plan) {}

  NodesUpToDate roll(const std::vector<NodesToRoll>& groups) {
    for (const NodesToRoll& group : groups) {
      if (go_by_record(group)) return rolling(group);
    }
    const NodesToRoll& first = groups.front();
    const auto gives_way = [&](const api::RolledNode& record) {
      return std::ranges::any_of(first, [&](const auto& each) { return each.claim->meta.name == record.node_claim; });
    };
    if (done_.within_an_hour(gives_way) + std::ssize(first) > kMostRolledPerHour) return hold_for_an_hour();
    for (const NodeToRoll& each : first) write_down(each);
    return rolling(first);
  }

 private:
  // Returns false when not all of them are written down.
  [[nodiscard]] bool go_by_record(const NodesToRoll& group) {
    std::vector<kube::Time> due;
    for (const NodeToRoll& each : group) {
      const auto by_record = due_by_record(each);
      if (!by_record) return false;
      due.push_back(*by_record);
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      const api::NodeClaim& claim = *group[i].claim;
      if (seen_.now < due[i]) {
        plan_.wake_by(due[i]);
      } else {
        plan_.actions.emplace_back(
            RollNode{claim.meta.name, claim.meta.uid, std::string(claim.node_name), group[i].reason.empty()});
      }
    }
    return true;
  }
  static NodesUpToDate rolling(const NodesToRoll& group) {
    return {"RollingNode", "NodeClaim " + group.front().claim->meta.name + " is given back", false};
  }
  static std::chrono::seconds wait_of(const NodeToRoll& node) {
    return node.may_go.is_used ? std::chrono::seconds(0) : kUnusedFor;
  }
  // Empty where there is no record that still holds.
  [[nodiscard]] std::optional<kube::Time> due_by_record(const NodeToRoll& node) const {
    for (const api::RolledNode& each : seen_.pool->status.drift.rolled) {
      const kube::Time due = each.time + wait_of(node);
      if (each.node_claim == std::string_view(node.claim->meta.name) && is_near(due, seen_.now, kRecordHolds))
        return due;
    }
    return std::nullopt;
  }
  void write_down(const NodeToRoll& node) {
    const api::NodeClaim& claim = *node.claim;
    const std::string name = claim.meta.name;
    done_.write_down({.node_claim = name,
                      .node = std::string(claim.node_name),
                      .time = seen_.now,
                      .reason = std::string(node.reason),
                      .fallback_since = node.fallback_since});
    if (!seen_.refused_deletions.contains(name))
      plan_.announcements.push_back({false, std::string(node.event), "DeleteNodeClaim",
                                     "NodeClaim " + name + " is given back, since " + node.why});
    plan_.wake_by(seen_.now + std::max(wait_of(node), kUntilDeleted));
  }
  NodesUpToDate hold_for_an_hour() {
    done_.wake_when_fewer(plan_);
    return {kRollingHeld, std::to_string(kMostRolledPerHour) + " nodes were given back within an hour, and others wait",
            false};
  }

  const Observation& seen_;
  GivenBack<api::RolledNode> done_;
  Plan& plan_;
};

}  // namespace

bool is_in_service(const Observation& seen, const api::NodeClaim& claim) {
  return is_own(seen, claim) && is_initialized(claim) && !claim.meta.deletion_timestamp;
}

MayGo may_go(const Observation& seen, const NodeUsers& users, const api::NodeClaim& claim) {
  const auto kept = [](std::string why) { return MayGo{.answer = MayGo::Answer::Kept, .why = std::move(why)}; };
  if (asks_to_stay(claim.meta)) return kept("its NodeClaim carries " + std::string(kDoNotDisruptAnnotation));
  const auto node = std::ranges::find_if(
      seen.nodes, [&](const auto& each) { return each->meta.name == std::string_view(claim.node_name); });
  if (claim.node_name.empty() || node == seen.nodes.end()) return kept("its Node is not known");
  return users.may_go(**node);
}

NodesUpToDate roll(const Observation& seen, const std::vector<NodesToRoll>& groups, Plan& plan) {
  return Rolling(seen, plan).roll(groups);
}

void forget_nodes_that_stayed(const Observation& seen, Plan& plan) {
  constexpr std::chrono::seconds kMayStillGo = kUnusedFor + 2 * kRecordHolds;  // and its deletion be seen
  std::erase_if(plan.status.drift.rolled, [&](const api::RolledNode& record) {
    const api::NodeClaim* claim = claim_named(seen, record.node_claim);
    if (claim == nullptr || claim->meta.deletion_timestamp) return false;
    if (!is_near(record.time, seen.now, kMayStillGo)) return true;
    plan.wake_by(record.time + kMayStillGo);
    return false;
  });
}

bool may_go_now(const NodesToRoll& group) {
  return std::ranges::all_of(group, [](const NodeToRoll& each) { return each.may_go.answer == MayGo::Answer::Now; });
}

bool is_refused(const Observation& seen, const NodeToRoll& node) {
  return node.may_go.answer != MayGo::Answer::Kept && seen.refused_deletions.contains(node.claim->meta.name);
}

NodesUpToDate retry_refused(const Observation& seen, bool serves, const NodesToRoll& group, Plan& plan) {
  std::vector<std::string> refused;
  bool are_due = true;
  for (const NodeToRoll& each : group) {
    const auto found = seen.refused_deletions.find(each.claim->meta.name);
    if (found == seen.refused_deletions.end()) continue;
    refused.push_back(found->first);
    are_due = are_due && found->second;
  }
  const std::size_t actions = plan.actions.size();
  if (are_due && may_go_now(group) && why_rolling_is_held(seen, serves, group.front().may_go.is_used, plan).empty())
    static_cast<void>(roll(seen, {group}, plan));
  if (plan.actions.size() == actions)
    plan.still_refused.insert(plan.still_refused.end(), refused.begin(), refused.end());
  return {kRollingHeld,
          "NodeClaim " + refused.front() + " is to be given back, and the API server rejects its deletion", false};
}

}  // namespace reprise::controllers::gpupool
