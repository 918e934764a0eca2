#include "agent/volume/posix_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/volume/file_descriptor.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;
using runtime::Result;

// Not waiting where nobody writes to a pipe of that name. A file that is leased to somebody is waited for.
FileDescriptor open_to_read(const std::filesystem::path& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid() && errno == EWOULDBLOCK) file = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file;
}

// A pipe or a device has no bytes of its own; a directory says so when it is read.
bool may_be_read(const FileDescriptor& file) {
  struct stat info {};
  return ::fstat(file.get(), &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

// A bad block, or one that is gone from its store; a file system that finds its own structure or sums wrong.
bool says_lost(int error_number) {
  constexpr std::array kLost{EIO, EUCLEAN, EBADMSG, ENODATA, EREMOTEIO};
  return std::ranges::find(kLost, error_number) != kLost.end();
}

}  // namespace

runtime::Error system_error(std::string doing, int error_number) {
  const ErrorClass error_class = error_number == ENOENT                            ? ErrorClass::NotFound
                                 : error_number == EEXIST                          ? ErrorClass::AlreadyExists
                                 : error_number == ENOTDIR                         ? ErrorClass::Invalid
                                 : error_number == EACCES || error_number == EPERM ? ErrorClass::Forbidden
                                 : says_lost(error_number)                         ? ErrorClass::Terminal
                                                                                   : ErrorClass::Unavailable;
  return {.error_class = error_class,
          .message = std::move(doing) + ": " + std::generic_category().message(error_number),
          .retry_after = {}};
}

Result<std::optional<std::string>> PosixFiles::read(const std::filesystem::path& named) const {
  calls_->begin();
  if (is_being_written(named)) return std::nullopt;
  const auto last = last_version(named);
  const auto path = last ? version_of(named, *last) : named;
  const auto relative = below_root(path);
  const bool own = relative && is_own(*relative);  // nobody else writes there
  const FileDescriptor file = own ? FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) : open_to_read(path);
  if (!file.valid()) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ENXIO) return std::nullopt;
    return std::unexpected(system_error("open " + path.string(), errno));
  }
  if (!own && !may_be_read(file)) return std::nullopt;
  constexpr std::size_t kAtOnce = std::size_t{64} * 1024;
  std::string text;
  for (std::size_t size = 0;;) {
    text.resize(size + kAtOnce);
    const ssize_t got = ::read(file.get(), text.data() + size, kAtOnce);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(system_error("read " + path.string(), errno));
    size += static_cast<std::size_t>(got);
    text.resize(size);
    if (size > kMostText)
      return runtime::fail(ErrorClass::Invalid,
                           "read " + path.string() + ": it has more than " + std::to_string(kMostText) + " bytes");
    if (got == 0) return text;
  }
}

Result<std::string> PosixFiles::read_range(const std::filesystem::path& path, std::uint64_t offset,
                                           std::size_t length) const {
  calls_->begin();
  if (is_being_written(path)) return std::unexpected(system_error("open " + path.string(), ENOENT));
  const FileDescriptor file = open_to_read(path);
  if (!file.valid()) return std::unexpected(system_error("open " + path.string(), errno == ENXIO ? ENOENT : errno));
  if (!may_be_read(file)) return std::unexpected(system_error("open " + path.string(), ENOENT));
  std::string bytes(length, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got =
        ::pread(file.get(), bytes.data() + size, bytes.size() - size, static_cast<off_t>(offset + size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(system_error("read " + path.string(), errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

// A share answers each of them late and all of them no later. A disk answers sooner than a thread starts: those that
// come at once are read one after the other.
Result<void> PosixFiles::read_all(
    const std::vector<std::filesystem::path>& paths,
    const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const {
  constexpr std::size_t kAtOnce = 16;
  constexpr std::chrono::microseconds kAtOncePace{500};  // pace of a read; a thread takes some 50 to start
  std::size_t first = 0;
  for (bool is_quick = true; is_quick && first < paths.size(); ++first) {
    const auto begun = std::chrono::steady_clock::now();
    const auto text = read(paths[first]);
    if (!text) return std::unexpected(text.error());
    is_quick = std::chrono::steady_clock::now() - begun < kAtOncePace;
    take(first, *text);
  }
  for (std::size_t begin = first; begin < paths.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, paths.size() - begin);
    std::vector<Result<std::optional<std::string>>> texts(count);
    {
      std::vector<std::jthread> others;
      for (std::size_t at = 1; at < count; ++at) {
        try {
          others.emplace_back([&, at] { texts[at] = read(paths[begin + at]); });
        } catch (const std::system_error&) {  // the container may have no more threads
          texts[at] = read(paths[begin + at]);
        }
      }
      texts[0] = read(paths[begin]);
    }
    for (std::size_t at = 0; at < count; ++at) {
      if (!texts[at]) return std::unexpected(texts[at].error());
      take(begin + at, *texts[at]);
    }
  }
  return {};
}

Result<void> PosixFiles::remove(const std::filesystem::path& file) const {
  calls_->begin();
  const int problem = calls_->unlink(file.c_str());
  if (problem == 0 || problem == ENOENT) return {};
  return std::unexpected(system_error("remove " + file.string(), problem));
}

int PosixFiles::look_at(int directory, const char* name, Links links, FileInfo& info) {
  struct stat there {};
  if (::fstatat(directory, name, &there, links == Links::Follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) {
    // A link that leads to itself is no file either, now or later; nor is what no file system could name.
    return errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG ? ENOENT : errno;
  }
  using Kind = FileInfo::Kind;
  info = {.kind = S_ISDIR(there.st_mode)   ? Kind::Directory
                  : S_ISREG(there.st_mode) ? Kind::File
                                           : Kind::Other,
          .modified = runtime::WallTime(std::chrono::seconds(there.st_mtim.tv_sec) +
                                        std::chrono::microseconds(there.st_mtim.tv_nsec / 1000)),
          .size = S_ISREG(there.st_mode) ? static_cast<std::uint64_t>(there.st_size) : 0};
  return 0;
}

Result<std::optional<FileInfo>> PosixFiles::look(const std::filesystem::path& path, Links links) const {
  FileInfo info;
  const int problem = look_at(AT_FDCWD, path.c_str(), links, info);
  if (problem == ENOENT) return std::nullopt;
  if (problem != 0) return std::unexpected(system_error("read " + path.string(), problem));
  return info;
}

Result<bool> PosixFiles::look_below(const Path& root, const std::vector<std::string>& paths, Links links,
                                    const TakeInfo& take) const {
  const FileDescriptor open(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!open.valid()) return std::unexpected(system_error("open " + root.string(), errno));
  for (std::size_t at = 0; at < paths.size(); ++at) {
    FileInfo info;
    const int problem = look_at(open.get(), paths[at].empty() ? "." : paths[at].c_str(), links, info);
    if (problem != 0 && problem != ENOENT)
      return std::unexpected(system_error("read " + (root / paths[at]).string(), problem));
    if (!take(at, problem == 0 ? std::optional(info) : std::nullopt)) return false;
  }
  return true;
}

Result<void> PosixFiles::remove_tree(const std::filesystem::path& directory) const {
  calls_->begin();
  std::error_code problem;
  std::filesystem::remove_all(directory, problem);
  if (problem) return std::unexpected(system_error("remove " + directory.string(), problem.value()));
  return {};
}

Result<void> PosixFiles::remove_directory(const std::filesystem::path& empty) const {
  calls_->begin();
  if (::rmdir(empty.c_str()) == 0 || errno == ENOENT) return {};
  return std::unexpected(system_error("remove " + empty.string(), errno));
}

}  // namespace reprise::agent
