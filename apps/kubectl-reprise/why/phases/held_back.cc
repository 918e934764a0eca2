// Explains a pool that lets no machine come for now: by its own conditions, and by limits of its NodePools that the
// operator has lowered below spec.capacity. Each edit of a pool ends its pauses.
#include <algorithm>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "apps/kubectl-reprise/why/phases/phases.h"
#include "apps/kubectl-reprise/why/reading/quantity.h"
#include "controllers/gpupool/rentable/gang_of_job.h"

namespace reprise::plugin::why {
namespace {

namespace rentable = controllers::rentable;

constexpr std::string_view kCapacityType = "karpenter.sh/capacity-type";

std::vector<const api::NodePoolBackOff*> pauses_of(const Inquiry& inquiry) {
  std::vector<const api::NodePoolBackOff*> pauses;
  const Pool& pool = *inquiry.seen.pool;
  if (!pool.whole) return pauses;
  for (const api::NodePoolBackOff& row : pool.whole->status.startup.back_off)
    if (may_use(inquiry, row.node_pool)) pauses.push_back(&row);
  return pauses;
}

bool has_pause(const Pool& pool) {
  return pool.whole && !pool.whole->status.startup.back_off.empty();
}

// "t4-spot": the first whose next machine waits.
std::string node_pool_in_pause(const Inquiry& inquiry) {
  if (!inquiry.seen.pool || !inquiry.seen.pool->whole) return {};
  for (const api::NodePoolBackOff& row : inquiry.seen.pool->whole->status.startup.back_off)
    if (inquiry.now < row.next_time) return row.node_pool;
  return {};
}

std::string told(const Inquiry& inquiry, const api::NodePoolBackOff& row) {
  const std::string when = inquiry.now < row.next_time
                               ? "the next machine is tried at " + kube::format_time(row.next_time)
                               : "one machine at a time is tried now";
  return "mend what the last machine lacked: " + (row.message.empty() ? row.reason : row.message) + "   # NodePool " +
         row.node_pool + ": " + when;
}

// True for a zero limit that spec.capacity does not set.
bool has_zero(const Inquiry& inquiry, const NodePool& node_pool) {
  const auto room = room_of(inquiry, node_pool.meta.name);
  if (room && room->limit == 0) return false;
  return std::ranges::any_of(node_pool.limits, [](const auto& limit) { return parse_quantity(limit.second) <= 0; });
}

// True when the NodePool may rent less of its resource than spec.capacity says.
bool is_lowered(const Inquiry& inquiry, const NodePool& node_pool) {
  const auto room = room_of(inquiry, node_pool.meta.name);
  const auto limit = room ? node_pool.limits.find(room->resource) : node_pool.limits.end();
  if (limit == node_pool.limits.end()) return false;
  const auto least = room->rented_quantity ? room->rented_quantity : room->limit;
  return !least || parse_quantity(limit->second) < static_cast<double>(*least);
}

std::string limits_text(const NodePool& node_pool) {
  std::string text;
  for (const auto& [resource, limit] : node_pool.limits) {
    const auto used = node_pool.used.find(resource);
    text += (text.empty() ? "" : ", ") + resource + ": " + (used == node_pool.used.end() ? "0" : used->second) +
            " of " + limit + " for now";
  }
  return text;
}

}  // namespace

std::optional<rentable::Room> room_of(const Inquiry& inquiry, std::string_view node_pool) {
  if (!inquiry.seen.pool || !inquiry.seen.pool->whole) return std::nullopt;
  for (rentable::Room& room : rentable::rooms_of(inquiry.seen.pool->whole->spec))
    if (inquiry.seen.pool->meta.name + "-" + std::string(room.label) == node_pool) return std::move(room);
  return std::nullopt;
}

bool may_use(const Inquiry& inquiry, std::string_view node_pool) {
  const auto room = room_of(inquiry, node_pool);
  if (!room || !inquiry.seen.job || !inquiry.seen.job->whole) return true;
  const rentable::Gang gang = rentable::gang_of(*inquiry.seen.job->whole, *inquiry.seen.pool->whole);
  if (gang.only && *gang.only != room->type) return false;
  return gang.demands.empty() || std::ranges::any_of(gang.demands, [&](const rentable::Demands& list) {
           return std::ranges::all_of(list, [&](const rentable::Demand& demand) {
             return demand.requirement.key != kCapacityType || rentable::meets(room->label, demand.requirement);
           });
         });
}

std::string edit_pool(const Inquiry& inquiry, std::string_view hint) {
  std::string hints(hint);
  if (const std::string node_pool = node_pool_in_pause(inquiry); !node_pool.empty())
    hints += (hints.empty() ? "" : "; ") + ("it ends the pause of NodePool " + node_pool + " as well");
  return "kubectl edit gpupool " + pool_name(inquiry) + (hints.empty() ? "" : "   # " + hints);
}

std::vector<std::string> wait_or_raise(const Inquiry& inquiry, std::string_view field) {
  std::vector<std::string> to_do;
  const auto jobs = inquiry.seen.pool ? inquiry.seen.pool->jobs : std::nullopt;
  // Waiting for another job's end helps only when there is another job.
  if (!inquiry.seen.job || !jobs || *jobs > 1)
    to_do.emplace_back("kubectl get resumablejobs -A   # wait for another job of the pool to end, or suspend one");
  // Advises an edit only when the pool can be read: it would end a pause that nobody has seen.
  to_do.push_back(inquiry.seen.pool ? edit_pool(inquiry, "raise " + std::string(field))
                                    : "kubectl reprise why gpupool/" + pool_name(inquiry) +
                                          "   # by who may read it: it may pause, or have spent its money");
  return to_do;
}

std::vector<std::string> after_pause(const Inquiry& inquiry) {
  std::vector<std::string> to_do;
  for (const api::NodePoolBackOff* row : pauses_of(inquiry)) to_do.push_back(told(inquiry, *row));
  to_do.push_back("kubectl annotate gpupool " + pool_name(inquiry) + " --overwrite " +
                  std::string(api::kRetryAnnotation) +
                  "=\"$(date +%s)\"   # once it is mended: a machine is tried at once");
  to_do.push_back("kubectl describe gpupool " + pool_name(inquiry));
  return to_do;
}

const Condition* why_pool_rents_nothing(const Inquiry& inquiry) {
  const Pool& pool = *inquiry.seen.pool;
  if (const Condition* stalled = with_status(pool.conditions, "Stalled", "True")) return stalled;
  const Condition* none = with_status(pool.conditions, "CapacityAvailable", "False");
  // The pool has other nodes.
  if (none == nullptr || none->reason == "NodeOfAnotherPool") return nullptr;
  if (!inquiry.seen.job) return none;
  const bool waits_for_no_node = pod_without_node(inquiry) == nullptr && inquiry.has_finding();
  if (waits_for_no_node || !coming_node_claims(inquiry).empty()) return nullptr;
  const bool is_of_others = none->reason == text_of(Cause::InitializationDeadlineExceeded).name && has_pause(pool) &&
                            pauses_of(inquiry).empty();
  return is_of_others ? nullptr : none;
}

std::optional<Finding> why_held_back(const Inquiry& inquiry, const NodePool& node_pool) {
  if (!inquiry.seen.pool) return std::nullopt;
  const Pool& pool = *inquiry.seen.pool;
  const ObjectRef object = ref("GpuPool", pool.meta);
  const std::string said = "NodePool " + node_pool.meta.name + ": " + limits_text(node_pool);
  for (const api::NodePoolBackOff* row : pauses_of(inquiry))
    if (row->node_pool == node_pool.meta.name)
      return Finding{.cause = Cause::InitializationDeadlineExceeded,
                     .object = object,
                     .found = said + "; the last machine never became useful: " + row->message,
                     .to_do = after_pause(inquiry)};
  const bool counts_money = pool.whole && !pool.whole->spec.max_cost_per_hour.empty();
  if (counts_money && (has_zero(inquiry, node_pool) || is_lowered(inquiry, node_pool)))
    return Finding{.cause = Cause::PoolMaxCostReached,
                   .object = object,
                   .found = said + "; spec.maxCostPerHour is " + std::string(pool.whole->spec.max_cost_per_hour),
                   .to_do = wait_or_raise(inquiry, "spec.maxCostPerHour")};
  if (!has_zero(inquiry, node_pool)) return std::nullopt;
  return Finding{.cause = Cause::PoolNotReady,
                 .object = object,
                 .found = said + ", which is not spec.capacity[].maxGpus: the operator writes it anew",
                 .to_do = {describe(object)}};
}

}  // namespace reprise::plugin::why
