// Explains by the NodePools from which the pool's machines come.
#include <algorithm>

#include "apps/kubectl-reprise/why/phases/phases.h"
#include "apps/kubectl-reprise/why/reading/quantity.h"

namespace reprise::plugin::why {
namespace {

const NodePool* named(const Inquiry& inquiry, std::string_view name) {
  const auto found =
      std::ranges::find_if(inquiry.seen.node_pools, [&](const NodePool& p) { return p.meta.name == name; });
  return found == inquiry.seen.node_pools.end() ? nullptr : &*found;
}

std::string used_of(const NodePool& pool, std::string_view resource) {
  const auto found = pool.used.find(resource);
  return found == pool.used.end() ? "0" : found->second;
}

// "nvidia.com/gpu: 4 of 4 are used"; also when the rest of the limit is less than a machine; empty: it has room.
std::string full_resource(const Inquiry& inquiry, const NodePool& pool) {
  for (const auto& [resource, limit] : pool.limits) {
    const std::string used = used_of(pool, resource);
    if (parse_quantity(used) >= parse_quantity(limit)) return resource + ": " + used + " of " + limit + " are used";
  }
  const auto room = room_of(inquiry, pool.meta.name);
  const auto limit = !room || !room->rented_quantity ? pool.limits.end() : pool.limits.find(room->resource);
  if (limit == pool.limits.end()) return {};
  const std::string used = used_of(pool, room->resource);
  if (parse_quantity(used) < parse_quantity(std::to_string(*room->rented_quantity))) return {};
  return room->resource + ": " + used + " of " + limit->second +
         " are used, and no further machine is within the limit";
}

bool has_rented_nothing(const NodePool& pool) {
  return std::ranges::all_of(pool.limits, [&](const auto& limit) {
    return parse_quantity(used_of(pool, limit.first)) == parse_quantity("0");
  });
}

Finding about(const Meta& node_pool, Cause cause, std::string found, std::vector<std::string> to_do) {
  const ObjectRef object = ref("NodePool", node_pool);
  to_do.push_back(describe(object));
  return {.cause = cause, .object = object, .found = std::move(found), .to_do = std::move(to_do)};
}

std::optional<Finding> why_not_ready(const NodePool& pool) {
  const Condition* ready = find(pool.conditions, "Ready");
  if (ready == nullptr || ready->status == "True") return std::nullopt;
  const auto is_bad = [&](std::string_view type) -> const Condition* {
    const Condition* condition = find(pool.conditions, type);
    return condition == nullptr || condition->status == "True" ? nullptr : condition;
  };
  if (const Condition* bad = is_bad("NodeClassReady")) {
    return about(pool.meta, Cause::NodeClassNotReady, pool.node_class + ": " + bad->reason + ": " + bad->message,
                 {"kubectl describe " + pool.node_class});
  }
  if (const Condition* bad = is_bad("ValidationSucceeded")) {
    return about(pool.meta, Cause::NodePoolInvalid, bad->message, {});
  }
  return about(pool.meta, Cause::NodePoolNotReady, ready->reason + ": " + ready->message, {});
}

// Relies on Karpenter's message alone: with nothing rented the limit is below a machine, if it is the spec's.
void look_at_limit(Inquiry& inquiry, const Refusal& refusal) {
  const NodePool* full = named(inquiry, refusal.node_pool);
  if (full != nullptr)
    if (auto held = why_held_back(inquiry, *full)) return inquiry.found(*std::move(held));
  if (full != nullptr && !full->limits.empty() && has_rented_nothing(*full))
    return inquiry.found(about(full->meta, Cause::LimitBelowOneNode, "it has rented nothing; " + refusal.message,
                               {edit_pool(inquiry, "raise spec.capacity[].maxGpus")}));
  const std::string resource = full == nullptr ? "" : full_resource(inquiry, *full);
  inquiry.found(about({.name = refusal.node_pool}, Cause::NodePoolLimitReached,
                      (resource.empty() ? "" : resource + "; ") + refusal.message,
                      wait_or_raise(inquiry, "spec.capacity[].maxGpus")));
}

void look_at_refusal(Inquiry& inquiry, const Pod& pod, const Refusal& refusal) {
  if (refusal.why == RefusedFor::Limit) return look_at_limit(inquiry, refusal);
  if (refusal.why == RefusedFor::InstanceType || refusal.only_of_others) {
    inquiry.found({.cause = Cause::NoInstanceTypeFits,
                   .object = {.kind = "GpuPool", .namespace_ = {}, .name = pool_name(inquiry)},
                   .found = refusal.only_of_others
                                ? "Karpenter speaks of NodePools of other pools alone: no instance type that it knows "
                                  "is as spec.gpu, spec.instanceTypes and spec.requirements of this one say"
                                : refusal.message,
                   .to_do = {"kubectl get pod " + pod.meta.name + " -n " + pod.meta.namespace_ +
                                 " -o jsonpath='{.spec.containers[*].resources.requests}'",
                             edit_pool(inquiry)}});
  }
}

// Without a message of Karpenter about machines: no machine is started, and each NodePool is full. Its first message
// about a pod, such as of a claim that was not bound yet, stays for five minutes.
void look_at_limits(Inquiry& inquiry) {
  const NodePool* first_full = nullptr;
  std::optional<Finding> held;
  for (const NodePoolOfPool& own : inquiry.seen.pool->node_pools) {
    if (!may_use(inquiry, own.name)) continue;
    const NodePool* pool = named(inquiry, own.name);
    if (pool == nullptr || full_resource(inquiry, *pool).empty()) return;
    if (first_full == nullptr) first_full = pool;
    if (!held) held = why_held_back(inquiry, *pool);
  }
  if (held) return inquiry.found(*std::move(held));
  if (first_full == nullptr) return;
  inquiry.found(about(first_full->meta, Cause::NodePoolLimitReached, full_resource(inquiry, *first_full),
                      wait_or_raise(inquiry, "spec.capacity[].maxGpus")));
}

void look_at_each(Inquiry& inquiry) {
  const bool stalled = with_status(inquiry.seen.pool->conditions, "Stalled", "True") != nullptr;
  for (const NodePoolOfPool& own : inquiry.seen.pool->node_pools) {
    const NodePool* node_pool = named(inquiry, own.name);
    if (node_pool == nullptr) {
      if (stalled) continue;  // the pool itself says why
      return inquiry.found(about({.name = own.name}, Cause::NodePoolMissing, "it does not exist",
                                 {describe(ref("GpuPool", inquiry.seen.pool->meta))}));
    }
    if (auto finding = why_not_ready(*node_pool)) return inquiry.found(*std::move(finding));
    const std::string full = full_resource(inquiry, *node_pool);
    const bool is_held = !full.empty() && why_held_back(inquiry, *node_pool);
    inquiry.ok(ref("NodePool", node_pool->meta), full.empty() ? "ready, has room"
                                                 : is_held    ? "ready; its pool lets it rent nothing for now"
                                                              : "ready; " + full);
  }
}

}  // namespace

void look_at_node_pools(Inquiry& inquiry) {
  const Pod* pod = pod_without_node(inquiry);
  if (inquiry.seen.job && pod == nullptr) return;
  if (!inquiry.seen.saw("NodePool")) inquiry.unseen("NodePool", "not looked at: they cannot be read");
  if (inquiry.seen.pool && inquiry.seen.saw("NodePool")) look_at_each(inquiry);
  if (inquiry.over() || pod == nullptr || !coming_node_claims(inquiry).empty()) return;
  const auto refusal = refusal_for(inquiry, *pod);
  const bool is_passed = refusal && !refusal->only_of_others &&
                         (refusal->why == RefusedFor::VolumeNotBound || refusal->why == RefusedFor::Other);
  if (refusal && !is_passed) return look_at_refusal(inquiry, *pod, *refusal);
  if (inquiry.seen.pool) look_at_limits(inquiry);
}

}  // namespace reprise::plugin::why
