// A machine is silent with a trainer on a share, a person says at once that it is off, and the share hangs while the
// next attempt looks whether somebody still writes to it.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"
#include "simulator/scenarios/manual_confirmations.h"

namespace reprise::simulator {

class HastyConfirmation {
 public:
  // Both outlive it.
  HastyConfirmation(Actors& actors, runtime::Random& random);

  // The name of the machine; nothing where no trainer runs on a share, or where one is silent for it already.
  std::optional<std::string> inject();
  // What lasts ends.
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
