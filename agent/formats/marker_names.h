// The files that say, each by its name alone, that all of a checkpoint has been written.
#pragma once

#include <array>
#include <string_view>

namespace reprise::agent {

inline constexpr std::array<std::string_view, 3> kMarkers{"_COMPLETE", ".complete", "_SUCCESS"};

}  // namespace reprise::agent
