// Machines whose trainers are held up and then go on as if nothing had been: the machine stands still (a paused virtual
// machine, a live migration), or the share hangs for it alone. A person confirms the end of half of them as soon as the
// operator asks; they go on when the next attempt runs: the fence on the volume is for such writers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"
#include "simulator/faults/fault_kind.h"
#include "simulator/scenarios/people/manual_confirmations.h"
#include "simulator/scenarios/workload/share_trainers.h"

namespace reprise::simulator {

class HeldMachines {
 public:
  // Both outlive it. MachineFrozen or ShareHangs.
  HeldMachines(Actors& actors, runtime::Random& random, FaultKind kind);

  // Names the machine or share that is held up; empty when there is none.
  std::optional<std::string> inject();
  // Lets all go on.
  void end();

 private:
  // A machine, and the share that hangs for it; empty: it stands still.
  struct Place {
    std::string machine, volume;
  };
  std::optional<Place> hold_and_confirm();
  std::optional<Place> hold_any();
  [[nodiscard]] std::vector<ShareTrainer> chances();
  void hold(const Place& place, Duration for_so_long);
  void go_on(const std::string& machine);
  void speak(const std::string& machine);
  [[nodiscard]] Duration seconds(double low, double high);

  Actors& actors_;
  runtime::Random& random_;
  FaultKind kind_;
  std::map<std::string, Place> held_;  // by machine
  std::set<std::string> silent_;
  ManualConfirmations confirmations_;
  Timers timers_;
};

}  // namespace reprise::simulator
