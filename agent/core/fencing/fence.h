// The fence, .reprise/fence.json: which attempt of which job owns the volume. Index 0 raises it at its start and nobody
// ever lowers it; an agent that sees a newer attempt there ends its trainer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/fencing/attempt_span.h"
#include "agent/core/run/identity.h"
#include "agent/volume/volume_files.h"
#include "agent/volume/volume_layout.h"

namespace reprise::agent {

struct Fence {
  std::string job_uid;
  std::int32_t attempt = 0;
  // The attempts that were looked at before it was raised; what is not among them was settled (open_attempts.h).
  AttemptSpans open = std::nullopt;
  bool operator==(const Fence&) const = default;
};

[[nodiscard]] std::string encode_fence(const Fence& fence);
[[nodiscard]] std::optional<Fence> decode_fence(std::string_view text);

// Watches the fence on behalf of one agent: pure, fed with what was read.
class FenceJudge {
 public:
  explicit FenceJudge(Identity self) : self_(std::move(self)) {}

  // Says why this agent may not write any more; empty while it may. Another job's fence counts only after this job's
  // own was seen: before, it is what that job left behind.
  [[nodiscard]] std::string judge(const std::optional<Fence>& fence);

 private:
  Identity self_;
  bool own_seen_ = false;
};

// Empty when there is none. A text that is no fence is an Invalid error: it may be half of a newer one, and fences
// until it can be read.
[[nodiscard]] runtime::Result<std::optional<Fence>> read_fence(const VolumeFiles& files, const VolumeLayout& layout);
// Never lowers: leaves a fence of the same job that is as high or higher. `found`: as it was read before.
struct RaisedOver {
  std::optional<Fence> found;
  AttemptSpans open = std::nullopt;
};
[[nodiscard]] runtime::Result<void> raise_over(const VolumeFiles& files, const VolumeLayout& layout,
                                               const Identity& self, const RaisedOver& over);
enum class DamagedFence { Leave, Replace };
// The same, over the one that is there. Gives the fence that it found. Replace: for
// whoever had raised it, and has seen it stay damaged.
[[nodiscard]] runtime::Result<std::optional<Fence>> raise_fence(const VolumeFiles& files, const VolumeLayout& layout,
                                                                const Identity& self,
                                                                const AttemptSpans& open = std::nullopt,
                                                                DamagedFence damaged = DamagedFence::Leave);

}  // namespace reprise::agent
