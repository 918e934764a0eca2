// Orbax (JAX): <step>/ or <prefix>_<step>/ with an item in each directory, or with one item alone.
#pragma once

#include "agent/formats/layouts/layout.h"

namespace reprise::agent {

// Complete when neither the step nor an item bears the temporary name, `_CHECKPOINT_METADATA` says when the step was
// committed, and the items that it names are there: their JSON files can be read, the store's manifests and nodes
// (OCDBT) have their length and their sum. Files that hold the arrays' values say nothing of themselves; of those only
// an empty one is found. Checkpoints of versions before `_CHECKPOINT_METADATA` are never complete.
class OrbaxLayout final : public Layout {
 public:
  [[nodiscard]] std::string_view name() const override { return "Orbax"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;
};

}  // namespace reprise::agent
