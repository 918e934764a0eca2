// Files on the checkpoint volume, as a seam: posix_files.h is the real one, the simulator brings another.
// Each call may hang for as long as the storage does. Nothing here throws; every error names the file and the reason.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/volume/mount_kind.h"
#include "agent/volume/open_files.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// Terminal: the storage has lost bytes of what was asked for, and says so (EIO, and what file systems say for it).
[[nodiscard]] runtime::Error system_error(std::string doing, int error_number);
// True if an error says that bytes are lost; a volume that does not answer, or not now, or not this user, has lost
// nothing.
[[nodiscard]] inline bool says_lost(const runtime::Error& error) {
  return error.error_class == runtime::ErrorClass::Terminal;
}

enum class Sync { Yes, No };  // No: for heartbeats, which matter only while their writer lives
// Unproven: the file system answers without asking anybody. So do mounts of object stores by FUSE, where what a process
// has closed may still be on its way. NotYet: it may show so later, once nobody holds a file open to write it.
enum class Durability { Proven, NotYet, Unproven };
enum class Links { Follow, Stay };   // Stay: a link is something else than what it leads to
enum class Depth { Direct, Below };  // directly in a directory, or anywhere below it

struct FileInfo {
  enum class Kind { Directory, File, Other };
  Kind kind = Kind::Other;
  runtime::WallTime modified{};
  std::uint64_t size = 0;  // bytes; of files alone
  bool operator==(const FileInfo&) const = default;
};

struct DirectoryEntry {
  std::string name;
  FileInfo::Kind kind = FileInfo::Kind::Other;  // a link is Other
};

// And all that is said of it, or of what its links lead to.
struct EntryInfo {
  std::string name;
  FileInfo info{};         // Other, where it is gone or leads nowhere
  bool is_closed = false;  // to this user: nothing is known of it
};

// A regular file below a directory, or the file itself.
struct FileBelow {
  std::string path;  // from there on; empty: the file itself
  std::uint64_t size = 0;
  runtime::WallTime modified{};
  bool operator==(const FileBelow&) const = default;
};

// The errors that the file system has told this process of writes that did not reach the storage. It tells each once,
// to a process that holds a file open and asks; the pages count as clean afterwards.
struct WriteErrors {
  std::uint64_t count = 0;
  runtime::WallTime last{};  // by the clock of this machine, when it was told
  std::string said{};        // the last
};

// The space that a volume has left for this user.
struct FreeSpace {
  std::int64_t bytes = 0;
  std::optional<std::int64_t> files{};  // empty: it does not count them
  bool operator==(const FreeSpace&) const = default;
};

// Abilities for files; empty: not known.
struct VolumeAbilities {
  std::optional<bool> rename{}, overwrite{}, remove{};
  bool operator==(const VolumeAbilities&) const = default;
};

class VolumeFiles {
 public:
  static constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;
  static constexpr std::size_t kMostText = std::size_t{1} << 20U;
  // Most text of a list that may grow: the rest goes into another file. Agents of earlier versions read 64 KiB.
  static constexpr std::size_t kMostInOneList = std::size_t{60} * 1'000;
  using Path = std::filesystem::path;
  VolumeFiles() = default;
  VolumeFiles(const VolumeFiles&) = delete;
  VolumeFiles& operator=(const VolumeFiles&) = delete;
  virtual ~VolumeFiles() = default;

