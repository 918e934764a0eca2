// Megatron-Core: iter_<7 digits>/. `--ckpt-format torch` (mp_rank_*/model_optim_rng.pt, one for each part of the
// model), `torch_dist` (shards of torch.distributed.checkpoint, then metadata.json), `torch_dcp` and `fsdp_dtensor`
// (the same shards alone).
#pragma once

#include "agent/formats/layouts/layout.h"

namespace reprise::agent {

// torch: complete when there are as many parts as the arguments in it say, each of them whole, and the distributed
// optimizer's file beside each where one was used. torch_dist: when metadata.json names the format, the shards are
// whole, and so is common.pt where metadata.json names it. The others: as PyTorch's own.
// latest_checkpointed_iteration.txt is not looked at: it is written after all of that.
class MegatronLayout final : public Layout {
 public:
  [[nodiscard]] std::string_view name() const override { return "Megatron"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;
};

}  // namespace reprise::agent
