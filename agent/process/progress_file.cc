#include "agent/process/progress_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "agent/core/progress_file.h"
#include "agent/volume/file_descriptor.h"

namespace reprise::agent {

ProgressFile::ProgressFile(std::string users, const std::vector<std::filesystem::path>& places)
    : path_(std::move(users)) {
  if (!path_.empty()) {
    known_ = look();  // what is there was written by an earlier attempt
    return;
  }
  for (const auto& place : places) {
    std::string directory = (place / "reprise-XXXXXX").string();
    if (::mkdtemp(directory.data()) == nullptr) continue;
    directory_ = directory;
    path_ = directory + "/progress.json";
    return;
  }
}

// The trainer may have left a temporary file there.
ProgressFile::~ProgressFile() {
  std::error_code problem;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, problem);
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
