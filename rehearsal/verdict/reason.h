// Why a training script does not survive, or could not be judged. docs/rehearse.md has a row for each.
#pragma once

#include <string_view>

namespace reprise::rehearsal {

enum class Reason {
  CannotStart,              // the command is not there, or cannot be executed
  InitContainerFailed,      // an initContainer kept the trainer from its start
  NothingRehearsed,         // no interruption came
  EndedTooEarly,            // exit 0 without a checkpoint: Reprise takes it for the end of the training
  EndedInError,             // exit 0, and the last that it printed is an error
  EndedShort,               // exit 0 far from the last step, by its own count
  VolumeFull,               // more was written than the claim asks for
  DiskFull,                 // a disk of this machine: the script cannot be judged
  NeverCheckpoints,         // nothing that looks like a checkpoint anywhere
  OutputElsewhere,          // checkpoints, but not on the volume
  NoMarker,                 // only incomplete checkpoints
  TornCheckpoint,           // what it wrote after the notice was left incomplete
  IgnoresSigterm,           // and saved nothing
  NoHandler,                // SIGTERM ended it before it could save
  NoCheckpointAfterNotice,  // it took the signal and saved nothing
  SaveTooSlow,              // it was still at it when the notice was over
  StartedAgain,             // after its save another one was started in its place, and saved a lower step
  ResumedFromZero,          // it was given a checkpoint and began anew
  ResumedFromEarlier,       // it was given a checkpoint and went on from an earlier step
  NoProgress,               // attempt after attempt was given the same checkpoint and saved none further on
  LeftInTheWay,             // it ended with an error that names an incomplete checkpoint of an earlier attempt
  FailedAfterResume,        // it ended with an error behind a resume, before it showed that it went on
  CheckpointLost,           // the volume lacks what the operator knows of
  TrainerFailed,            // it ends with an error by itself
  NotResumed,               // stopped and never run again
  WeightsDiffer,            // it ends with other weights than without interruptions
  WeightsNotCompared,       // that was asked, and could not be answered
};

[[nodiscard]] std::string_view name(Reason reason);

}  // namespace reprise::rehearsal
