// A volume whose storage gives an error for some of what lies on it, for a while or for good.
#pragma once

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "agent/volume/posix_files.h"

namespace reprise::agent::testing_support {

class Faults {
 public:
  // Loses the bytes of a file, or of all files in a directory; names and sizes can be seen.
  void of_bytes(const std::filesystem::path& path, int error_number = EIO) { bytes_[path] = error_number; }
  // Loses the path so that it cannot even be looked at.
  void of_all(const std::filesystem::path& path, int error_number = EIO) {
    bytes_[path] = error_number;
    looks_[path] = error_number;
  }
  void mend() {
    bytes_.clear();
    looks_.clear();
  }
  [[nodiscard]] std::optional<runtime::Error> reading(const std::filesystem::path& path) const {
    ++reads;
    return in(bytes_, path, "read ");
  }
  [[nodiscard]] std::optional<runtime::Error> looking(const std::filesystem::path& path) const {
    return in(looks_, path, "read ");
  }

  std::optional<MountKind> kind;  // empty: the real one
  mutable int reads = 0;
  mutable int read_together = 0;  // files, by read_all()

 private:
  using ByPath = std::map<std::filesystem::path, int>;
  static std::optional<runtime::Error> in(const ByPath& faults, const std::filesystem::path& path, const char* doing) {
    const auto fault = faults.find(path);
    if (fault == faults.end()) return std::nullopt;
    return system_error(doing + path.string(), fault->second);
  }
  ByPath bytes_, looks_;
};

class FaultyFiles final : public VolumeFiles {
 public:
  FaultyFiles(std::shared_ptr<const Faults> faults, std::shared_ptr<VolumeCalls> calls, Path root)
      : faults_(std::move(faults)), files_(std::move(calls), std::move(root)) {}

  [[nodiscard]] runtime::Result<void> write(const Path& path, std::string_view text, Sync sync) const override {
    return files_.write(path, text, sync);
  }
  [[nodiscard]] runtime::Result<std::optional<std::string>> read(const Path& path) const override {
    if (auto fault = faults_->reading(path)) return std::unexpected(*std::move(fault));
    return files_.read(path);
  }
  [[nodiscard]] runtime::Result<std::string> read_range(const Path& path, std::uint64_t offset,
                                                        std::size_t length) const override {
    if (auto fault = faults_->reading(path)) return std::unexpected(*std::move(fault));
    return files_.read_range(path, offset, length);
  }
  [[nodiscard]] runtime::Result<void> read_all(
      const std::vector<Path>& paths,
      const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const override {
    faults_->read_together += static_cast<int>(paths.size());
    for (std::size_t at = 0; at < paths.size(); ++at) {
      const auto text = read(paths[at]);
      if (!text) return std::unexpected(text.error());
      take(at, *text);
    }
    return {};
  }
  [[nodiscard]] runtime::Result<std::optional<FileInfo>> look(const Path& path, Links links) const override {
    if (auto fault = faults_->looking(path)) return std::unexpected(*std::move(fault));
    return files_.look(path, links);
  }
  [[nodiscard]] runtime::Result<void> remove(const Path& file) const override { return files_.remove(file); }
  [[nodiscard]] runtime::Result<void> remove_directory(const Path& empty) const override {
    return files_.remove_directory(empty);
  }
  [[nodiscard]] runtime::Result<void> remove_tree(const Path& path) const override { return files_.remove_tree(path); }
  [[nodiscard]] runtime::Result<void> move(const Path& from, const Path& to) const override {
    return files_.move(from, to);
  }
  [[nodiscard]] runtime::Result<std::vector<std::string>> list(const Path& directory) const override {
    if (auto fault = faults_->reading(directory)) return std::unexpected(*std::move(fault));
    return files_.list(directory);
  }
  [[nodiscard]] runtime::Result<std::vector<DirectoryEntry>> list_entries(const Path& directory) const override {
    if (auto fault = faults_->reading(directory)) return std::unexpected(*std::move(fault));
    return files_.list_entries(directory);
  }
  [[nodiscard]] runtime::Result<std::set<std::string>> linked_from(const Path& root, const Path& directory,
                                                                   Depth depth) const override {
    return files_.linked_from(root, directory, depth);
  }
  [[nodiscard]] runtime::Result<Durability> sync_volume(const Path& root, const Path& checkpoint) const override {
    return files_.sync_volume(root, checkpoint);
  }
  [[nodiscard]] WriteErrors write_errors() const override { return files_.write_errors(); }
  [[nodiscard]] std::optional<runtime::WallTime> oldest_birth(const Path& checkpoint) const override {
    return files_.oldest_birth(checkpoint);
  }
  [[nodiscard]] std::optional<MountKind> kind() const override { return faults_->kind ? faults_->kind : files_.kind(); }
  [[nodiscard]] std::int64_t size_of(const Path& path) const override { return files_.size_of(path); }

 private:
  std::shared_ptr<const Faults> faults_;
  PosixFiles files_;
};

}  // namespace reprise::agent::testing_support
