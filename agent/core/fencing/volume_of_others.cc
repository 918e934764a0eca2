#include "agent/core/fencing/volume_of_others.h"

#include <filesystem>
#include <utility>
#include <vector>

namespace reprise::agent {

runtime::Result<void> holds_nothing_of_others(const Volume& volume, const std::string& name) {
  using runtime::ErrorClass;
  const auto info = volume.files.look(volume.layout.root / name, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind != FileInfo::Kind::Directory) return {};
  std::vector<std::filesystem::path> directories{volume.layout.root / name};
  while (!directories.empty()) {
    const auto directory = std::move(directories.back());
    directories.pop_back();
    const auto entries = volume.files.list_entries(directory);
    const bool has_gone = !entries && entries.error().error_class == ErrorClass::Invalid;
    if (!entries && !has_gone) return std::unexpected(entries.error());
    if (has_gone) continue;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind != FileInfo::Kind::Directory) continue;
      if (entry.name == VolumeLayout::kOwn)
        return runtime::fail(ErrorClass::Conflict, "the volume of another job lies in it, with a .reprise of its own");
      directories.push_back(directory / entry.name);
    }
  }
  return {};
}

}  // namespace reprise::agent
