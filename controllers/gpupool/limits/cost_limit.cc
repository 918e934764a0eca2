#include "controllers/gpupool/limits/cost_limit.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/machines/rented.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/gpupool/warm/warm_pod.h"
#include "controllers/prices/dearest_gpu.h"
#include "controllers/prices/node_price.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::gpupool {
namespace {

using prices::dearest_gpu;
using prices::DearestGpu;
using prices::gpus_of_machines;
using prices::MicroUsd;

constexpr std::chrono::seconds kFirstTurn(60);
constexpr std::chrono::seconds kLongestTurn(1800);

// A type of capacity, in the pool's order.
struct Row {
  api::CapacityType type{};
  std::string node_pool;
  DearestGpu dearest;
  std::int64_t present = 0;  // in the resource that limits count
  std::int64_t room = 0;     // GPUs that maxGpus leaves
  std::int64_t more = 0;     // GPUs that it may have beyond what is there
  std::int64_t spare = 0;    // GPUs left on the machine that was granted last: others fit on it
};

// The pods in the order in which they came; last those that nobody waits for.
std::vector<const kube::Pod*> waiting_in_order(const Observation& seen) {
  std::vector<const kube::Pod*> pods;
  for (const auto& pod : seen.waiting) {
    if (waits_for_node(*pod)) pods.push_back(pod.get());
  }
  std::ranges::sort(pods, [](const kube::Pod* left, const kube::Pod* right) {
    if (is_warm(*left) != is_warm(*right)) return is_warm(*right);
    if (left->meta.creation_timestamp != right->meta.creation_timestamp)
      return left->meta.creation_timestamp < right->meta.creation_timestamp;
    return left->meta.uid < right->meta.uid;
  });
  return pods;
}

// A pod that has had no machine in three turns may wait for what the cloud does not have: from then on the money of
// every second turn is for those that came later.
bool yields(std::size_t turn) {
  return turn >= 3 && turn % 2 == 1;
}

class Budget {
 public:
  explicit Budget(const Observation& seen)
      : seen_(seen),
        sharing_(sharing_of(seen.pool->spec.sharing)),
        gpus_of_machines_(gpus_of_machines(seen.pool->spec)),
        nodes_(seen) {
    const api::GpuPoolSpec& spec = seen.pool->spec;
    for (const api::PoolCapacity& capacity : spec.capacity)
      rows_.push_back({.type = capacity.type,
                       .node_pool = node_pool_name(seen.pool->meta.name, capacity.type),
                       .dearest = dearest_gpu(spec, capacity.type, seen.price_table).value_or(DearestGpu{}),
                       .room = capacity.max_gpus.value_or(kAnyNumber)});
    left_ = prices::parse_usd(spec.max_cost_per_hour).value_or(0);
    for (const auto& claim : seen.node_claims) {
      if (is_rented(seen, *claim)) pay(*claim);
    }
  }

  void spend() {
    std::vector<const kube::Pod*> pods = waiting_in_order(seen_);
    const auto kept_ready = std::ranges::partition_point(pods, [](const kube::Pod* pod) { return !is_warm(*pod); });
    std::stable_partition(pods.begin(), kept_ready,
                          [&](const kube::Pod* pod) { return !yields(turn_of(*pod).number); });
    for (const kube::Pod* pod : pods) {
      const std::int64_t gpus = gpus_asked_for(*pod, sharing_);
      if (const auto asked = capacity_asked_for(*pod)) {
        if (Row* row = row_of(*asked)) static_cast<void>(grant_place(*row, gpus));
        continue;
      }
      const std::size_t first = turn_of(*pod).number;
      for (std::size_t i = 0; i < rows_.size(); ++i)
        if (grant_place(rows_[(first + i) % rows_.size()], gpus)) break;
    }
    for (Row& row : rows_) grant_rest(row);
  }

  void lower(std::vector<api::NodePool>& node_pools) const {
    for (std::size_t i = 0; i < rows_.size() && i < node_pools.size(); ++i) {
      const Row& row = rows_[i];
      kube::StringMap& limits = node_pools[i].spec.limits;
      const std::int64_t paid_for = row.present + sharing_.quantity_of(row.more);
      const auto stated = limits.find(sharing_.resource_name);
      const auto most = stated == limits.end() ? std::nullopt : kube::whole_number(stated->second);
      limits[sharing_.resource_name] = quantity_text(std::min(paid_for, most.value_or(paid_for)));
    }
  }

  [[nodiscard]] std::string reached() const {
    const bool any_more = std::ranges::any_of(rows_, [](const Row& row) { return row.more > 0; });
    const auto next =
        std::ranges::find_if(rows_, [&](const Row& row) { return row.room >= gpus_of_machines_.front(); });
    if (any_more || next == rows_.end()) return {};
    return "the pool costs " + prices::format_usd(spent_) + " per hour by estimate, of at most " +
           std::string(seen_.pool->spec.max_cost_per_hour) + " (spec.maxCostPerHour); " + one_more() +
           " may cost up to " + prices::format_usd(gpus_of_machines_.front() * next->dearest.per_hour) + " (" +
           std::string(api::name(next->type)) + ", " + next->dearest.instance_type + ")";
  }

