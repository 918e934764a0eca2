#include "agent/core/unreadable/before_resume.h"

#include <algorithm>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/unreadable/read_back.h"
#include "agent/formats/verify/lost_bytes.h"

namespace reprise::agent {

std::optional<Flaw> read_back_in_time(const Volume& volume, const Checkpoint& checkpoint, const Now& now) {
  const ReadBackBound bound = read_back_bound(volume.files.kind());
  const auto goes_on = [&, begun = now ? now() : runtime::Instant()] { return !now || now() - begun < bound.time; };
  return read_back(volume.files, volume.layout.root / checkpoint.name, bound, goes_on);
}

Flawed flaw_by_now(const Volume& volume, const std::optional<Checkpoint>& resume) {
  if (!resume) return std::nullopt;
  const auto path = volume.layout.root / resume->name;
  const auto completed = volume.format->completed(volume.files, path);
  if (!completed) return lost_is_flaw(std::unexpected(completed.error()), path);
  if (!completed->has_value()) return incomplete(resume->name + ": is not complete any more");
  return std::nullopt;
}

Flawed flaw_before_resume(const Volume& volume, const std::optional<Checkpoint>& resume, bool all_agree,
                          const Now& now) {
  if (!resume) return std::nullopt;
  const auto path = volume.layout.root / resume->name;
  const auto flaw = read_back_in_time(volume, *resume, now);
  // This comes after the slow steps: a flaw that was read may be one of a checkpoint that is gone by now.
  if (auto by_now = flaw_by_now(volume, resume); !by_now || *by_now) return by_now;
  if (flaw) return flaw;
  if (!all_agree) {
    const auto hold = volume.format->sums_hold(volume.files, volume.layout.root, resume->name);
    if (!hold) return lost_is_flaw(std::unexpected(hold.error()), path);
    if (!*hold) return corrupt(resume->name + ": has other sums than its list says");
  }
  return std::nullopt;
}

void leave_out_doubted(const DoubtedChoices& doubts, VolumeScan& scan) {
  scan.unreadable.checkpoints.insert(doubts.lost.begin(), doubts.lost.end());
  for (Checkpoint& each : scan.found) {
    if (!each.complete || std::ranges::find(doubts.names, each.name) == doubts.names.end()) continue;
    each.complete = false;
    each.time = {};
  }
  sort_newest_first(scan.found, scan.made);
}

}  // namespace reprise::agent
