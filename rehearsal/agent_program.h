// Checks that a program is the agent, before trainers are put below it.
#pragma once

#include <filesystem>

#include "runtime/base/error.h"

namespace reprise::rehearsal {

// Runs `FILE version`, for at most five seconds. Invalid: names what was found instead.
[[nodiscard]] runtime::Result<void> check_agent(const std::filesystem::path& file);

}  // namespace reprise::rehearsal
