#include <string>

#include "controllers/prices/money.h"
#include "controllers/prices/node_price.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

using controllers::prices::MicroUsd;

// A machine that somebody else has labelled is not rented by the pool.
bool is_of(const Value& claim, const std::string& pool) {
  const std::string_view node_pool = text(claim, {"metadata", "labels", "karpenter.sh/nodepool"});
  return node_pool == pool + "-spot" || node_pool == pool + "-on-demand";
}

// Priced by the catalogue alone: pools of scenarios have no prices of their own.
MicroUsd price_of(const Value& claim) {
  kube::ObjectMeta meta;
  for (const auto& [key, value] : object(claim, {"metadata", "labels"}))
    if (value.is_string()) meta.labels[std::string(key)] = std::string(value.as_string());
  return controllers::prices::price_of({}, meta, {}).per_hour;
}

class PoolCostHolds final : public Invariant {
 public:
  explicit PoolCostHolds(const ApiServer& api)
      : api_(api),
        claims_(api.resource("karpenter.sh", "nodeclaims")),
        pools_(api.resource("reprise.dev", "gpupools")) {}
  [[nodiscard]] std::string_view name() const override { return "pool-cost-holds"; }

  void on_change(const ObjectChange& change, const Objection& object_to) override {
    if (change.resource != claims_ || change.change == Change::Deleted || being_deleted(*change.object)) return;
    const std::string pool_name(text(*change.object, {"metadata", "labels", "reprise.dev/pool"}));
    const ObjectPtr pool = pool_name.empty() ? nullptr : api_.get({pools_, "", pool_name});
    if (!pool) return;
    const auto most = controllers::prices::parse_usd(text(*pool, {"spec", "maxCostPerHour"}));
    // An existing machine adds no cost.
    const bool is_new = change.before == nullptr || price_of(*change.before) != price_of(*change.object);
    if (!most || !is_new || !is_of(*change.object, pool_name)) return;
    MicroUsd cost = 0;
    for (const ObjectPtr& claim : api_.list(claims_))
      if (is_of(*claim, pool_name) && !being_deleted(*claim)) cost += price_of(*claim);
    if (cost > *most)
      object_to("GpuPool " + pool_name + " costs " + controllers::prices::format_usd(cost) +
                " per hour with NodeClaim " + std::string(name_of(*change.object)) + ", and may cost " +
                controllers::prices::format_usd(*most));
  }

 private:
  const ApiServer& api_;
  ResourceId claims_, pools_;
};

}  // namespace

std::unique_ptr<Invariant> pool_cost_holds(const ApiServer& api) {
  return std::make_unique<PoolCostHolds>(api);
}

}  // namespace reprise::simulator
