// Shows a file as a disk that writes as fast as it is told to: the file holds the bytes that have reached the disk.
// usage: mount_slow_disk FILE MOUNTPOINT PACE
//   MOUNTPOINT/disk is the disk, for a loop device. PACE: a file with bytes in each second, read at each write; where
//   it is not there, or empty, nothing waits. Small writes, as those of a journal, overtake large ones: a disk of a
//   cloud has a bound on bytes, and takes many requests at once.
#define FUSE_USE_VERSION 35
#include <fcntl.h>
#include <fuse.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

namespace {

struct SlowDisk {
  int file = -1;
  std::string pace;
};

const SlowDisk& disk() {
  return *static_cast<SlowDisk*>(fuse_get_context()->private_data);
}

bool is_disk(const char* path) {
  return std::strcmp(path, "/disk") == 0;
}

int look(const char* path, struct stat* info, fuse_file_info* /*file*/) {
  if (is_disk(path)) return ::fstat(disk().file, info) == 0 ? 0 : -errno;
  if (std::strcmp(path, "/") != 0) return -ENOENT;
  *info = {};
  info->st_mode = S_IFDIR | S_IRUSR | S_IXUSR;
  info->st_nlink = 1;
  return 0;
}

constexpr std::size_t small = 64 * 1024;

void wait_for_disk(std::size_t bytes) {
  long long in_a_second = 0;
  if (bytes <= small || !(std::ifstream(disk().pace) >> in_a_second) || in_a_second <= 0) return;
  using Clock = std::chrono::steady_clock;
  static std::mutex mutex;
  static Clock::time_point free_from;
  Clock::time_point done;
  {
    const std::lock_guard lock(mutex);
    const auto takes = std::chrono::microseconds(static_cast<long long>(bytes) * 1'000'000 / in_a_second);
    done = free_from = std::max(free_from, Clock::now()) + takes;
  }
  std::this_thread::sleep_until(done);
}

fuse_operations operations() {
  fuse_operations all{};
  all.getattr = look;
  all.open = [](const char* path, fuse_file_info*) { return is_disk(path) ? 0 : -ENOENT; };
  all.read = [](const char*, char* bytes, std::size_t size, off_t offset, fuse_file_info*) {
    const ssize_t count = ::pread(disk().file, bytes, size, offset);
    return count < 0 ? -errno : static_cast<int>(count);
  };
  all.write = [](const char*, const char* bytes, std::size_t size, off_t offset, fuse_file_info*) {
    wait_for_disk(size);
    const ssize_t count = ::pwrite(disk().file, bytes, size, offset);
    return count < 0 ? -errno : static_cast<int>(count);
  };
  all.fsync = [](const char*, int, fuse_file_info*) { return 0; };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: mount_slow_disk FILE MOUNTPOINT PACE\n", stderr);
    return 2;
  }
  SlowDisk slow{.file = ::open(argv[1], O_RDWR | O_CLOEXEC), .pace = argv[3]};
  if (slow.file < 0) {
    std::perror(argv[1]);
    return 1;
  }
  std::string program = "mount_slow_disk", foreground = "-f", mountpoint = argv[2];
  char* arguments[] = {program.data(), foreground.data(), mountpoint.data()};
  const fuse_operations does = operations();
  return fuse_main(static_cast<int>(std::size(arguments)), arguments, &does, &slow);
}
