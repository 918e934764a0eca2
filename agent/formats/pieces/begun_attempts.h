// When attempts began on a volume, by its own clock: by that a piece is told from one of another life of its step, and
// one that an attempt was ended in from one behind which it went on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "agent/volume/volume_files.h"
#include "runtime/base/clock.h"

namespace reprise::agent {

struct BegunAttempt {
  runtime::WallTime began{};
  std::optional<std::int64_t> resumed_from{};  // empty: its trainer began anew, or has chosen by itself
};
using BegunAttempts = std::vector<BegunAttempt>;
using BegunByNumber = std::map<std::int64_t, BegunAttempt>;

// Adds the last ones that are not known yet: an attempt publishes once, before its trainer begins. What cannot be read
// is left out.
void read_begun(const VolumeFiles& files, const std::filesystem::path& root, BegunByNumber& known);

}  // namespace reprise::agent
