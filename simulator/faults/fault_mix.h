// The faults of a scenario and their rates. Each seed has a subset of the kinds: faults that hide each other are apart
// in some scenarios, together in others.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/base/random.h"
#include "simulator/faults/fault_kind.h"

namespace reprise::simulator {

struct FaultMix {
  std::map<FaultKind, double> rates;  // a kind that is not there never happens

  [[nodiscard]] double rate(FaultKind kind) const;
  // True when one chance of that kind comes true.
  [[nodiscard]] bool occurs(FaultKind kind, runtime::Random& random) const;
};

// About a third of the kinds, with rates from rare to frequent. Kinds up to ShareHangs are drawn from `random` in their
// order, later ones each from a stream of its own (own_stream.h), so that adding one changes no seed that does not draw
// it.
[[nodiscard]] FaultMix draw_fault_mix(runtime::Random& random, std::uint64_t seed);
// "LostAnswer 0.02, PowerLoss 1.5"
[[nodiscard]] std::string to_string(const FaultMix& mix);

}  // namespace reprise::simulator
