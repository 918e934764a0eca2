// A volume in a temporary directory for tests, on which calls can be made to fail.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "agent/core/environment.h"
#include "agent/core/identity.h"
#include "agent/formats/marker_format.h"
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
  int unlink(const char* path) override { return is_stuck(path) ? EIO : VolumeCalls::unlink(path); }
  int syncfs(int fd) override {
    ++syncs;
    if (on_sync) on_sync();
    return sync_problem != 0 ? sync_problem : VolumeCalls::syncfs(fd);
  }
  [[nodiscard]] bool is_stuck(const std::filesystem::path& path) const {
    return !stuck.empty() && std::find(path.begin(), path.end(), stuck) != path.end();
  }
  bool is_fuse(int fd) override { return fuse || VolumeCalls::is_fuse(fd); }
  bool fuse = false;
  std::string stuck;  // nothing in a directory of that name can be moved or removed
  int rename_problem = 0;
  int sync_problem = 0;
  int syncs = 0;
  std::function<void()> on_sync;
  std::function<void()> on_call;  // before each
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
  void checkpoint(const std::string& name, bool complete = true) const { put_checkpoint(root(), name, complete); }

  TemporaryDirectory directory_;
  FakeCalls* calls_ = nullptr;
  std::shared_ptr<Volume> volume_;
  Environment env_;
  Identity self_{.job_uid = "job", .pod_uid = "pod", .attempt = 2, .index = 0};
};

}  // namespace reprise::agent::testing_support
