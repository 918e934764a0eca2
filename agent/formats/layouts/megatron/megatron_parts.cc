#include "agent/formats/layouts/megatron/megatron_parts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "agent/formats/megatron_names.h"
#include "agent/formats/structure/torch/saved_object.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kPartFile = "model_optim_rng.pt", kPartOptimizer = "distrib_optim.pt";
constexpr std::int64_t kMostOfAKind = 4'096, kMostParts = 1'000'000;

struct PartArguments {
  ModelParallelism ranks;
  bool optimizer_beside = false;  // in files of its own
};

std::string padded(std::int64_t number, std::size_t width) {
  return zero_padded(std::to_string(number), width);
}

// The arguments of the run as the file holds them; nothing when it holds none, or some that cannot be meant.
std::optional<PartArguments> arguments_in(const Pickle& pickle) {
  const PickleNode* arguments = member(pickle, 0, "args");
  if (arguments == nullptr || !arguments->state) return std::nullopt;
  const auto said = [&](std::string_view key) { return number_in(pickle, *arguments->state, key); };
  const auto tensor = said("tensor_model_parallel_size"), pipeline = said("pipeline_model_parallel_size");
  if (!tensor || !pipeline) return std::nullopt;
  const ModelParallelism ranks{.tensor = *tensor,
                               .pipeline = *pipeline,
                               .expert = said("expert_model_parallel_size").value_or(1),
                               .expert_tensor = said("expert_tensor_parallel_size").value_or(*tensor)};
  for (const std::int64_t each : {ranks.tensor, ranks.pipeline, ranks.expert, ranks.expert_tensor})
    if (each < 1 || each > kMostOfAKind) return std::nullopt;
  // Only as many as megatron_parts() walks through.
  if (std::lcm(ranks.tensor, ranks.expert * ranks.expert_tensor) * ranks.pipeline > kMostParts) return std::nullopt;
  return PartArguments{
      .ranks = ranks,
      .optimizer_beside = said("use_distributed_optimizer").value_or(0) != 0 && said("no_save_optim").value_or(0) == 0};
}

Flawed check_part(const CheckpointContents& part) {
  if (auto flaw = check_all(part); !flaw || *flaw) return flaw;
  // Other versions and trainers keep other files in these directories.
  return missing_by_name(part, kPartFile);
}

Flawed check_against(const PartArguments& said, const CheckpointContents& contents,
                     const std::vector<CheckpointContents>& parts) {
  const auto all = megatron_parts(said.ranks);
  const auto is_here = [&](const std::string& name) { return contents.has_directory(name); };
  const auto needed = contents.held.of(static_cast<std::int64_t>(all.size()));
  if (std::ranges::count_if(all, is_here) < needed)
    return incomplete(contents.below + *std::ranges::find_if_not(all, is_here) + ": is not there");
  if (!said.optimizer_beside) return std::nullopt;
  for (const CheckpointContents& part : parts)
    if (auto flaw = missing(part, kPartOptimizer)) return flaw;
  return std::nullopt;
}

}  // namespace

// Expert ranks are laid over the others: which pairs there are follows from walking through the ranks.
std::set<std::string> megatron_parts(const ModelParallelism& ranks) {
  std::set<std::string> names;
  const std::int64_t experts = ranks.expert * ranks.expert_tensor;
  const std::int64_t walked = ranks.expert == 1 ? ranks.tensor : std::lcm(ranks.tensor, experts);
  for (std::int64_t rank = 0; rank < walked; ++rank) {
    const std::string tensor = std::string(kMegatronPart) + padded(rank % ranks.tensor, 2);
    const std::string expert = ranks.expert == 1 ? "" : "_" + padded(rank / ranks.expert_tensor % ranks.expert, 3);
    for (std::int64_t stage = 0; stage < ranks.pipeline; ++stage)
      names.insert(tensor + (ranks.pipeline == 1 ? "" : "_" + padded(stage, 3)) + expert);
    if (static_cast<std::int64_t>(names.size()) > kMostParts) break;
  }
  return names;
}

runtime::Result<Judgement> judge_megatron_parts(const CheckpointContents& contents) {
  Judgement judged;
  std::vector<CheckpointContents> parts;
  std::optional<Flaw> lacking;
  for (const auto& [name, info] : contents.entries) {
    if (info.kind != FileInfo::Kind::Directory || !name.starts_with(kMegatronPart)) continue;
    auto part = contents.inside(name);
    if (!part) return std::unexpected(part.error());
    const auto flaw = check_part(*part);
    if (!flaw) return std::unexpected(flaw.error());
    if (*flaw && !(*flaw)->by_name) return Judgement{.flaw = *flaw};
    if (*flaw && !lacking) lacking = *flaw;
    for (const auto& [file, about] : part->entries) {
      if (!judged.mark.empty() && about.modified <= judged.completed) continue;
      judged.completed = about.modified;
      judged.mark = name + "/" + file;
    }
    parts.push_back(*std::move(part));
  }
  if (parts.empty())
    return Judgement{.flaw =
                         Flaw{FlawKind::Incomplete, contents.below + std::string(kMegatronPart) + "*: is not there"}};
  if (lacking) {
    const auto is_megatrons = [](const CheckpointContents& part) { return part.entries.contains(kPartFile); };
    lacking->by_name = std::ranges::none_of(parts, is_megatrons);
    return Judgement{.flaw = std::move(lacking)};
  }
  const CheckedFile model = parts.front().checked(kPartFile);
  const auto saved = read_saved_object(model);
  if (!saved) return std::unexpected(saved.error());
  const auto said = *saved ? arguments_in((*saved)->nodes) : std::nullopt;
  if (!said)
    return Judgement{.flaw = Flaw{.kind = FlawKind::Incomplete,
                                  .reason = model.name + ": does not say args.tensor_model_parallel_size",
                                  .by_name = saved->has_value()}};
  const auto flaw = check_against(*said, contents, parts);
  if (!flaw) return std::unexpected(flaw.error());
  judged.flaw = *flaw;
  return judged;
}

}  // namespace reprise::agent
