// Orbax (JAX): <step>/ or <prefix>_<step>/ with an item in each directory, or with one item alone.
#pragma once

#include "agent/formats/layouts/layout.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// Complete when neither the step nor an item bears the temporary name, `_CHECKPOINT_METADATA` says when the step was
// committed, and the items that it names are there: their JSON files can be read, and the store of their arrays has all
// that it refers to (ocdbt_store.h). Checkpoints of versions before `_CHECKPOINT_METADATA` are never complete.
class OrbaxLayout final : public Layout {
 public:
  // Named by the user, an empty directory of a step's name is one that did not come further: latest_step() returns it.
  // What holds something and bears no mark may be whole, of such a version, and is left alone.
  enum class Takes { Marked, Named };
  explicit OrbaxLayout(Takes takes) : takes_(takes) {}
  [[nodiscard]] std::string_view name() const override { return "Orbax"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;

 private:
  Takes takes_;
  mutable PassedFiles passed_;  // pieces of arrays
};

}  // namespace reprise::agent
