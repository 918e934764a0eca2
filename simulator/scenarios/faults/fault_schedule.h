// The scheduled faults of a scenario, those not on the wire: their times, their victims, and their ends.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "simulator/actors/actors.h"
#include "simulator/faults/fault_mix.h"
#include "simulator/scenarios/faults/held_machines.h"
#include "simulator/scenarios/faults/jobs_made_anew.h"
#include "simulator/scenarios/faults/kubelet_rejects.h"
#include "simulator/scenarios/faults/late_binding.h"
#include "simulator/scenarios/faults/node_name_reused.h"
#include "simulator/scenarios/faults/optional_kinds.h"
#include "simulator/scenarios/faults/reboot_at_binding.h"
#include "simulator/scenarios/people/denials.h"
#include "simulator/scenarios/people/hasty_confirmation.h"
#include "simulator/scenarios/run/operators.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

class FaultSchedule {
 public:
  // All outlive it. Begins at once; every kind occurs at its own times, as long as the workload says. `further`: the
  // chance of kinds that came later, so that what the others draw stays as it was. Still later kinds have a chance of
  // their own each, from `seed`.
  FaultSchedule(Actors& actors, Operators& operators, runtime::Random& random, runtime::Random& further,
                std::uint64_t seed, const FaultMix& mix, const Workload& workload);

  // Volumes whose checkpoints a fault took: no promise holds for their content any more.
  [[nodiscard]] const std::set<std::string>& tampered() const { return tampered_; }
  // Ends all faults that still last.
  void end_all();

 private:
  void plan(FaultKind kind);
  void inject(FaultKind kind);
  void interrupt_operators(FaultKind kind);
  void damage_some_volume(FaultKind kind);
  void disturb_some_machine(FaultKind kind);
  // Names the victim, if there is any.
  [[nodiscard]] std::optional<std::string> inject_by_its_class(FaultKind kind);
  void arm_for_the_next(FaultKind kind);  // pod or machine
  [[nodiscard]] std::string some_machine();
  [[nodiscard]] std::string some_volume();
  void silence(const std::string& node);
  void stick(const std::string& volume);
  void force_delete_some_pod();
  void skew_some_clock();
  void take_some_capacity_away();
  void stop_some_operator();
  [[nodiscard]] runtime::Random& random_of(FaultKind kind);
  void confirm_what_is_waited_for();
  [[nodiscard]] Duration minutes(double low, double high);
  [[nodiscard]] static Duration minutes(double low, double high, runtime::Random& random);
  // A number of durations of the operators' lease.
  [[nodiscard]] Duration leases(double low, double high, runtime::Random& random) const;
  void say(FaultKind kind, const std::string& whom);

  Actors& actors_;
  Operators& operators_;
  runtime::Random &random_, &further_;
  std::map<FaultKind, runtime::SeededRandom> own_;
  const FaultMix& mix_;
  Duration notice_, until_;
  Timers timers_;
  RebootAtBinding reboot_at_binding_;
  HastyConfirmation hasty_confirmation_;
  HeldMachines frozen_machines_, cut_off_machines_;
  KubeletRejects kubelet_rejects_;
  LateBinding late_binding_;
  NodeNameReused node_name_reused_;
  Denials denials_;
  OptionalKinds optional_kinds_;
  JobsMadeAnew jobs_made_anew_;
  std::set<std::string> tampered_, silent_, stuck_;
  std::set<std::pair<std::string, std::string>> out_of_capacity_;  // zone, capacity type
};

}  // namespace reprise::simulator
