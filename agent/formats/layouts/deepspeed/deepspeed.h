// DeepSpeed: <tag>/ with the model's states and, with ZeRO, each rank's part of the optimizer; the tag bears the step.
#pragma once

#include "agent/formats/layouts/layout.h"

namespace reprise::agent {

// Complete when every file is whole and there are as many parts as the model's states say that ranks took part, and as
// many experts. The file `latest` is not looked at: it is written before all ranks have ended their own.
class DeepSpeedLayout final : public Layout {
 public:
  [[nodiscard]] std::string_view name() const override { return "DeepSpeed"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;
};

}  // namespace reprise::agent
