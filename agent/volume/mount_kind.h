// The kind of a volume's file system, by what the machine says of its mount: how it shows that something is durable,
// and what is dear there. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::agent {

struct DeviceNumber {
  unsigned major = 0;
  unsigned minor = 0;
  bool operator==(const DeviceNumber&) const = default;
};

// A line of /proc/<pid>/mountinfo.
struct Mount {
  DeviceNumber device{};
  std::string root;            // directory of the file system that is mounted: "/"
  std::string point;           // and where
  std::string type;            // "ext4", "nfs4", "fuse", "fuse.gcsfuse"
  std::string source;          // "/dev/sda1", "mountpoint-s3"
  bool syncs_nothing = false;  // an overlay that was mounted with "volatile"
  bool operator==(const Mount&) const = default;
};

// The mount of an open file, as /proc/<pid>/fdinfo/<fd> says it: its mnt_id.
[[nodiscard]] std::optional<std::int64_t> mount_id_in(std::string_view fdinfo);
// Empty when it is not in the text.
[[nodiscard]] std::optional<Mount> mount_with_id(std::string_view mountinfo, std::int64_t id);
// True if any mount there shows the device.
[[nodiscard]] bool mounts_device(std::string_view mountinfo, DeviceNumber device);
// The mount of the device below which `path` lies; empty: none that is there.
[[nodiscard]] std::optional<Mount> mount_above(std::string_view mountinfo, DeviceNumber device, std::string_view path);
// The file system's own path for one below the mount: the same wherever it is mounted. Empty: it is not below.
[[nodiscard]] std::optional<std::string> inside(const Mount& mount, std::string_view path);
// The same path, or one below it.
[[nodiscard]] bool is_below(std::string_view path, std::string_view directory);

// The file system that answers, as statfs says it.
enum class FileSystem {
  Fuse,
  Local,    // ext4, xfs, btrfs, tmpfs: tried; what a sync has not answered for goes with the machine
  Overlay,  // as its upper directory's, which lies on one of these
  Other,
};
// `magic`: f_type of statfs(2), of linux/magic.h.
[[nodiscard]] FileSystem file_system_by(std::uint64_t magic);

// The proof that a checkpoint has reached the storage.
enum class DurabilityProof {
  Sync,    // fsync and syncfs: file systems on which that was tried, and those for which a person vouches
  Reopen,  // Mountpoint for S3: a file that opens after its writer has closed it is an object
  Close,   // gcsfuse: the close has finished the object
  None,    // all others: a gateway may answer for the disk, and most mounts by FUSE do so without asking anybody
};

struct MountKind {
  std::string type;  // as in mountinfo; empty: not known
  DurabilityProof proof = DurabilityProof::None;
  // A disk, or memory, of this machine: what no sync has answered for is lost with it, while names and sizes may stay.
  bool local = false;
  bool fuse = false;          // reading a file that somebody writes may do harm
  bool object_store = false;  // each write of a small file is a request that is paid for
  bool new_names = false;     // existing files may not be written again, nor renamed
  // Bytes written on one node come to others late or never, by a cache here or there, as the mount is set as a rule.
  bool one_node = false;
  std::chrono::milliseconds holds_back{0};  // a file that is written again within that time is passed on to nobody
  bool operator==(const MountKind&) const = default;
};

// Facts about the volume from a person.
struct ToldOfVolume {
  std::string type{};        // counts for a mount that does not say itself, as those of GKE's driver do not
  bool trusts_sync = false;  // bytes that are synced there have reached the storage
};

// `mount`: empty when it was not found. `answers`: as statfs says; empty: it does not answer.
[[nodiscard]] MountKind kind_of(const std::optional<Mount>& mount, std::optional<FileSystem> answers,
                                const ToldOfVolume& told);

}  // namespace reprise::agent
