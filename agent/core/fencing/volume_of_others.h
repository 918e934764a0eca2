// A checkpoint in which another job's volume lies: neither is moved or deleted with the other.
#pragma once

#include <string>

#include "agent/core/run/volume.h"

namespace reprise::agent {

// An error, `Conflict` among others, when something named `.reprise` lies below that directory, or when that cannot be
// told: then it stays.
[[nodiscard]] runtime::Result<void> holds_nothing_of_others(const Volume& volume, const std::string& name);

}  // namespace reprise::agent
