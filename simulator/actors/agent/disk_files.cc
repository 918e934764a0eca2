#include "simulator/actors/agent/disk_files.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "agent/core/fencing/fence.h"

namespace reprise::simulator {
namespace {

using runtime::Result;

constexpr Duration kCall{5};         // for a volume that is not slow
constexpr Duration kSync{300};       // syncfs of a volume that has just been written
constexpr std::size_t kAtOnce = 16;  // agent/volume/posix_files.cc
constexpr std::int64_t kCheckpointSize = 1 << 20;

runtime::Error gone(const std::string& volume) {
  return {.error_class = runtime::ErrorClass::Unavailable, .message = "no volume " + volume, .retry_after = {}};
}

}  // namespace

Result<const Disk*> DiskFiles::reach(Duration at_least) const {
  const auto find = [&]() -> const Disk* {
    const auto found = access_.volumes.disks().find(access_.volume);
    return found == access_.volumes.disks().end() ? nullptr : &found->second;
  };
  const Disk* before = find();
  access_.fibers.sleep(std::max(at_least, before == nullptr ? kCall : before->traits.call));
  while (!access_.fibers.over() && access_.volumes.stuck(access_.volume, access_.machine))
    access_.fibers.wait_for_call();
  const Disk* disk = find();
  if (disk == nullptr || access_.fibers.over()) return std::unexpected(gone(access_.volume));
  return disk;
}

Result<Disk*> DiskFiles::change(Duration at_least) const {
  const auto reached = reach(at_least);
  if (!reached) return std::unexpected(reached.error());
  access_.threads.acted();
  return access_.volumes.disk(access_.volume);
}

void DiskFiles::notify(Notify whom) const {
  if (whom == Notify::All) access_.volumes.changed(access_.volume);
}

DiskView DiskFiles::view() const {
  const EventLoop& loop = access_.cluster.loop;
  return {.env = access_.env, .now = loop.now(), .start = loop.wall() - loop.now()};
}

std::optional<std::string> DiskFiles::on_volume(const Path& path) const {
  const std::string text = path.string();
  const std::string& root = access_.env.checkpoint_dir;
  if (text == root) return std::string();
  if (!text.starts_with(root + "/")) return std::nullopt;
  return text.substr(root.size() + 1);
}

Result<void> DiskFiles::write(const Path& path, std::string_view text, agent::Sync sync) const {
  const auto place = on_volume(path);
  if (!place) {
    if (access_.fibers.over()) return std::unexpected(gone(access_.volume));
    access_.local_files[path.string()] = text;
    access_.local_written();
    return {};
  }
  if (sync == agent::Sync::No) {  // a heartbeat
    const auto reached = reach(kCall);
    if (!reached) return std::unexpected(reached.error());
    notify(write_file(*access_.volumes.disk(access_.volume), view(), *place, text));
    return {};
  }
  const auto disk = change(kCall);
  if (!disk) return std::unexpected(disk.error());
  const Notify whom = write_file(**disk, view(), *place, text);
  if (place->ends_with("fence.json"))
    access_.cluster.log.add("agent " + access_.env.pod_uid, "raises the fence of " + access_.volume + " to attempt " +
                                                                std::to_string((*disk)->fence_attempt));
  notify(whom);
  return {};
}

void DiskFiles::heed_fence(const std::string& path, const std::optional<std::string>& text) const {
  if (!path.ends_with("fence.json") || !text) return;
  const auto fence = agent::decode_fence(*text);
  if (fence && fence->job_uid == access_.env.job_uid && fence->attempt == access_.env.attempt) access_.fence_seen();
}

Result<std::optional<std::string>> DiskFiles::read(const Path& path) const {
  const auto place = on_volume(path);
  if (!place) {
    const auto found = access_.local_files.find(path.string());
    return found == access_.local_files.end() ? std::nullopt : std::optional(found->second);
  }
  const auto disk = reach(kCall);
  if (!disk) return std::unexpected(disk.error());
  auto text = read_file(**disk, view(), *place);
  heed_fence(*place, text);
  return text;
}

Result<std::string> DiskFiles::read_range(const Path& path, std::uint64_t offset, std::size_t length) const {
  auto text = read(path);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::unexpected(agent::system_error("open " + path.string(), ENOENT));
  return (*text)->substr(std::min<std::uint64_t>(offset, (*text)->size()), length);
}

void DiskFiles::count_in_look(const Disk& disk, std::size_t files) const {
  look_ += static_cast<std::int64_t>(files);
  if (look_ > disk.longest_look) access_.volumes.disk(access_.volume)->longest_look = look_;
}

Result<void> DiskFiles::read_all(
    const std::vector<Path>& paths,
    const std::function<void(std::size_t at, const std::optional<std::string>& text)>& take) const {
  for (std::size_t begin = 0; begin < paths.size(); begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, paths.size() - begin);
    const auto disk = reach(kCall);
    if (!disk) return std::unexpected(disk.error());
    std::vector<std::optional<std::string>> texts;
    for (std::size_t at = begin; at < begin + count; ++at)
      texts.push_back(read_file(**disk, view(), on_volume(paths[at]).value_or("")));
    if (paths[begin].string().find("/.reprise/attempts/") != std::string::npos) count_in_look(**disk, count);
    for (std::size_t at = 0; at < count; ++at) take(begin + at, texts[at]);
  }
  return {};
}

