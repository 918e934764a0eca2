// Does a training script survive? Drawn from what was seen, and from nothing else.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rehearsal/verdict/facts.h"
#include "rehearsal/verdict/interruptions.h"

namespace reprise::rehearsal {

enum class Reason {
  CannotStart,              // the command is not there, or cannot be executed
  InitContainerFailed,      // an initContainer kept the trainer from its start
  NothingRehearsed,         // no interruption came
  EndedTooEarly,            // exit 0 without a checkpoint: Reprise takes it for the end of the training
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
  ResumedFromZero,          // it was given a checkpoint and began anew
  ResumedFromEarlier,       // it was given a checkpoint and went on from an earlier step
  NoProgress,               // attempt after attempt was given the same checkpoint and saved none further on
  FailedAfterResume,        // it ended with an error behind a resume, before it showed that it went on
  CheckpointLost,           // the volume lacks what the operator knows of
  TrainerFailed,            // it ends with an error by itself
  NotResumed,               // stopped and never run again
  WeightsDiffer,            // it ends with other weights than without interruptions
  WeightsNotCompared,       // that was asked, and could not be answered
};

[[nodiscard]] std::string_view name(Reason reason);

struct Finding {
  Reason reason;
  std::string what;    // "after the notice at 31.0 s no new checkpoint came"
  std::string advice;  // what to do
  bool open = false;   // it says nothing about the script, neither good nor bad
  friend bool operator==(const Finding&, const Finding&) = default;
};

struct Verdict {
  std::vector<Finding> findings;    // empty: it survives; causes before their effects
  std::vector<std::string> advice;  // what could be better though it survives
  // Attempts whose interruption was not survived: a finding is about its end, or about how the next attempt went on;
  // all of them where no finding is about one alone. Empty when it survives, and when it failed by itself with all of
  // them behind it.
  std::set<std::size_t> lost;
  // Whatever comes later takes no finding back.
  bool settled = false;
  [[nodiscard]] bool survived() const { return findings.empty(); }
  // Nothing was shown about the script: each finding is about something else.
  [[nodiscard]] bool open() const;
};

[[nodiscard]] Verdict judge(const JobFacts& job);

}  // namespace reprise::rehearsal
