#include "agent/formats/recognise/tracker_file.h"

#include <algorithm>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/megatron_names.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kDeepSpeedTracker = "latest", kTensorFlowTracker = "checkpoint", kRelease = "release";
constexpr std::string_view kStepPrefix = "global_step";  // prefix of verl's directories, and Megatron-DeepSpeed's

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The number alone stands in it; Megatron calls the directory by seven digits at least.
std::vector<std::string> directories_of_iteration(std::string_view text) {
  if (!is_number(text)) return {std::string(text)};
  const std::string number(text.substr(std::min(text.find_first_not_of('0'), text.size() - 1)));
  const std::string prefix(kStepPrefix);
  return {std::string(kIterationPrefix) + zero_padded(number, kIterationDigits), prefix + "_" + number,
          prefix + number};
}

// model_checkpoint_path: "ckpt-20"
std::vector<std::string> path_in_protocol_text(std::string_view text) {
  constexpr std::string_view kKey = "model_checkpoint_path:";
  if (!text.starts_with(kKey)) return {};
  const std::size_t begin = text.find('"'), end = begin == std::string_view::npos ? begin : text.find('"', begin + 1);
  if (end == std::string_view::npos) return {};
  return {std::string(text.substr(begin + 1, end - begin - 1))};
}

runtime::Result<std::optional<Tracker>> read_file(const VolumeFiles& files, const std::filesystem::path& directory,
                                                  std::string_view file, std::string_view checkpoint) {
  const auto info = files.look(directory / file, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind != FileInfo::Kind::File) return std::nullopt;  // others call a link so, or a directory
  const auto text = files.read(directory / file);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::nullopt;
  for (std::string& each : checkpoints_named(file, text_of_tracker(**text)))
    if (each == checkpoint) return Tracker{.file = file, .checkpoint = std::move(each)};
  return std::nullopt;
}

bool may_be_an_iteration(std::string_view checkpoint) {
  return checkpoint.starts_with(kIterationPrefix) || checkpoint.starts_with(kStepPrefix);
}

}  // namespace

std::string_view text_of_tracker(std::string_view text) {
  constexpr std::string_view kSpace(" \t\r\n\0", 5);
  const std::size_t begin = text.find_first_not_of(kSpace);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
}

std::vector<std::string> checkpoints_named(std::string_view file, std::string_view text) {
  if (text.empty()) return {};
  if (file == kMegatronTracker) return directories_of_iteration(text);
  return file == kTensorFlowTracker ? path_in_protocol_text(text) : std::vector<std::string>{std::string(text)};
}

bool can_be_meant(std::string_view file, std::string_view text) {
  return file != kMegatronTracker || text == kRelease || is_number(text);
}

// Megatron-DeepSpeed keeps both.
runtime::Result<std::optional<Tracker>> read_tracker(const VolumeFiles& files, const std::filesystem::path& directory,
                                                     std::string_view checkpoint) {
  if (may_be_an_iteration(checkpoint)) {
    auto tracker = read_file(files, directory, kMegatronTracker, checkpoint);
    if (!tracker || *tracker) return tracker;
  }
  return read_file(files, directory, kDeepSpeedTracker, checkpoint);
}

bool can_name(const Tracker& tracker, std::string_view checkpoint) {
  if (tracker.file == kTensorFlowTracker) return false;
  return tracker.file != kMegatronTracker || may_be_an_iteration(checkpoint);
}

runtime::Result<void> write_tracker(const VolumeFiles& files, const std::filesystem::path& directory,
                                    const Tracker& tracker) {
  if (tracker.checkpoint.empty()) return files.remove(directory / tracker.file);
  const std::string text =
      tracker.file == kMegatronTracker ? std::to_string(step_of(tracker.checkpoint).value_or(0)) : tracker.checkpoint;
  return files.write(directory / tracker.file, text, Sync::Yes);
}

}  // namespace reprise::agent
