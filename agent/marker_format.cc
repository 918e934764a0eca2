#include "agent/marker_format.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "agent/volume_files.h"

namespace reprise::agent {
namespace {

constexpr std::array<const char*, 3> kMarkers{"_COMPLETE", ".complete", "_SUCCESS"};

}  // namespace

runtime::Result<std::optional<runtime::WallTime>> MarkerFormat::completed(
    const std::filesystem::path& directory) const {
  for (const char* marker : kMarkers) {
    const auto file = directory / marker;
    struct stat info {};
    if (::stat(file.c_str(), &info) == 0) {
      if (!S_ISREG(info.st_mode)) continue;
      return runtime::WallTime(std::chrono::seconds(info.st_mtim.tv_sec) +
                               std::chrono::microseconds(info.st_mtim.tv_nsec / 1000));
    }
    // A link that leads to itself is no file either, now or later.
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
      return std::unexpected(system_error("read " + file.string(), errno));
  }
  return std::nullopt;
}

runtime::Result<void> MarkerFormat::invalidate(const std::filesystem::path& directory) const {
  for (const char* marker : kMarkers) {
    const auto file = directory / marker;
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) {
      return std::unexpected(system_error("remove " + file.string(), errno));
    }
  }
  return {};
}

}  // namespace reprise::agent
