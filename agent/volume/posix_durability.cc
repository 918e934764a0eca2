#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <system_error>

#include "agent/volume/file_descriptor.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using runtime::Result;

std::optional<Mount> mount_of(int fd) {
  const auto id = mount_id_in(proc_text("/proc/self/fdinfo/" + std::to_string(fd)));
  return id ? mount_with_id(proc_text("/proc/self/mountinfo"), *id) : std::nullopt;
}

std::optional<FileSystem> file_system_of(int fd) {
  struct statfs about {};
  if (::fstatfs(fd, &about) != 0) return std::nullopt;
  return file_system_by(static_cast<std::uint32_t>(about.f_type));
}

// An object is there if it opens; and if it is as large as listed, it is the one that was written. O_DIRECT asks the
// store and no cache of the mount. A close that is under way, whose descriptor is gone already, holds up a caller that
// asks the mount for the size, but not the kernel, which may know an older one.
bool opens(const fs::path& file, DurabilityProof proof) {
  struct stat listed {};
  struct statx opened {};
  if (::lstat(file.c_str(), &listed) != 0 || !S_ISREG(listed.st_mode)) return false;
  const int direct = proof == DurabilityProof::Reopen ? O_DIRECT : 0;
  const FileDescriptor fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | direct));
  if (!fd.valid()) return false;
  if (::statx(fd.get(), "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE, &opened) != 0) return false;
  return opened.stx_size == static_cast<std::uint64_t>(listed.st_size);
}

}  // namespace

MountKind VolumeCalls::kind(int fd) {
  return kind_of(mount_of(fd), file_system_of(fd), told_);
}

OpenFiles VolumeCalls::open_for_writing(int fd, Mappings mappings) {
  const auto mount = mount_of(fd);
  std::array<char, PATH_MAX> root{};
  const ssize_t size = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), root.data(), root.size());
  if (!mount || size <= 0) return {.paths = {}, .unknown = true};
  return files_open_for_writing(std::string(root.data(), static_cast<std::size_t>(size)), *mount, "/proc", mappings);
}

std::optional<MountKind> PosixFiles::kind() const {
  const std::lock_guard lock(mutex_);
  if (kind_) return kind_;
  const FileDescriptor root(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return kind_;
  kind_ = calls_->kind(root.get());
  if (kind_->proof == DurabilityProof::Sync && !held_root_)
    held_root_ = std::make_shared<FileDescriptor>(::open(root_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return kind_;
}

OpenFiles PosixFiles::open_for_writing(const Path& root) const {
  const FileDescriptor file(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!file.valid()) return {.paths = {}, .unknown = true};
  return calls_->open_for_writing(file.get(), Mappings::Leave);
}

bool PosixFiles::is_being_written(const Path& file) const {
  const auto known = kind();
  if (!known || !known->fuse) return false;
  const auto relative = below_root(file);
  if (!relative || is_own(*relative)) return false;
  // A file that comes into being while the processes are looked through is not there yet either: its writer may have
  // been passed already.
  struct stat there {};
  if (::lstat(file.c_str(), &there) != 0 && errno == ENOENT) return true;
  const FileDescriptor root(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return false;  // then neither can the file be opened
  return calls_->open_for_writing(root.get(), Mappings::Leave).hold(*relative);
}

Durability PosixFiles::opens_again(int root, const Path& checkpoint, DurabilityProof proof) const {
  const OpenFiles open = calls_->open_for_writing(root, Mappings::LookAt);
  const auto relative = below_root(checkpoint);
  if (!relative || open.unknown || open.hold(*relative)) return Durability::NotYet;
  std::error_code problem;
  if (fs::is_regular_file(fs::symlink_status(checkpoint, problem)))
    return opens(checkpoint, proof) ? Durability::Proven : Durability::NotYet;
  fs::recursive_directory_iterator entry(checkpoint, problem);
  for (; !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
    const bool file = fs::is_regular_file(entry->symlink_status(problem));
    if (problem || (file && !opens(entry->path(), proof))) return Durability::NotYet;
  }
  return problem ? Durability::NotYet : Durability::Proven;
}

Result<Durability> PosixFiles::sync_volume(const Path& root, const Path& checkpoint) const {
  const FileDescriptor file(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.valid()) return std::unexpected(system_error("open " + root.string(), errno));
  const DurabilityProof proof = calls_->kind(file.get()).proof;
  if (proof == DurabilityProof::Sync) {
    const auto held = held_root(root);
    return held ? sync_files((*held)->get(), checkpoint == root ? Path() : checkpoint) : std::unexpected(held.error());
  }
  if (const int problem = calls_->syncfs(file.get()); problem != 0)
    return std::unexpected(system_error("syncfs " + root.string(), problem));
  return proof == DurabilityProof::None ? Durability::Unproven : opens_again(file.get(), checkpoint, proof);
}

}  // namespace reprise::agent
