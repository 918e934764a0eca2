// A volume in a temporary directory for tests, on which calls can be made to fail.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "agent/core/restore/resume_point.h"
#include "agent/core/run/environment.h"
#include "agent/core/run/identity.h"
#include "agent/formats/recognise/marker_format.h"
#include "agent/process/posix_volume.h"
#include "agent/testing/temporary_directory.h"

namespace reprise::agent::testing_support {

// A volume that rejects what it is set to, and lets tests look in at a sync.
class FakeCalls final : public VolumeCalls {
 public:
  void begin() override {
    if (on_call) on_call();
  }
  int rename(const char* from, const char* to) override {
    if (is_stuck(from)) return EIO;
    return rename_problem != 0 ? rename_problem : VolumeCalls::rename(from, to);
  }
  int unlink(const char* path) override {
    if (is_stuck(path)) return EIO;
    return unlink_problem != 0 ? unlink_problem : VolumeCalls::unlink(path);
  }
  int open_to_write(const char* path, int flags) override {
    if (overwrites || !std::filesystem::exists(path)) return VolumeCalls::open_to_write(path, flags);
    return (flags & O_EXCL) != 0 ? -EEXIST : -EPERM;
  }
  int close(int fd) override {
    const int problem = VolumeCalls::close(fd);
    return close_problem != 0 ? close_problem : problem;
  }
  int make_directory(const char* path) override {
    return directory_problem != 0 ? directory_problem : VolumeCalls::make_directory(path);
  }
  int syncfs(int fd) override {
    ++syncs;
    if (on_sync) on_sync();
    return sync_problem != 0 ? sync_problem : VolumeCalls::syncfs(fd);
  }
  int fsync(int fd) override {
    const int problem =
        fsync_told ? fsync_told(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd))) : 0;
    return problem != 0 ? problem : VolumeCalls::fsync(fd);
  }
  [[nodiscard]] bool is_stuck(const std::filesystem::path& path) const {
    return !stuck.empty() && std::find(path.begin(), path.end(), stuck) != path.end();
  }
  MountKind kind(int fd) override { return mount ? *mount : VolumeCalls::kind(fd); }
  OpenFiles open_for_writing(int fd, Mappings mappings) override {
    ++looks_for_writers;
    return open ? *open : VolumeCalls::open_for_writing(fd, mappings);
  }
  std::string boot() override { return machine; }
  std::optional<FreeSpace> free_space(const char* path) override {
    return free ? *free : VolumeCalls::free_space(path);
  }
  std::optional<std::optional<FreeSpace>> free;  // empty: the real one
  std::optional<MountKind> mount;                // empty: the real one
  std::optional<OpenFiles> open;                 // empty: the real ones
  std::string machine = "boot";                  // machine on which this process runs
  int looks_for_writers = 0;
  std::string stuck;  // name of a directory in which no entry can be moved or removed
  int rename_problem = 0;
  int unlink_problem = 0;
  int close_problem = 0;
  int directory_problem = 0;
  bool overwrites = true;  // existing files can be written again
  int sync_problem = 0;
  int syncs = 0;
  std::function<void()> on_sync;
  std::function<int(const std::filesystem::path&)> fsync_told;  // errno of a file's; 0: what the real one says
  std::function<void()> on_call;                                // before each
};

class VolumeTest : public ::testing::Test {
 protected:
  VolumeTest() {
    auto calls = std::make_shared<FakeCalls>();
    calls_ = calls.get();
    volume_ = posix_volume(root(), std::make_unique<MarkerFormat>(), std::move(calls));
    env_.format = "Marker";
  }

  [[nodiscard]] std::filesystem::path root() const { return directory_.path(); }
  [[nodiscard]] bool exists(const std::filesystem::path& relative) const {
    return std::filesystem::exists(root() / relative);
  }
  // The first attempt of this job was an hour ago: what lies here is its own.
  void began() const {
    const auto file = volume_->layout.resume_point(1);
    put_text(file, encode_resume_point({.job_uid = "job", .attempt = 1, .pod_uid = "pod-1"}));
    std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) - std::chrono::hours(1));
  }
  void checkpoint(const std::string& name, bool complete = true) const { put_checkpoint(root(), name, complete); }

  // Writes a checkpoint whose files are born after all errors that were told until now: a file system's clock goes in
  // steps of its own.
  void checkpoint_after_errors(const std::string& name) const {
    do {
      std::filesystem::remove_all(root() / name);
      checkpoint(name);
    } while (volume_->files.oldest_birth(root() / name).value_or(runtime::WallTime::max()) <=
             volume_->files.write_errors().last);
  }

  TemporaryDirectory directory_;
  FakeCalls* calls_ = nullptr;
  std::shared_ptr<Volume> volume_;
  Environment env_;
  Identity self_{.job_uid = "job", .pod_uid = "pod", .attempt = 2, .index = 0};
};

}  // namespace reprise::agent::testing_support