Result<std::optional<agent::FileInfo>> DiskFiles::look(const Path& path, agent::Links /*links*/) const {
  const auto disk = reach(kCall);
  if (!disk) return std::unexpected(disk.error());
  return look_at(**disk, view(), on_volume(path).value_or(""));
}

Result<void> DiskFiles::remove(const Path& file) const {
  const auto place = on_volume(file);
  if (!place) {
    if (access_.local_files.erase(file.string()) > 0) access_.local_written();
    return {};
  }
  const auto disk = change(kCall);
  if (!disk) return std::unexpected(disk.error());
  notify(remove_file(**disk, view(), *place));
  return {};
}

Result<void> DiskFiles::remove_directory(const Path& empty) const {
  return remove_tree(empty);
}

Result<void> DiskFiles::remove_tree(const Path& directory) const {
  const auto disk = change(kCall);
  if (!disk) return std::unexpected(disk.error());
  notify(simulator::remove_tree(**disk, view(), on_volume(directory).value_or("")));
  return {};
}

Result<void> DiskFiles::move(const Path& from, const Path& to) const {
  const auto disk = change(kCall);
  if (!disk) return std::unexpected(disk.error());
  if (!move_directory(**disk, view(), on_volume(from).value_or(""), on_volume(to).value_or("")))
    return std::unexpected(agent::system_error("rename " + from.string(), ENOTSUP));
  notify(Notify::All);
  return {};
}

Result<std::vector<std::string>> DiskFiles::list(const Path& directory) const {
  const auto disk = reach(kCall);
  if (!disk) return std::unexpected(disk.error());
  const std::string place = on_volume(directory).value_or("");
  if (place == ".reprise/attempts") look_ = 0;
  if (place.starts_with(".reprise/attempts")) count_in_look(**disk, 1);
  const auto info = look_at(**disk, view(), place);
  if (info && info->kind == agent::FileInfo::Kind::File)
    return std::unexpected(agent::system_error("read " + directory.string(), ENOTDIR));
  return list_directory(**disk, place);
}

// One call, when the volume lists kinds with the names.
Result<std::vector<agent::DirectoryEntry>> DiskFiles::list_entries(const Path& directory) const {
  const auto names = list(directory);
  if (!names) return std::unexpected(names.error());
  const Disk* disk = access_.volumes.disk(access_.volume);
  if (disk == nullptr || !disk->traits.tells_kinds) return VolumeFiles::list_entries(directory);
  std::vector<agent::DirectoryEntry> entries;
  for (const std::string& name : *names)
    if (const auto info = look_at(*disk, view(), on_volume(directory / name).value_or("")))
      entries.push_back({.name = name, .kind = info->kind});
  return entries;
}

