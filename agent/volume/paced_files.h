// A volume of which is read no faster than somebody allows: for reading much in the background, beside a trainer. What
// may not be read is an Unavailable error and not a Forbidden one: by that nobody can tell whether it is whole.
#pragma once

#include <functional>

#include "agent/volume/volume_files.h"

namespace reprise::agent {

class PacedFiles final : public VolumeFiles {
 public:
  // Called after each range that was read, with its bytes; it may wait. An error of it is the reader's.
  using Pace = std::function<runtime::Result<void>(std::size_t bytes)>;
  // `files` outlives it.
  PacedFiles(const VolumeFiles& files, Pace pace) : files_(files), pace_(std::move(pace)) {}

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
  [[nodiscard]] runtime::Result<void> remove_tree(const Path& path) const override;
  [[nodiscard]] runtime::Result<void> move(const Path& from, const Path& to) const override;
  [[nodiscard]] runtime::Result<std::vector<std::string>> list(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<DirectoryEntry>> list_entries(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::set<std::string>> linked_from(const Path& root, const Path& directory,
                                                                   Depth depth) const override;
  [[nodiscard]] runtime::Result<Durability> sync_volume(const Path& root, const Path& checkpoint) const override;
  [[nodiscard]] std::optional<MountKind> kind() const override;
  [[nodiscard]] VolumeAbilities probe(const Path& directory, const std::string& name) const override;
  [[nodiscard]] std::int64_t size_of(const Path& path) const override;

 private:
  const VolumeFiles& files_;
  Pace pace_;
};

}  // namespace reprise::agent
