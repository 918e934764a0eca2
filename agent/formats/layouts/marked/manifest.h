// A directory with a list of the SHA-256 sums of its files, which its trainer writes last: SHA256SUMS or
// manifest.sha256.
#pragma once

#include <optional>
#include <string_view>

#include "agent/formats/layouts/layout.h"
#include "agent/formats/structure/passed_files.h"
#include "agent/formats/structure/sum_list.h"

namespace reprise::agent {

// Its name; empty: there is none.
[[nodiscard]] std::string_view list_of_sums_in(const CheckpointContents& contents);

// The list in such a directory; empty: there is none.
[[nodiscard]] runtime::Result<std::optional<SumList>> sum_list_in(const CheckpointContents& contents);

// Complete when the list can be read to its end, each file that it names is there, and no file with weights is there
// that it does not name. That the sums are right takes reading everything: Judgement::needs_reading. A file whose
// structure shows a flaw is read at once: with its sum it is what the trainer has written, whatever it looks like.
class ManifestLayout final : public Layout {
 public:
  // Listed: what is named like a checkpoint, has a list and no mark of its own. Named, by the user: whatever has a
  // list; what is only named like a checkpoint is a torn one.
  enum class Takes { Listed, Named };
  explicit ManifestLayout(Takes takes) : takes_(takes) {}

  [[nodiscard]] std::string_view name() const override { return "Manifest"; }
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;

 private:
  [[nodiscard]] Flawed check_named(const CheckpointContents& contents, const SumList& list) const;

  Takes takes_;
  mutable PassedFiles with_sums_, without_sums_;  // files that were read
};

}  // namespace reprise::agent
