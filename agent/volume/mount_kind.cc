#include "agent/volume/mount_kind.h"

#include <linux/magic.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace reprise::agent {
namespace {

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return taken;
}

// "a\\040b" is "a b".
std::string unescaped(std::string_view text) {
  constexpr std::size_t digits = 3;
  std::string plain;
  while (!text.empty()) {
    unsigned code = 0;
    const char* const begin = text.data() + 1;
    if (text.front() == '\\' && text.size() > digits &&
        std::from_chars(begin, begin + digits, code, 8).ptr == begin + digits) {
      plain += static_cast<char>(code);
      text.remove_prefix(digits + 1);
    } else {
      plain += text.front();
      text.remove_prefix(1);
    }
  }
  return plain;
}

bool names_option(std::string_view options, std::string_view wanted) {
  while (!options.empty())
    if (take_until(options, ',') == wanted) return true;
  return false;
}

struct Line {
  std::int64_t id = 0;
  Mount mount;
};

// "36 35 98:0 /from /at rw,noatime master:1 - ext3 /dev/root rw": any number of fields before the lone dash.
std::optional<Line> line_in(std::string_view text) {
  const auto id = number_in<std::int64_t>(take_until(text, ' '));
  take_until(text, ' ');
  std::string_view device = take_until(text, ' ');
  const auto major = number_in<unsigned>(take_until(device, ':'));
  const auto minor = number_in<unsigned>(device);
  if (!id || !major || !minor) return std::nullopt;
  const std::string_view root = take_until(text, ' '), point = take_until(text, ' ');
  while (!text.empty() && take_until(text, ' ') != "-") {
  }
  const std::string_view type = take_until(text, ' ');
  if (type.empty()) return std::nullopt;
  const std::string_view source = take_until(text, ' ');
  return Line{.id = *id,
              .mount = {.device = {.major = *major, .minor = *minor},
                        .root = unescaped(root),
                        .point = unescaped(point),
                        .type = std::string(type),
                        .source = std::string(source),
                        .syncs_nothing = type == "overlay" && names_option(text, "volatile")}};
}

template <class Wanted>
std::optional<Line> find_line(std::string_view mountinfo, const Wanted& wanted) {
  while (!mountinfo.empty()) {
    auto line = line_in(take_until(mountinfo, '\n'));
    if (line && wanted(*line)) return line;
  }
  return std::nullopt;
}

bool is_by_fuse(std::string_view type) {
  return type == "fuse" || type == "fuseblk" || type.starts_with("fuse.") || type == "virtiofs";
}

// The names under which mountinfo has what statfs calls FileSystem::Local: all of ext's are one driver's.
bool is_local(std::string_view type) {
  constexpr std::array types = {"ext2", "ext3", "ext4", "xfs", "btrfs", "tmpfs"};
  return std::ranges::find(types, type) != types.end();
}

// True if a sync of it was tried, and no other source contradicts.
bool is_synced(const std::optional<Mount>& mount, std::optional<FileSystem> answers) {
  if (answers == FileSystem::Local) return !mount || is_local(mount->type);
  return answers == FileSystem::Overlay && mount && mount->type == "overlay" && !mount->syncs_nothing;
}

// Also a mount that does not say whose it is: those that a driver prepares for a container are of object stores.
bool is_object_store(std::string_view type) {
  constexpr std::array types = {"fuse",         "fuse.gcsfuse",  "fuse.s3fs",      "fuse.goofys",       "fuse.geesefs",
                                "fuse.rclone",  "fuse.blobfuse", "fuse.blobfuse2", "fuse.ossfs",        "fuse.ossfs2",
                                "fuse.juicefs", "fuse.JuiceFS",  "fuse.mount-s3",  "fuse.mountpoint-s3"};
  return std::ranges::find(types, type) != types.end();
}

