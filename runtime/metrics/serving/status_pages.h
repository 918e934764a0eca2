// /statusz and /flagz, as Kubernetes' own components have them (KEP-4827, KEP-4828): what a process is and how it was
// started, for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/metrics/serving/http_server.h"

namespace reprise::runtime {

struct ProcessDescription {
  std::string name, version;
  WallTime started{};
  // The effective flags, also those that were not given. Every permitted reader sees them: no secrets.
  std::vector<std::pair<std::string, std::string>> flags;
};

// GET /statusz and GET /flagz; /statusz names both and the paths of `beside`. `clock` outlives the server.
[[nodiscard]] HttpRoutes status_routes(ProcessDescription process, const HttpRoutes& beside, const Clock& clock);

}  // namespace reprise::runtime
