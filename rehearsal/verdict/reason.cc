#include "rehearsal/verdict/reason.h"

namespace reprise::rehearsal {

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::CannotStart:
      return "CannotStart";
    case Reason::InitContainerFailed:
      return "InitContainerFailed";
    case Reason::NothingRehearsed:
      return "NothingRehearsed";
    case Reason::EndedTooEarly:
      return "EndedTooEarly";
    case Reason::EndedInError:
      return "EndedInError";
    case Reason::EndedShort:
      return "EndedShort";
    case Reason::VolumeFull:
      return "VolumeFull";
    case Reason::DiskFull:
      return "DiskFull";
    case Reason::NeverCheckpoints:
      return "NeverCheckpoints";
    case Reason::OutputElsewhere:
      return "OutputElsewhere";
    case Reason::NoMarker:
      return "NoMarker";
    case Reason::TornCheckpoint:
      return "TornCheckpoint";
    case Reason::IgnoresSigterm:
      return "IgnoresSigterm";
    case Reason::NoHandler:
      return "NoHandler";
    case Reason::NoCheckpointAfterNotice:
      return "NoCheckpointAfterNotice";
    case Reason::SaveTooSlow:
      return "SaveTooSlow";
    case Reason::StartedAgain:
      return "StartedAgain";
    case Reason::ResumedFromZero:
      return "ResumedFromZero";
    case Reason::ResumedFromEarlier:
      return "ResumedFromEarlier";
    case Reason::NoProgress:
      return "NoProgress";
    case Reason::LeftInTheWay:
      return "LeftInTheWay";
    case Reason::FailedAfterResume:
      return "FailedAfterResume";
    case Reason::CheckpointLost:
      return "CheckpointLost";
    case Reason::TrainerFailed:
      return "TrainerFailed";
    case Reason::NotResumed:
      return "NotResumed";
    case Reason::WeightsDiffer:
      return "WeightsDiffer";
    case Reason::WeightsNotCompared:
      return "WeightsNotCompared";
  }
  return {};
}

}  // namespace reprise::rehearsal
