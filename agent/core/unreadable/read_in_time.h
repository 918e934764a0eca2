// All bytes of a checkpoint before it is offered, for ten minutes at most. The trainer that reads it next finds it in
// the memory of its machine.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/run/identity.h"
#include "agent/core/run/volume.h"
#include "agent/formats/checkpoint.h"
#include "agent/formats/structure/flaw.h"
#include "agent/formats/verify/read_everything.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

// The machine's time, for reads that are bounded in time; empty: none is.
using Now = std::function<runtime::Instant()>;

// The time that a start has for all that it reads, from the first byte on.
class ReadingTime {
 public:
  explicit ReadingTime(Now now) : now_(std::move(now)) {}
  [[nodiscard]] runtime::Instant now() const { return now_ ? now_() : runtime::Instant(); }
  [[nodiscard]] bool is_over();

 private:
  Now now_;
  std::optional<runtime::Instant> begun_{};
};

struct ReadInTime {
  // Empty: the checkpoint could not be read to its end, which says nothing of it.
  std::optional<FullRead> read{};
  std::string said{};          // for people: how long that took
  bool took_a_moment = false;  // a second at least
};
// Sums that do not hold are compared once more: a single bad read of a sound volume must not cost a checkpoint.
[[nodiscard]] ReadInTime read_in_time(const Volume& volume, const Checkpoint& checkpoint, ReadingTime& time);

// After an end that nobody saw. Only sums that do not hold, or bytes that are lost, are a flaw; by the former it is set
// aside as damaged.
[[nodiscard]] std::optional<Flaw> flaw_in_all_bytes(const Volume& volume, const Identity& self,
                                                    const Checkpoint& checkpoint, ReadingTime& time,
                                                    std::vector<std::string>& notes);

}  // namespace reprise::agent
