#include "controllers/gpupool/machines/back_off.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "controllers/gpupool/limits/gpu_limit.h"
#include "controllers/gpupool/machines/bound_pods.h"
#include "controllers/gpupool/machines/own_node_claim.h"
#include "controllers/gpupool/machines/rented.h"
#include "controllers/gpupool/machines/stuck_node_claims.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/gpupool/rentable/machines.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/prices/node_price.h"
#include "runtime/base/utf8_cut.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::gpupool {
namespace {

using api::NodePoolBackOff;
using api::StartingMachine;

// One machine that fails is chance, and the pause is as long as Karpenter takes to plan. Then the pauses grow fast: a
// machine is paid for until its deadline each time. The longest lets a pool whose nodes were mended elsewhere go on
// within a morning, and costs four machines a day.
constexpr std::chrono::seconds kFirstPause(60);
constexpr std::chrono::seconds kLongestPause(6 * 3600);
constexpr int kGrowth = 4;

constexpr std::int32_t kStalledAfter = 4;

// The bounds of the definition.
constexpr std::size_t kMostStarting = 32;
constexpr std::size_t kLongestLack = 1024;
constexpr std::size_t kLongestReason = 128;
constexpr std::size_t kLongestRetry = 256;

// A machine that was gone when it was looked for has failed if it started within this time, since it cannot have been
// useful for long: twice the time after which Karpenter gives up a machine that does not register.
constexpr std::chrono::minutes kUnseen(30);

std::string retry_of(const api::GpuPool& pool) {
  return std::string(runtime::utf8_cut(pool.meta.annotation(api::kRetryAnnotation), kLongestRetry));
}

// True for a machine that is paid for.
bool is_machine(const api::NodeClaim& claim) {
  return is_launched(claim) || !claim.provider_id.empty();
}

// The reason of machines that stood ready and idle while pods waited: a next one that is initialised proves nothing.
constexpr std::string_view kNothingBound = "NothingBound";

struct Lack {
  std::string reason, message;
};

// The first thing that Karpenter waits for.
Lack lack_of(const api::NodeClaim& claim) {
  const std::string who = "NodeClaim " + std::string(claim.meta.name) +
                          (claim.node_name.empty() ? "" : " (Node " + std::string(claim.node_name) + ")");
  for (const std::string_view type : {"Registered", "Initialized"}) {
    const kube::PodCondition* condition = claim.condition(type);
    if (condition == nullptr || condition->status == "True") continue;
    return {condition->reason, who + ": " + std::string(type) + " is " + std::string(condition->status) + ", " +
                                   std::string(condition->reason) + ": " + std::string(condition->message)};
  }
  return {"NotInitialized", who + ": Karpenter did not call it initialised"};
}

class Ledger {
 public:
  Ledger(const Observation& seen, bool every_pod_seen, const std::vector<const api::NodeClaim*>& overdue, Plan& plan)
      : seen_(seen), every_pod_seen_(every_pod_seen), overdue_(overdue), plan_(plan), startup_(plan.status.startup) {}

  void bring_up_to_date() {
    forget_what_changed();
    for (const auto& claim : seen_.node_claims) {
      if (startup_.starting.empty() && startup_.back_off.empty()) break;
      if (is_rented(seen_, *claim) && is_useful(seen_, *claim, plan_)) became_useful(*claim);
    }
    std::vector<StartingMachine> known;
    known.swap(startup_.starting);
    for (StartingMachine& each : known) follow(std::move(each));
    for (const auto& claim : seen_.node_claims) begin_with(*claim);
    forget_what_nobody_tries();
  }

 private:
  NodePoolBackOff* row_of(std::string_view node_pool) {
    const auto found = std::ranges::find(startup_.back_off, node_pool, &NodePoolBackOff::node_pool);
    return found == startup_.back_off.end() ? nullptr : &*found;
  }

  // Machines that are still starting belong to the first try again.
  void forget(auto&& is_over) {
    for (const NodePoolBackOff& row : startup_.back_off) {
      if (!is_over(row)) continue;
      for (StartingMachine& each : startup_.starting)
        if (each.node_pool == row.node_pool) each.try_number = 1;
    }
    std::erase_if(startup_.back_off, is_over);
  }

  // True for a capacity type that the pool has, whether its NodePool is there or made anew.
  [[nodiscard]] bool is_wanted(std::string_view node_pool) const {
    return std::ranges::any_of(seen_.pool->spec.capacity, [&](const api::PoolCapacity& capacity) {
      return node_pool == node_pool_name(seen_.pool->meta.name, capacity.type);
    });
  }

