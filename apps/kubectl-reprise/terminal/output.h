// -o json, yaml and name, the same for every command that shows objects.
#pragma once

#include <string>
#include <vector>

#include "apps/kubectl-reprise/terminal/json.h"

namespace reprise::plugin {

// Empty for other formats. One object by itself, several as a List; `one`: somebody named exactly one.
[[nodiscard]] std::optional<std::string> objects_as(const std::string& format, const std::vector<Json>& objects,
                                                    bool one);

}  // namespace reprise::plugin
