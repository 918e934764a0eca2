#include "agent/core/leave_alone.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agent/core/job_history.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/unfinished_name.h"

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
  Sorting(const Volume& volume, const Identity& self, const VolumeScan& scan, const std::optional<Checkpoint>& resume)
      : volume_(volume),
        self_(self),
        scan_(scan),
        resume_(resume),
        cut_short_(volume.format->unsearched()),
        halves_(names_in(scan.halves)) {}

  // Whether it stays where it is.
  Result<bool> stays(const std::string& name) {
    const auto in_scan = std::ranges::find(scan_.found, name, &Checkpoint::name);
    if (in_scan != scan_.found.end() && in_scan->complete) return false;  // a person or all ranks have renounced it
    auto seen = volume_.format->look_closely(volume_.files, volume_.layout.root, name);
    if (!seen) return std::unexpected(seen.error());
    Tear tear = *seen ? tear_in(**seen, scan_.found, resume_) : Tear::None;
    if (*seen && tear == Tear::None && halves_.contains(name)) tear = Tear::Shown;  // parts of its save are not there
    if (tear == Tear::None) return true;
    const auto own = is_own_by_now(name);
    if (!own) return std::unexpected(own.error());
    if (tear == Tear::NotRecognised) {
      unknown_.add(name, (*seen)->flaw);
      format_ = (*seen)->checkpoint.format;
      return true;
    }
    if (*own && cut_short_.empty()) return false;
    left.torn.push_back(name);
    (*own ? unsure_ : others_).add(name, (*seen)->flaw);
    return true;
  }

  void say() {
    unknown_.say(
        left.notes, "NotRecognised: ",
        "it does not fit the format" + (format_.empty() ? "" : " " + format_) + ", and nothing in it is cut off");
    others_.say(left.notes, "torn checkpoint ", "no attempt of this job has made it");
    unsure_.say(left.notes, "torn checkpoint ", "the look at the volume was cut short");
  }

  LeftAlone left;

 private:
  Result<bool> is_own_by_now(const std::string& name) {
    if (!history_) {
      auto read = read_history(volume_, self_);
      if (!read) return std::unexpected(read.error());
      history_ = *read;
    }
    const auto info = volume_.files.look(volume_.layout.root / name, Links::Stay);
    if (!info) return std::unexpected(info.error());
    return *info && is_own(name, (*info)->modified, scan_.made, self_.job_uid, *history_);
  }

  const Volume& volume_;
  const Identity& self_;
  const VolumeScan& scan_;
  const std::optional<Checkpoint>& resume_;
  std::string cut_short_;
  std::set<std::string> halves_;
  std::optional<JobHistory> history_;
  std::string format_;
  OneReason unknown_, others_, unsure_;
};

}  // namespace

Tear tear_in(const CloseLook& seen, const Checkpoints& found, const std::optional<Checkpoint>& resume) {
  if (!seen.flaw) return Tear::None;
  if (seen.flaw->unread) return Tear::NotRecognised;
  const bool is_unfinished = names_unfinished_save(last_part(seen.checkpoint.name));
  if (!seen.flaw->by_name || is_unfinished) return Tear::Shown;
  const bool is_newer = resume && seen.checkpoint.step > resume->step;
  return is_newer && has_like_complete(seen.checkpoint, found) ? Tear::Shown : Tear::NotRecognised;
}

Result<LeftAlone> leave_alone(const Volume& volume, const Identity& self, const VolumeScan& scan,
                              ResumeChoice& choice) {
  Sorting sorting(volume, self, scan, choice.resume);
  std::vector<std::string> goes;
  for (std::string& name : choice.put_aside) {
    const auto stays = sorting.stays(name);
    if (!stays) return std::unexpected(stays.error());
    if (!*stays) goes.push_back(std::move(name));
  }
  choice.put_aside = std::move(goes);
  sorting.say();
  return std::move(sorting.left);
}

}  // namespace reprise::agent
