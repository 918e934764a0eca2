// Chooses the checkpoint to resume from, those to put aside, and whether to reject: a pure decision over one scan.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/core/restore/resume_point.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/identity.h"
#include "agent/core/watch/made_checkpoints.h"
#include "agent/formats/checkpoint.h"
#include "protocol/common_checkpoint.h"

namespace reprise::agent {

struct ResumeQuestion {
  Checkpoints found{};     // newest first (checkpoint_order.h)
  MadeCheckpoints made{};  // checkpoints that agents saw appear
  ResumePolicy policy = ResumePolicy::Latest;
  std::optional<std::int64_t> expected_step{};
  std::string expected_checkpoint{};  // its directory; empty: not known
  // The format was named by the user: what is complete by it is a checkpoint, whatever its name. With Auto, data with a
  // marker ("imagenet-2012") is left alone. A volume on which no checkpoint is complete may be written by a trainer
  // whose layout is not known, whatever the format (ResumeChoice::none_complete).
  bool format_is_certain = false;
  // The step that ranks with a volume each all resume from, whatever is newer on this one. Newer ones are put aside, so
  // that a library that looks for itself finds the same. Empty: this rank's volume alone decides.
  std::optional<protocol::CommonStep> common{};
  // The parts of saves that are not whole (generations/halves/half_saves.h), with what is torn of them.
  std::set<std::string> halves{};
  std::set<std::string> over{};  // the ones of these that were written to their end
};

struct ResumeChoice {
  std::optional<Checkpoint> resume;    // empty: start anew
  std::vector<std::string> put_aside;  // directories to move to the quarantine
  std::vector<std::string> ahead{};    // the ones of these that the other ranks lack
  std::set<std::string> not_torn{};    // parts of `put_aside` in a layout that is not known, and not cut off
  std::vector<std::string> left_out;   // directories that stay where they are, and count no more
  std::string rejection;               // not empty: a person must look first; nothing is moved
  std::string note;                    // worth saying in the record
  std::string step_gone{};             // not empty: the common step is not here; the next attempt asks all ranks again
  // No checkpoint was complete before either, or else a step would be expected: the trainer may write in a layout that
  // is not known. Only those of `put_aside` that show a tear by themselves are to go.
  bool none_complete = false;
  bool operator==(const ResumeChoice&) const = default;
};

struct ScratchQuestion {
  ResumePolicy policy = ResumePolicy::Latest;
  std::optional<std::int32_t> since{};  // the attempt with which the start from scratch was requested
  Identity self{};
  std::vector<ResumePoint> published{};  // resume points of attempts, of this job or another
  MadeCheckpoints made{};                // checkpoints that agents have seen appear: an attempt that has saved has
                                         // begun
  // The operator knows of a checkpoint. It forgot what was before that attempt when it began, so this one came since,
  // and a volume that says nothing of it has been emptied.
  bool checkpoint_expected = false;
};

// The policy stays FromScratch for as long as the user leaves it so, but the loss is accepted once: after the first
// attempt that has started so, its checkpoints are what there is to resume.
[[nodiscard]] ResumePolicy policy_in_force(const ScratchQuestion& question);

// True if a checkpoint may be resumed from at all.
[[nodiscard]] bool may_be_resumed(const Checkpoint& checkpoint, const MadeCheckpoints& made, bool format_is_certain);

[[nodiscard]] ResumeChoice choose_resume(const ResumeQuestion& question);

}  // namespace reprise::agent
