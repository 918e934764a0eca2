#include "controllers/gpupool/fallback/fallback_nodes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ratio>
#include <set>
#include <string>
#include <utility>

#include "controllers/gpupool/fallback/fallback_candidates.h"
#include "controllers/gpupool/fallback/fallback_outage.h"
#include "controllers/gpupool/machines/drifted_nodes.h"
#include "controllers/gpupool/machines/rolling_held.h"
#include "controllers/placement/policy/try_spot_again.h"

namespace reprise::controllers::gpupool {
namespace {

bool is_about(const api::GpuPool& pool) {
  return pool.spec.fallback_policy == api::FallbackPolicy::ReturnAtCheckpoint && !pool.spec.existing_nodes;
}

// Nodes that go together, since one restart of their jobs serves for all.
using Group = std::vector<FallbackNode>;

bool shares_a_job(const Group& group, const std::set<std::string_view>& jobs) {
  return std::ranges::any_of(group, [&](const FallbackNode& each) {
    return std::ranges::any_of(each.jobs, [&](std::string_view job) { return jobs.contains(job); });
  });
}

std::vector<Group> groups_of(std::vector<FallbackNode> nodes) {
  std::vector<Group> groups;
  for (FallbackNode& node : nodes) {
    Group group;
    group.push_back(std::move(node));
    // Groups that it joins become one.
    for (Group& other : groups) {
      if (!shares_a_job(other, group.back().jobs)) continue;
      other.insert(other.end(), std::make_move_iterator(group.begin()), std::make_move_iterator(group.end()));
      group = std::exchange(other, {});
    }
    std::erase_if(groups, [](const Group& each) { return each.empty(); });
    groups.push_back(std::move(group));
  }
  return groups;
}

// The nodes of a group that there is room for all at once, and no more than an hour allows.
Group within_limits(const Group& group, CapacityRoom room) {
  Group some;
  for (const FallbackNode& each : group) {
    if (some.size() == kMostRolledPerHour || !room.has(*each.preferred, each.quantity)) continue;
    room.take(*each.preferred, each.quantity);
    some.push_back(each);
  }
  return some;
}

// The longest outage of the group, and the latest try of any of them; over when it is over for each.
Outage outage_of_all(const Observation& seen, const NodesOfClaims& nodes, const CapacityRoom& room,
                     const Group& group) {
  Outage all = outage_of(seen, nodes, room, group.front());
  for (std::size_t i = 1; i < group.size(); ++i) {
    const Outage outage = outage_of(seen, nodes, room, group[i]);
    all = {std::min(all.since, outage.since), std::max(all.last_try, outage.last_try), all.is_over && outage.is_over};
  }
  return all;
}

// The price of all nodes of the jobs, which wait while a part of them is moved.
prices::MicroUsd price_of_jobs(const Observation& seen, const UsersOfNodes& users, const Group& group) {
  prices::MicroUsd all = 0;
  for (const auto& node : seen.nodes) {
    const auto of_node = users.find(std::string_view(node->meta.name));
    if (of_node != users.end() && shares_a_job(group, of_node->second.jobs))
      all += prices::price_of(seen.pool->spec, node->meta, seen.price_table).per_hour;
  }
  return all;
}

// The time from which the change is worth its price; empty: never, by these prices.
std::optional<kube::Time> worth_at(const Group& group, prices::MicroUsd price_of_all, const Outage& outage) {
  constexpr double kUsdPerMicro = 1e-6;
  placement::Terms terms;
  for (const FallbackNode& each : group) {
    terms.on_demand_price += static_cast<double>(each.price) * kUsdPerMicro;
    terms.spot_price += static_cast<double>(each.preferred_price) * kUsdPerMicro;
  }
  terms.changeover *= std::max(1.0, static_cast<double>(price_of_all) * kUsdPerMicro / terms.on_demand_price);
  const auto age = std::chrono::duration<double, std::ratio<3600>>(outage.last_try - outage.since);
  const double hours = placement::try_spot_again_after(terms, age.count());
  if (std::isinf(hours)) return std::nullopt;
  if (outage.is_over) return outage.last_try;
  constexpr double kYear = 24 * 365;
  return outage.last_try + std::chrono::seconds(std::llround(std::min(hours, kYear) * 3600));
}

NodeToRoll to_roll(const FallbackNode& node, kube::Time since) {
  return {.claim = node.claim,
          .may_go = node.may_go,
          .why = "it costs " + prices::format_usd(node.price) + " per hour, and as " +
                 std::string(api::name(node.preferred->type)) + " it would cost " +
                 prices::format_usd(node.preferred_price) + " by estimate (spec.fallback.policy)",
          .event = kReturningToPreferredCapacity,
          .reason = api::kPreferredCapacity,
          .fallback_since = since};
}

// The groups that are to go, now or at a checkpoint. Wakes the pool when time alone may change that.
std::vector<NodesToRoll> due_groups(const Observation& seen, Plan& plan) {
  const NodesOfClaims nodes(seen);
  const UsersOfNodes users = users_of_nodes(seen);
  const CapacityRoom room(seen, nodes);
  std::vector<NodesToRoll> found;
  for (const Group& all : groups_of(fallback_candidates(seen, nodes, users, room))) {
    const Group group = within_limits(all, room);
    if (group.empty()) continue;
    for (const FallbackNode& each : group) {
      if (each.may_go.look_again) plan.wake_by(*each.may_go.look_again);
    }
    const Outage outage = outage_of_all(seen, nodes, room, group);
    const auto at = worth_at(group, price_of_jobs(seen, users, group), outage);
    if (at && seen.now < *at) plan.wake_by(*at);
    if (!at || seen.now < *at) continue;
    NodesToRoll& due = found.emplace_back();
    for (const FallbackNode& each : group) due.push_back(to_roll(each, outage.since));
  }
  return found;
}

}  // namespace

bool has_fallback_nodes(const api::GpuPool& pool, const std::vector<std::shared_ptr<const api::NodeClaim>>& claims) {
  return is_about(pool) && std::ranges::any_of(claims, [&](const auto& claim) {
           return capacity_rank(pool.spec, *claim).value_or(0) > 0;
         });
}

void plan_fallback_nodes(const Observation& seen, const Settings& settings, bool serves, Plan& plan) {
  if (!has_fallback_nodes(*seen.pool, seen.node_claims) || !why_nothing_is_rolled(seen, settings).empty()) return;
  std::vector<NodesToRoll> groups = due_groups(seen, plan);
  for (const NodesToRoll& group : groups) {
    if (std::ranges::none_of(group, [&](const NodeToRoll& each) { return is_refused(seen, each); })) continue;
    static_cast<void>(retry_refused(seen, serves, group, plan));
    return;
  }
  // One restart of its jobs serves for all of it.
  std::erase_if(groups, [](const NodesToRoll& group) { return !may_go_now(group); });
  if (groups.empty() || !why_rolling_is_held(seen, serves, true, plan).empty()) return;
  static_cast<void>(roll(seen, groups, plan));
}

}  // namespace reprise::controllers::gpupool
