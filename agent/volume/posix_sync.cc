// A sync proves this where its answer is believed: through descriptors that were open before, since a file system tells
// an error of writing once, to whoever asks first.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>

#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using runtime::Result;

// Descriptors of 1,024 that a process may have as a rule.
constexpr std::size_t kHeldAtOnce = 128;

bool is_on_one_device(int one, int other) {
  struct stat here {
  }, there{};
  return ::fstat(one, &here) == 0 && ::fstat(other, &there) == 0 && here.st_dev == there.st_dev;
}

// Regular files, also those that links lead to. An error: the directory is changing, or cannot be read.
std::optional<std::vector<fs::path>> files_below(const fs::path& checkpoint) {
  std::vector<fs::path> files;
  std::error_code problem;
  if (fs::is_regular_file(fs::status(checkpoint, problem))) return std::vector{checkpoint};
  fs::recursive_directory_iterator entry(checkpoint, problem);
  for (; !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
    std::error_code leads_nowhere;
    if (entry->is_regular_file(leads_nowhere)) files.push_back(entry->path());
  }
  if (problem) return std::nullopt;
  return files;
}

std::optional<runtime::WallTime> birth_of(const fs::path& file) {
  struct statx info {};
  if (::statx(AT_FDCWD, file.c_str(), 0, STATX_BTIME, &info) != 0 || (info.stx_mask & STATX_BTIME) == 0)
    return std::nullopt;
  return runtime::WallTime(std::chrono::seconds(info.stx_btime.tv_sec) +
                           std::chrono::microseconds(info.stx_btime.tv_nsec / 1000));
}

// Reasons why a file cannot be opened: it is gone, or this process has no descriptor left, for now.
Result<Durability> not_opened(const fs::path& file, int problem) {
  if (problem == ENOENT || problem == ENOTDIR || problem == EMFILE || problem == ENFILE) return Durability::NotYet;
  if (problem == EACCES || problem == EPERM) return Durability::Unproven;
  return std::unexpected(system_error("open " + file.string(), problem));
}

}  // namespace

std::optional<std::string> PosixFiles::write_cache(const Path& root) const {
  const auto known = kind();
  if (!known || known->proof != DurabilityProof::Sync || known->fuse) return std::nullopt;
  struct stat there {};
  const std::string boot = calls_->boot();
  if (boot.empty() || ::stat(root.c_str(), &there) != 0) return std::nullopt;
  return boot + "-" + std::to_string(major(there.st_dev)) + "-" + std::to_string(minor(there.st_dev));
}

WriteErrors PosixFiles::write_errors() const {
  const std::lock_guard lock(mutex_);
  return write_errors_;
}

runtime::Error PosixFiles::note_write_error(std::string doing, int error_number) const {
  runtime::Error error = system_error(std::move(doing), error_number);
  const std::lock_guard lock(mutex_);
  ++write_errors_.count;
  write_errors_.last = std::chrono::time_point_cast<runtime::WallTime::duration>(std::chrono::system_clock::now());
  write_errors_.said = error.message;
  return error;
}

Result<std::shared_ptr<const FileDescriptor>> PosixFiles::held_root(const Path& root) const {
  auto now = std::make_shared<FileDescriptor>(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!now->valid()) return std::unexpected(system_error("open " + root.string(), errno));
  bool is_another = false;
  {
    const std::lock_guard lock(mutex_);
    if (held_root_ && held_root_->valid() && is_on_one_device(held_root_->get(), now->get())) return held_root_;
    is_another = held_root_ && held_root_->valid();
    held_root_ = now;
  }
  if (is_another)
    return std::unexpected(note_write_error("another file system is mounted at " + root.string(), ESTALE));
  return now;
}

std::optional<runtime::Error> PosixFiles::fsync_told(int fd, const Path& file) const {
  const int problem = calls_->fsync(fd);
  return problem == 0 ? std::nullopt : std::optional(note_write_error("fsync " + file.string(), problem));
}

// The whole first, so that what follows finds nothing left to write and costs little. Of the files as many are open
// before it as may be; the others are opened before they are synced themselves.
Result<Durability> PosixFiles::sync_files(int root, const Path& checkpoint) const {
  const auto files = checkpoint.empty() ? std::vector<Path>() : files_below(checkpoint);
  if (!files) return Durability::NotYet;
  bool whole = false;
  for (std::size_t begin = 0; begin < files->size() || !whole; begin += kHeldAtOnce) {
    std::vector<std::pair<FileDescriptor, Path>> held;
    for (std::size_t at = begin; at < std::min(begin + kHeldAtOnce, files->size()); ++at) {
      const Path& file = (*files)[at];
      if (is_being_written(file)) return Durability::NotYet;
      const int fd = calls_->open_to_sync(file.c_str());
      if (fd < 0) return not_opened(file, -fd);
      held.emplace_back(FileDescriptor(fd), file);
    }
    if (!whole)
      if (const int problem = calls_->syncfs(root); problem != 0)
        return std::unexpected(note_write_error("syncfs " + root_.string(), problem));
    whole = true;
    for (const auto& [fd, file] : held)
      if (auto told = fsync_told(fd.get(), file)) return std::unexpected(*std::move(told));
  }
  return Durability::Proven;
}

std::optional<runtime::WallTime> PosixFiles::oldest_birth(const Path& checkpoint) const {
  const auto files = files_below(checkpoint);
  std::optional<runtime::WallTime> oldest;
  if (!files) return oldest;
  for (const Path& file : *files) {
    const auto birth = birth_of(file);
    if (!birth) return std::nullopt;
    oldest = oldest ? std::min(*oldest, *birth) : *birth;
  }
  return oldest;
}

}  // namespace reprise::agent
