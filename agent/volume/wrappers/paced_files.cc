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
  auto bytes = told_nothing(files().read_range(path, offset, length));
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
    const auto more = told_nothing(files().read_through(path, offset + count, asked, take));
    if (!more) return more;
    if (*more == 0) break;
    if (auto paced = pace_(static_cast<std::size_t>(*more)); !paced) return std::unexpected(paced.error());
    count += *more;
    if (*more < asked) break;
  }
  return count;
}

Result<std::optional<std::string>> PacedFiles::read(const Path& path) const {
  return told_nothing(files().read(path));
}

Result<std::optional<FileInfo>> PacedFiles::look(const Path& path, Links links) const {
  return told_nothing(files().look(path, links));
}

Result<bool> PacedFiles::look_below(const Path& root, const std::vector<std::string>& paths, Links links,
                                    const TakeInfo& take) const {
  return told_nothing(files().look_below(root, paths, links, take));
}

Result<std::vector<std::string>> PacedFiles::list(const Path& directory) const {
  return told_nothing(files().list(directory));
}

Result<std::vector<DirectoryEntry>> PacedFiles::list_entries(const Path& directory) const {
  return told_nothing(files().list_entries(directory));
}

// A file that is closed to this user is an error of the whole list here.
Result<std::vector<EntryInfo>> PacedFiles::list_infos(const Path& directory, std::size_t most) const {
  return VolumeFiles::list_infos(directory, most);
}

Result<std::vector<FileBelow>> PacedFiles::list_below(const Path& path, std::size_t most) const {
  return told_nothing(files().list_below(path, most));
}

}  // namespace reprise::agent
