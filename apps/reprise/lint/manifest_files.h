// The manifests below a directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::apps::lint {

struct ManifestFiles {
  std::vector<std::string> files;     // *.yaml, *.yml, *.json, in the order of their names
  std::vector<std::string> problems;  // what could not be looked at, and why
};

// Links to files are followed, links to directories are not. What cannot be looked at does not hide the rest; a
// directory without any manifest is a problem, too.
[[nodiscard]] ManifestFiles manifest_files(const std::filesystem::path& directory);

}  // namespace reprise::apps::lint
