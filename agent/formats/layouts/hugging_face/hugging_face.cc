#include "agent/formats/layouts/hugging_face/hugging_face.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>

#include "agent/formats/layouts/deepspeed/deepspeed.h"
#include "agent/formats/layouts/hugging_face/exported_model.h"
#include "agent/formats/layouts/hugging_face/model_directories.h"
#include "agent/formats/layouts/hugging_face/training_arguments.h"
#include "agent/formats/layouts/hugging_face/weight_index.h"
#include "agent/formats/layouts/marked/marked_files.h"
#include "agent/formats/layouts/marked/marker.h"
#include "agent/formats/layouts/pytorch_dcp/pytorch_dcp.h"
#include "agent/formats/structure/json_file.h"
#include "agent/json/json.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kPrefix = "checkpoint-", kState = "trainer_state.json";
// sign of a save on SIGTERM, while it lasts
constexpr std::string_view kUnfinishedSave = "checkpoint-is-incomplete.txt";
constexpr std::array<std::string_view, 2> kIndexes{kSafetensorsIndex, "pytorch_model.bin.index.json"};
// Directories of FSDP and DeepSpeed, in place of weights and optimizer in one file each.
constexpr std::array<std::string_view, 2> kShardedWeights{"pytorch_model_fsdp_0", "optimizer_0"};
constexpr std::string_view kDeepSpeed = "global_step";

std::optional<std::int64_t> step_in(std::string_view name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::int64_t step = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), step);
  return problem == std::errc{} && end == name.data() + name.size() && !name.empty() ? std::optional(step)
                                                                                     : std::nullopt;
}

Flawed check_state(const CheckpointContents& contents, std::int64_t step) {
  if (auto flaw = missing(contents, kState)) return flaw;
  const auto state = read_json(contents.checked(kState));
  if (!state) return std::unexpected(state.error());
  if (state->flaw) return state->flaw;
  const auto said = number_of(state->object, "global_step");
  if (said == step) return std::nullopt;
  return Flaw{.kind = FlawKind::Corrupt,
              .reason = std::string(kState) + ": global_step is " + (said ? std::to_string(*said) : "not there") +
                        ", the directory is of step " + std::to_string(step),
              .by_name = !said};
}

std::string deepspeed_in(const CheckpointContents& contents) {
  for (const auto& [name, info] : contents.entries)
    if (info.kind == FileInfo::Kind::Directory && name.starts_with(kDeepSpeed)) return name;
  return {};
}

bool has_deepspeed(const CheckpointContents& contents) {
  return !deepspeed_in(contents).empty();
}

Flawed check_inside(const CheckpointContents& contents, std::string_view directory, const Layout& layout) {
  const auto inside = contents.inside(directory);
  if (!inside) return std::unexpected(inside.error());
  const auto judged = layout.judge(*inside);
  if (!judged) return std::unexpected(judged.error());
  auto flaw = judged->flaw;
  if (flaw) flaw->by_name = false;  // the directory calls for all of it
  return flaw;
}

Flawed check_weights(const CheckpointContents& contents) {
  const std::string deepspeed = deepspeed_in(contents);
  bool found = !deepspeed.empty();
  if (found) {
    if (auto flaw = check_inside(contents, deepspeed, DeepSpeedLayout()); !flaw || *flaw) return flaw;
  }
  // The files that it names have their structure checked with all others.
  for (const std::string_view index : kIndexes) {
    if (contents.entries.find(index) == contents.entries.end()) continue;
    found = true;
    if (auto flaw = check_weight_index(contents, index); !flaw || *flaw) return flaw;
  }
  for (const std::string_view directory : kShardedWeights) {
    if (!contents.has_directory(directory)) continue;
    found = true;
    if (auto flaw = check_inside(contents, directory, PyTorchDcpLayout()); !flaw || *flaw) return flaw;
  }
  const auto inside = look_at_model_directories(contents);
  if (!inside) return std::unexpected(inside.error());
  if (inside->flaw) return inside->flaw;
  found = found || inside->any_weights ||
          std::ranges::any_of(kModelWeights, [&](auto file) { return contents.file(file) != nullptr; });
  if (found) return std::nullopt;
  return Flaw{
      .kind = FlawKind::Incomplete, .reason = "weights: no file with the model's weights is there", .by_name = true};
}

std::int64_t rank_in(std::string_view name, std::string_view before) {
  std::int64_t rank = -1;
  if (name.starts_with(before)) std::from_chars(name.data() + before.size(), name.data() + name.size(), rank);
  return rank;
}

// How many ranks have saved: by the arguments, else at least as many as have written shards.
runtime::Result<std::int64_t> ranks_of(const CheckpointContents& contents, std::optional<std::int64_t> said) {
  if (said) return *said;
  std::int64_t ranks = 1;
  for (const std::string_view directory : kShardedWeights) {
    if (!contents.has_directory(directory)) continue;
    const auto inside = contents.inside(directory);
    if (!inside) return std::unexpected(inside.error());
    for (const auto& [name, info] : inside->entries) ranks = std::max(ranks, rank_in(name, "__") + 1);
  }
  return ranks;
}

