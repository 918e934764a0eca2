// Files that remember what somebody has asked of them and was told, so that it can be asked again at one go: whoever is
// told the same needs to conclude nothing anew. Only names and what look() says can be asked again; after anything else
// (a read, a write, a sync) nothing is remembered.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/volume/volume_files.h"

namespace reprise::agent {

// By paths below the root; "" is the root.
struct Answers {
  struct Looks {
    std::vector<std::string> paths{};  // sorted
    std::vector<std::optional<FileInfo>> infos{};
    bool operator==(const Looks&) const = default;
  };
  Looks followed{}, stayed{};  // by what was to be done with links
  // Of directories: digests of what was listed. The names alone where nothing else was.
  std::map<std::string, std::size_t> names{}, kinds{}, infos{};
  bool operator==(const Answers&) const = default;
};

class RecordedFiles final : public VolumeFiles {
 public:
  // `files` outlives it.
  RecordedFiles(const VolumeFiles& files, Path root) : files_(files), root_(std::move(root)) {}

  // From now on what this thread asks.
  void begin() const;
  // Nothing: it cannot be asked again, or the same question had two answers.
  [[nodiscard]] std::optional<Answers> end() const;
  // Whether all of it is answered so now. Remembers nothing.
  [[nodiscard]] bool are_the_same(const Answers& answers) const;

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
  // Not remembered: it is another one each time.
  [[nodiscard]] std::optional<FreeSpace> free_space(const Path& root) const override { return files_.free_space(root); }

 private:
  struct Recording {
    std::thread::id by;
    std::map<std::string, std::optional<FileInfo>> followed{}, stayed{};
    std::map<std::string, std::size_t> names{}, kinds{}, infos{};
    bool may_be_asked_again = true;
  };
  // The recording of this thread; nothing: there is none. With the lock held.
  [[nodiscard]] Recording* own() const;
  // What is asked can be answered otherwise the next time, or does something.
  void give_up() const;
  // Nothing: it lies elsewhere.
  [[nodiscard]] std::optional<std::string> below_root(const Path& path) const;
  template <class Answer>
  void note(std::map<std::string, Answer> Recording::*where, const Path& path, const Answer& answer) const;

  const VolumeFiles& files_;
  Path root_;
  mutable std::mutex mutex_;  // never held while the volume is asked
  mutable std::optional<Recording> recording_;
};

}  // namespace reprise::agent
