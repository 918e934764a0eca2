#include "agent/core/unreadable/lost_fence.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "agent/core/fencing/attempts.h"
#include "agent/core/heartbeats/heartbeat.h"

namespace reprise::agent {

using runtime::Result;

Result<std::optional<Fence>> LostFence::read(const Volume& volume, bool is_last_try) {
  auto fence = read_fence(volume.files, volume.layout);
  if (fence || !says_lost(fence.error())) {
    *this = {};
    return fence;
  }
  auto mark = write_mark(volume.files, volume.layout.fence());
  if (!mark) return std::unexpected(mark.error());
  if (!*mark) return std::nullopt;
  const bool is_the_same = *mark == mark_;
  mark_ = *std::move(mark);
  is_lost_ = is_the_same && (is_lost_ || is_last_try);
  if (is_lost_) return std::nullopt;
  return fence;
}

Result<std::string> why_behind_lost_fence(const Volume& volume, const Identity& self) {
  const auto attempts = list_attempts(volume);
  if (!attempts) return std::unexpected(attempts.error());
  for (const std::int32_t attempt : *attempts) {
    if (attempt <= self.attempt) continue;
    const auto names = volume.files.list(volume.layout.attempt(attempt));
    if (!names) return std::unexpected(names.error());
    std::vector<std::filesystem::path> hearts;
    for (const std::string& name : *names)
      if (record_beside(name) && !name.starts_with('.')) hearts.push_back(volume.layout.attempt(attempt) / name);
    bool may_be_ours = false;
    const auto read = volume.lost_texts->read_all(volume.files, hearts, [&](std::size_t, const auto& text) {
      const auto heartbeat = text ? decode_heartbeat(*text) : std::nullopt;
      may_be_ours = may_be_ours || (text && (!heartbeat || heartbeat->who.job_uid == self.job_uid));
    });
    if (!read) return std::unexpected(read.error());
    if (may_be_ours)
      return "attempt " + std::to_string(attempt) + " has been on this volume; whether it owns it stands in " +
             volume.layout.fence().string() +
             ", for which the storage gives an error. Where nobody writes to the volume any more, delete that file";
  }
  return std::string();
}

}  // namespace reprise::agent
