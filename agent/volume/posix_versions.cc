// Files that are written again and again, where a mount lets nothing be written twice: each time under a new name.
#include <fcntl.h>
#include <sys/stat.h>

#include <string>

#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

using runtime::Result;

bool is_there(const std::filesystem::path& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

}  // namespace

std::filesystem::path version_of(const std::filesystem::path& path, std::int64_t number) {
  auto name = path;
  if (number > 0) name += "." + std::to_string(number);
  return name;
}

std::optional<std::filesystem::path> PosixFiles::below_root(const Path& path) const {
  std::string_view root = root_.native();
  while (root.ends_with('/')) root.remove_suffix(1);
  const std::string_view text = path.native();
  if (text.size() < root.size() + 2 || !text.starts_with(root) || text[root.size()] != '/') return std::nullopt;
  return Path(text.substr(root.size() + 1));
}

// There are no gaps: in few calls, also among thousands.
std::optional<std::int64_t> PosixFiles::last_version(const Path& path) const {
  const auto known = kind();
  if (!known || !known->new_names) return std::nullopt;
  const auto relative = below_root(path);
  if (!relative || !is_own(*relative)) return std::nullopt;
  std::int64_t last = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = last_versions_.find(path); found != last_versions_.end()) last = found->second;
  }
  std::int64_t step = 1;
  for (; is_there(version_of(path, last + step)); step *= 2) last += step;
  for (step /= 2; step > 0; step /= 2)
    if (is_there(version_of(path, last + step))) last += step;
  if (last > 0) {
    const std::lock_guard lock(mutex_);
    last_versions_[path] = last;
  }
  return last;
}

// The mount may allow it after all.
Result<void> PosixFiles::write_version(const Path& path, std::int64_t last, std::string_view text, Sync sync) const {
  auto written = fill(version_of(path, last), O_WRONLY | O_CREAT | O_TRUNC, text, sync);
  if (written || written.error().error_class != runtime::ErrorClass::Forbidden) return written;
  return fill(version_of(path, last + 1), O_WRONLY | O_CREAT | O_EXCL, text, sync);
}

}  // namespace reprise::agent
