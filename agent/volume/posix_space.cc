// How much room the file system has for this user, as it says itself.
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

// Mounts of object stores answer with whatever they like.
constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::int64_t bounded(std::uint64_t count, std::uint64_t unit) {
  return static_cast<std::int64_t>(unit != 0 && count > kMost / unit ? kMost : count * unit);
}

}  // namespace

std::optional<FreeSpace> VolumeCalls::free_space(const char* path) {
  struct statvfs info {};
  if (::statvfs(path, &info) != 0 || info.f_blocks == 0) return std::nullopt;
  FreeSpace free{.bytes = bounded(info.f_bavail, info.f_frsize)};
  if (info.f_files != 0) free.files = bounded(info.f_favail, 1);
  return free;
}

std::optional<FreeSpace> PosixFiles::free_space(const Path& root) const {
  return calls_->free_space(root.c_str());
}

}  // namespace reprise::agent
