// Draws the faults of the operator's exchanges and watches from the seed.
#pragma once

#include "simulator/cluster/wire.h"
#include "simulator/faults/fault_mix.h"

namespace reprise::simulator {

class SeededWireFaults final : public WireFaults {
 public:
  // Both outlive it.
  SeededWireFaults(runtime::Random& random, const FaultMix& mix) : random_(random), mix_(mix) {}

  // From now on every message arrives.
  void end_faults() { over_ = true; }
  [[nodiscard]] ExchangeFault exchange(const runtime::Request& request, std::uint64_t write) override;
  [[nodiscard]] WatchFault watch(const runtime::Request& request) override;

 private:
  runtime::Random& random_;
  const FaultMix& mix_;
  bool over_ = false;
};

}  // namespace reprise::simulator
