// A base for files that change some calls of others: each call that is not overridden goes to the others as it is, so
// that a wrapper hides nothing that a volume can do.
#pragma once

#include "agent/volume/volume_files.h"

namespace reprise::agent {

class ForwardedFiles : public VolumeFiles {
 public:
  [[nodiscard]] runtime::Result<void> write(const Path& path, std::string_view text, Sync sync) const override;
  [[nodiscard]] runtime::Result<void> rewrite(const Path& path, std::string_view text) const override;
  [[nodiscard]] runtime::Result<void> write_into(const Path& room, const Path& path,
                                                 std::string_view text) const override;
  [[nodiscard]] runtime::Result<void> touch(const Path& file) const override;
  [[nodiscard]] runtime::Result<std::optional<std::string>> read(const Path& path) const override;
  [[nodiscard]] runtime::Result<std::string> read_range(const Path& path, std::uint64_t offset,
                                                        std::size_t length) const override;
  [[nodiscard]] runtime::Result<std::uint64_t> read_through(
      const Path& path, std::uint64_t offset, std::uint64_t length,
      const std::function<void(std::string_view bytes)>& take) const override;
  [[nodiscard]] runtime::Result<void> read_all(
      const std::vector<Path>& paths,
      const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const override;
  [[nodiscard]] runtime::Result<std::optional<FileInfo>> look(const Path& path, Links links) const override;
  [[nodiscard]] runtime::Result<bool> look_below(const Path& root, const std::vector<std::string>& paths, Links links,
                                                 const TakeInfo& take) const override;
  [[nodiscard]] runtime::Result<void> remove(const Path& file) const override;
  [[nodiscard]] runtime::Result<void> remove_directory(const Path& empty) const override;
  [[nodiscard]] runtime::Result<void> remove_tree(const Path& path) const override;
  [[nodiscard]] runtime::Result<void> move(const Path& from, const Path& to) const override;
  [[nodiscard]] runtime::Result<std::vector<std::string>> list(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<DirectoryEntry>> list_entries(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<EntryInfo>> list_infos(const Path& directory,
                                                                   std::size_t most) const override;
  [[nodiscard]] runtime::Result<std::set<std::string>> linked_from(const Path& root, const Path& directory,
                                                                   Depth depth) const override;
  [[nodiscard]] bool may_have_links() const override { return files_.may_have_links(); }
  [[nodiscard]] runtime::Result<std::optional<Path>> link_text(const Path& path) const override;
  [[nodiscard]] runtime::Result<void> relink(const Path& link, const Path& text) const override;
  [[nodiscard]] runtime::Result<Durability> sync_volume(const Path& root, const Path& checkpoint) const override;
  [[nodiscard]] std::optional<std::string> write_cache(const Path& root) const override {
    return files_.write_cache(root);
  }
  [[nodiscard]] WriteErrors write_errors() const override { return files_.write_errors(); }
  [[nodiscard]] std::optional<runtime::WallTime> oldest_birth(const Path& checkpoint) const override;
  [[nodiscard]] runtime::Result<std::vector<FileBelow>> list_below(const Path& path, std::size_t most) const override;
  [[nodiscard]] OpenFiles open_for_writing(const Path& root) const override;
  [[nodiscard]] std::optional<MountKind> kind() const override { return files_.kind(); }
  [[nodiscard]] VolumeAbilities probe(const Path& directory, const std::string& name) const override;
  [[nodiscard]] std::int64_t size_of(const Path& path) const override;
  [[nodiscard]] std::optional<FreeSpace> free_space(const Path& root) const override { return files_.free_space(root); }

 protected:
  // `files` outlives it.
  explicit ForwardedFiles(const VolumeFiles& files) : files_(files) {}
  [[nodiscard]] const VolumeFiles& files() const { return files_; }

 private:
  // Called before each call that is forwarded, but for those that say the same at all times (kind, links, caches,
  // errors) and for free_space(), which says something else each time.
  virtual void before_forwarding() const {}

  const VolumeFiles& files_;
};

}  // namespace reprise::agent
