// A move, and what is left of it under the old name: a mount of several file systems may move a part, and say 0.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

using runtime::Result;

std::optional<std::uint64_t> inode_at(const std::filesystem::path& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  return info.st_ino;
}

}  // namespace

Result<void> PosixFiles::move(const Path& from, const Path& to) const {
  calls_->begin();
  if (auto made = make_directories(to.parent_path()); !made) return made;
  if (inode_at(to)) return std::unexpected(system_error("rename to " + to.string(), EEXIST));
  const Listing before{.inode = inode_at(from).value_or(0), .names = list(from).value_or(std::vector<std::string>())};
  if (const int problem = calls_->rename(from.c_str(), to.c_str()); problem != 0) {
    return std::unexpected(system_error("rename " + from.string(), problem));
  }
  if (auto moved = look_after_move(from, to, before); !moved) return moved;
  if (auto synced = sync_directory(to.parent_path()); !synced) return synced;
  return sync_directory(from.parent_path());
}

// A trainer that saves again may have made the old name anew by now: that is another directory, with nothing in it that
// was there.
Result<void> PosixFiles::look_after_move(const Path& from, const Path& to, const Listing& before) const {
  const auto inode = inode_at(from);
  if (!inode) return {};
  const auto names = list(from).value_or(std::vector<std::string>());
  const bool was_there = std::ranges::any_of(
      names, [&](const std::string& each) { return std::ranges::binary_search(before.names, each); });
  if (*inode != before.inode && !was_there) return {};
  const std::string what = "rename " + from.string() + ": the volume said that it was done";
  // Half of it under each name would be found again by nobody.
  if (calls_->rename(to.c_str(), from.c_str()) == 0 && !inode_at(to))
    return runtime::fail(runtime::ErrorClass::Unavailable, what + ", and a part had not moved; it was undone");
  return runtime::fail(runtime::ErrorClass::Unavailable, what + ", and a part of it lies in " + to.string());
}

}  // namespace reprise::agent
