#include "apps/reprise/lint/manifest_files.h"

#include <algorithm>
#include <system_error>

namespace reprise::apps::lint {
namespace {

namespace fs = std::filesystem;

bool is_manifest(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

void cannot_be_read(const fs::path& path, const std::error_code& problem, ManifestFiles& found) {
  found.problems.push_back(path.string() + ": cannot be read: " + problem.message());
}

void look_at(const fs::directory_entry& entry, std::vector<fs::path>& directories, ManifestFiles& found) {
  std::error_code problem;
  const fs::file_type type = entry.symlink_status(problem).type();
  if (type == fs::file_type::directory) {
    directories.push_back(entry.path());
    return;
  }
  if (!is_manifest(entry.path())) return;
  const bool regular = entry.is_regular_file(problem);
  if (problem)
    cannot_be_read(entry.path(), problem, found);
  else if (regular)
    found.files.push_back(entry.path().string());
}

}  // namespace

ManifestFiles manifest_files(const fs::path& directory) {
  ManifestFiles found;
  std::vector<fs::path> directories{directory};
  while (!directories.empty()) {
    const fs::path current = std::move(directories.back());
    directories.pop_back();
    std::error_code problem;
    fs::directory_iterator each(current, problem);
    for (const fs::directory_iterator end; !problem && each != end; each.increment(problem))
      look_at(*each, directories, found);
    if (problem) cannot_be_read(current, problem, found);
  }
  if (found.files.empty() && found.problems.empty())
    found.problems.push_back(directory.string() + ": holds no file *.yaml, *.yml or *.json");
  std::ranges::sort(found.files);
  std::ranges::sort(found.problems);
  return found;
}

}  // namespace reprise::apps::lint
