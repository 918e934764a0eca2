#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <ranges>

#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// Nothing where the file system does not say.
std::optional<FileInfo::Kind> kind_of(unsigned char type) {
  switch (type) {
    case DT_UNKNOWN:
      return std::nullopt;
    case DT_DIR:
      return FileInfo::Kind::Directory;
    case DT_REG:
      return FileInfo::Kind::File;
    default:
      return FileInfo::Kind::Other;
  }
}

// `take` is called with each entry but "." and "..".
Result<void> for_each_in(const std::filesystem::path& directory, const auto& take) {
  struct Close {
    void operator()(DIR* stream) const { ::closedir(stream); }
  };
  const std::unique_ptr<DIR, Close> stream(::opendir(directory.c_str()));
  if (!stream) {
    if (errno == ENOENT) return {};
    return std::unexpected(system_error("list " + directory.string(), errno));
  }
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") take(*entry);
    errno = 0;
  }
  if (errno != 0) return std::unexpected(system_error("list " + directory.string(), errno));
  return {};
}

}  // namespace

Result<std::vector<std::string>> PosixFiles::list(const Path& directory) const {
  calls_->begin();
  std::vector<std::string> names;
  const auto listed = for_each_in(directory, [&](const dirent& entry) { names.emplace_back(entry.d_name); });
  if (!listed) return std::unexpected(listed.error());
  std::ranges::sort(names);
  return names;
}

Result<std::vector<DirectoryEntry>> PosixFiles::list_entries(const Path& directory) const {
  calls_->begin();
  std::vector<DirectoryEntry> entries;
  std::vector<std::size_t> untold;
  const auto listed = for_each_in(directory, [&](const dirent& entry) {
    const auto kind = kind_of(entry.d_type);
    if (!kind) untold.push_back(entries.size());
    entries.push_back({.name = entry.d_name, .kind = kind.value_or(FileInfo::Kind::Other)});
  });
  if (!listed) return std::unexpected(listed.error());
  for (const std::size_t at : untold) {
    const auto info = look(directory / entries[at].name, Links::Stay);
    if (!info) return std::unexpected(info.error());
    if (*info) entries[at].kind = (*info)->kind;
  }
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

}  // namespace reprise::agent
