#include "agent/formats/layouts/hugging_face/exported_model.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "agent/formats/layouts/hugging_face/model_directories.h"
#include "agent/formats/layouts/hugging_face/training_arguments.h"
#include "agent/formats/layouts/hugging_face/weight_index.h"
#include "agent/formats/layouts/parts_by_name.h"
#include "agent/formats/structure/state_file.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr int kDeepestModel = 4;
constexpr std::size_t kMostModelDirectories = 256;
constexpr std::string_view kIndexOfWeights = ".index.json";

// True for weights that other runtimes load.
bool is_weights_of_others(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings{".gguf", ".onnx", ".tflite", ".pb", ".pdparams"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); });
}

bool is_file_of_training(std::string_view name) {
  constexpr std::array<std::string_view, 5> kState{"trainer_state.json", "training_state.json", "train_state.json",
                                                   "checkpoint-is-incomplete.txt", ".metadata"};
  constexpr std::array<std::string_view, 4> kWords{"optim", "rng_state", "random_state", "_states"};
  constexpr std::array<std::string_view, 4> kBegins{"sched", "lr_sched", "scaler", "grad_scaler"};
  if (std::ranges::find(kState, name) != kState.end() || name.ends_with(".distcp")) return true;
  return is_named_as_state(name) &&
         (std::ranges::any_of(kWords, [&](std::string_view word) { return name.contains(word); }) ||
          std::ranges::any_of(kBegins, [&](std::string_view begin) { return name.starts_with(begin); }));
}

bool is_directory_of_training(std::string_view name) {
  constexpr std::array<std::string_view, 3> kBegins{"global_step", "optimizer", "pytorch_model_fsdp"};
  return std::ranges::any_of(kBegins, [&](std::string_view begin) { return name.starts_with(begin); });
}

// A directory and those in it, names and kinds alone.
class ModelWalk {
 public:
  explicit ModelWalk(const VolumeFiles& files) : files_(files) {}

  struct Place {
    std::filesystem::path path;
    std::string below;  // "unet/"
    std::vector<DirectoryEntry> entries;
  };
  // False where there is too much to look at.
  Result<bool> into(const std::filesystem::path& path, const std::string& below, int depth) {
    auto listed = files_.list_entries(path);
    if (!listed) return std::unexpected(listed.error());
    if (depth > kDeepestModel || places.size() >= kMostModelDirectories) return false;
    places.push_back({.path = path, .below = below, .entries = *std::move(listed)});
    const std::size_t here = places.size() - 1;
    for (std::size_t at = 0; at < places[here].entries.size(); ++at) {
      const DirectoryEntry entry = places[here].entries[at];
      if (entry.kind != FileInfo::Kind::Directory || entry.name.starts_with('.')) continue;
      const auto all = into(path / entry.name, below + entry.name + "/", depth + 1);
      if (!all || !*all) return all;
    }
    return true;
  }

  std::vector<Place> places;

 private:
  const VolumeFiles& files_;
};

// Contents decide: an export holds files of other runtimes under any name.
Flawed check_files_in(const CheckpointContents& contents, const ModelWalk::Place& place) {
  for (const DirectoryEntry& entry : place.entries) {
    if (entry.kind == FileInfo::Kind::Directory || !is_named_as_state(entry.name)) continue;
    if (entry.name == kTrainingArguments) continue;
    const auto info = contents.files.look(place.path / entry.name, Links::Follow);
    if (!info) return std::unexpected(info.error());
    if (!*info || (*info)->kind != FileInfo::Kind::File) continue;
    auto flaw = check_state_file({.files = contents.files,
                                  .path = place.path / entry.name,
                                  .name = place.below + entry.name,
                                  .size = (*info)->size});
    if (!flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

Flawed check_indexes_in(const CheckpointContents& contents) {
  for (const auto& [name, info] : contents.entries) {
    if (!name.ends_with(kIndexOfWeights) || info.kind != FileInfo::Kind::File) continue;
    if (auto flaw = check_weight_index(contents, name); !flaw || *flaw) return flaw;
  }
  return std::nullopt;
}

}  // namespace

Result<bool> holds_model_alone(const CheckpointContents& contents) {
  ModelWalk walk(contents.files);
  const auto all = walk.into(contents.path, {}, 0);
  if (!all || !*all) return all;
  bool any_weights = false;
  for (const ModelWalk::Place& place : walk.places) {
    for (const DirectoryEntry& entry : place.entries) {
      const bool is_directory = entry.kind == FileInfo::Kind::Directory;
      if (is_directory ? is_directory_of_training(entry.name) : is_file_of_training(entry.name)) return false;
      const bool may_be_weights = is_named_as_state(entry.name) || is_weights_of_others(entry.name);
      any_weights = any_weights || (!is_directory && may_be_weights && entry.name != kTrainingArguments);
    }
  }
  return any_weights;
}

Flawed check_model_alone(const CheckpointContents& contents) {
  if (auto flaw = check_indexes_in(contents); !flaw || *flaw) return flaw;
  const auto modules = look_at_model_directories(contents);
  if (!modules) return std::unexpected(modules.error());
  if (modules->flaw && !modules->flaw->by_name) return modules->flaw;
  ModelWalk walk(contents.files);
  const auto all = walk.into(contents.path, contents.below, 0);
  if (!all) return std::unexpected(all.error());
  PartsByName parts;
  for (const ModelWalk::Place& place : walk.places) {
    if (auto flaw = check_files_in(contents, place); !flaw || *flaw) return flaw;
    for (const DirectoryEntry& entry : place.entries)
      if (entry.kind == FileInfo::Kind::File && is_named_as_state(entry.name)) parts.add(place.below + entry.name);
  }
  const auto too_few = parts.too_few();
  if (!too_few) return std::nullopt;
  return incomplete(too_few->path + ": there are " + std::to_string(too_few->there) + " of " +
                    std::to_string(too_few->needed));
}

}  // namespace reprise::agent
