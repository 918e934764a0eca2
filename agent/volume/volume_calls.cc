// The system calls themselves.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "agent/volume/posix_files.h"

namespace reprise::agent {

int VolumeCalls::rename(const char* from, const char* to) {
  return std::rename(from, to) == 0 ? 0 : errno;
}

int VolumeCalls::unlink(const char* path) {
  return ::unlink(path) == 0 ? 0 : errno;
}

int VolumeCalls::open_to_write(const char* path, int flags) {
  const int fd = ::open(path, flags, 0644);
  return fd < 0 ? -errno : fd;
}

std::int64_t VolumeCalls::write(int fd, std::string_view bytes) {
  const ssize_t written = ::write(fd, bytes.data(), bytes.size());
  return written < 0 ? -errno : written;
}

int VolumeCalls::fsync(int fd) {
  return ::fsync(fd) == 0 ? 0 : errno;
}

int VolumeCalls::close(int fd) {
  return ::close(fd) == 0 ? 0 : errno;
}

int VolumeCalls::make_directory(const char* path) {
  return ::mkdir(path, 0755) == 0 ? 0 : errno;
}

int VolumeCalls::allocate(int fd, std::int64_t size) {
  return ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, size) == 0 ? 0 : errno;
}

// A file system that does not know the flag refuses it: it has no need of it, or no way.
void VolumeCalls::write_where_it_lies(int fd) {
  int flags = 0;
  if (::ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return;
  flags |= FS_NOCOW_FL;
  static_cast<void>(::ioctl(fd, FS_IOC_SETFLAGS, &flags));
}

int VolumeCalls::touch(const char* path) {
  return ::utimensat(AT_FDCWD, path, nullptr, 0) == 0 ? 0 : errno;
}

// Not waiting where nobody writes to a pipe of that name.
int VolumeCalls::open_to_sync(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

std::string VolumeCalls::boot() {
  constexpr std::size_t kUuid = 36;
  const std::string text = proc_text("/proc/sys/kernel/random/boot_id").substr(0, kUuid);
  return text.size() == kUuid && text.find_first_not_of("0123456789abcdef-") == std::string::npos ? text : "";
}

int VolumeCalls::syncfs(int fd) {
  return ::syncfs(fd) == 0 ? 0 : errno;
}

}  // namespace reprise::agent
