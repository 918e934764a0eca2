// Lightning: one .ckpt file for a checkpoint, or with a sharded strategy a directory of that name.
#pragma once

#include "agent/formats/layouts/layout.h"

namespace reprise::agent {

// A file is complete when its zip archive is: Lightning moves it to its name from another file system, so that a torn
// one bears its final name. A directory: PyTorch's distributed checkpoint, and meta.pt, which is written after it.
// `last.ckpt` has no step of its own and is no checkpoint here: it is another one's copy or a link to it.
class LightningLayout final : public Layout {
 public:
  [[nodiscard]] std::string_view name() const override { return "Lightning"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;
};

}  // namespace reprise::agent
