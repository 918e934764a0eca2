#include "agent/linked_checkpoints.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using runtime::Result;
using Names = std::set<std::string>;

// The first part of `path` below `root`.
void add_part_below(const fs::path& root, const fs::path& path, Names& names) {
  const fs::path relative = path.lexically_normal().lexically_relative(root.lexically_normal());
  if (!relative.empty() && *relative.begin() != ".." && *relative.begin() != ".") names.insert(*relative.begin());
}

// By what the link says, and by where it really ends: its text may name the volume by another path.
void follow(const fs::path& root, const fs::path& link, Names& names) {
  std::error_code problem;
  if (const fs::path target = fs::read_symlink(link, problem); !problem)
    add_part_below(root, link.parent_path() / target, names);
  const fs::path end = fs::canonical(link, problem);
  if (problem) return;
  if (const fs::path begin = fs::canonical(root, problem); !problem) add_part_below(begin, end, names);
}

// Of the links directly in `directory`, or anywhere below it.
template <class Iterator>
Result<Names> links_in(const fs::path& root, const fs::path& directory) {
  Names names;
  std::error_code problem;
  Iterator entry(directory, problem);
  for (; !problem && entry != Iterator(); entry.increment(problem)) {
    std::error_code gone;
    if (entry->is_symlink(gone)) follow(root, entry->path(), names);
  }
  if (problem && problem != std::errc::no_such_file_or_directory)
    return std::unexpected(system_error("look for links in " + directory.string(), problem.value()));
  return names;
}

}  // namespace

Result<std::vector<std::string>> spare_linked(const Volume& volume, const Checkpoints& found,
                                              std::vector<std::string> pruned) {
  if (pruned.empty()) return pruned;
  const fs::path& root = volume.layout.root;
  auto needed = links_in<fs::directory_iterator>(root, root);
  if (!needed) return std::unexpected(needed.error());
  Names followed;
  for (bool grown = true; grown;) {
    grown = false;
    std::erase_if(pruned, [&](const std::string& name) { return needed->contains(name); });
    for (const Checkpoint& each : found) {
      const bool stays = std::ranges::find(pruned, each.name) == pruned.end();
      if (!stays || !followed.insert(each.name).second) continue;
      auto more = links_in<fs::recursive_directory_iterator>(root, root / each.name);
      if (!more) return std::unexpected(more.error());
      needed->merge(*more);
      grown = true;
    }
  }
  return pruned;
}

}  // namespace reprise::agent
