#include "simulator/volumes/disk.h"

#include <algorithm>
#include <ranges>

namespace reprise::simulator {

std::uint64_t DiskHeartbeat::counter(runtime::Duration now) const {
  const auto end = std::min({now, until.value_or(now), held_from.value_or(now)});
  return end < since ? 0 : static_cast<std::uint64_t>((end - since) / period) + 1;
}

bool DiskCheckpoint::lies_in(std::string_view path) const {
  return directory() == path || of_other_ranks.contains(path);
}

void DiskCheckpoint::tear() {
  complete = false;
  if (!has_a_directory_for_each_rank(library)) return cut_off(files, step);
  if (of_other_ranks.empty() || step % 2 == 0) {
    files.erase("_COMPLETE");
  } else {
    of_other_ranks.begin()->second.erase("_COMPLETE");
  }
}

std::optional<std::int64_t> Disk::newest_complete() const {
  for (const auto& [step, checkpoint] : checkpoints | std::views::reverse)
    if (checkpoint.complete && !checkpoint.quarantined && !checkpoint.hollow) return step;
  return std::nullopt;
}

const std::pair<const std::int64_t, DiskAttempt>* Disk::newest_attempt() const {
  if (attempts.empty()) return nullptr;
  if (fence_attempt == 0) return &*attempts.rbegin();
  const auto found = attempts.find(fence_attempt);
  return found == attempts.end() ? nullptr : &*found;
}

std::optional<std::int64_t> Disk::step_in(std::string_view directory) const {
  for (const auto& [step, checkpoint] : checkpoints)
    if (!checkpoint.quarantined && checkpoint.lies_in(directory)) return step;
  return std::nullopt;
}

std::optional<std::int64_t> Disk::step_at(std::string_view path) const {
  const auto leads_to = [&](const std::string& directory) { return path.ends_with("/" + directory); };
  for (const auto& [step, checkpoint] : checkpoints)
    if (!checkpoint.quarantined && (leads_to(checkpoint.directory()) ||
                                    std::ranges::any_of(checkpoint.of_other_ranks | std::views::keys, leads_to)))
      return step;
  return std::nullopt;
}

std::optional<std::int64_t> Disk::room() const {
  if (traits.capacity == 0) return std::nullopt;
  const auto used = std::ssize(checkpoints) + std::ssize(aside);
  return std::max<std::int64_t>(traits.capacity - used, 0);
}

bool Disk::is_put_aside_unproven(std::int64_t step) const {
  const auto found = checkpoints.find(step);
  return found != checkpoints.end() && found->second.unproven && !found->second.listed;
}

// Called at every step, and mostly ends at the last checkpoint.
std::int64_t Disk::newest_durable() const {
  for (const auto& [step, checkpoint] : checkpoints | std::views::reverse)
    if (checkpoint.complete && !checkpoint.quarantined && !checkpoint.hollow && checkpoint.unsynced_on.empty())
      return step;
  return -1;
}

void Disk::touch_folders(std::string_view path, runtime::Duration now) {
  bool changed = true;  // a folder that is new changes the one that it is in
  for (auto slash = path.rfind('/'); slash != std::string_view::npos && changed; slash = path.rfind('/')) {
    path = path.substr(0, slash);
    changed = !folders.contains(path);
    folders.insert_or_assign(std::string(path), now);
  }
}

bool Disk::has_unsynced(const std::string& machine) const {
  return std::ranges::any_of(checkpoints | std::views::values,
                             [&](const DiskCheckpoint& each) { return each.unsynced_on == machine; });
}

void Disk::sync(const std::string& machine) {
  for (auto& checkpoint : checkpoints | std::views::values)
    if (checkpoint.unsynced_on == machine) checkpoint.unsynced_on.clear();
}

bool Disk::fail_sync(const std::string& machine) {
  if (traits.failing_syncs == 0) return false;
  bool any = false;
  for (auto& checkpoint : checkpoints | std::views::values) {
    if (checkpoint.unsynced_on != machine || !checkpoint.complete || checkpoint.library != Library::None) continue;
    any = true;
    checkpoint.hollow = true;
    checkpoint.unsynced_on.clear();
  }
  if (any) --traits.failing_syncs;
  return any;
}

bool Disk::lose_power(const std::string& machine, runtime::Duration now) {
  bool any = false;
  for (auto& checkpoint : checkpoints | std::views::values) {
    if (checkpoint.unsynced_on != machine) continue;
    any = true;
    const bool has_names = traits.names_stay > runtime::Duration{0} && now - checkpoint.time >= traits.names_stay;
    if (checkpoint.complete && has_names && checkpoint.library == Library::None) {
      checkpoint.hollow = true;
      checkpoint.unsynced_on.clear();
      continue;
    }
    if (checkpoint.library == Library::None || has_a_directory_for_each_rank(checkpoint.library)) continue;
    lose_bytes(checkpoint.files, checkpoint.step);
    checkpoint.complete = false;
    checkpoint.unsynced_on.clear();
  }
  std::erase_if(checkpoints, [&](const auto& each) { return each.second.unsynced_on == machine; });
  return any && !rotated.empty() && *rotated.rbegin() > newest_durable();
}

void DiskHeartbeat::hold(runtime::Duration now) {
  if (holds++ == 0) held_from = now;
}

void DiskHeartbeat::release(runtime::Duration now) {
  if (holds == 0 || --holds > 0) return;
  // A writer that ended meanwhile has written nothing since.
  if (until)
    until = std::min(*until, *held_from);
  else
    since += now - *held_from;
  held_from.reset();
}

void Disk::hold_heartbeats(runtime::Duration now) {
  for (auto& attempt : attempts | std::views::values)
    for (auto& heartbeat : attempt.heartbeats | std::views::values) heartbeat.hold(now);
}

void Disk::release_heartbeats(runtime::Duration now) {
  for (auto& attempt : attempts | std::views::values)
    for (auto& heartbeat : attempt.heartbeats | std::views::values) heartbeat.release(now);
}

}  // namespace reprise::simulator