  // A machine that is ended with its NodePool says nothing of the next one.
  [[nodiscard]] bool counts(std::string_view node_pool) const {
    const auto found = seen_.node_pools.find(node_pool);
    return found != seen_.node_pools.end() && !found->second->meta.deletion_timestamp && is_wanted(node_pool);
  }

  void forget_what_changed() {
    const std::string retry = retry_of(*seen_.pool);
    forget([&](const NodePoolBackOff& row) {
      return row.generation != seen_.pool->meta.generation || row.retry != retry || !is_wanted(row.node_pool);
    });
  }

  // No machine comes that could end a pause where other capacity serves, and whatever the pause holds back, drifted
  // nodes and those that stand for want of spot, would be held back for ever.
  void forget_what_nobody_tries() {
    forget([&](const NodePoolBackOff& row) {
      const bool is_tried = std::ranges::any_of(
          startup_.starting, [&](const StartingMachine& each) { return each.node_pool == row.node_pool; });
      return !is_tried && seen_.now >= row.next_time + kLongestPause;
    });
    for (const NodePoolBackOff& row : startup_.back_off)
      if (row.next_time + kLongestPause > seen_.now) plan_.wake_by(row.next_time + kLongestPause);
  }

  // A machine that was useful before the last one failed says nothing; this process may not have seen it start. Nor
  // does one that is on its way out: pods may run there for as long as it is drained.
  void became_useful(const api::NodeClaim& claim) {
    const auto known =
        std::ranges::find(startup_.starting, std::string_view(claim.meta.name),
                          [](const StartingMachine& each) -> std::string_view { return each.node_claim; });
    const std::string node_pool(claim.meta.label(kNodePoolLabel));
    const NodePoolBackOff* row = row_of(node_pool);
    const bool is_known = known != startup_.starting.end();
    const bool is_news = is_known && !known->initialized;
    const bool is_proven = !every_pod_seen_ || has_bound_pod(seen_, claim);
    const bool is_later = row != nullptr && claim.meta.creation_timestamp > row->last_time;
    const bool ends_row =
        row != nullptr && (row->initialized ? is_proven && (is_known || is_later) : is_news || is_later);
    if (ends_row) forget([&](const NodePoolBackOff& each) { return each.node_pool == node_pool; });
    if (!is_known) return;
    known->initialized = true;
    if (known->failed || is_proven || !has_waiting_pod(seen_, node_pool, claim.meta.creation_timestamp))
      startup_.starting.erase(known);
  }

  void follow(StartingMachine machine) {
    const api::NodeClaim* claim = claim_named(seen_, machine.node_claim);
    if (claim == nullptr) {
      const bool was_wanted = !machine.initialized || has_waiting_pod(seen_, machine.node_pool, machine.since);
      if (!machine.failed && was_wanted && seen_.now - machine.since <= kUnseen) fail(machine, nullptr);
      return;
    }
    if (!machine.failed) {
      if (is_unwanted(machine, *claim)) return;
      judge(machine, *claim);
    }
    startup_.starting.push_back(std::move(machine));
  }

  // True for a machine that stood ready and goes because nobody needed it, or with pods on it.
  [[nodiscard]] bool is_unwanted(const StartingMachine& machine, const api::NodeClaim& claim) const {
    if (!claim.meta.deletion_timestamp || !(machine.initialized || is_initialized(claim))) return false;
    return !every_pod_seen_ || !has_waiting_pod(seen_, machine.node_pool, machine.since) || has_bound_pod(seen_, claim);
  }

  void begin_with(const api::NodeClaim& claim) {
    if (is_initialized(claim)) return;
    const bool known = std::ranges::any_of(startup_.starting, [&](const StartingMachine& each) {
      return each.node_claim == std::string_view(claim.meta.name);
    });
    if (known || startup_.starting.size() >= kMostStarting || !is_own(seen_, claim) || !is_machine(claim) ||
        is_useful(seen_, claim, plan_))
      return;
    const prices::MicroUsd price = prices::price_of(seen_.pool->spec, claim.meta, seen_.price_table).per_hour;
    const std::string node_pool(claim.meta.label(kNodePoolLabel));
    const NodePoolBackOff* row = row_of(node_pool);
    StartingMachine machine{.node_claim = claim.meta.name,
                            .node_pool = node_pool,
                            .since = claim.meta.creation_timestamp,
                            .per_hour = price > 0 ? prices::format_usd(price) : std::string(),
                            .try_number = row == nullptr ? 1 : row->tries + 1};
    judge(machine, claim);
    startup_.starting.push_back(std::move(machine));
  }

