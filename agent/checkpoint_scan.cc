#include "agent/checkpoint_scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "agent/checkpoint_name.h"

namespace reprise::agent {

runtime::Result<Checkpoints> scan_checkpoints(const VolumeFiles& files, const CheckpointFormat& format,
                                              const std::filesystem::path& root) {
  struct stat info {};
  if (::stat(root.c_str(), &info) != 0) return std::unexpected(system_error("read " + root.string(), errno));
  auto names = files.list(root);
  if (!names) return std::unexpected(std::move(names.error()));
  Checkpoints found;
  for (const std::string& name : *names) {
    const auto step = step_of(name);
    if (!step) continue;
    const auto directory = root / name;
    if (::lstat(directory.c_str(), &info) != 0) {
      if (errno == ENOENT) continue;  // gone since the listing
      return std::unexpected(system_error("read " + directory.string(), errno));
    }
    if (!S_ISDIR(info.st_mode)) continue;
    const auto completed = format.completed(directory);
    // Somebody else's, and closed to the trainer as well.
    const bool closed = !completed && completed.error().error_class == runtime::ErrorClass::Forbidden;
    if (closed && !names_checkpoint(name)) continue;
    if (!completed) return std::unexpected(completed.error());
    if (!*completed && !names_checkpoint(name)) continue;
    found.push_back({.name = name,
                     .step = *step,
                     .complete = completed->has_value(),
                     .time = completed->value_or(runtime::WallTime{})});
  }
  std::sort(found.begin(), found.end(), [](const Checkpoint& a, const Checkpoint& b) {
    return std::tie(a.step, a.name) > std::tie(b.step, b.name);
  });
  return found;
}

}  // namespace reprise::agent
