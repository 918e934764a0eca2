#include <dirent.h>
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <string_view>
#include <utility>

#include "agent/volume/file_descriptor.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// Empty where the file system does not say.
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

struct CloseStream {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

bool is_dots(std::string_view name) {
  return name == "." || name == "..";
}

// `take` is called with each entry but "." and "..", and `then` with the descriptor of the directory, after all of
// them.
Result<void> for_each_in(const std::filesystem::path& directory, const auto& take,
                         const std::function<void(int)>& then = {}) {
  const std::unique_ptr<DIR, CloseStream> stream(::opendir(directory.c_str()));
  if (!stream) {
    if (errno == ENOENT) return {};
    return std::unexpected(system_error("list " + directory.string(), errno));
  }
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (!is_dots(entry->d_name)) take(*entry);
    errno = 0;
  }
  if (errno != 0) return std::unexpected(system_error("list " + directory.string(), errno));
  if (then) then(::dirfd(stream.get()));
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

Result<std::vector<EntryInfo>> PosixFiles::list_infos(const Path& directory, std::size_t most) const {
  calls_->begin();
  std::vector<EntryInfo> entries;
  std::optional<runtime::Error> failed;
  const auto ask_for_all = [&](int open) {
    for (EntryInfo& each : entries) {
      const int problem = look_at(open, each.name.c_str(), Links::Follow, each.info);
      each.is_closed = problem == EACCES || problem == EPERM;
      if (problem == 0 || problem == ENOENT || each.is_closed) continue;
      failed = system_error("read " + (directory / each.name).string(), problem);
      return;
    }
  };
  const auto listed = for_each_in(
      directory, [&](const dirent& entry) { entries.push_back({.name = entry.d_name}); },
      [&](int open) {
        if (entries.size() <= most) ask_for_all(open);
      });
  if (!listed) return std::unexpected(listed.error());
  if (failed) return std::unexpected(*std::move(failed));
  if (entries.size() > most)
    return runtime::fail(runtime::ErrorClass::Invalid,
                         directory.string() + " has more than " + std::to_string(most) + " entries");
  std::ranges::sort(entries, {}, &EntryInfo::name);
  return entries;
}

std::int64_t PosixFiles::size_in(FileDescriptor directory) {
  const std::unique_ptr<DIR, CloseStream> stream(::fdopendir(directory.get()));
  if (!stream) return 0;
  const int open = directory.release();  // closed with the stream
  std::int64_t sum = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const char* const name = entry->d_name;
    if (is_dots(name)) continue;
    FileInfo info;
    auto kind = kind_of(entry->d_type);
    if (!kind && look_at(open, name, Links::Stay, info) == 0) kind = info.kind;
    if (kind == FileInfo::Kind::Directory)
      sum += size_in(FileDescriptor(::openat(open, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
    else if (look_at(open, name, Links::Follow, info) == 0 && info.kind == FileInfo::Kind::File)
      sum += static_cast<std::int64_t>(info.size);
  }
  return sum;
}

std::int64_t PosixFiles::size_below(const Path& directory) {
  FileInfo info;
  if (look_at(AT_FDCWD, directory.c_str(), Links::Follow, info) != 0) return 0;
  if (info.kind == FileInfo::Kind::File) return static_cast<std::int64_t>(info.size);
  return size_in(FileDescriptor(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
}

}  // namespace reprise::agent
