#include "agent/core/prune.h"

namespace reprise::agent {
runtime::Result<void> prune(const Volume& volume, const std::string& name) {
  const auto from = volume.layout.root / name;
  const auto to = volume.layout.trash() / VolumeLayout::aside(name);
  if (auto removed = volume.files.remove_tree(to); !removed) return removed;
  if (volume.format->put_aside(volume.files, volume.layout.root, name, to)) return volume.files.remove_tree(to);
  if (auto invalid = volume.format->invalidate(volume.files, from); !invalid) return invalid;
  return volume.files.remove_tree(from);
}

runtime::Result<void> drop_torn(const Volume& volume, std::optional<std::int32_t> not_by) {
  const auto names = volume.files.list(volume.layout.torn());
  if (!names) return std::unexpected(names.error());
  runtime::Result<void> outcome;
  for (const std::string& name : *names) {
    if (not_by && name.ends_with("." + std::to_string(*not_by))) continue;
    const auto directory = volume.layout.torn() / name;
    const auto completed = volume.format->completed(volume.files, directory);
    if (!completed && outcome) outcome = std::unexpected(completed.error());
    if (!completed || *completed) continue;
    auto removed = volume.files.remove_tree(directory);
    if (!removed && outcome) outcome = removed;
  }
  return outcome;
}

void empty_trash(const Volume& volume) {
  // What fails is tried again at the next start.
  static_cast<void>(volume.files.remove_tree(volume.layout.trash()));
}

}  // namespace reprise::agent
