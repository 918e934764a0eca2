#include "agent/core/aside/leave_alone.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/unfinished_name.h"
#include "agent/formats/verify/shown_tear.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// A line for all that were left for one reason.
struct OneReason {
  std::string first, reason;
  std::size_t count = 0;
  void add(const std::string& name, const std::optional<Flaw>& flaw) {
    if (count++ > 0) return;
    first = name;
    if (flaw) reason = " (" + flaw->reason + ")";
  }
  void say(std::vector<std::string>& notes, const std::string& before, const std::string& why) const {
    if (count == 0) return;
    const std::string others = count > 1 ? " and " + std::to_string(count - 1) + " more" : "";
    notes.push_back(before + first + others + (count > 1 ? " were" : " was") + " left in place: " + why + reason);
  }
};

bool has_like_complete(const Checkpoint& torn, const Checkpoints& found) {
  const std::string naming = naming_of(torn.name);
  return std::ranges::any_of(found, [&](const Checkpoint& each) {
    return each.complete && each.format == torn.format && naming_of(each.name) == naming;
  });
}

class Sorting {
 public:
  Sorting(const Volume& volume, const Identity& self, HistoryOnce& history, const VolumeScan& scan,
          const ResumeChoice& choice)
      : volume_(volume),
        self_(self),
        history_(history),
        scan_(scan),
        resume_(choice.resume),
        none_complete_(choice.none_complete),
        cut_short_(volume.format->unsearched()),
        halves_(names_in(scan.halves)) {}

  // True if the checkpoint stays where it is.
  Result<bool> stays(const std::string& name) {
    const auto in_scan = std::ranges::find(scan_.found, name, &Checkpoint::name);
    if (in_scan != scan_.found.end() && in_scan->complete) return false;  // a person or all ranks have renounced it
    if (const auto lost = scan_.unreadable.checkpoints.find(name); lost != scan_.unreadable.checkpoints.end())
      return stays_unreadable(name, lost->second);
    auto seen = volume_.format->look_closely(volume_.files, volume_.layout.root, name);
    if (!seen) return std::unexpected(seen.error());
    if (!*seen) return true;
    const auto tear = tear_of(name, **seen);
    if (!tear) return std::unexpected(tear.error());
    if (*tear == Tear::None) return true;
    if (*tear == Tear::Unreadable) return stays_unreadable(name, (*seen)->flaw->reason);
    const auto own = is_own_by_now(name);
    if (!own) return std::unexpected(own.error());
    if (*tear == Tear::NotRecognised) {
      unknown_.add(name, (*seen)->flaw);
      format_ = (*seen)->checkpoint.format;
      return true;
    }
    if (*own && cut_short_.empty()) return false;
    // A tracker that names somebody else's checkpoint has nothing better to name where nothing is complete.
    if (*own || !none_complete_) left.torn.push_back(name);
    (*own ? unsure_ : others_).add(name, (*seen)->flaw);
    return true;
  }

  // Whole parts of a save would count as soon as its torn parts were gone, if nothing else is complete: all of it goes,
  // the whole parts first, or nothing.
  void keep_saves_together(std::vector<std::string>& goes) {
    if (!none_complete_) return;
    for (const HalfSave& save : scan_.halves) {
      const auto all = names_in({save});
      const bool all_go = std::ranges::all_of(scan_.found, [&](const Checkpoint& each) {
        return !all.contains(each.name) || std::ranges::find(goes, each.name) != goes.end();
      });
      if (all_go) continue;
      std::erase_if(goes, [&](const std::string& name) {
        if (!all.contains(name)) return false;
        together_.add(name, std::nullopt);
        return true;
      });
    }
    std::ranges::stable_partition(goes, [&](const std::string& name) {
      return std::ranges::any_of(scan_.halves, [&](const HalfSave& each) {
        return std::ranges::find(each.halves, name) != each.halves.end();
      });
    });
  }

