#include "agent/core/retain/prune.h"

#include "agent/core/fencing/volume_of_others.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
runtime::Result<void> prune(const Volume& volume, const std::string& name) {
  const auto from = volume.layout.root / name;
  const auto to = volume.layout.trash() / VolumeLayout::aside(name);
  if (auto alone = holds_nothing_of_others(volume, name); !alone) return alone;
  if (auto removed = volume.files.remove_tree(to); !removed) return removed;
  if (volume.format->put_aside(volume.files, volume.layout.root, name, to)) return volume.files.remove_tree(to);
  if (auto invalid = volume.format->invalidate(volume.files, from); !invalid) return invalid;
  return volume.files.remove_tree(from);
}

runtime::Result<void> drop_torn(const Volume& volume, const IsOutlived& is_outlived) {
  const auto names = volume.files.list(volume.layout.torn());
  if (!names) return std::unexpected(names.error());
  runtime::Result<void> outcome;
  for (const std::string& name : *names) {
    const std::size_t dot = name.rfind('.');
    const auto attempt = dot == std::string::npos ? std::nullopt : value_of(std::string_view(name).substr(dot + 1));
    if (!attempt) continue;
    const std::string path = VolumeLayout::path_of_aside(name.substr(0, dot));
    if (!is_outlived(path, static_cast<std::int32_t>(*attempt))) continue;
    auto removed = volume.files.remove_tree(volume.layout.torn() / name);
    if (!removed && outcome) outcome = removed;
  }
  return outcome;
}

void empty_trash(const Volume& volume) {
  // A removal that fails is tried again at the next start.
  static_cast<void>(volume.files.remove_tree(volume.layout.trash()));
}

}  // namespace reprise::agent
