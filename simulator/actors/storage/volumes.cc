#include "simulator/actors/storage/volumes.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace reprise::simulator {
namespace {

constexpr Duration kMount{100};

}  // namespace

std::map<std::string, Disk>& Volumes::change_disks() {
  ++touches_;
  return disks_;
}

Disk& Volumes::make(const std::string& volume, const std::string& zone, bool shared, std::string_view claim) {
  attachments_[volume].shared = shared;
  Disk& disk = change_disks()[volume];
  disk.volume = volume;
  disk.zone = zone;
  if (const auto found = prepared_.find(claim); found != prepared_.end()) {
    std::tie(disk.traits, disk.former) = found->second;
    disk.fence_job_uid = disk.former.job_uid;
    disk.fence_attempt = disk.former.attempts;
  }
  if (!shared && disk.traits.moves) return disk;
  disk.traits.flush = disk.traits.names_stay = Duration{0};  // a server writes, and goes on
  disk.traits.failing_syncs = 0;
  return disk;
}

void Volumes::remove(const std::string& volume) {
  change_disks().erase(volume);
  if (const auto attachment = attachments_.extract(volume); attachment && !attachment.mapped().machine.empty())
    attachment_changed_(volume, attachment.mapped().machine, AttachState::Detached);
  stuck_.erase(volume);
  std::erase_if(hanging_, [&](const auto& each) { return each.first == volume; });
}

Disk* Volumes::disk(const std::string& volume) {
  auto& disks = change_disks();
  const auto found = disks.find(volume);
  return found == disks.end() ? nullptr : &found->second;
}

void Volumes::want(const std::string& volume, const std::string& machine, const std::string& pod_uid,
                   std::function<void()> ready) {
  Attachment& attachment = attachments_[volume];
  attachment.users[machine].insert(pod_uid);
  attachment.waiting[pod_uid] = std::move(ready);
  progress(volume);
}

void Volumes::progress(const std::string& volume) {
  const auto found = attachments_.find(volume);
  if (found == attachments_.end()) return;
  Attachment& attachment = found->second;
  std::erase_if(attachment.users, [](const auto& each) { return each.second.empty(); });
  if (!attachment.shared) {
    const bool wanted_there = attachment.users.contains(attachment.machine);
    if (!attachment.machine.empty() && !wanted_there && attachment.ready && !attachment.detaching) {
      attachment.detaching = true;
      attachment_changed_(volume, attachment.machine, AttachState::Detaching);
      timers_.after(kDetach, [this, volume] {
        const auto now = attachments_.find(volume);
        if (now == attachments_.end() || !now->second.detaching) return;
        now->second.ready = now->second.detaching = false;
        attachment_changed_(volume, std::exchange(now->second.machine, {}), AttachState::Detached);
        progress(volume);
      });
    }
    if (attachment.machine.empty() && !attachment.users.empty()) {
      attachment.machine = attachment.users.begin()->first;
      attachment_changed_(volume, attachment.machine, AttachState::Attaching);
      timers_.after(kAttach, [this, volume, machine = attachment.machine] {
        const auto now = attachments_.find(volume);
        if (now == attachments_.end() || now->second.machine != machine) return;
        now->second.ready = true;
        attachment_changed_(volume, machine, AttachState::Attached);
        progress(volume);
      });
    }
    if (!attachment.ready || attachment.detaching) return;
  }
  // Wakes the pods that wait on a machine that has it.
  for (const auto& user : attachment.users) {
    const std::string& machine = user.first;
    const std::set<std::string>& pods = user.second;
    if (!attachment.shared && machine != attachment.machine) continue;
    for (const std::string& pod : pods)
      if (auto waiting = attachment.waiting.extract(pod)) {
        timers_.after(kMount, [this, volume, machine, pod, ready = std::move(waiting.mapped())] {
          if (uses(volume, machine, pod)) ready();
        });
      }
  }
}

// A pod that has released it in the meantime is gone.
bool Volumes::uses(const std::string& volume, const std::string& machine, const std::string& pod_uid) const {
  const auto found = attachments_.find(volume);
  if (found == attachments_.end()) return false;
  const auto users = found->second.users.find(machine);
  return users != found->second.users.end() && users->second.contains(pod_uid);
}

