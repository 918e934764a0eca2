#include "agent/volume/mount_kind.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

constexpr std::string_view kMounts =
    "22 28 0:21 / /proc rw,nosuid - proc proc rw\n"
    "61 28 8:17 / / rw,relatime shared:1 master:2 - ext4 /dev/root rw,discard\n"
    "610 61 0:52 / /checkpoints rw,nosuid,nodev,noatime - fuse mountpoint-s3 rw,user_id=0,group_id=0,allow_other\n"
    "611 61 0:53 /sub /a\\040b rw,relatime - nfs4 server:/export rw,vers=4.2\n"
    "612 61 0:54 / /models ro - fuse.gcsfuse bucket ro,user_id=0\n"
    "this is no mount\n"
    "613 61 nonsense / /x rw - ext4 /dev/x rw\n"
    "614 61 0:55 / /y rw";

TEST(MountKind, is_found_by_the_mount_s_id_however_many_fields_a_line_has) {
  const Mount s3{.device = {.major = 0, .minor = 52},
                 .root = "/",
                 .point = "/checkpoints",
                 .type = "fuse",
                 .source = "mountpoint-s3"};
  EXPECT_EQ(mount_with_id(kMounts, 610), s3);
  EXPECT_EQ(mount_with_id(kMounts, 61)->type, "ext4");
  EXPECT_EQ(mount_with_id(kMounts, 61)->device, (DeviceNumber{.major = 8, .minor = 17}));
  EXPECT_EQ(mount_with_id(kMounts, 611)->source, "server:/export");
  for (const int id : {6, 1, 613, 614, -1}) EXPECT_FALSE(mount_with_id(kMounts, id)) << id;
  EXPECT_FALSE(mount_with_id("", 610));
}

TEST(MountKind, a_device_is_mounted_where_a_line_says_so) {
  EXPECT_TRUE(mounts_device(kMounts, {.major = 0, .minor = 54}));
  EXPECT_FALSE(mounts_device(kMounts, {.major = 0, .minor = 5}));
}

TEST(MountKind, a_path_has_one_name_inside_its_file_system_wherever_that_is_mounted) {
  const DeviceNumber nfs{.major = 0, .minor = 53}, root{.major = 8, .minor = 17};
  const auto named = [](DeviceNumber device, std::string_view path) -> std::optional<std::string> {
    const auto mount = mount_above(kMounts, device, path);
    return mount ? inside(*mount, path) : std::nullopt;
  };
  EXPECT_EQ(named(nfs, "/a b/step-5/w"), "/sub/step-5/w");
  EXPECT_EQ(named(nfs, "/a b"), "/sub");
  EXPECT_EQ(named(nfs, "/a bc/step-5"), std::nullopt);
  EXPECT_EQ(named(root, "/var/step-5"), "/var/step-5");
  EXPECT_FALSE(inside(*mount_with_id(kMounts, 610), "/checkpoint/x"));
}

TEST(MountKind, the_mount_of_an_open_file_is_read_from_what_proc_says_of_it) {
  EXPECT_EQ(mount_id_in("pos:\t0\nflags:\t0100001\nmnt_id:\t610\nino:\t42\n"), 610);
  EXPECT_EQ(mount_id_in("mnt_id:\t7"), 7);
  for (const char* const text : {"", "pos:\t0\n", "mnt_id:\n", "mnt_id:\tx\n"}) EXPECT_FALSE(mount_id_in(text)) << text;
}

struct Case {
  std::string type, source;
  std::optional<FileSystem> answers;
  std::string told;
  std::string want_type;
  DurabilityProof want_proof;
  bool want_object_store, want_new_names;
};