  void judge(StartingMachine& machine, const api::NodeClaim& claim) {
    const bool is_overdue = std::ranges::find(overdue_, &claim) != overdue_.end();
    if (!claim.meta.deletion_timestamp && !is_overdue) return;
    machine.failed = true;
    fail(machine, &claim);
  }

  // `claim`: null when it was gone before anybody looked.
  void fail(const StartingMachine& machine, const api::NodeClaim* claim) {
    if (!counts(machine.node_pool)) return;
    NodePoolBackOff* row = row_of(machine.node_pool);
    if (row == nullptr)
      row = &*startup_.back_off.insert(startup_.back_off.end(), NodePoolBackOff{.node_pool = machine.node_pool});
    if (row->tries == 0 || machine.try_number > row->tries) {
      ++row->tries;
      row->last_time = seen_.now;
      row->next_time = seen_.now + pause_after(row->tries);
    }
    ++row->machines;
    row->generation = seen_.pool->meta.generation;
    row->retry = retry_of(*seen_.pool);
    const bool by_others = claim == nullptr || claim->meta.deletion_timestamp;
    const kube::Time end =
        claim != nullptr && claim->meta.deletion_timestamp ? *claim->meta.deletion_timestamp : seen_.now;
    const auto paid_for = std::chrono::duration_cast<std::chrono::seconds>(end - machine.since);
    row->spent = prices::format_usd(
        prices::sum(prices::counted_usd(row->spent), prices::over(prices::counted_usd(machine.per_hour), paid_for)));
    const Lack lack = claim != nullptr
                          ? (is_initialized(*claim) ? nothing_bound(*claim) : lack_of(*claim))
                          : Lack{"Gone", "NodeClaim " + machine.node_claim + ": it was gone before it was useful"};
    row->initialized = claim != nullptr ? is_initialized(*claim) : machine.initialized;
    row->reason = runtime::utf8_cut(lack.reason, kLongestReason);
    row->message = runtime::utf8_cut(lack.message, kLongestLack);
    announce_failure(machine, *row, by_others);
  }

  [[nodiscard]] Lack nothing_bound(const api::NodeClaim& claim) const {
    return {std::string(kNothingBound), "NodeClaim " + std::string(claim.meta.name) + " (Node " +
                                            std::string(claim.node_name) +
                                            "): it was ready, and no pod was placed there while pods waited; " +
                                            why_nothing_is_bound(seen_, claim)};
  }

  void announce_failure(const StartingMachine& machine, const NodePoolBackOff& row, bool by_others) {
    std::string note = row.message;
    note += by_others ? "; it was ended before it was useful"
                      : "; it was not useful within spec.initializationDeadlineSeconds " +
                            std::to_string(seen_.pool->spec.initialization_deadline_seconds) + " and is ended";
    note += ". NodePool " + machine.node_pool + " rents no further machine before " + kube::format_time(row.next_time);
    plan_.announcements.push_back(
        {true, std::string(by_others ? kNeverUseful : kDeadlineExceeded), "DeleteNodeClaim", std::move(note)});
  }

