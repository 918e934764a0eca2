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

runtime::Result<bool> VolumeFiles::look_below(const Path& root, const std::vector<std::string>& paths, Links links,
                                              const TakeInfo& take) const {
  for (std::size_t at = 0; at < paths.size(); ++at) {
    const auto info = look(paths[at].empty() ? root : root / paths[at], links);
    if (!info) return std::unexpected(info.error());
    if (!take(at, *info)) return false;
  }
  return true;
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

runtime::Result<std::vector<EntryInfo>> VolumeFiles::list_infos(const Path& directory, std::size_t most) const {
  const auto names = list(directory);
  if (!names) return std::unexpected(names.error());
  if (names->size() > most)
    return runtime::fail(runtime::ErrorClass::Invalid,
                         directory.string() + " has more than " + std::to_string(most) + " entries");
  std::vector<EntryInfo> infos;
  for (const std::string& name : *names) {
    const auto info = look(directory / name, Links::Follow);
    const bool is_closed = !info && info.error().error_class == runtime::ErrorClass::Forbidden;
    if (!info && !is_closed) return std::unexpected(info.error());
    infos.push_back(
        {.name = name, .info = is_closed ? FileInfo{} : info->value_or(FileInfo{}), .is_closed = is_closed});
  }
  return infos;
}

namespace {

constexpr int kDeepestBelow = 16;

// The target of a link counts as if it lay there; a directory that is a link is another one's.
runtime::Result<void> add_below(const VolumeFiles& files, const std::filesystem::path& root, const std::string& place,
                                std::size_t most, int depth, std::vector<FileBelow>& found) {
  if (depth > kDeepestBelow)
    return runtime::fail(runtime::ErrorClass::Invalid, (root / place).string() + " is too deep");
  const auto entries = files.list_entries(root / place);
  if (!entries) return std::unexpected(entries.error());
  for (const DirectoryEntry& each : *entries) {
    const std::string path = place.empty() ? each.name : place + "/" + each.name;
    if (each.kind == FileInfo::Kind::Directory) {
      if (auto added = add_below(files, root, path, most, depth + 1, found); !added) return added;
      continue;
    }
    const auto info = files.look(root / path, Links::Follow);
    if (!info) return std::unexpected(info.error());
    if (!*info || (*info)->kind != FileInfo::Kind::File) continue;
    if (found.size() == most)
      return runtime::fail(runtime::ErrorClass::Invalid,
                           root.string() + " has more than " + std::to_string(most) + " files");
    found.push_back({.path = path, .size = (*info)->size, .modified = (*info)->modified});
  }
  return {};
}

}  // namespace

std::optional<runtime::WallTime> VolumeFiles::oldest_birth(const Path& /*checkpoint*/) const {
  return std::nullopt;
}

runtime::Result<std::vector<FileBelow>> VolumeFiles::list_below(const Path& path, std::size_t most) const {
  std::vector<FileBelow> found;
  const auto info = look(path, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info) return found;
  if ((*info)->kind == FileInfo::Kind::File) {
    found.push_back({.path = {}, .size = (*info)->size, .modified = (*info)->modified});
  } else if ((*info)->kind == FileInfo::Kind::Directory) {
    if (auto added = add_below(*this, path, {}, most, 0, found); !added) return std::unexpected(added.error());
  }
  std::ranges::sort(found, {}, &FileBelow::path);
  return found;
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