  // The time until another type's turn begins for one of the pods.
  [[nodiscard]] std::optional<std::chrono::seconds> next_turn() const {
    std::optional<std::chrono::seconds> next;
    for (const auto& [uid, unanswered] : seen_.unanswered) {
      const std::chrono::seconds left = turn_after(unanswered).left;
      if (!next || left < *next) next = left;
    }
    return next;
  }

 private:
  static constexpr std::int64_t kAnyNumber = 1'000'000;

  void pay(const api::NodeClaim& claim) {
    // A NodeClaim that is not launched bears no label for how it is bought.
    const auto found = std::ranges::find(rows_, claim.meta.label("karpenter.sh/nodepool"), &Row::node_pool);
    Row* row = found == rows_.end() ? nullptr : &*found;
    const kube::Node* node = nodes_.of(claim);
    const std::int64_t quantity = quantity_rented(claim, node, sharing_.resource_name);
    const std::int64_t of_one = std::max<std::int64_t>(sharing_.quantity_of(1), 1);
    // Before it is launched a NodeClaim says nothing of its GPUs.
    const std::int64_t gpus = quantity > 0 ? (quantity + of_one - 1) / of_one : gpus_of_machines_.front();
    // The provider may have put a price on the Node.
    const prices::NodePrice known =
        prices::price_of(seen_.pool->spec, node != nullptr ? node->meta : claim.meta, seen_.price_table);
    const MicroUsd price = known.is_known || row == nullptr ? known.per_hour : row->dearest.per_hour * gpus;
    spent_ = prices::sum(spent_, price);
    left_ = std::max<MicroUsd>(left_ - price, 0);
    if (row == nullptr) return;
    row->present += quantity;
    row->room = std::max<std::int64_t>(row->room - gpus, 0);
  }

  [[nodiscard]] Turn turn_of(const kube::Pod& pod) const {
    const auto found = seen_.unanswered.find(pod.meta.uid);
    return found == seen_.unanswered.end() ? Turn{} : turn_after(found->second);
  }

  Row* row_of(api::CapacityType type) {
    const auto found = std::ranges::find(rows_, type, &Row::type);
    return found == rows_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::string one_more() const {
    const std::int64_t gpus = gpus_of_machines_.front();
    return gpus == 1 ? "one more GPU" : "one more machine with " + std::to_string(gpus) + " GPUs";
  }

  [[nodiscard]] std::int64_t paid_for(const Row& row) const {
    if (row.dearest.instance_type.empty()) return 0;  // nobody knows
    const std::int64_t room = std::max<std::int64_t>(row.room - row.more, 0);
    return row.dearest.per_hour > 0 ? std::min(left_ / row.dearest.per_hour, room) : room;
  }

  void grant(Row& row, std::int64_t gpus) {
    row.more += gpus;
    left_ -= gpus * row.dearest.per_hour;
  }

  // True when a pod gets these GPUs, with the machine that they are on.
  bool grant_place(Row& row, std::int64_t gpus) {
    if (gpus <= row.spare) {
      row.spare -= gpus;
      return true;
    }
    const std::int64_t rented = prices::gpus_of_machine_for(gpus, gpus_of_machines_);
    if (rented > paid_for(row)) return false;
    grant(row, rented);
    row.spare = rented - gpus;
    return true;
  }

  void grant_rest(Row& row) {
    const std::int64_t fewest = gpus_of_machines_.front();
    grant(row, paid_for(row) / fewest * fewest);
  }

  const Observation& seen_;
  GpuSharing sharing_;
  std::vector<std::int64_t> gpus_of_machines_;  // ascending, at least one
  std::vector<Row> rows_;
  NodesOfClaims nodes_;
  MicroUsd spent_ = 0, left_ = 0;
};

}  // namespace

std::optional<std::string> cost_limit_misfit(const api::GpuPoolSpec& spec, prices::PriceTable table) {
  if (spec.max_cost_per_hour.empty()) return std::nullopt;
  for (const api::PoolCapacity& capacity : spec.capacity) {
    if (dearest_gpu(spec, capacity.type, table)) continue;
    return "spec.maxCostPerHour: found " + std::string(spec.max_cost_per_hour) +
           ", and no price is known of what the pool may rent as " + std::string(api::name(capacity.type)) +
           "; write the prices of its instance types into spec.prices, or "
           "name types in spec.instanceTypes that are in the cluster's price table";
  }
  return std::nullopt;
}

bool lowers_limit(const kube::StringMap& current, const kube::StringMap& wanted) {
  return std::ranges::any_of(wanted, [&](const auto& entry) {
    const auto now = current.find(entry.first);
    const auto least = kube::whole_number(entry.second);
    return now == current.end() || (least && kube::whole_number(now->second).value_or(*least) > *least);
  });
}

Turn turn_after(std::chrono::seconds unanswered) {
  std::size_t number = 0;
  std::chrono::seconds length = kFirstTurn;
  for (; unanswered >= length; length = std::min(length * 2, kLongestTurn)) {
    unanswered -= length;
    ++number;
  }
  return {.number = number, .left = length - unanswered};
}

CostLimit limit_cost(const Observation& seen, std::vector<api::NodePool>& node_pools) {
  if (seen.pool->spec.max_cost_per_hour.empty()) return {};
  Budget budget(seen);
  budget.spend();
  budget.lower(node_pools);
  CostLimit limit{.reached = budget.reached()};
  if (const auto next = budget.next_turn()) limit.wake_at = seen.now + *next;
  return limit;
}

}  // namespace reprise::controllers::gpupool
