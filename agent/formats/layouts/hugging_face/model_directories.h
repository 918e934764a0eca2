// Weights that lie in directories of a Hugging Face checkpoint, and not beside trainer_state.json: PEFT's adapters
// under names of their own (`policy/adapter_model.safetensors`), and the modules of sentence-transformers
// (modules.json, and router_config.json of a module that chooses among others).
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "agent/formats/layouts/checkpoint_contents.h"
#include "agent/formats/structure/flaw.h"
#include "runtime/base/error.h"

namespace reprise::agent {

// Weights as one file: the model, or an adapter.
inline constexpr std::array<std::string_view, 4> kModelWeights{"model.safetensors", "pytorch_model.bin",
                                                               "adapter_model.safetensors", "adapter_model.bin"};

struct ModelDirectories {
  std::optional<Flaw> flaw = {};
  bool any_weights = false;
};

// Each directory that holds an adapter or is listed as a module: it is there, and its files are whole.
[[nodiscard]] runtime::Result<ModelDirectories> look_at_model_directories(const CheckpointContents& contents);

}  // namespace reprise::agent
