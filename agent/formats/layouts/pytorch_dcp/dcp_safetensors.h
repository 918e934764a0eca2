// torch.distributed.checkpoint with its HuggingFaceStorageWriter: `model-*-of-*.safetensors`, and
// `model.safetensors.index.json` written last.
#pragma once

#include "agent/formats/layouts/layout.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// Holds tensors alone, mostly weights without an optimizer: a checkpoint only for users who name the format, and only
// where files say that this library has written them: transformers' models look alike. Where a whole state of the
// library lies beside it, it is what was exported at the end (torchtitan's last_save_in_hf). Complete when the index
// can be read and every file that it names is whole. Shards of ranks that nobody has consolidated have no index:
// nothing shows whether all of them are there.
class DcpSafetensorsLayout final : public Layout {
 public:
  enum class Takes { Exports, Named };
  explicit DcpSafetensorsLayout(Takes takes) : takes_(takes) {}

  [[nodiscard]] std::string_view name() const override { return "PyTorchDCP"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;

 private:
  Takes takes_;
  mutable PassedFiles exports_;  // by their index
};

}  // namespace reprise::agent
