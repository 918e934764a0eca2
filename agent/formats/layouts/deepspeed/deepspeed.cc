#include "agent/formats/layouts/deepspeed/deepspeed.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/deepspeed/deepspeed_experts.h"
#include "agent/formats/layouts/pytorch_dcp/pytorch_dcp.h"
#include "agent/formats/structure/torch/saved_object.h"

namespace reprise::agent {
namespace {

constexpr std::string_view kModelStates = "_model_states.pt", kOptimizerStates = "_optim_states.pt";
constexpr std::string_view kOfRank = "zero_pp_rank_", kOfModelRank = "mp_rank_";
constexpr std::int64_t kMostRanks = 1'000'000;

// The states of the model, and those of its experts, describe the run that wrote them.
struct Ranks {
  std::int64_t data_parallel = 1, model_parallel = 1;
  bool optimizer_divided = false;  // there has to be a file of each rank
};

bool is_of_rank(std::string_view name) {
  return name.find(kOfRank) != std::string_view::npos;
}

// But those of experts.
std::vector<std::string> files_with(const CheckpointContents& contents, std::string_view ending) {
  std::vector<std::string> found;
  for (const auto& [name, info] : contents.entries)
    if (name.ends_with(ending) && !is_of_experts(name)) found.push_back(name);
  return found;
}

std::int64_t count_in(const Pickle& pickle, std::string_view key) {
  return std::min(number_in(pickle, 0, key).value_or(1), kMostRanks);
}

std::int64_t zero_stage_in(const Pickle& pickle) {
  const PickleNode* config = member(pickle, 0, "ds_config");
  if (config == nullptr) return 0;
  const PickleNode* zero = member(pickle, static_cast<std::size_t>(config - pickle.data()), "zero_optimization");
  return zero == nullptr ? 0 : number_in(pickle, static_cast<std::size_t>(zero - pickle.data()), "stage").value_or(0);
}

// The configuration may be the name of a file, and with bf16 the optimizer is divided without a stage: the shapes of
// the parameters are written where it is, and None where it is not.
bool is_optimizer_divided(const Pickle& pickle) {
  const PickleNode* shapes = member(pickle, 0, "param_shapes");
  return zero_stage_in(pickle) != 0 || (shapes != nullptr && shapes->kind != PickleNode::Kind::Other);
}

std::optional<Flaw> too_few(const CheckpointContents& contents, std::string_view ending, std::size_t found,
                            std::int64_t needed) {
  if (static_cast<std::int64_t>(found) >= needed) return std::nullopt;
  return Flaw{.kind = FlawKind::Incomplete,
              .reason = contents.below + "*" + std::string(ending) + ": there are " + std::to_string(found) + " of " +
                        std::to_string(needed)};
}

std::optional<std::int64_t> number_behind(std::string_view name, std::string_view word) {
  const std::size_t at = name.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(name.data() + at + word.size(), name.data() + name.size(), number);
  return problem == std::errc{} ? std::optional(std::min(number, kMostRanks)) : std::nullopt;
}

// The number of these ranks that have a file: one that more ranks have left in an earlier save stands for none of them.
std::size_t ranks_in(const std::vector<std::string>& files, const Ranks& ranks) {
  std::set<std::string> others;
  std::set<std::pair<std::int64_t, std::int64_t>> found;
  for (const std::string& name : files) {
    const auto model = number_behind(name, kOfModelRank);
    const auto data = is_of_rank(name) ? number_behind(name, kOfRank) : std::optional<std::int64_t>(0);
    if (!model || !data)
      others.insert(name);
    else if (*model < ranks.model_parallel && *data < ranks.data_parallel)
      found.emplace(*data, *model);
  }
  return found.size() + others.size();
}

Flawed check_parts(const CheckpointContents& contents, const std::vector<std::string>& models, const Ranks& ranks) {
  const std::int64_t all = ranks.data_parallel * ranks.model_parallel;
  const HeldParts& held = contents.held;
  // Stage 3 divides the model too. Otherwise one process of each machine writes it for all (use_node_local_storage).
  const bool divided = is_of_rank(models.front());
  const std::int64_t of_model = divided ? held.of(all) : held.of_each_pod(ranks.model_parallel);
  if (auto flaw = too_few(contents, kModelStates, ranks_in(models, ranks), of_model)) return flaw;
  const auto optimizers = files_with(contents, kOptimizerStates);
  if (!ranks.optimizer_divided && optimizers.empty()) return std::nullopt;
  return too_few(contents, kOptimizerStates, ranks_in(optimizers, ranks), held.of(all));
}

// Counts ranks by file names where the states of the model are too large to be read: the file of each rank bears its
// number.
Ranks ranks_by_name(const CheckpointContents& contents, const std::vector<std::string>& models) {
  const auto ranks_up_to = [](std::string_view name, std::string_view word) {
    return std::min(number_behind(name, word).value_or(-1) + 1, kMostRanks);
  };
  Ranks ranks;
  const auto optimizers = files_with(contents, kOptimizerStates);
  for (const auto* files : {&models, &optimizers}) {
    for (const std::string& name : *files) {
      ranks.data_parallel = std::max(ranks.data_parallel, ranks_up_to(name, kOfRank));
      ranks.model_parallel = std::max(ranks.model_parallel, ranks_up_to(name, kOfModelRank));
    }
  }
  ranks.optimizer_divided = !optimizers.empty();
  return ranks;
}

Flawed check_deepspeed(const CheckpointContents& contents) {
  const auto models = files_with(contents, kModelStates);
  if (auto flaw = check_all(contents); !flaw || *flaw) return flaw;
  if (models.empty())
    return Flaw{.kind = FlawKind::Incomplete,
                .reason = contents.below + "*" + std::string(kModelStates) + ": the model's states are not there",
                .by_name = true};
  const CheckedFile model_states = contents.checked(models.front());
  const auto saved = read_saved_object(model_states);
  if (!saved) return std::unexpected(saved.error());
  if (!*saved) {
    const auto large = is_large_saved_object(model_states);
    if (!large) return std::unexpected(large.error());
    if (*large) return check_parts(contents, models, ranks_by_name(contents, models));
  }
  if (!*saved || member((*saved)->nodes, 0, "dp_world_size") == nullptr)
    return corrupt(model_states.name + ": does not say dp_world_size");
  const Pickle& pickle = (*saved)->nodes;
  Ranks ranks{.data_parallel = count_in(pickle, "dp_world_size"),
              .model_parallel = std::max<std::int64_t>(1, count_in(pickle, "mp_world_size")),
              .optimizer_divided = is_optimizer_divided(pickle)};
  if (has_experts(contents, pickle)) {
    const auto experts = look_at_experts(contents, pickle, ranks.model_parallel);
    if (!experts) return std::unexpected(experts.error());
    if (experts->flaw && contents.held.volumes > 1)
      return incomplete(experts->flaw->reason +
                        "; experts are spread over ranks in ways that no volume of one rank "
                        "shows: they need access: Shared");
    if (experts->flaw) return experts->flaw;
    ranks.optimizer_divided |= experts->optimizer_divided;
  }
  return check_parts(contents, models, ranks);
}

}  // namespace

std::optional<std::int64_t> DeepSpeedLayout::recognise(const CheckpointContents& contents) const {
  if (contents.itself.kind != FileInfo::Kind::Directory) return std::nullopt;
  const bool deepspeed = std::ranges::any_of(contents.entries, [](const auto& entry) {
    return entry.first.ends_with(kModelStates) || entry.first.ends_with(kOptimizerStates);
  });
  return deepspeed ? step_of(contents.name) : std::nullopt;
}

runtime::Result<Judgement> DeepSpeedLayout::judge(const CheckpointContents& contents) const {
  const auto flaw = check_deepspeed(contents);
  if (!flaw) return std::unexpected(flaw.error());
  // A script may save the rest of its state beside it: the directory is whole with both.
  if (!*flaw && holds_dcp_shards(contents))
    if (auto shards = PyTorchDcpLayout().judge(contents); !shards || shards->flaw) return shards;
  Judgement judged{.flaw = *flaw};
  if (judged.flaw) return judged;
  for (const auto& [name, info] : contents.entries) {
    if (!name.ends_with(kModelStates) && !name.ends_with(kOptimizerStates)) continue;
    if (!judged.mark.empty() && info.modified <= judged.completed) continue;
    judged.completed = info.modified;
    judged.mark = name;
  }
  return judged;
}

}  // namespace reprise::agent
