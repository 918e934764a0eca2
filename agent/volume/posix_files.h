// Files on a mounted volume: written so that after a power loss there is the old text or the new, never half.
// Object-store mounts may lack rename: then the text is written in place and synced, which is the best they offer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/volume/file_descriptor.h"
#include "agent/volume/mount_kind.h"
#include "agent/volume/open_files.h"
#include "agent/volume/volume_files.h"

namespace reprise::agent {

// The system calls that volumes are known to refuse, and a look at all others. Tests replace them. Callable from any
// thread.
class VolumeCalls {
 public:
  // `told`: by a person (mount_kind.h).
  explicit VolumeCalls(ToldOfVolume told = {}) : told_(std::move(told)) {}
  VolumeCalls(const VolumeCalls&) = delete;
  VolumeCalls& operator=(const VolumeCalls&) = delete;
  virtual ~VolumeCalls() = default;
  // Before a file or a directory there is read, written, moved or removed.
  virtual void begin() {}
  [[nodiscard]] virtual int rename(const char* from, const char* to);        // 0, or errno
  [[nodiscard]] virtual int open_to_write(const char* path, int flags);      // a descriptor, or -errno
  [[nodiscard]] virtual std::int64_t write(int fd, std::string_view bytes);  // how many, or -errno
  [[nodiscard]] virtual int fsync(int fd);                                   // 0, or errno
  // 0, or errno: a client of a share tells there that what it took was refused. The descriptor is gone either way.
  [[nodiscard]] virtual int close(int fd);
  [[nodiscard]] virtual int make_directory(const char* path);  // 0, or errno
  // Makes the file system set blocks aside for the first `size` bytes, without a change of the file's size. 0, or
  // errno.
  [[nodiscard]] virtual int allocate(int fd, std::int64_t size);
  // Makes later writes to an empty file take no new blocks (btrfs). Elsewhere nothing happens.
  virtual void write_where_it_lies(int fd);
  [[nodiscard]] virtual int syncfs(int fd);                  // 0, or errno
  [[nodiscard]] virtual int open_to_sync(const char* path);  // a descriptor, or -errno
  [[nodiscard]] virtual int touch(const char* path);         // 0, or errno
  [[nodiscard]] virtual std::string boot();                  // identifies the run of a machine; empty: not known
  [[nodiscard]] virtual MountKind kind(int fd);              // kind of the mount that it is open on
  // Files open on that mount, by the processes that can be seen.
  [[nodiscard]] virtual OpenFiles open_for_writing(int fd, Mappings mappings);
  [[nodiscard]] virtual int unlink(const char* path);  // 0, or errno
  // Free space of the mount that `path` is on; empty: it does not say.
  [[nodiscard]] virtual std::optional<FreeSpace> free_space(const char* path);

 private:
  ToldOfVolume told_;
};

class PosixFiles final : public VolumeFiles {
 public:
  // The former contents of a directory or a file that is moved.
  struct Listing {
    std::uint64_t inode = 0;
    std::vector<std::string> names{};  // in it; of a directory alone
  };
  // `root` is never made: where a mount has gone, writing below would fill the container's own disk. `writer`: who
  // writes, in the names of its temporary files; a pod's UID, which no other pod on the volume has. Empty: made up.
  PosixFiles(std::shared_ptr<VolumeCalls> calls, Path root, std::string writer = {});

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
  // From the open root on, which is found once.
  [[nodiscard]] runtime::Result<bool> look_below(const Path& root, const std::vector<std::string>& paths, Links links,
                                                 const TakeInfo& take) const override;
  [[nodiscard]] runtime::Result<void> remove(const Path& file) const override;
  [[nodiscard]] runtime::Result<void> remove_directory(const Path& empty) const override;
  [[nodiscard]] runtime::Result<void> remove_tree(const Path& directory) const override;
  [[nodiscard]] runtime::Result<void> move(const Path& from, const Path& to) const override;
  [[nodiscard]] runtime::Result<std::vector<std::string>> list(const Path& directory) const override;
  [[nodiscard]] runtime::Result<std::vector<DirectoryEntry>> list_entries(const Path& directory) const override;
  // By names in the open directory: of a path the kernel would look at each part again for each file.
  [[nodiscard]] runtime::Result<std::vector<EntryInfo>> list_infos(const Path& directory,
                                                                   std::size_t most) const override;
  [[nodiscard]] runtime::Result<std::set<std::string>> linked_from(const Path& root, const Path& directory,
                                                                   Depth depth) const override;
  [[nodiscard]] bool may_have_links() const override;
  [[nodiscard]] runtime::Result<std::optional<Path>> link_text(const Path& path) const override;
  [[nodiscard]] runtime::Result<void> relink(const Path& link, const Path& text) const override;
  [[nodiscard]] runtime::Result<Durability> sync_volume(const Path& root, const Path& checkpoint) const override;
  // By the machine's boot and the number of the device.
  [[nodiscard]] std::optional<std::string> write_cache(const Path& root) const override;
  [[nodiscard]] WriteErrors write_errors() const override;
  [[nodiscard]] std::optional<runtime::WallTime> oldest_birth(const Path& checkpoint) const override;
  [[nodiscard]] OpenFiles open_for_writing(const Path& root) const override;
  [[nodiscard]] std::optional<MountKind> kind() const override;
  [[nodiscard]] VolumeAbilities probe(const Path& directory, const std::string& name) const override;
  [[nodiscard]] std::int64_t size_of(const Path& directory) const override { return size_below(directory); }
  [[nodiscard]] std::optional<FreeSpace> free_space(const Path& root) const override;
  [[nodiscard]] static std::int64_t size_below(const Path& directory);

