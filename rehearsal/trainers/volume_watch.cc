#include "rehearsal/trainers/volume_watch.h"

#include <sys/stat.h>

#include <algorithm>

#include "agent/core/watch/stand_ins_beside.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/recognise/marker_format.h"
#include "agent/process/posix_volume.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<agent::CheckpointFormat> format_named(const std::string& name) {
  auto format = agent::make_format(name.empty() ? "Auto" : name);
  return format ? std::move(*format) : std::make_unique<agent::MarkerFormat>();
}

// Modification time of the newest entry in it.
runtime::WallTime newest_in(const fs::path& directory) {
  runtime::WallTime newest{};
  const auto look = [&](const fs::path& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) return;
    newest = std::max(newest, runtime::WallTime(std::chrono::seconds(info.st_mtim.tv_sec) +
                                                std::chrono::microseconds(info.st_mtim.tv_nsec / 1000)));
  };
  look(directory);
  std::error_code problem;
  for (fs::directory_iterator entry(directory, problem); !problem && entry != fs::directory_iterator();
       entry.increment(problem))
    look(entry->path());
  return newest;
}

}  // namespace

VolumeWatch::VolumeWatch(fs::path directory, const std::string& format)
    : directory_(std::move(directory)), volume_(agent::posix_volume(directory_, format_named(format))) {}

std::vector<SeenCheckpoint> VolumeWatch::look() {
  std::vector<SeenCheckpoint> fresh;
  const auto found = volume_->scan();
  if (!found) return fresh;
  incomplete_ = false;
  agent::Checkpoints all = *found;
  for (const agent::Checkpoint& each : volume_->format->stand_ins())
    if (agent::is_further(each, *found)) all.push_back(each);
  for (const agent::Checkpoint& each : all) {
    incomplete_ = incomplete_ || !each.complete;
    if (!each.complete) continue;
    const auto known = complete_.find(each.name);
    if (known != complete_.end() && known->second == each.time) continue;
    complete_[each.name] = each.time;
    fresh.push_back({.step = each.step,
                     .time = each.time,
                     .bytes = agent::PosixFiles::size_below(directory_ / each.name),
                     .complete = true,
                     .name = each.name,
                     .format = each.format});
  }
  std::ranges::sort(fresh, {}, &SeenCheckpoint::time);
  return fresh;
}

std::vector<SeenCheckpoint> VolumeWatch::torn() {
  std::vector<SeenCheckpoint> fresh;
  const auto found = volume_->scan();
  if (!found) return fresh;
  for (const agent::Checkpoint& each : *found) {
    if (each.complete) continue;
    const auto time = newest_in(directory_ / each.name);
    const auto [known, first] = torn_.try_emplace(each.name, time);
    if (!first && known->second == time) continue;
    known->second = time;
    fresh.push_back({.step = each.step,
                     .time = time,
                     .bytes = agent::PosixFiles::size_below(directory_ / each.name),
                     .complete = false,
                     .name = each.name});
  }
  return fresh;
}

std::int64_t VolumeWatch::bytes() const {
  // Room that the agent keeps for itself does not count as the trainer's; where a volume is small it keeps none.
  return agent::PosixFiles::size_below(directory_) -
         agent::PosixFiles::size_below(agent::VolumeLayout{.root = directory_}.reserve());
}

}  // namespace reprise::rehearsal