  void say() {
    unknown_.say(
        left.notes, "NotRecognised: ",
        "it does not fit the format" + (format_.empty() ? "" : " " + format_) + ", and nothing in it is cut off");
    others_.say(left.notes, "torn checkpoint ", "no attempt of this job has made it");
    unsure_.say(left.notes, "torn checkpoint ", "the look at the volume was cut short");
    together_.say(left.notes, "torn checkpoint ", "another part of its save stays");
    lost_.say(left.notes, "unreadable checkpoint ",
              "no attempt of this job has made it, or not all could be looked at");
  }

  LeftAlone left;
  std::vector<std::string> left_out{};  // the ones of it that count no more, whatever they seem to be

 private:
  // A library that looks for the newest by itself is not to find one that this job has made. Nothing more is read of
  // it.
  Result<bool> stays_unreadable(const std::string& name, const std::string& why) {
    const auto own = is_own_by_now(name);
    if (!own && !says_lost(own.error())) return std::unexpected(own.error());
    if (own && *own && cut_short_.empty()) return false;
    lost_.add(name, Flaw{.kind = FlawKind::Corrupt, .reason = why, .lost = true});
    left_out.push_back(name);
    if (!none_complete_) left.torn.push_back(name);
    return true;
  }

  Result<Tear> tear_of(const std::string& name, const CloseLook& seen) const {
    const Tear tear = tear_in(seen, scan_.found, resume_);
    if (tear == Tear::None && halves_.contains(name)) return Tear::Shown;  // parts of its save are not there
    const bool is_asked = none_complete_ || (seen.flaw && seen.flaw->exported);
    if (tear == Tear::None || !is_asked) return tear;
    const auto path = volume_.layout.root / name;
    const auto itself = volume_.files.look(path, Links::Stay);
    if (!itself) return std::unexpected(itself.error());
    if (!*itself) return Tear::None;
    const auto shown = shows_tear_by_itself(volume_.files, path, **itself, seen);
    if (!shown) return std::unexpected(shown.error());
    return *shown ? Tear::Shown : Tear::NotRecognised;
  }

  Result<bool> is_own_by_now(const std::string& name) {
    const auto history = history_.get();
    if (!history) return std::unexpected(history.error());
    const auto info = volume_.files.look(volume_.layout.root / name, Links::Stay);
    if (!info) return std::unexpected(info.error());
    return *info && is_own(name, (*info)->modified, scan_.made, self_.job_uid, *history);
  }

  const Volume& volume_;
  const Identity& self_;
  HistoryOnce& history_;
  const VolumeScan& scan_;
  const std::optional<Checkpoint>& resume_;
  bool none_complete_;
  std::string cut_short_;
  std::set<std::string> halves_;
  std::string format_;
  OneReason unknown_, others_, unsure_, together_, lost_;
};

}  // namespace

Tear tear_in(const CloseLook& seen, const Checkpoints& found, const std::optional<Checkpoint>& resume) {
  if (seen.flaw && seen.flaw->lost) return Tear::Unreadable;
  if (seen.flaw && (seen.flaw->unread || seen.flaw->exported)) return Tear::NotRecognised;
  if (names_unfinished_save(last_part(seen.checkpoint.name))) return Tear::Shown;
  if (!seen.flaw) return Tear::None;
  if (!seen.flaw->by_name && !seen.flaw->no_mark) return Tear::Shown;
  const bool is_newer = resume && seen.checkpoint.step > resume->step;
  const bool may_be_torn = seen.flaw->no_mark || is_newer;
  return may_be_torn && has_like_complete(seen.checkpoint, found) ? Tear::Shown : Tear::NotRecognised;
}

Result<LeftAlone> leave_alone(const Volume& volume, const Identity& self, HistoryOnce& history, const VolumeScan& scan,
                              ResumeChoice& choice) {
  Sorting sorting(volume, self, history, scan, choice);
  std::vector<std::string> goes;
  for (std::string& name : choice.put_aside) {
    const auto stays = sorting.stays(name);
    if (!stays) return std::unexpected(stays.error());
    if (!*stays) goes.push_back(std::move(name));
  }
  sorting.keep_saves_together(goes);
  choice.put_aside = std::move(goes);
  std::ranges::move(sorting.left_out, std::back_inserter(choice.left_out));
  sorting.say();
  return std::move(sorting.left);
}

}  // namespace reprise::agent