 private:
  [[nodiscard]] static std::int64_t size_in(FileDescriptor directory);
  // 0, or errno; ENOENT: whatever can be there is not.
  [[nodiscard]] static int look_at(int directory, const char* name, Links links, FileInfo& info);
  [[nodiscard]] runtime::Result<void> make_directories(const Path& directory) const;
  [[nodiscard]] runtime::Result<void> make_one_directory(const Path& directory) const;
  // Some network file systems know no fsync of directories; a rename is then as durable as they make it.
  [[nodiscard]] static runtime::Result<void> sync_directory(const Path& directory);
  // Space::Kept: for as long as the file is there, also where it is written to again.
  enum class Space { AsItComes, Kept };
  // `flags` of open(2). Nothing of an older, longer text stays behind. What is not whole there is an error, whichever
  // call has told it.
  [[nodiscard]] runtime::Result<void> fill(const Path& path, int flags, std::string_view text, Sync sync,
                                           Space space = Space::AsItComes) const;
  [[nodiscard]] runtime::Result<void> fill_open(int fd, const Path& path, std::string_view text, Sync sync,
                                                Space space) const;
  [[nodiscard]] Path temporary_of(const Path& path) const;
  [[nodiscard]] runtime::Result<void> replace(const Path& path, std::string_view text, Sync sync, Space space) const;
  // Writes over the text that is there, where there is no room for a second file. The old one stays where that fails.
  [[nodiscard]] runtime::Result<void> overwrite(const Path& path, std::string_view text, Sync sync) const;
  // Writes where nothing is renamed over a file.
  [[nodiscard]] runtime::Result<void> write_in_place(const Path& path, std::string_view text, Sync sync) const;
  // True if small files can be written to where they lie, and should be.
  [[nodiscard]] bool rewrites_in_place() const;
  // After a rename that returned 0: an error where something is under the old name all the same.
  [[nodiscard]] runtime::Result<void> look_after_move(const Path& from, const Path& to, const Listing& before) const;
  // As it is called on the volume; empty: it lies elsewhere.
  [[nodiscard]] std::optional<Path> below_root(const Path& path) const;
  // True for such a path that is the agent's own.
  [[nodiscard]] static bool is_own(const Path& relative) { return *relative.begin() == ".reprise"; }
  // On a mount where nothing may be written twice, the newest text of the agent's own file `path` is in the last of
  // path, path.1, path.2, ... that is there; empty: an ordinary file.
  [[nodiscard]] std::optional<std::int64_t> last_version(const Path& path) const;
  [[nodiscard]] runtime::Result<void> write_version(const Path& path, std::int64_t last, std::string_view text,
                                                    Sync sync) const;
  [[nodiscard]] std::optional<std::vector<std::string>> remove_left_probes(const Path& directory) const;
  [[nodiscard]] std::optional<bool> overwrites(const Path& file) const;
  // True if somebody writes that file, on a mount where reading it then does harm, or may be about to make it.
  [[nodiscard]] bool is_being_written(const Path& file) const;
  // Proves a checkpoint on a mount that answers syncfs without asking anybody.
  [[nodiscard]] Durability opens_again(int root, const Path& checkpoint, DurabilityProof proof) const;
  // The root, open since it was first asked for: whoever syncs the volume meanwhile takes no error away from it.
  [[nodiscard]] runtime::Result<std::shared_ptr<const FileDescriptor>> held_root(const Path& root) const;
  [[nodiscard]] runtime::Result<Durability> sync_files(int root, const Path& checkpoint) const;
  [[nodiscard]] std::optional<runtime::Error> fsync_told(int fd, const Path& file) const;
  [[nodiscard]] runtime::Error note_write_error(std::string doing, int error_number) const;

  std::shared_ptr<VolumeCalls> calls_;
  Path root_;
  std::string writer_;
  mutable std::mutex mutex_;
  mutable std::optional<MountKind> kind_;                    // once it is known
  mutable std::shared_ptr<const FileDescriptor> held_root_;  // held where a sync proves
  mutable WriteErrors write_errors_;
  mutable std::map<Path, std::int64_t> last_versions_;  // last versions of files with several: there may be more by now
};

// True if a file of the agent's own was left before it could be renamed: ".fence.json.<pod UID>.tmp", or
// ".fence.json.<process>" of earlier versions.
[[nodiscard]] bool is_temporary(std::string_view name);
// True if the temporary file is that of this writer, which may be about to rename it.
[[nodiscard]] bool is_temporary_of(std::string_view name, const std::string& writer);

// "fence.json.2"; 0 is the file itself.
[[nodiscard]] std::filesystem::path version_of(const std::filesystem::path& path, std::int64_t number);

}  // namespace reprise::agent
