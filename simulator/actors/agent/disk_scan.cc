#include "simulator/actors/agent/disk_scan.h"

#include <ranges>
#include <utility>

#include "agent/checkpoint_name.h"
#include "agent/checkpoint_order.h"
#include "agent/set_aside.h"

namespace reprise::simulator {

agent::Checkpoints scan(const EventLoop& loop, const Disk& disk) {
  agent::Checkpoints found, set_aside;
  const auto entry = [&](const auto& checkpoint) {
    const auto time = checkpoint.complete ? loop.wall() + (checkpoint.time - loop.now()) : runtime::WallTime{};
    return agent::Checkpoint{.name = checkpoint.directory(),
                             .step = agent::step_of(checkpoint.directory()).value_or(0),
                             .complete = checkpoint.complete,
                             .time = time};
  };
  for (const auto& checkpoint : disk.checkpoints | std::views::values | std::views::reverse)
    if (!checkpoint.quarantined || !disk.traits.moves) found.push_back(entry(checkpoint));
  for (const auto& [directory, since] : disk.data)
    found.push_back({.name = directory,
                     .step = agent::step_of(directory).value_or(0),
                     .complete = true,
                     .time = loop.wall() + (since - loop.now())});
  for (const DiskSetAside& each : disk.set_aside) set_aside.push_back(entry(each));
  found = agent::without_set_aside(std::move(found), set_aside);
  agent::sort_newest_first(found, disk.made);
  return found;
}

}  // namespace reprise::simulator
