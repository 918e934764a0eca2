// Finds where a link leads by its text, as the system follows it: "..", behind a link, is above what that link leads
// to.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/run/volume.h"

namespace reprise::agent {

struct LinkEnd {
  std::optional<std::string> to{};     // below the root, and perhaps a link itself; empty: it leads out of the volume
  std::vector<std::string> through{};  // directories that it enters and leaves again: "step_20" of "step_20/../step_10"
};

// `link`: its path below the root.
[[nodiscard]] LinkEnd end_of_link(const Volume& volume, const std::string& link, const std::filesystem::path& text);

}  // namespace reprise::agent