  // After a power loss there is the old text or the new, never half, as far as the volume can do that. Makes the
  // missing directories above `path` too.
  // Where it fails the old text stays.
  [[nodiscard]] virtual runtime::Result<void> write(const Path& path, std::string_view text, Sync sync) const = 0;
  // A small file that is written again and again, always as long: in the room that it took when it came, so that a
  // volume that is full by now takes it all the same, as far as the volume can do that. Readers may find the old text,
  // the new one, or a mixture.
  [[nodiscard]] virtual runtime::Result<void> rewrite(const Path& path, std::string_view text) const;
  // The same as write(), durable, in the room of a file beside `path` that has more than the text takes: it is written
  // over and gets the name.
  [[nodiscard]] virtual runtime::Result<void> write_into(const Path& room, const Path& path,
                                                         std::string_view text) const;
  // Changes the time of a file that is there and nothing else: where nothing of it can be written any more.
  [[nodiscard]] virtual runtime::Result<void> touch(const Path& file) const;
  // Reads all of a small file; empty when there is none. A file of more than kMostText is an Invalid error: half a text
  // is never taken for a whole one, nor for none. On mounts by FUSE a file that some process holds open to write it
  // counts as not there yet, here and in read_range(): reading it might finish it early.
  [[nodiscard]] virtual runtime::Result<std::optional<std::string>> read(const Path& path) const = 0;
  // At most `length` bytes from `offset` on; fewer only at the end of the file. A file that is gone is a NotFound
  // error.
  [[nodiscard]] virtual runtime::Result<std::string> read_range(const Path& path, std::uint64_t offset,
                                                                std::size_t length) const = 0;
  // Reads all of `length` bytes from `offset` on, or up to the end of the file, in order and a MiB at a time: `take` is
  // called with each piece, on this thread. Returns how many there were. Another thread may read the next piece
  // meanwhile.
  [[nodiscard]] virtual runtime::Result<std::uint64_t> read_through(
      const Path& path, std::uint64_t offset, std::uint64_t length,
      const std::function<void(std::string_view bytes)>& take) const;
  // The same as read() of many, several at a time: `take` is called for each, in their order, on this thread. Ends with
  // the first that cannot be read.
  [[nodiscard]] virtual runtime::Result<void> read_all(
      const std::vector<Path>& paths,
      const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const = 0;
  // Empty when there is none, or when its links lead nowhere.
  [[nodiscard]] virtual runtime::Result<std::optional<FileInfo>> look(const Path& path, Links links) const = 0;
  // Looks at many below `root`, by their paths from there on ("" is the root itself): `take` is called with each in
  // turn, until it returns false. False: it did.
  using TakeInfo = std::function<bool(std::size_t at, const std::optional<FileInfo>& info)>;
  [[nodiscard]] virtual runtime::Result<bool> look_below(const Path& root, const std::vector<std::string>& paths,
                                                         Links links, const TakeInfo& take) const;
  // A file that is gone already counts as removed.
  [[nodiscard]] virtual runtime::Result<void> remove(const Path& file) const = 0;
  [[nodiscard]] virtual runtime::Result<void> remove_directory(const Path& empty) const = 0;
  // A directory with all in it, or a file.
  [[nodiscard]] virtual runtime::Result<void> remove_tree(const Path& path) const = 0;
  // Moves a directory or a file; makes the missing directories above `to`. Never replaces what is there. What is under
  // the old name afterwards was not moved: an error, with all of it under the old name again where that can be done.
  [[nodiscard]] virtual runtime::Result<void> move(const Path& from, const Path& to) const = 0;
  // Names in a directory, sorted; none when the directory does not exist. What is no directory is an Invalid error.
  [[nodiscard]] virtual runtime::Result<std::vector<std::string>> list(const Path& directory) const = 0;
  // The same with what each is, without a call for each where the volume tells that with the names.
  [[nodiscard]] virtual runtime::Result<std::vector<DirectoryEntry>> list_entries(const Path& directory) const;
  // The names, sorted, with all that look() says of each, at one go. More than `most` are an Invalid error, and none of
  // them is asked for.
  [[nodiscard]] virtual runtime::Result<std::vector<EntryInfo>> list_infos(
      const Path& directory, std::size_t most = std::numeric_limits<std::size_t>::max()) const;
  // The ends of the links in `directory`, as paths below `root`; none where it is no directory.
  [[nodiscard]] virtual runtime::Result<std::set<std::string>> linked_from(const Path& root, const Path& directory,
                                                                           Depth depth) const = 0;
  // True if there may be links on the volume at all: object stores know none, and each call there takes its time.
  [[nodiscard]] virtual bool may_have_links() const { return false; }
  // The text of a link, as it was written; empty: it is none.
  [[nodiscard]] virtual runtime::Result<std::optional<Path>> link_text(const Path& path) const;
  // Makes a link lead elsewhere: whoever looks finds the old one or the new. `text` is what it says from then on.
  [[nodiscard]] virtual runtime::Result<void> relink(const Path& link, const Path& text) const;
  // Returns when all that was written to the volume before has reached it, as far as the volume says so, and each file
  // of `checkpoint`, a directory or a file on it, has been synced through a descriptor of this process; of a mount by
  // FUSE, what is known of that one. The root alone, where `checkpoint` is it.
  [[nodiscard]] virtual runtime::Result<Durability> sync_volume(const Path& root, const Path& checkpoint) const = 0;
  // The memory in which writes here wait for the storage: a sync by one process covers the writes of all until then for
  // which this is the same text. Only where a sync proves, but by FUSE.
  [[nodiscard]] virtual std::optional<std::string> write_cache(const Path& /*root*/) const { return std::nullopt; }
  // Errors since this process first asked what the volume is.
  [[nodiscard]] virtual WriteErrors write_errors() const { return {}; }
  // The time when the first of a checkpoint's files was made; empty: it has none, or the file system does not say of
  // each.
  [[nodiscard]] virtual std::optional<runtime::WallTime> oldest_birth(const Path& checkpoint) const;
  // All files below a directory, sorted, or the file itself; none where there is nothing. More than `most` are an
  // Invalid error.
  [[nodiscard]] virtual runtime::Result<std::vector<FileBelow>> list_below(const Path& path, std::size_t most) const;
  // The files that processes that can be seen here hold open to write below `root`.
  [[nodiscard]] virtual OpenFiles open_for_writing(const Path& root) const;
  // The kind of the file system, as the machine says; empty: that cannot be told here.
  [[nodiscard]] virtual std::optional<MountKind> kind() const { return std::nullopt; }
  // Finds out by trying, in a directory of the agent's own and under new names that begin with `name`. Where nothing
  // can be deleted a small file stays each time, until there are eight.
  [[nodiscard]] virtual VolumeAbilities probe(const Path& directory, const std::string& name) const;
  // The size of a file, or of all files below a directory; an unreadable one counts nothing.
  [[nodiscard]] virtual std::int64_t size_of(const Path& path) const = 0;
  // Empty: the volume does not say.
  [[nodiscard]] virtual std::optional<FreeSpace> free_space(const Path& root) const;
};

}  // namespace reprise::agent
