// Manifests broken as people break them: by a seed, the same one each time.
#pragma once

#include <string>
#include <string_view>

namespace reprise::apps::lint {

// One to three of: a key misspelt, the same member once more under a misspelt key, a comment between a dash and what
// belongs to it, a line that is gone, a value of another type, Windows' ends of lines.
[[nodiscard]] std::string broken(std::string_view manifest, unsigned seed);

}  // namespace reprise::apps::lint
