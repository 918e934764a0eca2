// A plan of spot capacity as the market that the cloud of the embedded cluster asks.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "rehearsal/plan/spot_plan.h"
#include "simulator/actors/karpenter/spot_market.h"

namespace reprise::rehearsal {

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
