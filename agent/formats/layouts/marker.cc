#include "agent/formats/layouts/marker.h"

#include <algorithm>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/marked_files.h"
#include "agent/formats/marker_names.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {

bool bears_mark(const CheckpointContents& contents) {
  return std::ranges::any_of(kMarkers, [&](auto marker) { return contents.entries.contains(marker); });
}

std::optional<std::int64_t> MarkerLayout::recognise(const CheckpointContents& contents) const {
  if (contents.itself.kind != FileInfo::Kind::Directory) return std::nullopt;
  if (names_checkpoint(contents.name)) return step_of(contents.name);
  if (!bears_mark(contents)) return std::nullopt;
  const auto step = step_of(contents.name);
  // A rank's part of a save: "step_10/rank3".
  return step ? step : read_save_name(contents.path.parent_path().filename().string() + "/" + contents.name).step;
}

runtime::Result<Judgement> MarkerLayout::judge(const CheckpointContents& contents) const {
  for (const std::string_view marker : kMarkers) {
    const FileInfo* file = contents.file(marker);
    if (file == nullptr) continue;
    auto flaw = check_marked_files(contents, *file, passed_);
    if (!flaw) return std::unexpected(flaw.error());
    // Nothing contradicts itself here: the mark is of the save before, and the one over it did not end.
    if (*flaw) (*flaw)->kind = FlawKind::Incomplete;
    return Judgement{.flaw = *flaw, .completed = file->modified, .mark = std::string(marker)};
  }
  return Judgement{.flaw = Flaw{FlawKind::Incomplete, "_COMPLETE: is not there, and no .complete or _SUCCESS"}};
}

}  // namespace reprise::agent