Result<std::set<std::string>> DiskFiles::linked_from(const Path& /*root*/, const Path& /*directory*/,
                                                     agent::Depth /*depth*/) const {
  const auto disk = reach(kCall);
  if (!disk) return std::unexpected(disk.error());
  return std::set<std::string>();
}

Result<agent::Durability> DiskFiles::sync_volume(const Path& /*root*/, const Path& /*checkpoint*/) const {
  const auto found = access_.volumes.disks().find(access_.volume);
  const bool writes = found != access_.volumes.disks().end() && found->second.has_unsynced(access_.machine);
  const auto disk = change(writes ? std::max(kSync, found->second.traits.flush) : kSync);
  if (!disk) return std::unexpected(disk.error());
  if ((*disk)->fail_sync(access_.machine)) {
    const auto error = agent::system_error("syncfs", ENOSPC);
    errors_ = {.count = errors_.count + 1, .last = access_.cluster.loop.wall(), .said = error.message};
    return std::unexpected(error);
  }
  (*disk)->sync(access_.machine);
  return agent::Durability::Proven;
}

// Empty for a share, for which a person vouches, and for a volume that moves nothing: neither keeps proofs.
std::optional<agent::MountKind> DiskFiles::kind() const {
  const auto found = access_.volumes.disks().find(access_.volume);
  if (found == access_.volumes.disks().end() || access_.volumes.shared(access_.volume) || !found->second.traits.moves)
    return std::nullopt;
  return agent::MountKind{.type = "ext4", .proof = agent::DurabilityProof::Sync, .local = true};
}

std::optional<runtime::WallTime> DiskFiles::oldest_birth(const Path& checkpoint) const {
  const auto disk = reach(kCall);
  const auto step = disk ? (*disk)->step_in(on_volume(checkpoint).value_or("")) : std::nullopt;
  if (!step) return std::nullopt;
  return view().start + (*disk)->checkpoints.at(*step).begun;
}

namespace {

void add_below(const Disk& disk, const DiskView& view, const std::string& root, const std::string& within,
               std::vector<agent::FileBelow>& found) {
  const std::string place = within.empty() ? root : root + "/" + within;
  const auto info = look_at(disk, view, place);
  if (!info) return;
  if (info->kind == agent::FileInfo::Kind::File) {
    found.push_back({.path = within, .size = info->size, .modified = info->modified});
    return;
  }
  for (const std::string& name : list_directory(disk, place))
    add_below(disk, view, root, within.empty() ? name : within + "/" + name, found);
}

}  // namespace

// One call, as for a size.
Result<std::vector<agent::FileBelow>> DiskFiles::list_below(const Path& path, std::size_t /*most*/) const {
  const auto disk = reach(kCall);
  if (!disk) return std::unexpected(disk.error());
  std::vector<agent::FileBelow> found;
  add_below(**disk, view(), on_volume(path).value_or(""), {}, found);
  std::ranges::sort(found, {}, &agent::FileBelow::path);
  return found;
}

std::int64_t DiskFiles::size_of(const Path& /*directory*/) const {
  return reach(kCall) ? kCheckpointSize : 0;
}

// Answers without a call for an endless volume, in no time.
std::optional<agent::FreeSpace> DiskFiles::free_space(const Path& /*root*/) const {
  const auto found = access_.volumes.disks().find(access_.volume);
  if (found == access_.volumes.disks().end() || found->second.traits.capacity == 0) return std::nullopt;
  const auto disk = reach(kCall);
  if (!disk) return std::nullopt;
  return agent::FreeSpace{.bytes = (*disk)->room().value_or(0) * kCheckpointSize};
}

}  // namespace reprise::simulator
