// The text of .reprise/attempts/<attempt>/<index>.alive: a counter and whose it is. Readers look whether it changes, or
// the time of the file; they compare no clocks. Always of the same length, so that a full volume can still take it in
// place.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/core/run/identity.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

// The longest that REPRISE_HEARTBEAT_SECONDS takes; a file that says more is damaged, and is read as this.
inline constexpr std::chrono::milliseconds kLongestHeartbeatPeriod{10'000'000'000};

struct Heartbeat {
  Identity who;
  std::uint64_t counter = 0;
  std::chrono::milliseconds period{};  // how often its writer renews it
};

[[nodiscard]] std::string encode_heartbeat(const Heartbeat& heartbeat);
[[nodiscard]] std::optional<Heartbeat> decode_heartbeat(std::string_view text);

// True if the time of a file there is the one that its writer has given it: some mounts by FUSE make one up each time.
[[nodiscard]] bool moves_by_time(const VolumeFiles& files);

}  // namespace reprise::agent
