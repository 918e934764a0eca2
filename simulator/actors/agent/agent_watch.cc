// The modelled agent watches checkpoints become durable, and prunes.
#include <algorithm>
#include <iterator>
#include <ranges>

#include "agent/checkpoint_order.h"
#include "agent/choose_pruned.h"
#include "simulator/actors/agent/agent_process.h"
#include "simulator/actors/agent/disk_scan.h"

namespace reprise::simulator {
namespace {

constexpr Duration kSync{300};          // syncfs of a volume that has just been written
constexpr Duration kStoppingLook{100};  // supervise.cc: how often it looks while a checkpoint is waited for

}  // namespace

void AgentProcess::saved(std::int64_t) {
  look_.within((stop_ ? kStoppingLook : setting_.env.watch) + kSync);
}

std::optional<agent::Checkpoint> AgentProcess::newest(const Disk& disk) const {
  agent::Checkpoints found = scan(cluster_.loop, disk);
  std::erase_if(found, [this](const auto& each) {
    return each.complete && std::ranges::find(from_.ignored, each.step) != from_.ignored.end();
  });
  return agent::newest_complete(found, disk.made);
}

void AgentProcess::write_down(Disk& disk) const {
  for (const auto& entry : agent::newly_made(scan(cluster_.loop, disk), from_.before, disk.made, self()))
    disk.made.push_back(entry);
}

// The marker is there and syncfs has returned.
void AgentProcess::look() {
  if (ended_ || stuck()) return;
  Disk* disk = volumes_.disk(setting_.volume);
  if (disk == nullptr) return;
  if (setting_.env.keeps_volume() && trainer_runs_) write_down(*disk);
  const auto found = newest(*disk);
  if (!found || (durable_ && !agent::is_newer(*found, durable_))) return;
  disk->sync(setting_.machine);
  const auto step = disk->step_in(found->name);
  // Its writer's machine has it in memory alone.
  if (step && !disk->checkpoints[*step].unsynced_on.empty()) return;
  durable_ = found;
  if (setting_.env.keeps_volume()) prune(*disk);
  if (stop_) stop_check_.within(Duration{0});
}

void AgentProcess::prune(Disk& disk) {
  const agent::PruneQuestion question{.found = scan(cluster_.loop, disk),
                                      .made = disk.made,
                                      .job_uid = setting_.env.job_uid,
                                      .durable_step = durable_->step,
                                      .resumed_from = from_.number,
                                      .gang = setting_.env.is_gang(),
                                      .keep = setting_.env.keep};
  auto gone = agent::choose_pruned(question);
  const bool newer = agent::outlives_torn(*durable_, from_.before);
  if (newer) std::ranges::copy(agent::choose_torn(question, from_.before), std::back_inserter(gone));
  const auto goes = [&](const std::string& directory) { return std::ranges::find(gone, directory) != gone.end(); };
  std::erase_if(disk.checkpoints,
                [&](const auto& each) { return !each.second.quarantined && goes(each.second.directory()); });
  std::erase_if(disk.data, [&](const auto& each) { return goes(each.first); });
  if (newer) std::erase_if(disk.aside, [](const auto& each) { return each.ours; });
  disk.forget_gone();
}

}  // namespace reprise::simulator
