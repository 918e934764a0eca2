// A volume of which is read no faster than somebody allows: for reading much in the background, beside a trainer. What
// may not be read is an Unavailable error and not a Forbidden one: by that nobody can tell whether it is whole.
#pragma once

#include <functional>

#include "agent/volume/wrappers/forwarded_files.h"

namespace reprise::agent {

class PacedFiles final : public ForwardedFiles {
 public:
  // Called after each range that was read, with its bytes; it may wait. An error of it is the reader's.
  using Pace = std::function<runtime::Result<void>(std::size_t bytes)>;
  struct How {
    std::uint64_t at_once = kPiece;     // bytes of a file that is read through
    bool closed_is_unavailable = true;  // files that may not be read; else Forbidden, as the volume says
  };
  // `files` outlives it.
  PacedFiles(const VolumeFiles& files, Pace pace) : PacedFiles(files, std::move(pace), How{}) {}
  PacedFiles(const VolumeFiles& files, Pace pace, How how) : ForwardedFiles(files), pace_(std::move(pace)), how_(how) {}

  [[nodiscard]] runtime::Result<std::optional<std::string>> read(const Path& path) const override;
  [[nodiscard]] runtime::Result<std::string> read_range(const Path& path, std::uint64_t offset,
                                                        std::size_t length) const override;
  [[nodiscard]] runtime::Result<std::uint64_t> read_through(
      const Path& path, std::uint64_t offset, std::uint64_t length,
      const std::function<void(std::string_view bytes)>& take) const override;
  [[nodiscard]] runtime::Result<std::optional<FileInfo>> look(const Path& path, Links links) const override;
  [[nodiscard]] runtime::Result<bool> look_below(const Path& root, const std::vector<std::string>& paths, Links links,
                                                 const TakeInfo& take) const override;
  [[nodiscard]] runtime::Result<std::vector<std::string>> list(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<DirectoryEntry>> list_entries(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<EntryInfo>> list_infos(const Path& directory,
                                                                   std::size_t most) const override;
  [[nodiscard]] runtime::Result<std::vector<FileBelow>> list_below(const Path& path, std::size_t most) const override;

 private:
  template <class T>
  [[nodiscard]] runtime::Result<T> told_nothing(runtime::Result<T> result) const;

  Pace pace_;
  How how_;
};

}  // namespace reprise::agent
