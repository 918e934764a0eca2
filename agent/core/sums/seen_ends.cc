#include "agent/core/sums/seen_ends.h"

#include <algorithm>

#include "agent/core/fencing/attempts.h"
#include "agent/core/fencing/former_attempts.h"
#include "agent/core/heartbeats/heartbeat.h"

namespace reprise::agent {
namespace {

std::optional<Heartbeat> heartbeat_of(const VolumeFiles& files, const VolumeLayout& layout, const Identity& rank) {
  const auto text = files.read(layout.alive(rank.attempt, rank.index));
  return text && *text ? decode_heartbeat(**text) : std::nullopt;
}

}  // namespace

bool all_ends_were_seen(const VolumeFiles& files, const VolumeLayout& layout, std::int32_t since,
                        const Identity& self) {
  // Older attempts are folded away, and nobody can tell any more.
  if (since <= self.attempt - FormerAttempts::kKept) return false;
  for (std::int32_t attempt = since; attempt < self.attempt; ++attempt) {
    const auto names = files.list(layout.attempt(attempt));
    if (!names) return false;
    for (const std::string& name : *names) {
      const auto record = record_beside(name);
      if (record && std::ranges::find(*names, *record) == names->end()) return false;
    }
  }
  return true;
}

bool is_current(const VolumeFiles& files, const VolumeLayout& layout, const Identity& pod) {
  const auto heart = heartbeat_of(files, layout, pod);
  return heart && heart->who.pod_uid == pod.pod_uid && heart->who.job_uid == pod.job_uid;
}

bool follows_unseen_end(const VolumeFiles& files, const VolumeLayout& layout, const Identity& self) {
  const auto heart = files.look(layout.alive(self.attempt, self.index), Links::Follow);
  if (!heart) return true;  // nobody can tell
  if (!*heart || is_current(files, layout, self)) return false;
  const auto record = files.look(layout.record(self.attempt, self.index), Links::Follow);
  return !record || !*record;
}

}  // namespace reprise::agent
