#include "agent/process/reports/progress_file.h"

#include <sys/stat.h>

#include <utility>

#include "agent/core/progress/progress_file.h"
#include "agent/net/read_beginning.h"

namespace reprise::agent {

// The text that is there was written by an earlier attempt.
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
  auto text = read_beginning(path_, kMaxProgressFileBytes + 1);
  if (!text) return std::nullopt;
  known_ = stamp;
  return text;
}

}  // namespace reprise::agent
