#include "agent/formats/pieces/extra_files.h"

#include <algorithm>
#include <array>
#include <string>

#include "agent/formats/layouts/parts_by_name.h"
#include "agent/formats/structure/state_file.h"
#include "agent/formats/verify/lost_bytes.h"

namespace reprise::agent {
namespace {

constexpr std::array<std::string_view, 3> kComparedWhole{kMarkerFormat, "Manifest", "Plain"};
// Of transformers, accelerate, DeepSpeed, Lightning, Megatron and torch.distributed.checkpoint, each as it begins.
constexpr std::array<std::string_view, 21> kOfLibraries{
    "model.",    "model-",       "pytorch_model", "adapter_model", "optimizer", "scheduler",
    "scaler",    "rng_state",    "random_states", "training_args", "tokenizer", "zero_",
    "layer_",    "mp_rank_",     "meta.pt",       "common.pt",     "__",        "distrib_optim",
    "modelopt_", "model_optim_", "expert_"};

bool is_from_library(std::string_view name) {
  constexpr std::string_view kOfDeepSpeed = "_states.pt";
  return name.ends_with(kOfDeepSpeed) ||
         std::ranges::any_of(kOfLibraries, [&](std::string_view begin) { return name.starts_with(begin); });
}

runtime::Result<bool> is_torn(const CheckpointContents& contents, const std::string& name) {
  const auto flaw = check_state_file(contents.checked(name));
  if (flaw) return flaw->has_value();
  const auto why = flaw.error().error_class;
  if (why == runtime::ErrorClass::Forbidden) return false;
  if (why == runtime::ErrorClass::NotFound || says_lost(flaw.error())) return true;
  return std::unexpected(flaw.error());
}

}  // namespace

runtime::Result<HeldPieces> extra_files_in(const CheckpointContents& contents, std::string_view layout) {
  const bool is_directory = contents.itself.kind == FileInfo::Kind::Directory;
  if (!is_directory || std::ranges::find(kComparedWhole, layout) != kComparedWhole.end()) return HeldPieces();
  PartsByName extra;
  for (const auto& [name, info] : contents.entries) {
    const bool is_one = info.kind == FileInfo::Kind::File && is_named_as_state(name) && !is_from_library(name);
    if (!is_one || name.starts_with('.')) continue;
    const auto torn = is_torn(contents, name);
    if (!torn) return std::unexpected(torn.error());
    if (!*torn) extra.add(name);
  }
  auto kinds = extra.kinds();
  for (StateFiles& each : kinds) each.came_with_save = true;
  return HeldPieces{.for_keep = kinds, .for_resume = kinds};
}

}  // namespace reprise::agent