TEST(MountKind, chooses_the_proof_of_durability_and_trusts_nothing_that_is_unclear) {
  using enum DurabilityProof;
  using enum FileSystem;
  const Case table[] = {
      {"ext4", "/dev/sda", Local, "", "ext4", Sync, false, false},
      {"tmpfs", "none", Local, "", "tmpfs", Sync, false, false},
      {"overlay", "overlay", Overlay, "", "overlay", Sync, false, false},
      {"fuse", "mountpoint-s3", Fuse, "", "fuse.mountpoint-s3", Reopen, true, true},
      {"fuse", "mountpoint-s3", Fuse, "fuse.gcsfuse", "fuse.mountpoint-s3", Reopen, true, true},
      {"fuse.gcsfuse", "bucket", Fuse, "", "fuse.gcsfuse", Close, true, false},
      {"fuse", "bucket", Fuse, "", "fuse", None, true, false},
      {"fuse", "bucket", Fuse, "fuse.gcsfuse", "fuse.gcsfuse", Close, true, false},
      {"fuse", "bucket", Fuse, "ext4", "fuse", None, true, false},
      {"fuse.s3fs", "s3fs", Fuse, "fuse.gcsfuse", "fuse.s3fs", None, true, false},
      {"fuse.rclone", "remote:", Fuse, "", "fuse.rclone", None, true, false},
      {"fuse.sshfs", "host:", Fuse, "", "fuse.sshfs", None, false, false},
      {"fuseblk", "/dev/sdb1", Fuse, "", "fuseblk", None, false, false},
      {"virtiofs", "tag", Fuse, "", "virtiofs", None, false, false},
      {"ext4", "/dev/sda", std::nullopt, "", "ext4", None, false, false},
      {"ext4", "/dev/sda", Fuse, "", "ext4", None, false, false},
      {"fuse.gcsfuse", "bucket", Local, "", "fuse.gcsfuse", Close, true, false},
  };
  for (const Case& c : table) {
    const MountKind kind = kind_of(Mount{.device = {}, .root = "/", .point = "/c", .type = c.type, .source = c.source},
                                   c.answers, {.type = c.told});
    const std::string what = c.type + " of " + c.source + ", told " + c.told;
    EXPECT_EQ(kind.type, c.want_type) << what;
    EXPECT_EQ(kind.proof, c.want_proof) << what;
    EXPECT_EQ(kind.object_store, c.want_object_store) << what;
    EXPECT_EQ(kind.new_names, c.want_new_names) << what;
    EXPECT_EQ(kind.fuse, c.want_proof != Sync) << what;
    EXPECT_EQ(kind.local, c.want_proof == Sync) << what;
  }
  EXPECT_EQ(kind_of(std::nullopt, Fuse, {.type = "fuse.gcsfuse"}).proof, None);
  EXPECT_EQ(kind_of(std::nullopt, std::nullopt, {}).proof, None);
  EXPECT_EQ(kind_of(std::nullopt, Local, {}).proof, Sync) << "statfs alone is enough to know which one it is";
  EXPECT_EQ(kind_of(std::nullopt, Overlay, {}).proof, None) << "and not with which options that was mounted";
}

// A gateway before an object store answers fsync and syncfs by itself.
TEST(MountKind, a_sync_proves_nothing_on_a_file_system_that_was_not_tried_unless_a_person_vouches_for_it) {
  for (const char* type : {"nfs4", "nfs", "cifs", "smb3", "9p", "lustre", "ceph", "zfs", "ext4"}) {
    const Mount mount{.device = {}, .root = "/", .point = "/c", .type = type, .source = "server:/"};
    const MountKind kind = kind_of(mount, FileSystem::Other, {.type = "fuse.gcsfuse"});
    EXPECT_EQ(kind.proof, DurabilityProof::None) << type;
    EXPECT_FALSE(kind.fuse || kind.local || kind.object_store) << type;
    const MountKind vouched = kind_of(mount, FileSystem::Other, {.trusts_sync = true});
    EXPECT_EQ(vouched.proof, DurabilityProof::Sync) << type;
    EXPECT_FALSE(vouched.local) << type;
  }
}

