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

// True if any shard is there, of whatever save.
[[nodiscard]] bool holds_dcp_shards(const CheckpointContents& contents);

// True if a directory that is written anew in place each time mixes two saves: some of its shards are newer than the
// metadata and than the file `last` by more than clocks differ, and all others are older than the metadata, as a save
// leaves them. Then an old save and a new one that was cut off lie side by side.
[[nodiscard]] bool mixes_saves(const CheckpointContents& contents, std::string_view last);

}  // namespace reprise::agent
