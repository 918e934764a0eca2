#include "agent/formats/tracker_file.h"

#include <algorithm>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/megatron_names.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kDeepSpeedTracker = "latest", kMegatronTracker = "latest_checkpointed_iteration.txt",
                           kSpace = " \t\r\n";

// Megatron writes the number alone; it calls the directory by seven digits at least.
std::string iteration_named(std::string_view number) {
  if (number.empty() || number.find_first_not_of("0123456789") != std::string_view::npos) return std::string(number);
  return std::string(kIterationPrefix) + zero_padded(std::string(number), kIterationDigits);
}

runtime::Result<std::optional<Tracker>> read_file(const VolumeFiles& files, const std::filesystem::path& directory,
                                                  std::string_view file) {
  const auto info = files.look(directory / file, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind != FileInfo::Kind::File) return std::nullopt;  // others call a link so, or a directory
  const auto text = files.read(directory / file);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  std::string_view name = **text;
  name.remove_suffix(name.size() - (name.find_last_not_of(kSpace) + 1));
  name.remove_prefix(std::min(name.find_first_not_of(kSpace), name.size()));
  return Tracker{.file = file, .checkpoint = checkpoint_named(file, name)};
}

}  // namespace

std::string checkpoint_named(std::string_view file, std::string_view text) {
  return file == kMegatronTracker ? iteration_named(text) : std::string(text);
}

// A script may call DeepSpeed's tags as Megatron calls its directories.
runtime::Result<std::optional<Tracker>> read_tracker(const VolumeFiles& files, const std::filesystem::path& directory,
                                                     std::string_view checkpoint) {
  if (checkpoint.starts_with(kIterationPrefix)) {
    auto tracker = read_file(files, directory, kMegatronTracker);
    if (!tracker || *tracker) return tracker;
  }
  return read_file(files, directory, kDeepSpeedTracker);
}

bool can_name(const Tracker& tracker, std::string_view checkpoint) {
  return tracker.file != kMegatronTracker || checkpoint.starts_with(kIterationPrefix);
}

runtime::Result<void> write_tracker(const VolumeFiles& files, const std::filesystem::path& directory,
                                    const Tracker& tracker) {
  if (tracker.checkpoint.empty()) return files.remove(directory / tracker.file);
  const std::string text =
      tracker.file == kMegatronTracker ? std::to_string(step_of(tracker.checkpoint).value_or(0)) : tracker.checkpoint;
  return files.write(directory / tracker.file, text, Sync::Yes);
}

}  // namespace reprise::agent
