#include "agent/core/restore/renounced.h"

#include <algorithm>
#include <utility>

#include "agent/formats/checkpoint_name.h"
#include "agent/formats/names/numbered_state.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// A directory is there since its look has found a checkpoint's files in it.
bool says_save(const std::string& path, const FileInfo& info) {
  return info.kind == FileInfo::Kind::Directory || !why_stepless_is_none(path).empty();
}

// "latest/" beside "step_100", which is put aside.
bool stands_beside(const std::string& name, const FileInfo& info, const std::vector<std::string>& put_aside) {
  return info.kind == FileInfo::Kind::Directory && says_last(last_part(name)) &&
         std::ranges::any_of(put_aside,
                             [&](const std::string& each) { return directory_of(each) == directory_of(name); });
}

}  // namespace

Result<Renounced> find_renounced(const Volume& volume, const Environment& env, const Identity& self, HistoryOnce& once,
                                 const VolumeScan& scan, const std::vector<std::string>& put_aside) {
  Renounced renounced;
  if (!put_aside.empty()) {
    auto beside = stand_ins_beside(volume, scan.found);
    if (!beside) return std::unexpected(beside.error());
    renounced.aside = *std::move(beside);
  }
  if (env.resume != ResumePolicy::FromScratch) return renounced;
  const auto history = once.get();
  if (!history) return std::unexpected(history.error());
  std::vector<std::string> others = volume.format->other_states();
  for (const Checkpoint& each : scan.found)
    if (!each.complete) others.push_back(each.name);
  for (const std::string& name : others) {
    const bool is_known =
        std::ranges::find(put_aside, name) != put_aside.end() ||
        std::ranges::any_of(renounced.aside, [&](const StandIn& each) { return each.checkpoint.name == name; });
    if (is_known) continue;
    const auto info = volume.files.look(volume.layout.root / name, Links::Stay);
    if (!info && says_lost(info.error())) continue;
    if (!info) return std::unexpected(info.error());
    if (!*info) continue;
    const bool is_save = says_save(name, **info);
    const bool own = is_own(name, (*info)->modified, scan.made, self.job_uid, *history);
    if (is_save && (own || stands_beside(name, **info, put_aside)))
      renounced.aside.push_back({.checkpoint = {.name = name}, .modified = (*info)->modified});
    else if (is_save)
      renounced.left.push_back(name);
    else if (own)
      renounced.nameless.push_back(name);
  }
  return renounced;
}

std::string say_left(const Renounced& renounced) {
  std::string said;
  const auto say = [&](const std::vector<std::string>& names, std::string_view why) {
    if (names.empty()) return;
    const std::string others = names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "";
    said += (said.empty() ? "" : "; ") + names.front() + others + (names.size() > 1 ? " were" : " was") +
            " left in place: " + std::string(why) +
            "; a script that looks for the newest by itself may go on from there";
  };
  say(renounced.left, "no attempt of this job is known to have written it");
  say(renounced.nameless, "by its name it may be data or a model");
  return said;
}

}  // namespace reprise::agent
