// A machine is silent with a trainer on a share, a person confirms its end at once, and the share hangs while the next
// attempt looks for other writers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"
#include "simulator/scenarios/people/manual_confirmations.h"

namespace reprise::simulator {

class HastyConfirmation {
 public:
  // Both outlive it.
  HastyConfirmation(Actors& actors, runtime::Random& random);

  // The name of the machine; empty when no trainer runs on a share, or when one is silent for it already.
  std::optional<std::string> inject();
  // Ends a fault that lasts.
  void end();

 private:
  void hang_for_a_while(const std::string& volume);
  [[nodiscard]] Duration seconds(double low, double high);

  Actors& actors_;
  runtime::Random& random_;
  std::map<std::string, std::string> silent_;  // machine, by uid of the job
  std::set<std::string> hanging_;
  ManualConfirmations confirmations_;
  Timers timers_;
};

}  // namespace reprise::simulator
