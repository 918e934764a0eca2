// The generic contract of own trainers (../marker_format.h), as a layout.
#pragma once

#include "agent/formats/layouts/layout.h"
#include "agent/formats/structure/passed_files.h"

namespace reprise::agent {

// True if a file says by its name that all has been written (../marker_names.h).
[[nodiscard]] bool bears_mark(const CheckpointContents& contents);

class MarkerLayout final : public Layout {
 public:
  [[nodiscard]] std::string_view name() const override { return "Marker"; }
  // A directory with a marker, or one that no other layout knows and whose name says checkpoint.
  [[nodiscard]] std::optional<std::int64_t> recognise(const CheckpointContents& contents) const override;
  // Complete when a mark is there, and no file beside or below it shows that it is of an earlier save (marked_files.h).
  // Of the contents only names and kinds need be known, but of marks.
  [[nodiscard]] runtime::Result<Judgement> judge(const CheckpointContents& contents) const override;

 private:
  mutable PassedFiles passed_;
};

}  // namespace reprise::agent
