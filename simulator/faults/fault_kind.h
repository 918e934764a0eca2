// The faults of a scenario.
#pragma once

#include <array>
#include <string_view>

namespace reprise::simulator {

enum class FaultKind {
  // Faults on the wire; rates are per exchange, per write or per watch.
  LostRequest,       // the connection breaks before the API server has the request
  LostAnswer,        // the connection breaks after a write was carried out
  Rejection,         // 409, 429 or 5xx
  SlowExchange,      // hundreds of milliseconds, sometimes beyond the timeout
  CrashBeforeWrite,  // the operator dies with a write on its lips
  CrashAfterWrite,   // the operator dies before it hears of its write
  WatchCut,          // a watch breaks after a while
  WatchHeld,         // a watch stands still for seconds while others go on: kinds are seen out of order
  WatchLate,         // frames are up to seconds late
  // Scheduled faults; rates are per hour of the cluster's time.
  OperatorKilled,        // started again after seconds
  OperatorOff,           // for minutes: notices pass unseen
  OperatorPartitioned,   // from the API server for longer than its lease; a standby takes over
  HistoryCompacted,      // 410 for clients that were away
  PowerLoss,             // a machine is gone without a report, and its unsynced data
  MachineSilent,         // a machine cannot be reached for minutes; its trainers go on writing
  MachineRebooted,       // comes back with another boot id
  KubeletRestarted,      // its pods go on, their statuses are late
  NoticeLate,            // a machine is called back with a quarter of the notice
  NoticeMissing,         // a machine goes at once
  NodeObjectDeleted,     // kubectl delete node: the machine goes on
  PodForceDeleted,       // kubectl delete pod --force: the process goes on
  CheckpointTorn,        // the newest checkpoint is damaged
  VolumeStuck,           // does not answer for minutes: reads and writes hang
  VolumeSwapped,         // another, empty volume under the claim's name
  ClockSkewed,           // one replica's time of day is off by seconds to minutes, its pace by a little
  InsufficientCapacity,  // launches of one kind in one zone fail for minutes although the market is open
  NeverRegisters,        // the next machine that is launched is paid for and never joins
  NeverInitialises,      // the next machine that is launched joins and never shows its devices
  OperatorFrozen,        // stands still for longer than its lease with a write on its lips, then goes on
  WrongConfirmation,     // a person confirms the end of any rank that the operator waits for, without looking
  RebootedAtBinding,     // the machine restarts before the next pod that is bound to it has started
  HastyConfirmation,     // a silent machine's end is confirmed at once; the share hangs when the next attempt looks
  MachineFrozen,         // stands still and goes on as if nothing had been; of half of them a person confirms the end
  ShareHangs,       // for one machine alone; half of these are partitioned from the API server too, their end confirmed
  KubeletRejects,   // a kubelet does not admit the next pod that is bound, or restarts and rejects its running pods
  LateBinding,      // the Binding of the next pod that is marked failed lands all the same
  NodeNameReused,   // the machine after one that vanished gets its node's name, and Nodes are seen minutes late
  AdmissionDenies,  // a webhook denies pods, Services or claims for minutes, with or without a code and a reason
  OptionalKindsGone,  // Karpenter's kinds are not installed at first, or one of them goes for minutes, some times with
                      // its objects
  InstallFails,       // the agent's init container of the next pod that starts: its disk is full
  JobMadeAnew,        // a person deletes a job, its trainers go on, and makes it again under its name, on its claim
  TaintsHeardLate,    // most of a second later than pods, by the scheduler, from then on
  OperatorStopped,    // a replica ends in order, as in an upgrade: writes held statuses, gives its lease back
};

inline constexpr std::array kAllFaultKinds{FaultKind::LostRequest,       FaultKind::LostAnswer,
                                           FaultKind::Rejection,         FaultKind::SlowExchange,
                                           FaultKind::CrashBeforeWrite,  FaultKind::CrashAfterWrite,
                                           FaultKind::WatchCut,          FaultKind::WatchHeld,
                                           FaultKind::WatchLate,         FaultKind::OperatorKilled,
                                           FaultKind::OperatorOff,       FaultKind::OperatorPartitioned,
                                           FaultKind::HistoryCompacted,  FaultKind::PowerLoss,
                                           FaultKind::MachineSilent,     FaultKind::MachineRebooted,
                                           FaultKind::KubeletRestarted,  FaultKind::NoticeLate,
                                           FaultKind::NoticeMissing,     FaultKind::NodeObjectDeleted,
                                           FaultKind::PodForceDeleted,   FaultKind::CheckpointTorn,
                                           FaultKind::VolumeStuck,       FaultKind::VolumeSwapped,
                                           FaultKind::ClockSkewed,       FaultKind::InsufficientCapacity,
                                           FaultKind::NeverRegisters,    FaultKind::NeverInitialises,
                                           FaultKind::OperatorFrozen,    FaultKind::WrongConfirmation,
                                           FaultKind::RebootedAtBinding, FaultKind::HastyConfirmation,
                                           FaultKind::MachineFrozen,     FaultKind::ShareHangs,
                                           FaultKind::KubeletRejects,    FaultKind::LateBinding,
                                           FaultKind::NodeNameReused,    FaultKind::AdmissionDenies,
                                           FaultKind::OptionalKindsGone, FaultKind::InstallFails,
                                           FaultKind::JobMadeAnew,       FaultKind::TaintsHeardLate,
                                           FaultKind::OperatorStopped};

// "LostRequest"
[[nodiscard]] std::string_view name(FaultKind kind);

}  // namespace reprise::simulator
