#include "agent/volume/wrappers/paced_files.h"

#include <algorithm>

namespace reprise::agent {

using runtime::Result;

// Mounts of object stores say so, too, when they cannot ask for a token.
template <class T>
Result<T> PacedFiles::told_nothing(Result<T> result) const {
  if (how_.closed_is_unavailable && !result && result.error().error_class == runtime::ErrorClass::Forbidden)
    result.error().error_class = runtime::ErrorClass::Unavailable;
  return result;
}

Result<std::string> PacedFiles::read_range(const Path& path, std::uint64_t offset, std::size_t length) const {
  auto bytes = told_nothing(files_.read_range(path, offset, length));
  if (!bytes) return bytes;
  if (auto paced = pace_(bytes->size()); !paced) return std::unexpected(paced.error());
  return bytes;
}

// The volume's own way of it may read ahead.
Result<std::uint64_t> PacedFiles::read_through(const Path& path, std::uint64_t offset, std::uint64_t length,
                                               const std::function<void(std::string_view bytes)>& take) const {
  std::uint64_t count = 0;
  while (count < length) {
    const auto asked = std::min(how_.at_once, length - count);
    const auto more = told_nothing(files_.read_through(path, offset + count, asked, take));
    if (!more) return more;
    if (*more == 0) break;
    if (auto paced = pace_(static_cast<std::size_t>(*more)); !paced) return std::unexpected(paced.error());
    count += *more;
    if (*more < asked) break;
  }
  return count;
}

Result<void> PacedFiles::write(const Path& path, std::string_view text, Sync sync) const {
  return files_.write(path, text, sync);
}
Result<std::optional<std::string>> PacedFiles::read(const Path& path) const {
  return told_nothing(files_.read(path));
}
Result<void> PacedFiles::read_all(
    const std::vector<Path>& paths,
    const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const {
  return files_.read_all(paths, take);
}
Result<std::optional<FileInfo>> PacedFiles::look(const Path& path, Links links) const {
  return told_nothing(files_.look(path, links));
}
Result<void> PacedFiles::remove(const Path& file) const {
  return files_.remove(file);
}
Result<void> PacedFiles::remove_directory(const Path& empty) const {
  return files_.remove_directory(empty);
}
Result<void> PacedFiles::remove_tree(const Path& path) const {
  return files_.remove_tree(path);
}
Result<void> PacedFiles::move(const Path& from, const Path& to) const {
  return files_.move(from, to);
}
Result<std::vector<std::string>> PacedFiles::list(const Path& directory) const {
  return told_nothing(files_.list(directory));
}
Result<std::vector<DirectoryEntry>> PacedFiles::list_entries(const Path& directory) const {
  return told_nothing(files_.list_entries(directory));
}
Result<std::set<std::string>> PacedFiles::linked_from(const Path& root, const Path& directory, Depth depth) const {
  return files_.linked_from(root, directory, depth);
}
Result<Durability> PacedFiles::sync_volume(const Path& root, const Path& checkpoint) const {
  return files_.sync_volume(root, checkpoint);
}
std::optional<MountKind> PacedFiles::kind() const {
  return files_.kind();
}
VolumeAbilities PacedFiles::probe(const Path& directory, const std::string& name) const {
  return files_.probe(directory, name);
}
std::int64_t PacedFiles::size_of(const Path& path) const {
  return files_.size_of(path);
}

}  // namespace reprise::agent