TEST(MountKind, where_statfs_and_mountinfo_contradict_each_other_a_sync_proves_nothing) {
  const Mount mount{.device = {}, .root = "/", .point = "/c", .type = "nfs4", .source = "server:/"};
  EXPECT_EQ(kind_of(mount, FileSystem::Local, {}).proof, DurabilityProof::None);
  EXPECT_EQ(kind_of(mount, FileSystem::Overlay, {}).proof, DurabilityProof::None);
}

TEST(MountKind, an_overlay_that_syncs_nothing_proves_nothing) {
  constexpr std::string_view mounts =
      "7 1 0:60 / /a rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w\n"
      "8 1 0:61 / /b rw - overlay overlay rw,lowerdir=/l,upperdir=/u,workdir=/w,volatile\n"
      "9 1 0:62 / /c rw - ext4 /dev/x rw,volatile\n";
  EXPECT_EQ(kind_of(mount_with_id(mounts, 7), FileSystem::Overlay, {}).proof, DurabilityProof::Sync);
  EXPECT_EQ(kind_of(mount_with_id(mounts, 8), FileSystem::Overlay, {}).proof, DurabilityProof::None);
  EXPECT_EQ(kind_of(mount_with_id(mounts, 9), FileSystem::Local, {}).proof, DurabilityProof::Sync);
}

TEST(MountKind, a_person_vouches_for_a_mount_by_fuse_too_where_nothing_better_is_known) {
  const auto kind = [](const char* type) {
    return kind_of(Mount{.device = {}, .root = "/", .point = "/c", .type = type, .source = "x"}, FileSystem::Fuse,
                   {.trusts_sync = true});
  };
  EXPECT_EQ(kind("fuse.juicefs").proof, DurabilityProof::Sync);
  EXPECT_TRUE(kind("fuse.juicefs").fuse);
  EXPECT_EQ(kind("fuse.gcsfuse").proof, DurabilityProof::Close);
}

TEST(MountKind, a_file_system_is_known_by_the_number_that_statfs_gives) {
  EXPECT_EQ(file_system_by(0xEF53), FileSystem::Local) << "ext4";
  EXPECT_EQ(file_system_by(0x58465342), FileSystem::Local) << "xfs";
  EXPECT_EQ(file_system_by(0x9123683E), FileSystem::Local) << "btrfs";
  EXPECT_EQ(file_system_by(0x01021994), FileSystem::Local) << "tmpfs";
  EXPECT_EQ(file_system_by(0x794C7630), FileSystem::Overlay);
  EXPECT_EQ(file_system_by(0x65735546), FileSystem::Fuse);
  for (const std::uint64_t magic :
       std::initializer_list<std::uint64_t>{0x6969, 0xFF534D42, 0x01021997, 0x0BD00BD0, 0x00C36400, 0})
    EXPECT_EQ(file_system_by(magic), FileSystem::Other) << "NFS, SMB, 9p, Lustre, CephFS: " << magic;
}

TEST(MountKind, says_where_heartbeats_protect_one_node_only_and_how_long_they_are_held_back) {
  const auto kind = [](const char* type) {
    return kind_of(Mount{.device = {}, .root = "/", .point = "/c", .type = type, .source = "remote:"}, FileSystem::Fuse,
                   {});
  };
  for (const char* type : {"fuse.rclone", "fuse.s3fs", "fuse.ossfs", "fuse.blobfuse2"})
    EXPECT_TRUE(kind(type).one_node) << type;
  for (const char* type : {"fuse.gcsfuse", "fuse.juicefs", "fuse.sshfs", "fuse.mergerfs", "virtiofs"})
    EXPECT_FALSE(kind(type).one_node) << type;
  EXPECT_GT(kind("fuse.rclone").holds_back, std::chrono::seconds(0));
  EXPECT_EQ(kind("fuse.gcsfuse").holds_back, std::chrono::seconds(0));
}

}  // namespace
}  // namespace reprise::agent
