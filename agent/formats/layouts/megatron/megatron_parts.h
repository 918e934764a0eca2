// The parts of a checkpoint that Megatron writes as `--ckpt-format torch`: a directory for each part of the model.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/layouts/layout.h"

namespace reprise::agent {

inline constexpr std::string_view kMegatronPart = "mp_rank_";

struct ModelParallelism {
  std::int64_t tensor = 1, pipeline = 1, expert = 1, expert_tensor = 1;
};
// The names of the directories that ranks laid out so have written: "mp_rank_01", "mp_rank_01_003",
// "mp_rank_01_003_000".
[[nodiscard]] std::set<std::string> megatron_parts(const ModelParallelism& ranks);

[[nodiscard]] runtime::Result<Judgement> judge_megatron_parts(const CheckpointContents& contents);

}  // namespace reprise::agent
