#include "simulator/volumes/disk.h"

#include <algorithm>
#include <ranges>

namespace reprise::simulator {

std::uint64_t DiskBeat::counter(runtime::Duration now) const {
  const auto end = until ? std::min(*until, now) : now;
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

}  // namespace reprise::simulator