void Volumes::release(const std::string& volume, const std::string& machine, const std::string& pod_uid) {
  const auto found = attachments_.find(volume);
  if (found == attachments_.end()) return;
  if (const auto users = found->second.users.find(machine); users != found->second.users.end())
    users->second.erase(pod_uid);
  found->second.waiting.erase(pod_uid);
  progress(volume);
}

void Volumes::release_all(const std::string& pod_uid) {
  std::vector<std::pair<std::string, std::string>> held;
  for (const auto& [volume, attachment] : attachments_)
    for (const auto& [machine, pods] : attachment.users)
      if (pods.contains(pod_uid)) held.emplace_back(volume, machine);
  for (const auto& [volume, machine] : held) release(volume, machine, pod_uid);
}

bool Volumes::held_by(const std::string& pod_uid) const {
  return std::ranges::any_of(attachments_, [&](const auto& each) {
    return std::ranges::any_of(each.second.users, [&](const auto& user) { return user.second.contains(pod_uid); });
  });
}

bool Volumes::shared(const std::string& volume) const {
  const auto found = attachments_.find(volume);
  return found != attachments_.end() && found->second.shared;
}

bool Volumes::blocked(const std::string& volume, const std::string& machine) const {
  const auto found = attachments_.find(volume);
  return found != attachments_.end() && !found->second.shared && !found->second.machine.empty() &&
         found->second.machine != machine;
}

Volumes::Listener Volumes::listen(const std::string& volume, std::function<void()> on_change) {
  listeners_[next_listener_] = {volume, std::move(on_change)};
  return next_listener_++;
}

Volumes::Listener Volumes::listen_to_hangs(const std::string& volume, const std::string& machine,
                                           std::function<void(bool)> tell) {
  hang_listeners_[next_listener_] = {{volume, machine}, std::move(tell)};
  return next_listener_++;
}

void Volumes::stop_listening(Listener listener) {
  listeners_.erase(listener);
  hang_listeners_.erase(listener);
}

void Volumes::changed(const std::string& volume) {
  std::vector<Listener> notified;
  for (const auto& [listener, each] : listeners_)
    if (each.first == volume) notified.push_back(listener);
  for (const Listener listener : notified)
    if (const auto found = listeners_.find(listener); found != listeners_.end()) {
      const auto tell = found->second.second;
      tell();
    }
}

void Volumes::stick(const std::string& volume, bool stuck) {
  if (stuck) {
    if (!stuck_.insert(volume).second) return;
    if (Disk* const held = disk(volume)) held->hold_heartbeats(cluster_.loop.now());
  } else if (stuck_.erase(volume) > 0) {
    released_[volume] = cluster_.loop.now();
    if (Disk* const released = disk(volume)) released->release_heartbeats(cluster_.loop.now());
    changed(volume);
  }
}

bool Volumes::stood_still(const std::string& volume, Duration since) const {
  const auto released = released_.find(volume);
  return stuck_.contains(volume) || (released != released_.end() && released->second >= since);
}

void Volumes::hang(const std::string& volume, const std::string& machine, bool hangs) {
  const std::pair place(volume, machine);
  const bool changes = hangs ? hanging_.insert(place).second : hanging_.erase(place) > 0;
  if (!changes) return;
  for (const auto& [listener, each] : hang_listeners_)
    if (each.first == place) each.second(hangs);
  if (!hangs) changed(volume);
}

void Volumes::swap(const std::string& volume, Disk with) {
  Disk& disk = change_disks()[volume];
  with.volume = volume;
  with.zone = disk.zone;
  with.traits = disk.traits;
  with.writers = disk.writers;
  with.standing_still = disk.standing_still;
  with.waking = disk.waking;
  // Heartbeats come back with the next of each agent that lives.
  for (const auto& [number, attempt] : disk.attempts)
    for (const auto& [rank, heartbeat] : attempt.heartbeats)
      if (!heartbeat.until) with.attempts[number].heartbeats[rank] = heartbeat;
  disk = std::move(with);
  changed(volume);
}

void Volumes::empty(const std::string& volume) {
  swap(volume, Disk{});
}

void Volumes::lose_power(const std::string& machine) {
  for (auto& [volume, disk] : change_disks())
    if (disk.lose_power(machine, cluster_.loop.now())) lost_by_rotation_.insert(volume);
}

}  // namespace reprise::simulator
