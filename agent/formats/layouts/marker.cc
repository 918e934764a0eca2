#include "agent/formats/layouts/marker.h"

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/marker_format.h"

namespace reprise::agent {

std::optional<std::int64_t> MarkerLayout::recognise(const CheckpointContents& contents) const {
  if (contents.itself.kind != FileInfo::Kind::Directory) return std::nullopt;
  if (names_checkpoint(contents.name)) return step_of(contents.name);
  const auto completed = MarkerFormat().completed(contents.files, contents.path);
  return completed && *completed ? step_of(contents.name) : std::nullopt;
}

runtime::Result<Judgement> MarkerLayout::judge(const CheckpointContents& contents) const {
  const auto completed = MarkerFormat().completed(contents.files, contents.path);
  if (!completed) return std::unexpected(completed.error());
  if (*completed) return Judgement{.flaw = std::nullopt, .completed = **completed};
  return Judgement{.flaw = Flaw{FlawKind::Incomplete, "_COMPLETE: is not there, and no .complete or _SUCCESS"}};
}

}  // namespace reprise::agent
