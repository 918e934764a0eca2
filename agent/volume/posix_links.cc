#include <filesystem>
#include <system_error>

#include "agent/volume/posix_files.h"

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

Result<Names> PosixFiles::linked_from(const fs::path& root, const fs::path& directory, Depth depth) const {
  return depth == Depth::Direct ? links_in<fs::directory_iterator>(root, directory)
                                : links_in<fs::recursive_directory_iterator>(root, directory);
}

}  // namespace reprise::agent
