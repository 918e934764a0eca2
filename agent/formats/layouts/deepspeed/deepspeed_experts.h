// DeepSpeed leaves these files of a model with experts: one of each expert, and one of each rank that shares them out.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/torch/pickle.h"

namespace reprise::agent {

// layer_0_expert_1_mp_rank_00_model_states.pt, of old versions expert_1_mp_rank_00_model_states.pt, and the optimizer's
// expp_rank_1_mp_rank_00_optim_states.pt.
[[nodiscard]] bool is_of_experts(std::string_view name);

// True if the states of the model were written beside experts.
[[nodiscard]] bool has_experts(const CheckpointContents& contents, const Pickle& model_states);

struct Experts {
  std::optional<Flaw> flaw = {};
  bool optimizer_divided = false;  // by ZeRO: it is in files of the ranks, not in those of the experts
};

// Each expert that the states of the model name, and each rank's share of the optimizer, is there for each rank of the
// model. Of files without a flaw.
[[nodiscard]] runtime::Result<Experts> look_at_experts(const CheckpointContents& contents, const Pickle& model_states,
                                                       std::int64_t model_parallel);

}  // namespace reprise::agent
