#include "agent/core/watch/stand_ins_beside.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/aside/set_aside.h"
#include "agent/core/generations/surroundings.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/lightning/lightning.h"
#include "agent/formats/name_numbers.h"
#include "agent/formats/recognise/stand_ins.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr std::string_view kLightning = "Lightning";

}  // namespace

bool says_last(std::string_view name) {
  for (const std::string_view word : {std::string_view("last"), std::string_view("latest")}) {
    const std::size_t at = name.find(word);
    if (at == std::string_view::npos) continue;
    const auto is_letter = [&](std::size_t where) {
      return where < name.size() &&
             ((name[where] >= 'a' && name[where] <= 'z') || (name[where] >= 'A' && name[where] <= 'Z'));
    };
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  }
  return false;
}

namespace {

bool stands_in(const DirectoryEntry& entry) {
  if (entry.kind == FileInfo::Kind::Directory) return is_lightnings_last(entry.name);
  return entry.kind == FileInfo::Kind::File && may_hold_state(entry.name) &&
         (is_lightnings_last(entry.name) || (says_last(entry.name) && !step_of(entry.name)));
}

// Empty: it is gone since the listing.
Result<std::optional<StandIn>> look_at_stand_in(const Volume& volume, std::string name) {
  const auto path = volume.layout.root / name;
  const auto info = volume.files.look(path, Links::Stay);
  if (!info) return std::unexpected(info.error());
  if (!*info) return std::nullopt;
  auto seen = volume.format->look_closely(volume.files, volume.layout.root, name);
  if (!seen) return std::unexpected(seen.error());
  StandIn found{.checkpoint = {.name = std::move(name)}, .modified = (*info)->modified};
  if (*seen) found.checkpoint = std::move((*seen)->checkpoint);
  if (found.checkpoint.complete) return found;
  const auto& flaw = *seen ? (*seen)->flaw : std::nullopt;
  const bool is_file = (*info)->kind == FileInfo::Kind::File;
  // The name tells of no layout: other programs call their files so.
  const auto cut = is_file ? is_cut_off(volume.files, path, **info) : Result<bool>(flaw && !flaw->by_name);
  if (!cut) return std::unexpected(cut.error());
  found.is_torn = *cut && !(flaw && flaw->unread);
  return found;
}

std::set<std::string> folders_of(const Checkpoints& found) {
  std::set<std::string> folders;
  for (const Checkpoint& each : found) folders.emplace(directory_of(each.name));
  return folders;
}

Result<std::vector<StandIn>> stand_ins_in(const Volume& volume, const std::set<std::string>& folders) {
  std::vector<StandIn> beside;
  for (const std::string& folder : folders) {
    const auto entries = volume.files.list_entries(volume.layout.root / folder);
    if (!entries) return std::unexpected(entries.error());
    for (const DirectoryEntry& entry : *entries) {
      if (!stands_in(entry)) continue;
      auto seen = look_at_stand_in(volume, folder.empty() ? entry.name : folder + "/" + entry.name);
      if (seen && *seen) beside.push_back(std::move(**seen));  // nobody needs one that cannot be read
    }
  }
  return beside;
}

}  // namespace

// An epoch's number and a step tell nothing of each other.
bool is_further(const Checkpoint& stand_in, const Checkpoints& all) {
  bool any = false;
  for (const Checkpoint& other : all) {
    if (directory_of(other.name) != directory_of(stand_in.name) || other.name == stand_in.name) continue;
    const bool is_as_far =
        other.step >= stand_in.step && !(read_save_name(other.name).is_epoch && other.format == kLightning);
    if (other.complete && (is_as_far || other.time > stand_in.time)) return false;
    any = any || !is_named_as_stand_in(last_part(other.name));
  }
  return any;
}

Result<std::vector<StandIn>> stand_ins_beside(const Volume& volume, const Checkpoints& found) {
  return stand_ins_in(volume, folders_of(found));
}

