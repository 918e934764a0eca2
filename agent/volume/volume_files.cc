#include "agent/volume/volume_files.h"

namespace reprise::agent {

runtime::Result<std::vector<DirectoryEntry>> VolumeFiles::list_entries(const Path& directory) const {
  const auto names = list(directory);
  if (!names) return std::unexpected(names.error());
  std::vector<DirectoryEntry> entries;
  for (const std::string& name : *names) {
    const auto info = look(directory / name, Links::Stay);
    if (!info) return std::unexpected(info.error());
    if (*info) entries.push_back({.name = name, .kind = (*info)->kind});
  }
  return entries;
}

VolumeAbilities VolumeFiles::probe(const Path& /*directory*/, const std::string& /*name*/) const {
  return {};
}

}  // namespace reprise::agent
