#include "agent/formats/recognise/marker_format.h"

#include "agent/formats/marker_names.h"
#include "agent/formats/search/checkpoint_scan.h"

namespace reprise::agent {
runtime::Result<Checkpoints> MarkerFormat::discover(const VolumeFiles& files, const Path& root) const {
  return scan_checkpoints(files, *this, root);
}

runtime::Result<Checkpoints> MarkerFormat::glance(const VolumeFiles& files, const Path& root,
                                                  const Known& known) const {
  return glance_at_checkpoints(files, root, known);
}

runtime::Result<std::optional<runtime::WallTime>> MarkerFormat::completed(
    const VolumeFiles& files, const std::filesystem::path& directory) const {
  for (const std::string_view marker : kMarkers) {
    const auto info = files.look(directory / marker, Links::Follow);
    if (!info) return std::unexpected(info.error());
    if (*info && (*info)->kind == FileInfo::Kind::File) return (*info)->modified;
  }
  return std::nullopt;
}

runtime::Result<void> MarkerFormat::invalidate(const VolumeFiles& files, const std::filesystem::path& directory) const {
  for (const std::string_view marker : kMarkers) {
    if (auto removed = files.remove(directory / marker); !removed) return removed;
  }
  return {};
}

}  // namespace reprise::agent
