// Reasons why a training script does not survive, or could not be judged. docs/rehearse.md has a row for each.
#pragma once

#include <string_view>

namespace reprise::rehearsal {

enum class Reason {
  CannotStart,              // the command is not there, or cannot be executed
  InitContainerFailed,      // an initContainer kept the trainer from its start
  NothingRehearsed,         // no interruption came
  EndedTooEarly,            // exit 0 without a checkpoint: Reprise takes it for the end of the training
  EndedInError,             // exit 0, and the last line printed is an error
  EndedShort,               // exit 0 far from the last step, by its own count
  VolumeFull,               // more was written than the claim asks for
  DiskFull,                 // a disk of this machine: the script cannot be judged
  NeverCheckpoints,         // no file that looks like a checkpoint anywhere
  OutputElsewhere,          // checkpoints, but not on the volume
  NoMarker,                 // only incomplete checkpoints
  TornCheckpoint,           // the save after the notice was left incomplete
  IgnoresSigterm,           // ignored SIGTERM and saved nothing
  NoHandler,                // SIGTERM ended it before it could save
  NoCheckpointAfterNotice,  // took the signal and saved nothing
  SaveTooSlow,              // still saved when the notice was over
  StartedAgain,             // another trainer was started in its place after its save, and saved a lower step
  ResumedFromZero,          // was given a checkpoint and began anew
  ResumedFromEarlier,       // was given a checkpoint and went on from an earlier step
  NoProgress,               // attempt after attempt was given the same checkpoint and saved none further on
  LeftInTheWay,             // ended with an error that names an incomplete checkpoint of an earlier attempt
  FailedAfterResume,        // ended with an error behind a resume, before it showed that it went on
  CheckpointLost,           // the volume lacks a checkpoint that the operator knows
  TrainerFailed,            // ends with an error by itself
  NotResumed,               // stopped and never run again
  WeightsDiffer,            // ends with other weights than without interruptions
  WeightsNotCompared,       // the comparison was asked for, and could not be made
};

[[nodiscard]] std::string_view name(Reason reason);

}  // namespace reprise::rehearsal
