// What the seed makes of each exchange and each watch of the operator.
#pragma once

#include "simulator/cluster/wire.h"
#include "simulator/faults/fault_mix.h"

namespace reprise::simulator {

class SeededFates final : public Fates {
 public:
  // Both outlive it.
  SeededFates(runtime::Random& random, const FaultMix& mix) : random_(random), mix_(mix) {}

  // From now on everything arrives.
  void end_faults() { over_ = true; }
  [[nodiscard]] ExchangeFate exchange(const runtime::Request& request, std::uint64_t write) override;
  [[nodiscard]] WatchFate watch(const runtime::Request& request) override;

 private:
  runtime::Random& random_;
  const FaultMix& mix_;
  bool over_ = false;
};

}  // namespace reprise::simulator
