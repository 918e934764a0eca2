// Decides which torn checkpoints are taken for such where the user names no format. Torn ones may be moved and deleted;
// one that only looks torn may be whole, in a layout that nobody here knows (accelerate's, diffusers', an own one), or
// no checkpoint at all. Pure.
#pragma once

#include "agent/formats/checkpoint.h"

namespace reprise::agent {

// Leaves out the torn ones that no complete one is like: in the same place and named alike but for numbers, or, as the
// Marker format has always had it, both directly in the root and known by a marker or a name alone. A step that Orbax
// has not renamed yet is named as it will be. Where nothing is complete all stay: nothing is moved there either
// (ResumeQuestion::format_is_certain).
[[nodiscard]] Checkpoints without_unlike_complete(Checkpoints found);

// The same of those alone that lie below the root of the volume.
[[nodiscard]] Checkpoints without_unlike_below_root(Checkpoints found);

}  // namespace reprise::agent
