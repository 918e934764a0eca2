#include "agent/volume/volume_files.h"

#include <algorithm>

namespace reprise::agent {

runtime::Result<void> VolumeFiles::rewrite(const Path& path, std::string_view text) const {
  return write(path, text, Sync::No);
}

runtime::Result<void> VolumeFiles::write_into(const Path& room, const Path& /*path*/, std::string_view /*text*/) const {
  return runtime::fail(runtime::ErrorClass::Terminal, "nothing is written into " + room.string());
}

runtime::Result<void> VolumeFiles::touch(const Path& file) const {
  return runtime::fail(runtime::ErrorClass::Terminal, "no time can be set of " + file.string());
}

runtime::Result<std::uint64_t> VolumeFiles::read_through(
    const Path& path, std::uint64_t offset, std::uint64_t length,
    const std::function<void(std::string_view bytes)>& take) const {
  std::uint64_t count = 0;
  while (count < length) {
    const auto bytes = read_range(path, offset + count, std::min(kPiece, length - count));
    if (!bytes) return std::unexpected(bytes.error());
    if (bytes->empty()) break;
    take(*bytes);
    count += bytes->size();
  }
  return count;
}

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

OpenFiles VolumeFiles::open_for_writing(const Path& /*root*/) const {
  return {.paths = {}, .unknown = true};
}

runtime::Result<std::optional<VolumeFiles::Path>> VolumeFiles::link_text(const Path& /*path*/) const {
  return std::nullopt;
}

runtime::Result<void> VolumeFiles::relink(const Path& link, const Path& /*text*/) const {
  return runtime::fail(runtime::ErrorClass::Terminal, "no link can be made in place of " + link.string());
}

VolumeAbilities VolumeFiles::probe(const Path& /*directory*/, const std::string& /*name*/) const {
  return {};
}

std::optional<FreeSpace> VolumeFiles::free_space(const Path& /*root*/) const {
  return std::nullopt;
}

}  // namespace reprise::agent
