// When nodes can be had: from a recorded trace to a plan, and from a plan to what the cloud of the embedded cluster
// asks.
#pragma once

#include <string>
#include <vector>

#include "controllers/placement/evaluation/trace.h"
#include "rehearsal/rehearsal.h"
#include "simulator/actors/karpenter/spot_market.h"

namespace reprise::rehearsal {

// The zones of the trace, from its begin: available while `nodes` of them could be had. What was not looked at counts
// as the tick before.
[[nodiscard]] SpotPlan spot_plan_of(const controllers::placement::Trace& trace, int nodes);
// Always available, in one zone of that name.
[[nodiscard]] SpotPlan steady_spot_plan(std::string name, double price_per_hour);

class PlannedMarket final : public simulator::SpotMarket {
 public:
  // `on_demand`: USD per hour; 0: not known, then spot has the usual share of the cloud's own price.
  PlannedMarket(SpotPlan plan, double on_demand) : plan_(std::move(plan)), on_demand_(on_demand) {}

  [[nodiscard]] simulator::SpotState state(std::string_view zone, runtime::Duration at) const override;
  [[nodiscard]] std::optional<runtime::Duration> next_change(std::string_view zone,
                                                             runtime::Duration after) const override;

 private:
  [[nodiscard]] const SpotPlan::Zone* zone_named(std::string_view name) const;

  SpotPlan plan_;
  double on_demand_;
};

}  // namespace reprise::rehearsal
