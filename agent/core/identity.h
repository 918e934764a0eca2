// Who this agent is on the volume.
#pragma once

#include <cstdint>
#include <string>

namespace reprise::agent {

struct Identity {
  std::string job_uid;
  std::string pod_uid;
  std::int32_t attempt = 0;
  std::int32_t index = 0;
};

}  // namespace reprise::agent
