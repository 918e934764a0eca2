#include "simulator/volumes/disk.h"

#include <algorithm>
#include <ranges>

namespace reprise::simulator {

std::uint64_t DiskBeat::counter(runtime::Duration now) const {
  const auto end = std::min({now, until.value_or(now), held_from.value_or(now)});
  return end < since ? 0 : static_cast<std::uint64_t>((end - since) / period) + 1;
}

std::optional<std::int64_t> Disk::newest_complete() const {
  for (const auto& [step, checkpoint] : checkpoints | std::views::reverse)
    if (checkpoint.complete && !checkpoint.quarantined) return step;
  return std::nullopt;
}

void Disk::sync(const std::string& machine) {
  for (auto& checkpoint : checkpoints | std::views::values)
    if (checkpoint.unsynced_on == machine) checkpoint.unsynced_on.clear();
}

void Disk::lose_power(const std::string& machine) {
  std::erase_if(checkpoints, [&](const auto& each) { return each.second.unsynced_on == machine; });
}

void Disk::hold_beats(runtime::Duration now) {
  for (auto& attempt : attempts | std::views::values)
    for (auto& beat : attempt.beats | std::views::values) beat.held_from = now;
}

void Disk::release_beats(runtime::Duration now) {
  for (auto& attempt : attempts | std::views::values)
    for (auto& beat : attempt.beats | std::views::values) {
      if (!beat.held_from) continue;
      // Who ended meanwhile has written nothing since.
      if (beat.until)
        beat.until = std::min(*beat.until, *beat.held_from);
      else
        beat.since += now - *beat.held_from;
      beat.held_from.reset();
    }
}

}  // namespace reprise::simulator