  const Observation& seen_;
  bool every_pod_seen_;
  const std::vector<const api::NodeClaim*>& overdue_;
  Plan& plan_;
  api::PoolStartupStatus& startup_;
};

// A row that was written by a clock that was ahead must not hold a NodePool for longer than its pause.
bool is_held(const NodePoolBackOff& row, kube::Time now) {
  return now < row.next_time && row.next_time - now <= pause_after(row.tries);
}

void lower(kube::StringMap& limits, std::string_view resource, std::int64_t most) {
  const auto stated = limits.find(resource);
  const auto before = stated == limits.end() ? std::nullopt : kube::whole_number(stated->second);
  limits[std::string(resource)] = quantity_text(std::min(most, before.value_or(most)));
}

// The most GPUs of one machine; empty: nobody knows. A limit that is smaller than the machine to be tried would be a
// pause without an end; then the limit of nodes holds alone.
std::optional<std::int64_t> most_gpus_of_one(const api::GpuPoolSpec& spec) {
  const auto sizes = rentable::machines_of(spec).sizes;
  return sizes && !sizes->empty() ? std::optional(sizes->back()) : std::nullopt;
}

std::string counted(std::int32_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string said_of(const NodePoolBackOff& row, kube::Time now) {
  std::string said = "NodePool " + row.node_pool + ": " + counted(row.machines, "machine") + " in " +
                     (row.tries == 1 ? "1 try" : std::to_string(row.tries) + " tries in a row") +
                     " never became useful, " + row.spent + " spent by estimate; the last one: " + row.message;
  return said + (is_held(row, now) ? "; no further machine is rented before " + kube::format_time(row.next_time)
                                   : "; one machine at a time is tried");
}

}  // namespace

std::chrono::seconds pause_after(std::int32_t tries) {
  std::chrono::seconds pause = kFirstPause;
  for (std::int32_t i = 1; i < tries && pause < kLongestPause; ++i) pause *= kGrowth;
  return std::min(pause, kLongestPause);
}

void remember_machines(const Observation& seen, bool every_pod_seen, const std::vector<const api::NodeClaim*>& overdue,
                       Plan& plan) {
  // While Karpenter's kinds are not served nobody sees what becomes of machines.
  if (seen.missing_kinds.empty()) Ledger(seen, every_pod_seen, overdue, plan).bring_up_to_date();
}

void hold_machines_back(const Observation& seen, std::vector<api::NodePool>& node_pools, Plan& plan) {
  const GpuSharing sharing = sharing_of(seen.pool->spec.sharing);
  const NodesOfClaims nodes(seen);
  const std::optional<std::int64_t> most_gpus = most_gpus_of_one(seen.pool->spec);
  for (const NodePoolBackOff& row : plan.status.startup.back_off) {
    const auto found = std::ranges::find_if(
        node_pools, [&](const api::NodePool& each) { return std::string_view(each.meta.name) == row.node_pool; });
    if (found == node_pools.end()) continue;
    kube::StringMap& limits = found->spec.limits;
    if (is_held(row, seen.now)) {
      plan.wake_by(row.next_time);
      lower(limits, sharing.resource_name, 0);
      lower(limits, kNodesLimit, 0);
      continue;
    }
    std::int64_t units = 0;
    std::int64_t machines = 0;
    for (const auto& claim : seen.node_claims) {
      if (claim->meta.label(kNodePoolLabel) != row.node_pool || !is_rented(seen, *claim) ||
          !is_useful(seen, *claim, plan))
        continue;
      units += quantity_rented(*claim, nodes.of(*claim), sharing.resource_name);
      ++machines;
    }
    if (most_gpus) lower(limits, sharing.resource_name, units + sharing.quantity_of(*most_gpus));
    lower(limits, kNodesLimit, machines + 1);
  }
}

std::string said_of_pauses(const Observation& seen, const api::PoolStartupStatus& startup) {
  std::string all;
  for (const NodePoolBackOff& row : startup.back_off) all += (all.empty() ? "" : ". ") + said_of(row, seen.now);
  if (all.empty()) return all;
  return all + ". An edit of the pool, or another value of its annotation " + std::string(api::kRetryAnnotation) +
         ", ends the pause";
}

std::string said_of_unwritten_pause(const Observation& seen, const api::PoolStartupStatus& startup,
                                    std::string_view rejection) {
  const auto found = std::ranges::find_if(startup.back_off, [&](const NodePoolBackOff& row) {
    return rejection.find("change NodePool " + row.node_pool + ": ") != std::string_view::npos;
  });
  if (found == startup.back_off.end()) return {};
  return "the limit that holds machines of NodePool " + found->node_pool +
         " back could not be written, and further ones may be rented: " + std::string(rejection) + ". " +
         said_of_pauses(seen, startup);
}

bool fails_for_good(const api::GpuPool& pool, const api::PoolStartupStatus& startup) {
  return !pool.spec.capacity.empty() && std::ranges::all_of(pool.spec.capacity, [&](const api::PoolCapacity& capacity) {
    const std::string name = node_pool_name(pool.meta.name, capacity.type);
    return std::ranges::any_of(startup.back_off, [&](const NodePoolBackOff& row) {
      return row.node_pool == name && row.tries >= kStalledAfter;
    });
  });
}

const api::NodePoolBackOff* lacks_units(const api::GpuPool& pool, const api::PoolStartupStatus& startup) {
  if (pool.spec.sharing.mode == api::SharingMode::Exclusive) return nullptr;
  const auto found = std::ranges::find(startup.back_off, "ResourceNotRegistered", &NodePoolBackOff::reason);
  return found == startup.back_off.end() ? nullptr : &*found;
}

std::int32_t newly_failed(const api::PoolStartupStatus& before, const api::PoolStartupStatus& after) {
  std::int32_t failed = 0;
  for (const NodePoolBackOff& row : after.back_off) {
    const auto known = std::ranges::find(before.back_off, row.node_pool, &NodePoolBackOff::node_pool);
    // All machines of a row that began anew have failed since.
    const bool goes_on = known != before.back_off.end() && known->machines <= row.machines;
    failed += goes_on ? row.machines - known->machines : row.machines;
  }
  return failed;
}

}  // namespace reprise::controllers::gpupool