Result<std::vector<StandIn>> torn_stand_ins(const Volume& volume, const Identity& self, HistoryOnce& once,
                                            const VolumeScan& scan) {
  if (!volume.format->unsearched().empty()) return std::vector<StandIn>();
  auto folders = folders_of(scan.found);
  folders.emplace();
  auto torn = stand_ins_in(volume, folders);
  if (!torn) return torn;
  std::erase_if(*torn, [](const StandIn& each) { return !each.is_torn; });
  if (torn->empty()) return torn;
  const auto history = once.get();
  if (!history) return std::unexpected(history.error());
  std::erase_if(*torn, [&](const StandIn& each) {
    return !is_own(each.checkpoint.name, each.modified, scan.made, self.job_uid, *history);
  });
  return torn;
}

Result<void> count_further_stand_ins(const Volume& volume, const Identity& self, HistoryOnce& once, VolumeScan& scan,
                                     std::vector<std::string>& notes) {
  const auto beside = stand_ins_beside(volume, scan.found);
  if (!beside) return std::unexpected(beside.error());
  std::vector<StandIn> further;
  for (const StandIn& each : *beside)
    if (each.checkpoint.complete && each.checkpoint.step > 0 && is_further(each.checkpoint, scan.all))
      further.push_back(each);
  if (further.empty()) return {};
  const auto history = once.get();
  if (!history) return std::unexpected(history.error());
  const auto renounced = volume.set_aside->read(volume.files, volume.layout);
  if (!renounced) return std::unexpected(renounced.error());
  for (const StandIn& each : further) {
    const Checkpoint& one = each.checkpoint;
    if (without_set_aside({one}, *renounced).empty()) continue;
    const bool counts = std::ranges::find(scan.found, one) != scan.found.end() && !may_be_none(one, scan.made);
    if (counts || !is_own(one.name, each.modified, scan.made, self.job_uid, *history)) continue;
    if (std::ranges::find(scan.found, one.name, &Checkpoint::name) == scan.found.end()) scan.found.push_back(one);
    const std::int64_t order = scan.made.empty() ? 1 : scan.made.back().order + 1;
    scan.made.push_back({.order = order, .name = one.name, .job_uid = self.job_uid, .attempt = self.attempt - 1});
    notes.push_back(one.name + " counts: an attempt of this job has written it, and it holds step " +
                    std::to_string(one.step) + ", which is further than the numbered ones beside it");
  }
  sort_newest_first(scan.found, scan.made);
  return {};
}

namespace {

bool was_put_aside(const Volume& volume, const std::string& name) {
  const std::string aside = VolumeLayout::aside(name) + ".";
  for (const auto& place : {volume.layout.torn(), volume.layout.quarantine()}) {
    const auto names = volume.files.list(place);
    if (names && std::ranges::any_of(*names, [&](const std::string& each) { return each.starts_with(aside); }))
      return true;
  }
  return false;
}

}  // namespace

Result<void> settle_expected_stand_in(const Volume& volume, const Identity& self, HistoryOnce& once,
                                      const VolumeScan& scan, Environment& env, std::vector<std::string>& notes) {
  const std::string name = env.expected_checkpoint;
  if (!env.expected_step || !is_named_as_stand_in(last_part(name))) return {};
  bool any = false;
  for (const Checkpoint& each : scan.found) {
    if (each.name == name && each.complete && each.step >= *env.expected_step) return {};
    any = any || may_be_resumed(each, scan.made, env.format != "Auto");
  }
  if (!any) return {};
  const auto there = look_at_stand_in(volume, name);
  if (!there) return std::unexpected(there.error());
  if (*there) {
    const auto history = once.get();
    if (!history) return std::unexpected(history.error());
    if (!is_own(name, (*there)->modified, scan.made, self.job_uid, *history)) return {};
    const bool is_whole = (*there)->checkpoint.complete;
    const bool is_as_far = is_whole && (*there)->checkpoint.step >= *env.expected_step;
    // Written once more, since the one that was cut off was put aside.
    const bool is_next = is_whole && was_put_aside(volume, name);
    if (!is_as_far && !is_next && !(*there)->is_torn) return {};
  } else if (!was_put_aside(volume, name)) {
    return {};
  }
  if (!*there || (*there)->is_torn)
    notes.push_back(name + " was known to hold step " + std::to_string(*env.expected_step) +
                    ", and is cut off: an attempt of this job was killed while it wrote it anew");
  env.expected_step.reset();
  env.expected_checkpoint.clear();
  return {};
}

}  // namespace reprise::agent
