// Files that were looked at and need not be again while they are as they were. From any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

#include "agent/volume/volume_files.h"

namespace reprise::agent {

class PassedFiles {
 public:
  [[nodiscard]] bool has(const VolumeFiles::Path& path, const FileInfo& info) const {
    const std::lock_guard lock(mutex_);
    const auto found = passed_.find(path.string());
    return found != passed_.end() && found->second == as_it_is(info);
  }
  void add(const VolumeFiles::Path& path, const FileInfo& info) {
    const std::lock_guard lock(mutex_);
    if (passed_.size() >= kMost) passed_.clear();
    passed_[path.string()] = as_it_is(info);
  }

 private:
  static constexpr std::size_t kMost = 65'536;
  using AsItIs = std::tuple<runtime::WallTime, std::uint64_t>;
  static AsItIs as_it_is(const FileInfo& info) { return {info.modified, info.size}; }

  mutable std::mutex mutex_;
  std::map<std::string, AsItIs, std::less<>> passed_;
};

}  // namespace reprise::agent
