// Finds the attempts that can still have a writer. The agent that keeps the volume publishes the checkpoint to resume
// from only after every other writer has ended or fallen silent, behind a fence that they see with their next
// heartbeat: all earlier attempts are settled and need not be read again, however many attempts there were.
#pragma once

#include <optional>
#include <string_view>

#include "agent/core/fencing/attempt_span.h"
#include "agent/core/fencing/fence.h"
#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

// `published`: the attempt that the fence names has said what to resume from. Without it: what was open when the fence
// was raised. Every attempt where nothing is known. Pure.
[[nodiscard]] AttemptSpans open_attempts(const std::optional<Fence>& fence, bool published, const Identity& self);

// The open attempts of one fence and of the one that was raised over it, together. Pure.
[[nodiscard]] AttemptSpans all_open_of(AttemptSpans one, const AttemptSpans& other);

// True if the attempt that the fence names has published; one call to the volume.
[[nodiscard]] runtime::Result<bool> has_published(const Volume& volume, const std::optional<Fence>& fence);

// True if a directory in .reprise/attempts is open: one whose name is no number is open too.
[[nodiscard]] bool is_open(const AttemptSpans& open, std::string_view directory);

}  // namespace reprise::agent
