// A command of the agent works on this: its environment, and the volume that this names.
#pragma once

#include <memory>
#include <optional>

#include "agent/core/run/environment.h"
#include "agent/core/run/host.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {

struct OpenedVolume {
  Environment env;
  std::shared_ptr<const Volume> volume;
};

// Empty where the environment is wrong, after `host` has said what is.
[[nodiscard]] std::optional<OpenedVolume> open_volume(Host& host);

}  // namespace reprise::agent
