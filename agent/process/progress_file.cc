#include "agent/process/progress_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "agent/core/progress_file.h"
#include "agent/volume/file_descriptor.h"

namespace reprise::agent {

// What is there was written by an earlier attempt.
ProgressFile::ProgressFile(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) known_ = look();
}

std::optional<ProgressFile::Stamp> ProgressFile::look() const {
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return Stamp{
      .seconds = info.st_mtim.tv_sec, .nanoseconds = info.st_mtim.tv_nsec, .size = info.st_size, .inode = info.st_ino};
}

std::optional<std::string> ProgressFile::read_if_changed() {
  const auto stamp = path_.empty() ? std::nullopt : look();
  if (!stamp || stamp == known_) return std::nullopt;
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.valid()) return std::nullopt;
  std::string text(kMaxProgressFileBytes + 1, '\0');
  std::size_t used = 0;
  while (used < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  known_ = stamp;
  return text;
}

}  // namespace reprise::agent
