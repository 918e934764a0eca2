// All bytes of a checkpoint before it is offered, for ten minutes at most. The trainer that reads it next finds it in
// the memory of its machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/identity.h"
#include "agent/core/volume.h"
#include "agent/formats/checkpoint.h"
#include "agent/formats/read_everything.h"
#include "agent/formats/structure/flaw.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// Of the machine, for what is bounded in time; empty: nothing is.
using Now = std::function<runtime::Instant()>;

struct ReadInTime {
  // Nothing: it could not be read to its end, which says nothing of it.
  std::optional<FullRead> read{};
  std::string said{};          // for people: how long that took
  bool took_a_moment = false;  // a second at least
};
// Sums that do not hold are compared once more: a single bad read of a sound volume must not cost a checkpoint.
[[nodiscard]] ReadInTime read_in_time(const Volume& volume, const Checkpoint& checkpoint, const Now& now);

// After an end that nobody saw. Only sums that do not hold, or bytes that are lost, are a flaw; by the former it is set
// aside as damaged.
[[nodiscard]] std::optional<Flaw> flaw_in_all_bytes(const Volume& volume, const Identity& self,
                                                    const Checkpoint& checkpoint, const Now& now,
                                                    std::vector<std::string>& notes);

}  // namespace reprise::agent
