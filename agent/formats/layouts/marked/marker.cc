#include "agent/formats/layouts/marked/marker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/marked/marked_files.h"
#include "agent/formats/marker_names.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {

bool bears_mark(const CheckpointContents& contents) {
  return std::ranges::any_of(kMarkers, [&](auto marker) { return contents.entries.contains(marker); });
}

namespace {

// "rank0/_COMPLETE": of a part. A volume that cannot be read says it another time.
std::string mark_below(const CheckpointContents& contents) {
  constexpr int kMostLookedInto = 4;
  int looked_into = 0;
  for (const auto& [name, info] : contents.entries) {
    if (info.kind != FileInfo::Kind::Directory || looked_into++ >= kMostLookedInto) continue;
    for (const std::string_view marker : kMarkers) {
      const auto mark = contents.files.look(contents.path / name / marker, Links::Follow);
      if (mark && *mark) return name + "/" + std::string(marker);
    }
  }
  return {};
}

}  // namespace

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
    MarkedFiles seen;
    auto flaw = check_marked_files(contents, *file, passed_, &seen);
    if (!flaw) return std::unexpected(flaw.error());
    // The flaw is no contradiction here: the mark is of the save before, and the one over it did not end.
    if (*flaw && !(*flaw)->lost) (*flaw)->kind = FlawKind::Incomplete;
    // Data comes with sums, too, and takes hours to read.
    return Judgement{.flaw = *flaw,
                     .completed = file->modified,
                     .mark = std::string(marker),
                     .state = std::move(seen.state),
                     .needs_reading = seen.has_sums && names_checkpoint(contents.name)};
  }
  const std::string below = mark_below(contents);
  return Judgement{
      .flaw = Flaw{.kind = FlawKind::Incomplete,
                   .reason = "_COMPLETE: is not there, and no .complete or _SUCCESS" +
                             (below.empty() ? below
                                            : "; " + below +
                                                  " is of a part: who has seen all parts end has to set one in the "
                                                  "directory of the step itself"),
                   .no_mark = true}};
}

}  // namespace reprise::agent
