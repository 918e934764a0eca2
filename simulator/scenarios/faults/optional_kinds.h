// Karpenter's kinds are missing for a while: not installed yet when the operators start, or taken away and brought
// back; some Karpenters have no NodeOverlays at all. A definition of NodePools takes its objects along; NodeClaims
// stay, unseen, with the machines that they stand for, and Karpenter goes on with them: an object that cannot be read
// proves nothing. Or somebody takes their definition away with all claims and brings it back empty, while some of the
// machines are cut off from the API server and go on.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"

namespace reprise::simulator {

class OptionalKinds {
 public:
  // Both outlive it. `seed`: the scenario's.
  OptionalKinds(Actors& actors, runtime::Random& random, std::uint64_t seed);

  // Call it before any operator has asked: in half of the scenarios none of them is there yet, in half NodeOverlays
  // never are.
  void begin();
  // Names the kind that goes now; empty when none is left to go.
  std::optional<std::string> inject();
  // Claims have gone with their definition, or will at its return, and some of their machines may run.
  [[nodiscard]] bool leaves_machines_behind() const { return claimless_; }
  // Brings back all kinds that are ever served.
  void end();

 private:
  void take(const std::string& plural, Duration for_so_long);
  void bring(const std::string& plural);
  void take_claims_along();
  void cut_off_some();
  void speak(const std::string& machine);
  // Plays Karpenter's collector of machines without a claim, and a person: nobody else sees to those machines any more.
  void collect_machines();
  void collect_nodes();

  Actors& actors_;
  runtime::Random& random_;
  runtime::SeededRandom of_claims_, without_overlays_;
  std::set<std::string> gone_, silent_;
  std::string never_served_;    // empty: each is, some time
  bool claimless_ = false;      // there may be machines without a claim
  Timers timers_, collecting_;  // collection goes on after the faults
};

}  // namespace reprise::simulator
