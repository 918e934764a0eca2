#include "agent/formats/layouts/lightning/lightning.h"

#include <algorithm>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/deepspeed/deepspeed.h"
#include "agent/formats/layouts/plain/plain_file.h"
#include "agent/formats/layouts/pytorch_dcp/pytorch_dcp.h"
#include "agent/formats/structure/torch/saved_object.h"
#include "agent/formats/structure/torch/torch_file.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kEnding = ".ckpt", kMeta = "meta.pt";
constexpr std::string_view kOfDeepSpeed = "checkpoint", kStatesOfModel = "_model_states.pt",
                           kStatesOfOptimizer = "_optim_states.pt";

// Adds the step of a file of Lightning's without a flaw.
Judgement with_step_of(Judgement judged, const std::optional<SavedObject>& saved, const std::string& name) {
  if (saved) judged.step = number_in(saved->nodes, 0, "global_step");
  if (!judged.step) judged.flaw = Flaw{FlawKind::Corrupt, name + ": does not say its global_step"};
  return judged;
}

runtime::Result<Judgement> with_step_inside(Judgement judged, const CheckedFile& file) {
  const auto saved = read_saved_object(file);
  if (!saved) return std::unexpected(saved.error());
  return with_step_of(std::move(judged), *saved, file.name);
}

// True for a file of save_weights_only: the best model, and nothing that a training could go on from.
bool holds_weights_only(const Pickle& pickle) {
  return member(pickle, 0, "pytorch-lightning_version") != nullptr && member(pickle, 0, "optimizer_states") == nullptr;
}

runtime::Result<Judgement> judge_file(const CheckpointContents& contents, PassedFiles& weights_only) {
  if (weights_only.has(contents.path, contents.itself))
    return Judgement{.holds_no_optimizer = true, .is_no_checkpoint = true};
  const CheckedFile file{
      .files = contents.files, .path = contents.path, .name = contents.name, .size = contents.itself.size};
  const auto flaw = check_torch_file(file);
  if (!flaw) return std::unexpected(flaw.error());
  Judgement judged{.flaw = *flaw, .completed = contents.itself.modified};
  if (judged.flaw) return judged;
  const auto saved = read_saved_object(file);
  if (!saved) return std::unexpected(saved.error());
  if (*saved && holds_weights_only((*saved)->nodes)) {
    weights_only.add(contents.path, contents.itself);
    return Judgement{.holds_no_optimizer = true, .is_no_checkpoint = true};
  }
  judged.holds_no_optimizer = *saved && !names_optimizer((*saved)->nodes);
  // Saves for Slurm are counted by themselves: "hpc_ckpt_3.ckpt".
  constexpr std::string_view kForSlurm = "hpc_ckpt_";
  if (*saved && contents.name.starts_with(kForSlurm)) judged.step = number_in((*saved)->nodes, 0, "global_step");
  return is_lightnings_last(contents.name) ? with_step_of(std::move(judged), *saved, file.name) : judged;
}

bool is_of_deepspeed(const CheckpointContents& inside) {
  return std::ranges::any_of(inside.entries, [](const auto& entry) { return entry.first.ends_with(kStatesOfModel); });
}

// The states of the model are written first, those of the optimizer by each rank after them.
bool mixes_deepspeeds_saves(const CheckpointContents& inside) {
  constexpr std::chrono::seconds kClocksDiffer(10);
  runtime::WallTime model{}, oldest = runtime::WallTime::max();
  for (const auto& [name, info] : inside.entries) {
    if (name.ends_with(kStatesOfModel)) model = std::max(model, info.modified);
    if (name.ends_with(kStatesOfOptimizer)) oldest = std::min(oldest, info.modified);
  }
  return oldest + kClocksDiffer < model;
}

// Judges a save of DeepSpeedStrategy; what Lightning keeps itself stands in the model's states.
runtime::Result<Judgement> judge_deepspeed(const CheckpointContents& contents, const CheckpointContents& inside) {
  auto judged = DeepSpeedLayout().judge(inside);
  if (!judged || judged->flaw) return judged;
  judged->mark = inside.below + judged->mark;
  if (!is_lightnings_last(contents.name)) return judged;
  if (mixes_deepspeeds_saves(inside))
    return Judgement{.flaw = Flaw{FlawKind::Incomplete, inside.below + "*" + std::string(kStatesOfOptimizer) +
                                                            ": some are older than the model's states: a save over "
                                                            "this checkpoint did not end"}};
  const auto states =
      std::ranges::find_if(inside.entries, [](const auto& entry) { return entry.first.ends_with(kStatesOfModel); });
  return with_step_inside(*std::move(judged), inside.checked(states->first));
}

}  // namespace

std::optional<std::int64_t> LightningLayout::recognise(const CheckpointContents& contents) const {
  const std::string_view name = contents.name;
  if (!name.ends_with(kEnding) || contents.itself.kind == FileInfo::Kind::Other) return std::nullopt;
  // A number alone is no step: "v1-5-pruned.ckpt" is somebody's model.
  if (is_lightnings_last(name)) return 0;
  const std::string_view stem = name.substr(0, name.size() - kEnding.size());
  return names_checkpoint(stem) ? step_of(stem) : std::nullopt;
}

runtime::Result<Judgement> LightningLayout::judge(const CheckpointContents& contents) const {
  if (contents.itself.kind == FileInfo::Kind::File) return judge_file(contents, weights_only_);
  if (contents.has_directory(kOfDeepSpeed)) {
    const auto inside = contents.inside(kOfDeepSpeed);
    if (!inside) return std::unexpected(inside.error());
    if (is_of_deepspeed(*inside)) return judge_deepspeed(contents, *inside);
  }
  auto judged = PyTorchDcpLayout().judge(contents);
  if (judged && judged->flaw) judged->flaw->by_name = !PyTorchDcpLayout().recognise(contents);
  if (!judged || judged->flaw) return judged;
  if (is_lightnings_last(contents.name) && mixes_saves(contents, kMeta))
    return Judgement{.flaw = Flaw{FlawKind::Incomplete,
                                  ".metadata: is older than some shards: a save over this checkpoint did not end"}};
  if (auto flaw = missing_by_name(contents, kMeta)) return Judgement{.flaw = std::move(flaw)};
  const auto flaw = check_structure(contents, kMeta);
  if (!flaw) return std::unexpected(flaw.error());
  judged = Judgement{.flaw = *flaw, .completed = contents.file(kMeta)->modified, .mark = std::string(kMeta)};
  if (!is_lightnings_last(contents.name) || judged->flaw) return judged;
  return with_step_inside(*std::move(judged), contents.checked(kMeta));
}

bool is_lightnings_last(std::string_view name) {
  constexpr std::string_view kLast = "last", kVersion = "-v";
  if (!name.starts_with(kLast) || !name.ends_with(kEnding)) return false;
  const std::string_view rest = name.substr(kLast.size(), name.size() - kLast.size() - kEnding.size());
  if (rest.empty()) return true;
  return rest.starts_with(kVersion) && rest.size() > kVersion.size() &&
         rest.find_first_not_of("0123456789", kVersion.size()) == std::string_view::npos;
}

}  // namespace reprise::agent
