// Trainer's training_args.bin describes the run that has written a checkpoint.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/formats/layouts/checkpoint_contents.h"

namespace reprise::agent {

inline constexpr std::string_view kTrainingArguments = "training_args.bin";  // no training is resumed from it

struct TrainingArguments {
  bool saves_only_model = false;
  std::optional<std::int64_t> ranks;  // ranks that have saved together
};

// Reads the file's first MiB, with one call. A value that is not there or cannot be read says nothing.
[[nodiscard]] runtime::Result<TrainingArguments> read_training_arguments(const CheckpointContents& contents);

}  // namespace reprise::agent