// The files of all ranks, from 0 on; on a volume of one machine its own. A single rank's bears no number. Trainers that
// borrow Trainer's names end them otherwise.
std::optional<Flaw> check_random_numbers(const CheckpointContents& contents, std::int64_t ranks) {
  std::int64_t needed = ranks, count = 0;
  for (const auto& [name, info] : contents.entries) {
    if (!name.ends_with(".pth") && !name.ends_with(".pt")) continue;
    const std::int64_t rank = rank_in(name, "rng_state_");
    if (rank < 0) continue;
    needed = std::max(needed, rank + 1);
    ++count;
  }
  if (count == 0 && needed <= 1)
    return missing_by_name(contents, contents.entries.contains("rng_state.pt") ? "rng_state.pt" : "rng_state.pth");
  needed = contents.held.of(needed);
  if (count >= needed) return std::nullopt;
  return Flaw{
      .kind = FlawKind::Incomplete,
      .reason = "rng_state_*.pth: there are " + std::to_string(count) + " of " + std::to_string(needed) + " ranks",
      .by_name = count == 0};
}

Flawed check_state_of_training(const CheckpointContents& contents) {
  const auto arguments = read_training_arguments(contents);
  if (!arguments) return std::unexpected(arguments.error());
  if (arguments->saves_only_model) return std::nullopt;
  const bool elsewhere = has_deepspeed(contents) || contents.has_directory("optimizer_0");
  if (!elsewhere && contents.file("optimizer.bin") == nullptr) {
    if (auto flaw = missing_by_name(contents, "optimizer.pt")) return flaw;
  }
  if (!has_deepspeed(contents)) {
    if (auto flaw = missing_by_name(contents, "scheduler.pt")) return flaw;
  }
  const auto ranks = ranks_of(contents, arguments->ranks);
  if (!ranks) return std::unexpected(ranks.error());
  return check_random_numbers(contents, *ranks);
}

// Checks the directories of trainers that borrow Trainer's names ("ema/model.safetensors"). Shards are judged
// with the weights.
Flawed check_directories(CheckpointContents contents, PassedFiles& passed) {
  std::erase_if(contents.entries, [](const auto& entry) {
    return entry.first.starts_with(kDeepSpeed) ||
           std::ranges::find(kShardedWeights, entry.first) != kShardedWeights.end();
  });
  return check_files_below(contents, passed);
}

// Trainer itself writes the model first and its state last: a save that ended between two files looks like it. Nothing
// shows that it was one, and a model that somebody has exported is not to be taken away. No file is opened: Trainer may
// be writing it. Whether one is cut off is asked before it is moved (shown_tear.h).
runtime::Result<std::optional<Flaw>> flaw_of_model_alone(const CheckpointContents& contents) {
  const auto alone = holds_model_alone(contents);
  if (!alone) return std::unexpected(alone.error());
  if (!*alone) return std::nullopt;
  return Flaw{.kind = FlawKind::Incomplete,
              .reason = std::string(kState) + ": is not there, and nothing of a training's state: weights alone",
              .by_name = true,
              .exported = true};
}

}  // namespace

std::optional<std::int64_t> HuggingFaceLayout::recognise(const CheckpointContents& contents) const {
  if (contents.itself.kind != FileInfo::Kind::Directory) return std::nullopt;
  // Many call theirs so: one that bears a mark of its own and no state of Trainer is another's.
  if (bears_mark(contents) && !contents.entries.contains(kState)) return std::nullopt;
  return step_in(contents.name);
}

runtime::Result<Judgement> HuggingFaceLayout::judge(const CheckpointContents& contents) const {
  using Check = std::function<Flawed(const CheckpointContents&)>;
  const auto flawed = [](Flaw flaw) { return Judgement{.flaw = std::move(flaw)}; };
  if (contents.entries.contains(kUnfinishedSave))
    return flawed({FlawKind::Incomplete, std::string(kUnfinishedSave) + ": is there: the save did not end"});
  if (!contents.entries.contains(kState)) {
    auto alone = flaw_of_model_alone(contents);
    if (!alone) return std::unexpected(alone.error());
    if (*alone) return flawed(**std::move(alone));
  }
  const std::int64_t step = step_in(contents.name).value_or(0);
  const auto check_files = [](const CheckpointContents& each) {
    return check_all(each, {std::string(kTrainingArguments)});
  };
  const auto check_step = [&](const CheckpointContents& each) { return check_state(each, step); };
  const auto check_below = [&](const CheckpointContents& each) { return check_directories(each, passed_); };
  const std::array<Check, 5> checks{check_step, check_weights, check_state_of_training, check_files, check_below};
  std::optional<Flaw> by_name;
  for (const Check& check : checks) {
    const auto flaw = check(contents);
    if (!flaw) return std::unexpected(flaw.error());
    // The flaw counts beside a mark only if nothing is damaged.
    if (*flaw && (*flaw)->by_name && bears_mark(contents))
      by_name = by_name ? by_name : *flaw;
    else if (*flaw)
      return flawed(**flaw);
  }
  if (by_name) return flawed(*by_name);
  return Judgement{.flaw = std::nullopt, .completed = contents.file(kState)->modified, .mark = std::string(kState)};
}

}  // namespace reprise::agent
