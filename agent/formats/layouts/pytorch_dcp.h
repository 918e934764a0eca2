// torch.distributed.checkpoint, also of torchtitan: a directory with shards, `.metadata` renamed to its name last.
#pragma once

#include "agent/formats/layouts/layout.h"

namespace reprise::agent {

// Complete when the metadata can be read to its end and every shard has all the bytes that it names. Saved without
// collectives, each rank has metadata of its own.
class PyTorchDcpLayout final : public Layout {
 public:
  [[nodiscard]] std::string_view name() const override { return "PyTorchDCP"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;
};

}  // namespace reprise::agent
