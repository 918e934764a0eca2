#include "rehearsal/processes/private_root.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "rehearsal/processes/system_error.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using runtime::Result;

bool lies_below(const fs::path& path, const fs::path& ancestor) {
  const auto [left, rest] = std::mismatch(ancestor.begin(), ancestor.end(), path.begin(), path.end());
  return left == ancestor.end() && rest != path.end();
}

Result<void> bind(const fs::path& source, const fs::path& at) {
  if (::mount(source.c_str(), at.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0) return {};
  return std::unexpected(system_error("mount " + source.string() + " at " + at.string(), errno));
}

Result<void> make_place(const fs::path& at, bool directory) {
  std::error_code problem;
  fs::create_directories(directory ? at : at.parent_path(), problem);
  if (problem) return std::unexpected(system_error("make " + at.string(), problem.value()));
  if (directory) return {};
  const int fd = ::open(at.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return std::unexpected(system_error("make " + at.string(), errno));
  ::close(fd);
  return {};
}

// Shows the content of `from` at `to`, with room for the missing places.
Result<void> show(const fs::path& from, const fs::path& to, const std::vector<fs::path>& missing) {
  std::error_code problem;
  std::error_code unread;
  for (fs::directory_iterator each(from, unread); !unread && each != fs::directory_iterator(); each.increment(unread)) {
    const fs::directory_entry& entry = *each;
    const fs::path& path = entry.path();
    const fs::path shown = to / path.filename();
    if (entry.is_symlink(problem)) {
      fs::copy_symlink(path, shown, problem);
      continue;
    }
    const bool directory = entry.is_directory(problem);
    if (!directory && !entry.is_regular_file(problem)) continue;
    if (auto made = make_place(shown, directory); !made) return made;
    const bool opened =
        directory && std::ranges::any_of(missing, [&](const fs::path& at) { return lies_below(at, path); });
    if (auto done = opened ? show(path, shown, missing) : bind(path, shown); !done) return done;
  }
  return {};
}

Result<void> mount_one(const Mount& mount, const fs::path& at) {
  std::error_code ignored;
  if (auto made = make_place(at, fs::is_directory(mount.source, ignored)); !made) return made;
  if (auto bound = bind(mount.source, at); !bound) return bound;
  // May fail where the mount below has flags that only its owner may change; then it stays writable.
  if (mount.read_only) std::ignore = ::mount(nullptr, at.c_str(), nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY, nullptr);
  return {};
}

}  // namespace

Result<void> mount_all(std::vector<Mount> mounts, const fs::path& scratch) {
  std::error_code ignored;
  // A mount inside another volume comes after it.
  std::ranges::sort(mounts, {}, &Mount::at);
  std::vector<fs::path> places, missing;
  for (const Mount& mount : mounts) {
    places.push_back(fs::weakly_canonical(mount.at, ignored));
    if (!fs::exists(places.back(), ignored)) missing.push_back(places.back());
  }
  fs::path root = "/";
  if (!missing.empty()) {
    root = scratch;
    if (::mount("tmpfs", scratch.c_str(), "tmpfs", MS_NOSUID, "mode=0755") != 0)
      return std::unexpected(system_error("mount a file system at " + scratch.string(), errno));
    if (auto shown = show("/", scratch, missing); !shown) return shown;
  }
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    if (auto done = mount_one(mounts[i], root / places[i].relative_path()); !done) return done;
  }
  if (missing.empty()) return {};
  if (::chroot(root.c_str()) != 0 || ::chdir("/") != 0)
    return std::unexpected(system_error("make " + root.string() + " the root", errno));
  return {};
}

}  // namespace reprise::rehearsal
