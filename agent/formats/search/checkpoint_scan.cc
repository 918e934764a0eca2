#include "agent/formats/search/checkpoint_scan.h"

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {

runtime::Result<Checkpoints> scan_checkpoints(const VolumeFiles& files, const CheckpointFormat& format,
                                              const std::filesystem::path& root) {
  const auto there = files.look(root, Links::Follow);
  if (!there) return std::unexpected(there.error());
  if (!*there) return std::unexpected(system_error("read " + root.string(), ENOENT));
  auto names = files.list(root);
  if (!names) return std::unexpected(std::move(names.error()));
  Checkpoints found;
  for (const std::string& name : *names) {
    const auto step = step_of(name);
    if (!step) continue;
    const auto directory = root / name;
    const auto info = files.look(directory, Links::Stay);
    if (!info) return std::unexpected(info.error());
    if (!*info || (*info)->kind != FileInfo::Kind::Directory) continue;  // or gone since the listing
    const auto completed = format.completed(files, directory);
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

runtime::Result<Checkpoints> glance_at_checkpoints(const VolumeFiles& files, const std::filesystem::path& root,
                                                   const CheckpointFormat::Known& known) {
  const auto names = files.list(root);
  if (!names) return std::unexpected(names.error());
  Checkpoints found;
  for (const std::string& name : *names) {
    if (!names_checkpoint(name)) continue;
    const auto is_known = known(name);
    if (!is_known) return std::unexpected(is_known.error());
    if (*is_known) continue;
    const auto info = files.look(root / name, Links::Stay);
    if (!info) return std::unexpected(info.error());
    if (*info && (*info)->kind == FileInfo::Kind::Directory)
      found.push_back({.name = name, .step = step_of(name).value_or(0)});
  }
  std::ranges::sort(found, std::ranges::greater{}, &Checkpoint::step);
  return found;
}

}  // namespace reprise::agent
