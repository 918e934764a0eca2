// Files on the checkpoint volume: written so that after a power loss there is the old text or the new, never half.
// Object-store mounts may lack rename: then the text is written in place and synced, which is the best they offer.
// Nothing here throws; every error names the file and the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/error.h"

namespace reprise::agent {

[[nodiscard]] runtime::Error system_error(std::string doing, int error_number);

// The system calls that volumes are known to refuse, and a look at all others. Tests replace them. Callable from any
// thread.
class VolumeCalls {
 public:
  virtual ~VolumeCalls() = default;
  // Before a file or a directory there is read, written, moved or removed.
  virtual void begin() {}
  [[nodiscard]] virtual int rename(const char* from, const char* to);  // 0, or errno
  [[nodiscard]] virtual int syncfs(int fd);                            // 0, or errno
  [[nodiscard]] virtual int unlink(const char* path);                  // 0, or errno
};

enum class Sync { Yes, No };  // No: for beats, which matter only while their writer lives

class VolumeFiles {
 public:
  // `root` is never made: where a mount has gone, writing below would fill the container's own disk.
  VolumeFiles(VolumeCalls& calls, std::filesystem::path root) : calls_(calls), root_(std::move(root)) {}

  // Makes the missing directories above `path` too.
  [[nodiscard]] runtime::Result<void> write(const std::filesystem::path& path, std::string_view text, Sync sync) const;
  // Nothing when there is no such file. Reads at most 64 KiB.
  [[nodiscard]] runtime::Result<std::optional<std::string>> read(const std::filesystem::path& path) const;
  // The same of many, several at a time: `take` is called for each, in their order, on this thread. Ends with the first
  // that cannot be read.
  [[nodiscard]] runtime::Result<void> read_all(
      const std::vector<std::filesystem::path>& paths,
      const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const;
  // What is gone already counts as removed.
  [[nodiscard]] runtime::Result<void> remove(const std::filesystem::path& file) const;
  [[nodiscard]] runtime::Result<void> remove_directory(const std::filesystem::path& empty) const;
  // Moves a directory; makes the missing directories above `to`. Never replaces what is there.
  [[nodiscard]] runtime::Result<void> move(const std::filesystem::path& from, const std::filesystem::path& to) const;
  // Names in a directory, sorted; none when the directory does not exist.
  [[nodiscard]] runtime::Result<std::vector<std::string>> list(const std::filesystem::path& directory) const;
  // Returns when all that was written to the volume before has reached it.
  [[nodiscard]] runtime::Result<void> sync_volume(const std::filesystem::path& root) const;
  // Sum of the sizes of the files below; what cannot be read counts nothing.
  [[nodiscard]] static std::int64_t size_of(const std::filesystem::path& directory);

 private:
  [[nodiscard]] runtime::Result<void> make_directories(const std::filesystem::path& directory) const;

  VolumeCalls& calls_;
  std::filesystem::path root_;
};

}  // namespace reprise::agent
