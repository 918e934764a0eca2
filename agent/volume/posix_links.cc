#include <filesystem>
#include <system_error>

#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using runtime::Result;
using Names = std::set<std::string>;

// `path` as it is called below `root`, where it is.
void add_below(const fs::path& root, const fs::path& path, Names& names) {
  fs::path relative = path.lexically_normal().lexically_relative(root.lexically_normal());
  if (relative.filename().empty()) relative = relative.parent_path();
  if (!relative.empty() && *relative.begin() != ".." && *relative.begin() != ".") names.insert(relative.string());
}

// Directories that a text enters and leaves again: it leads nowhere without them, though to nothing in them.
void add_left_again(const fs::path& root, const fs::path& link, const fs::path& text, Names& names) {
  std::error_code problem;
  const fs::path begin = fs::canonical(root, problem);
  if (problem) return;
  fs::path at = text.is_absolute() ? text.root_path() : link.parent_path();
  for (const fs::path& part : text.relative_path()) {
    if (part != "..") {
      at /= part;
      continue;
    }
    const fs::path real = fs::canonical(at, problem);
    const bool is_known = !problem;
    Names left;
    add_below(is_known ? begin : root, is_known ? real : at, left);
    for (const std::string& each : left) names.insert(each + "/..");
    at = (is_known ? real : at.lexically_normal()).parent_path();
  }
}

// True for a link whose end cannot be looked at from here.
bool leads_nowhere(const std::error_code& problem) {
  return problem == std::errc::no_such_file_or_directory || problem == std::errc::too_many_symbolic_link_levels ||
         problem == std::errc::not_a_directory || problem == std::errc::permission_denied;
}

// Follows the link's text, and its real end: the text may name the volume by another path.
std::error_code follow(const fs::path& root, const fs::path& link, Names& names) {
  std::error_code problem;
  const fs::path target = fs::read_symlink(link, problem);
  if (problem) return problem;
  add_below(root, link.parent_path() / target, names);
  add_left_again(root, link, target, names);
  const fs::path end = fs::canonical(link, problem);
  if (problem) return leads_nowhere(problem) ? std::error_code() : problem;
  const fs::path begin = fs::canonical(root, problem);
  if (!problem) add_below(begin, end, names);
  return problem;
}

// The ends of the links directly in `directory`, or anywhere below it. Half of them would be taken for all: a link that
// goes away while they are read is a problem too, and so is a file system that hesitates once.
template <class Iterator>
Result<Names> links_in(VolumeCalls& calls, const fs::path& root, const fs::path& directory) {
  Names names;
  std::error_code problem;
  Iterator entry(directory, problem);
  if (problem == std::errc::no_such_file_or_directory || problem == std::errc::not_a_directory) return names;
  while (!problem && entry != Iterator()) {
    calls.begin();
    const bool link = entry->is_symlink(problem);
    if (!problem && link) problem = follow(root, entry->path(), names);
    if (!problem) entry.increment(problem);
  }
  if (problem) return std::unexpected(system_error("look for links in " + directory.string(), problem.value()));
  return names;
}

}  // namespace

bool PosixFiles::may_have_links() const {
  const auto what = kind();
  return !what || !what->object_store;
}

Result<std::optional<fs::path>> PosixFiles::link_text(const fs::path& path) const {
  calls_->begin();
  std::error_code problem;
  fs::path text = fs::read_symlink(path, problem);
  if (!problem) return text;
  const bool is_none = problem == std::errc::invalid_argument || problem == std::errc::no_such_file_or_directory;
  if (is_none) return std::nullopt;
  return std::unexpected(system_error("read the link " + path.string(), problem.value()));
}

Result<void> PosixFiles::relink(const fs::path& link, const fs::path& text) const {
  calls_->begin();
  const fs::path beside = link.parent_path() / ("." + link.filename().string() + ".reprise");
  std::error_code problem;
  fs::remove(beside, problem);  // left by a restore that was killed here
  fs::create_symlink(text, beside, problem);
  if (problem) return std::unexpected(system_error("make the link " + beside.string(), problem.value()));
  if (const int failed = calls_->rename(beside.c_str(), link.c_str()); failed != 0) {
    fs::remove(beside, problem);
    return std::unexpected(system_error("rename " + beside.string(), failed));
  }
  return {};
}

Result<Names> PosixFiles::linked_from(const fs::path& root, const fs::path& directory, Depth depth) const {
  return depth == Depth::Direct ? links_in<fs::directory_iterator>(*calls_, root, directory)
                                : links_in<fs::recursive_directory_iterator>(*calls_, root, directory);
}

}  // namespace reprise::agent
