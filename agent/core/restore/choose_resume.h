// Which checkpoint to resume from, what to put aside, whether to reject: a pure decision over one scan.
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
  MadeCheckpoints made{};  // what agents saw appear
  ResumePolicy policy = ResumePolicy::Latest;
  std::optional<std::int64_t> expected_step{};
  std::string expected_checkpoint{};  // its directory; empty: not known
  // The format was named by the user: what is complete by it is a checkpoint, whatever its name. With Auto, data with a
  // marker ("imagenet-2012") is left alone. A volume on which no checkpoint is complete may be written by a trainer
  // whose layout is not known, whatever the format (ResumeChoice::none_complete).
  bool format_is_certain = false;
  // Of ranks with a volume each: what all resume from, whatever is newer on this one. What is newer is put aside, so
  // that a library that looks for itself finds the same. Nothing: this rank's volume alone decides.
  std::optional<protocol::CommonStep> common{};
  // Of saves that are not whole (generations/halves/half_saves.h), with what is torn of them.
  std::set<std::string> halves{};
  std::set<std::string> over{};  // of these, what was written to its end
};

struct ResumeChoice {
  std::optional<Checkpoint> resume;    // nothing: start anew
  std::vector<std::string> put_aside;  // directories to move to the quarantine
  std::vector<std::string> ahead{};    // of these, what the other ranks lack
  std::set<std::string> not_torn{};    // of `put_aside`: in a layout that is not known, and not cut off
  std::vector<std::string> left_out;   // directories that stay where they are, and count no more
  std::string rejection;               // not empty: a person must look first; nothing is moved
  std::string note;                    // worth saying in the record
  std::string step_gone{};             // not empty: the common step is not here; the next attempt asks all ranks again
  // Nothing was complete before either, or a step were expected: the trainer may write in a layout that is not known.
  // Of `put_aside` only what shows a tear by itself is to go.
  bool none_complete = false;
  bool operator==(const ResumeChoice&) const = default;
};

struct ScratchQuestion {
  ResumePolicy policy = ResumePolicy::Latest;
  std::optional<std::int32_t> since{};  // the attempt with which the start from scratch was requested
  Identity self{};
  std::vector<ResumePoint> published{};  // what attempts have said, of this job or another
  MadeCheckpoints made{};                // what agents have seen appear: an attempt that has saved has begun
  // The operator knows of a checkpoint. It forgot what was before that attempt when it began, so this one came since,
  // and a volume that says nothing of it has been emptied.
  bool checkpoint_expected = false;
};

// The policy stays FromScratch for as long as the user leaves it so, but the loss is accepted once: after the first
// attempt that has started so, its checkpoints are what there is to resume.
[[nodiscard]] ResumePolicy policy_in_force(const ScratchQuestion& question);

// Whether one may be resumed from at all.
[[nodiscard]] bool may_be_resumed(const Checkpoint& checkpoint, const MadeCheckpoints& made, bool format_is_certain);

[[nodiscard]] ResumeChoice choose_resume(const ResumeQuestion& question);

}  // namespace reprise::agent
