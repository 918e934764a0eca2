#include "agent/formats/layouts/deepspeed/deepspeed_experts.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "agent/formats/structure/torch/saved_object.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kExpert = "expert_", kLayer = "layer_", kShare = "expp_rank_", kGroup = "ep_size_";
constexpr std::string_view kNumExperts = "num_experts";

std::string of_model_rank(std::int64_t rank) {
  return "_mp_rank_" + std::string(rank < 10 ? "0" : "") + std::to_string(rank);
}

// 7 of "ep_size_7" and of "expp_rank_7_mp_rank_00_optim_states.pt"
std::optional<std::int64_t> number_after(std::string_view begin, std::string_view text) {
  if (!text.starts_with(begin)) return std::nullopt;
  text.remove_prefix(begin.size());
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} ? std::optional(number) : std::nullopt;
}

// `before` is "layer_0_" or nothing. The first that is not there ends it, however many there should be.
std::optional<Flaw> check_layer(const CheckpointContents& contents, const std::string& before, std::int64_t experts,
                                std::int64_t model_parallel) {
  for (std::int64_t expert = 0; expert < experts; ++expert)
    for (std::int64_t rank = 0; rank < model_parallel; ++rank)
      if (auto flaw = missing(contents, before + std::string(kExpert) + std::to_string(expert) + of_model_rank(rank) +
                                            "_model_states.pt"))
        return flaw;
  return std::nullopt;
}

std::optional<Flaw> check_each_expert(const CheckpointContents& contents, const Pickle& model_states,
                                      const PickleNode& numbers, std::int64_t model_parallel) {
  if (numbers.kind == PickleNode::Kind::Number) return check_layer(contents, "", numbers.number, model_parallel);
  for (std::size_t layer = 0; layer < numbers.items.size(); ++layer)
    if (auto flaw = check_layer(contents, std::string(kLayer) + std::to_string(layer) + "_",
                                model_states[numbers.items[layer]].number, model_parallel))
      return flaw;
  return std::nullopt;
}

std::string share_name(std::int64_t share, std::int64_t model_rank) {
  return std::string(kShare) + std::to_string(share) + of_model_rank(model_rank) + "_optim_states.pt";
}

// The number of shares by which the groups of parameters in the first one's optimizer are called; without any, the one
// that the names there go up to.
std::int64_t shares_needed(const CheckpointContents& contents, const std::optional<SavedObject>& first) {
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t needed = 1;
  for (const auto& [name, info] : contents.entries)
    if (const auto share = number_after(kShare, name)) needed = std::max(needed, std::min(*share, kMost) + 1);
  if (!first) return needed;
  for (const PickleNode& node : first->nodes)
    if (const auto size = number_after(kGroup, node.text)) needed = std::max(needed, *size);
  return needed;
}

// DeepSpeed writes None where ZeRO has it; the optimizer for bfloat16 divides it and writes it there as well.
bool is_divided(const std::optional<SavedObject>& share) {
  const PickleNode* optimizer = share ? member(share->nodes, 0, "optimizer") : nullptr;
  if (optimizer == nullptr) return false;
  if (optimizer->kind == PickleNode::Kind::Other) return true;
  const auto at = static_cast<std::size_t>(optimizer - share->nodes.data());
  return member(share->nodes, at, "single_partition_of_fp32_groups") != nullptr;
}

}  // namespace

namespace {

bool is_in_zeros_files(const CheckpointContents& contents) {
  constexpr std::string_view kOfRank = "zero_pp_rank_", kOptimizer = "_optim_states.pt";
  bool has_shares = false, has_ranks = false;
  for (const auto& [name, info] : contents.entries) {
    has_shares = has_shares || name.starts_with(kShare);
    has_ranks = has_ranks || (name.contains(kOfRank) && name.ends_with(kOptimizer));
  }
  return has_ranks && !has_shares;
}

}  // namespace

bool is_of_experts(std::string_view name) {
  if (name.ends_with("_optim_states.pt")) return name.starts_with(kShare);
  return name.ends_with("_model_states.pt") &&
         (name.starts_with(kExpert) || (name.starts_with(kLayer) && name.find("_expert_") != std::string_view::npos));
}

bool has_experts(const CheckpointContents& contents, const Pickle& model_states) {
  // A script may add a number of experts of its own; only beside experts the optimizer is left out.
  if (member(model_states, 0, kNumExperts) != nullptr && member(model_states, 0, "optimizer") == nullptr) return true;
  return std::ranges::any_of(contents.entries, [](const auto& entry) { return is_of_experts(entry.first); });
}

runtime::Result<Experts> look_at_experts(const CheckpointContents& contents, const Pickle& model_states,
                                         std::int64_t model_parallel) {
  const PickleNode* numbers = member(model_states, 0, kNumExperts);
  if (numbers == nullptr || (numbers->kind != PickleNode::Kind::Number && numbers->kind != PickleNode::Kind::Sequence))
    return Experts{.flaw =
                       Flaw{FlawKind::Corrupt, contents.below + "*: there are experts, and nothing says num_experts"}};
  if (auto flaw = check_each_expert(contents, model_states, *numbers, model_parallel)) return Experts{.flaw = flaw};
  // ZeRO from 0.19 on keeps the whole optimizer in its own files, and no share of it is written beside them.
  if (is_in_zeros_files(contents)) return Experts{.optimizer_divided = true};
  if (auto flaw = missing(contents, share_name(0, 0))) return Experts{.flaw = flaw};
  const auto first = read_saved_object(contents.checked(share_name(0, 0)));
  if (!first) return std::unexpected(first.error());
  const std::int64_t needed = shares_needed(contents, *first);
  for (std::int64_t share = 0; share < needed; ++share)
    for (std::int64_t rank = 0; rank < model_parallel; ++rank)
      if (auto flaw = missing(contents, share_name(share, rank))) return Experts{.flaw = flaw};
  return Experts{.optimizer_divided = is_divided(*first)};
}

}  // namespace reprise::agent
