// Does a training script survive? Drawn from what was seen, and from nothing else.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/rehearsal/verdict/facts.h"
#include "simulator/rehearsal/verdict/interruptions.h"

namespace reprise::simulator {

enum class Reason {
  CannotStart,              // the command is not there, or cannot be executed
  InitContainerFailed,      // an initContainer kept the trainer from its start
  NothingRehearsed,         // no interruption came
  EndedTooEarly,            // exit 0 without a checkpoint: Reprise takes it for the end of the training
  VolumeFull,               // more was written than the claim asks for
  NeverCheckpoints,         // nothing that looks like a checkpoint anywhere
  OutputElsewhere,          // checkpoints, but not on the volume
  NoMarker,                 // only incomplete checkpoints
  TornCheckpoint,           // what it wrote after the notice was left incomplete
  IgnoresSigterm,           // and saved nothing
  NoHandler,                // SIGTERM ended it before it could save
  NoCheckpointAfterNotice,  // it took the signal and saved nothing
  SaveTooSlow,              // it was still at it when the notice was over
  ResumedFromZero,          // it was given a checkpoint and began anew
  NoProgress,               // attempt after attempt was given the same checkpoint and saved none further on
  FailedAfterResume,        // it ended with an error behind a resume
  CheckpointLost,           // the volume lacks what the operator knows of
  TrainerFailed,            // it ends with an error by itself
  NotResumed,               // stopped and never run again
};

[[nodiscard]] std::string_view name(Reason reason);

struct Finding {
  Reason reason;
  std::string what;    // "after the notice at 31.0 s no new checkpoint came"
  std::string advice;  // what to do
  friend bool operator==(const Finding&, const Finding&) = default;
};

struct Verdict {
  std::vector<Finding> findings;    // empty: it survives; causes before their effects
  std::vector<std::string> advice;  // what could be better though it survives
  // Attempts whose interruption was not survived: a finding is about its end, or about how the next attempt went on;
  // all of them where no finding is about one alone. Empty when it survives.
  std::set<std::size_t> lost;
  [[nodiscard]] bool survived() const { return findings.empty(); }
};

[[nodiscard]] Verdict judge(const JobFacts& job);

}  // namespace reprise::simulator
