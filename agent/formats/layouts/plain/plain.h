// Files that a script writes with torch.save or safetensors, where the name alone says what it is: checkpoint-100.pt,
// or step_100/ with files in it. And what Flax (checkpoint_100) and Detectron2 (model_0000099.pth) write.
#pragma once

#include <string_view>

#include "agent/formats/layouts/layout.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

class PlainLayout final : public Layout {
 public:
  // Files: only what cannot be meant otherwise. A file of torch.save whose name is nothing but the usual words and
  // numbers, with an optimizer's state in it; Flax' and Detectron2's with one. A directory never is: whether more files
  // are to come nobody says. Directories: also those, since the user has named the format, pickles, and files of
  // torch.save with a number and no word for a checkpoint in their names (numbered_state.h), if an optimizer's state is
  // in them.
  enum class Takes { Files, Directories };
  explicit PlainLayout(Takes takes) : takes_(takes) {}

  [[nodiscard]] std::string_view name() const override { return "Plain"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  // A file is complete when its zip archive is whole; a directory when all files of torch.save and safetensors in it
  // and in its directories are, and, of the oldest one alone, none is missing that all have which are named alike and
  // lie beside it, one of them whole. What the saves before it have is held against it as of marked directories
  // (Judgement::state). An adapter alone is no state of a training.
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;

 private:
  Takes takes_;
  mutable PassedFiles with_optimizer_, passed_below_, passed_over_;
};

// "checkpoint_epoch_3", "step-100"; not "epoch_3_sample_100", "model-7" or "100".
[[nodiscard]] bool says_nothing_but_checkpoint(std::string_view name);

}  // namespace reprise::agent
