// All files together: what is found in them, and their texts as mended.
#pragma once

#include <string>
#include <vector>

#include "apps/reprise/lint/finding.h"

namespace reprise::apps::lint {

struct File {
  std::string name, text;
};

[[nodiscard]] std::vector<Finding> check_files(const std::vector<File>& files);
// Mended again and again, for a mend may show what else is wrong, up to a few times.
[[nodiscard]] std::vector<File> mended(std::vector<File> files);

}  // namespace reprise::apps::lint
