// The manifests below a directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::apps::lint {

struct ManifestFiles {
  std::vector<std::string> files;     // *.yaml, *.yml, *.json, in the order of their names
  std::vector<std::string> problems;  // directories that could not be read, and why
};

// Links to files are followed, links to directories are not. A directory that cannot be read does not hide the rest; a
// directory without any manifest is a problem, too.
[[nodiscard]] ManifestFiles manifest_files(const std::filesystem::path& directory);

}  // namespace reprise::apps::lint
