#include "simulator/faults/fault_kind.h"

namespace reprise::simulator {

// NOLINTNEXTLINE(readability-function-size): a table, one row per kind
std::string_view name(FaultKind kind) {
  switch (kind) {
    case FaultKind::LostRequest:
      return "LostRequest";
    case FaultKind::LostAnswer:
      return "LostAnswer";
    case FaultKind::Rejection:
      return "Rejection";
    case FaultKind::SlowExchange:
      return "SlowExchange";
    case FaultKind::CrashBeforeWrite:
      return "CrashBeforeWrite";
    case FaultKind::CrashAfterWrite:
      return "CrashAfterWrite";
    case FaultKind::WatchCut:
      return "WatchCut";
    case FaultKind::WatchHeld:
      return "WatchHeld";
    case FaultKind::WatchLate:
      return "WatchLate";
    case FaultKind::OperatorKilled:
      return "OperatorKilled";
    case FaultKind::OperatorOff:
      return "OperatorOff";
    case FaultKind::OperatorPartitioned:
      return "OperatorPartitioned";
    case FaultKind::HistoryCompacted:
      return "HistoryCompacted";
    case FaultKind::PowerLoss:
      return "PowerLoss";
    case FaultKind::MachineSilent:
      return "MachineSilent";
    case FaultKind::MachineRebooted:
      return "MachineRebooted";
    case FaultKind::KubeletRestarted:
      return "KubeletRestarted";
    case FaultKind::NoticeLate:
      return "NoticeLate";
    case FaultKind::NoticeMissing:
      return "NoticeMissing";
    case FaultKind::NodeObjectDeleted:
      return "NodeObjectDeleted";
    case FaultKind::PodForceDeleted:
      return "PodForceDeleted";
    case FaultKind::CheckpointTorn:
      return "CheckpointTorn";
    case FaultKind::VolumeStuck:
      return "VolumeStuck";
    case FaultKind::VolumeSwapped:
      return "VolumeSwapped";
    case FaultKind::ClockSkewed:
      return "ClockSkewed";
    case FaultKind::InsufficientCapacity:
      return "InsufficientCapacity";
    case FaultKind::NeverRegisters:
      return "NeverRegisters";
    case FaultKind::NeverInitialises:
      return "NeverInitialises";
    case FaultKind::OperatorFrozen:
      return "OperatorFrozen";
    case FaultKind::WrongConfirmation:
      return "WrongConfirmation";
    case FaultKind::RebootedAtBinding:
      return "RebootedAtBinding";
    case FaultKind::HastyConfirmation:
      return "HastyConfirmation";
    case FaultKind::MachineFrozen:
      return "MachineFrozen";
    case FaultKind::ShareHangs:
      return "ShareHangs";
    case FaultKind::KubeletRejects:
      return "KubeletRejects";
    case FaultKind::LateBinding:
      return "LateBinding";
    case FaultKind::NodeNameReused:
      return "NodeNameReused";
    case FaultKind::AdmissionDenies:
      return "AdmissionDenies";
    case FaultKind::OptionalKindsGone:
      return "OptionalKindsGone";
    case FaultKind::InstallFails:
      return "InstallFails";
    case FaultKind::JobMadeAnew:
      return "JobMadeAnew";
    case FaultKind::TaintsHeardLate:
      return "TaintsHeardLate";
    case FaultKind::OperatorStopped:
      return "OperatorStopped";
  }
  return "?";
}

}  // namespace reprise::simulator