// rclone uploads a file five seconds after it was closed last, and keeps lists for five minutes; the others keep what
// they know of a file for minutes, or a quarter of an hour.
bool protects_one_node(std::string_view type) {
  constexpr std::array types = {"fuse.rclone",   "fuse.s3fs",      "fuse.ossfs",
                                "fuse.blobfuse", "fuse.blobfuse2", "fuse.ossfs2"};
  return std::ranges::find(types, type) != types.end();
}

}  // namespace

std::optional<std::int64_t> mount_id_in(std::string_view fdinfo) {
  constexpr std::string_view key = "mnt_id:";
  while (!fdinfo.empty()) {
    std::string_view line = take_until(fdinfo, '\n');
    if (!line.starts_with(key)) continue;
    line.remove_prefix(std::min(line.find_first_not_of(" \t", key.size()), line.size()));
    return number_in<std::int64_t>(line);
  }
  return std::nullopt;
}

std::optional<Mount> mount_with_id(std::string_view mountinfo, std::int64_t id) {
  const auto found = find_line(mountinfo, [id](const Line& line) { return line.id == id; });
  return found ? std::optional(found->mount) : std::nullopt;
}

bool mounts_device(std::string_view mountinfo, DeviceNumber device) {
  return find_line(mountinfo, [device](const Line& line) { return line.mount.device == device; }).has_value();
}

bool is_below(std::string_view path, std::string_view directory) {
  while (directory.ends_with('/')) directory.remove_suffix(1);
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

std::optional<std::string> inside(const Mount& mount, std::string_view path) {
  if (!is_below(path, mount.point)) return std::nullopt;
  path.remove_prefix(mount.point == "/" ? 0 : mount.point.size());
  return (mount.root == "/" ? std::string() : mount.root) + std::string(path);
}

std::optional<Mount> mount_above(std::string_view mountinfo, DeviceNumber device, std::string_view path) {
  std::optional<Mount> longest;
  while (auto line = find_line(mountinfo, [&](const Line& each) {
           return each.mount.device == device && is_below(path, each.mount.point) &&
                  (!longest || each.mount.point.size() > longest->point.size());
         })) {
    longest = std::move(line->mount);
  }
  return longest;
}

FileSystem file_system_by(std::uint64_t magic) {
  switch (magic) {
    case FUSE_SUPER_MAGIC:
      return FileSystem::Fuse;
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case TMPFS_MAGIC:
      return FileSystem::Local;
    case OVERLAYFS_SUPER_MAGIC:
      return FileSystem::Overlay;
    default:
      return FileSystem::Other;
  }
}

namespace {

void tell_fuse(MountKind& kind, const std::optional<Mount>& mount, const ToldOfVolume& told) {
  if (!mount || !is_by_fuse(kind.type)) return;  // the two contradict each other: nothing is certain
  if (mount->source == "mountpoint-s3") kind.type = "fuse.mountpoint-s3";
  if (kind.type == "fuse" && is_by_fuse(told.type)) kind.type = told.type;
  kind.object_store = is_object_store(kind.type);
  kind.one_node = protects_one_node(kind.type);
  if (kind.type == "fuse.rclone") kind.holds_back = std::chrono::seconds(5);
  if (kind.type == "fuse.mountpoint-s3") {
    kind.proof = DurabilityProof::Reopen;
    kind.new_names = true;
  }
  if (kind.type == "fuse.gcsfuse") kind.proof = DurabilityProof::Close;
}

}  // namespace

MountKind kind_of(const std::optional<Mount>& mount, std::optional<FileSystem> answers, const ToldOfVolume& told) {
  MountKind kind;
  if (mount) kind.type = mount->type;
  kind.fuse = answers.value_or(FileSystem::Fuse) == FileSystem::Fuse || is_by_fuse(kind.type);
  if (kind.fuse) tell_fuse(kind, mount, told);
  kind.local = !kind.fuse && is_synced(mount, answers);
  if (kind.local || (told.trusts_sync && kind.proof == DurabilityProof::None)) kind.proof = DurabilityProof::Sync;
  return kind;
}

}  // namespace reprise::agent
