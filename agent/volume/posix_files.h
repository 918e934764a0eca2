// Files on a mounted volume: written so that after a power loss there is the old text or the new, never half.
// Object-store mounts may lack rename: then the text is written in place and synced, which is the best they offer.
#pragma once

#include <memory>
#include <utility>

#include "agent/volume/volume_files.h"

namespace reprise::agent {

// The system calls that volumes are known to refuse, and a look at all others. Tests replace them. Callable from any
// thread.
class VolumeCalls {
 public:
  virtual ~VolumeCalls() = default;
  // Before a file or a directory there is read, written, moved or removed.
  virtual void begin() {}
  [[nodiscard]] virtual int rename(const char* from, const char* to);  // 0, or errno
  [[nodiscard]] virtual int syncfs(int fd);                            // 0, or errno
  [[nodiscard]] virtual bool is_fuse(int fd);                          // the file system
  [[nodiscard]] virtual int unlink(const char* path);                  // 0, or errno
};

class PosixFiles final : public VolumeFiles {
 public:
  // `root` is never made: where a mount has gone, writing below would fill the container's own disk.
  PosixFiles(std::shared_ptr<VolumeCalls> calls, Path root) : calls_(std::move(calls)), root_(std::move(root)) {}

  [[nodiscard]] runtime::Result<void> write(const Path& path, std::string_view text, Sync sync) const override;
  [[nodiscard]] runtime::Result<std::optional<std::string>> read(const Path& path) const override;
  [[nodiscard]] runtime::Result<std::string> read_range(const Path& path, std::uint64_t offset,
                                                        std::size_t length) const override;
  [[nodiscard]] runtime::Result<void> read_all(
      const std::vector<Path>& paths,
      const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const override;
  [[nodiscard]] runtime::Result<std::optional<FileInfo>> look(const Path& path, Links links) const override;
  [[nodiscard]] runtime::Result<void> remove(const Path& file) const override;
  [[nodiscard]] runtime::Result<void> remove_directory(const Path& empty) const override;
  [[nodiscard]] runtime::Result<void> remove_tree(const Path& directory) const override;
  [[nodiscard]] runtime::Result<void> move(const Path& from, const Path& to) const override;
  [[nodiscard]] runtime::Result<std::vector<std::string>> list(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<DirectoryEntry>> list_entries(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::set<std::string>> linked_from(const Path& root, const Path& directory,
                                                                   Depth depth) const override;
  [[nodiscard]] runtime::Result<Durability> sync_volume(const Path& root) const override;
  [[nodiscard]] std::int64_t size_of(const Path& directory) const override { return size_below(directory); }
  [[nodiscard]] static std::int64_t size_below(const Path& directory);

 private:
  [[nodiscard]] runtime::Result<void> make_directories(const Path& directory) const;

  std::shared_ptr<VolumeCalls> calls_;
  Path root_;
};

}  // namespace reprise::agent
