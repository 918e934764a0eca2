// The spot market of a workload: zones that come and go; at its end spot is everywhere and stays.
#pragma once

#include "simulator/actors/karpenter/spot_market.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

class WorkloadMarket final : public SpotMarket {
 public:
  // `workload` outlives this.
  explicit WorkloadMarket(const Workload& workload) : workload_(workload) {}
  [[nodiscard]] SpotState state(std::string_view zone, Duration at) const override;
  [[nodiscard]] std::optional<Duration> next_change(std::string_view zone, Duration after) const override;

 private:
  [[nodiscard]] const ZonePlan* find(std::string_view zone) const;
  const Workload& workload_;
};

}  // namespace reprise::simulator
