// The identity of this agent on the volume.
#pragma once

#include <cstdint>
#include <string>

namespace reprise::agent {

// The size of an attempt's gang.
struct GangSize {
  std::int32_t ranks = 0;    // 0: not known
  std::int32_t devices = 0;  // GPUs of each; 0: none, or not known
  bool operator==(const GangSize&) const = default;
  // One for each GPU, where the GPUs are known.
  [[nodiscard]] std::int64_t processes() const { return std::int64_t{ranks} * (devices > 0 ? devices : 1); }
  // One process by all that is known: no name with the number of a rank is another rank's.
  [[nodiscard]] bool is_alone() const { return ranks == 1 && devices <= 1; }
};

struct Identity {
  std::string job_uid;
  std::string pod_uid;
  std::int32_t attempt = 0;
  std::int32_t index = 0;
  GangSize gang{};
};

}  // namespace reprise::agent
