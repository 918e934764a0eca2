// transformers.Trainer: checkpoint-<step>/, `trainer_state.json` written last.
#pragma once

#include "agent/formats/layouts/layout.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// Complete when trainer_state.json says the directory's step, the weights and every file that torch or safetensors
// wrote are whole, also in directories of it, and optimizer, scheduler and random numbers are there, unless
// training_args.bin says `save_only_model`: the library would go on without them in silence.
class HuggingFaceLayout final : public Layout {
 public:
  [[nodiscard]] std::string_view name() const override { return "HuggingFace"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;

 private:
  mutable PassedFiles passed_;
};

}  // namespace reprise::agent
