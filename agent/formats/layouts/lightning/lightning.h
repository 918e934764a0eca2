// Lightning: one .ckpt file for a checkpoint, or with a sharded strategy a directory of that name.
#pragma once

#include <string_view>

#include "agent/formats/layouts/layout.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// A file is complete when its zip archive is: Lightning moves it to its name from another file system, so that a torn
// one bears its final name. A directory: PyTorch's distributed checkpoint, and meta.pt, which is written after it.
// The step of last.ckpt, which its name does not say, is the `global_step` in it.
class LightningLayout final : public Layout {
 public:
  [[nodiscard]] std::string_view name() const override { return "Lightning"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;

 private:
  mutable PassedFiles weights_only_;
};

// "last.ckpt", "last-v1.ckpt": what Lightning writes again and again beside its numbered ones.
[[nodiscard]] bool is_lightnings_last(std::string_view name);

}  // namespace reprise::agent
