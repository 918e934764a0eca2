#include "agent/core/proofs/unproven.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "agent/core/fencing/attempts.h"
#include "agent/core/generations/generation.h"
#include "agent/core/proofs/proofs.h"
#include "agent/core/record/record.h"
#include "agent/core/restore/choose_resume.h"
#include "agent/core/restore/resume_point.h"
#include "agent/core/sums/seen_ends.h"
#include "agent/formats/name_numbers.h"

namespace reprise::agent {
namespace {

using runtime::Result;

// Reads up to the first whose end nobody saw.
Result<std::vector<RankEnd>> read_ends(const Volume& volume, const std::string& job_uid, std::int32_t attempt,
                                       const ProvenList& list) {
  std::vector<RankEnd> ends;
  const std::int64_t last = std::int64_t{list.first_rank} + list.ranks;
  for (std::int64_t at = list.first_rank; at < last && (ends.empty() || ends.back().synced); ++at) {
    const auto rank = static_cast<std::int32_t>(at);
    const auto text = volume.files.read(volume.layout.record(attempt, rank));
    if (!text && !says_lost(text.error())) return std::unexpected(text.error());
    const auto record = text && *text ? decode_record(**text) : std::nullopt;
    const bool is_its_own = record && record->job_uid == job_uid && record->attempt == attempt;
    ends.push_back({.rank = rank, .told = is_its_own, .synced = is_its_own && record->synced});
  }
  return ends;
}

// Attempts since the list was written: their trainers ran all the same.
struct Since {
  std::vector<std::int32_t> unlisted;  // attempts that could not write down that they began
  // Some began by an agent that keeps no list, or where none is kept: an older version of it, or a share.
  bool is_kept_no_more = false;
};

Result<Since> begun_since(const Volume& volume, const Identity& self, const ProvenList& list) {
  Since since;
  const auto attempts = list_attempts(volume);
  if (!attempts) return std::unexpected(attempts.error());
  for (const std::int32_t attempt : *attempts) {
    if (attempt >= self.attempt || (attempt <= list.attempt && list.job_uid == self.job_uid)) continue;
    const auto text = volume.lost_texts->read(volume.files, volume.layout.resume_point(attempt));
    if (!text) return std::unexpected(text.error());
    if (is_lost_text(*text)) since.unlisted.push_back(attempt);  // an attempt of this job, for all that anybody knows
    const auto point = *text ? decode_resume_point(**text) : std::nullopt;
    if (!point || point->job_uid != self.job_uid || !point->rejection.empty()) continue;
    since.unlisted.push_back(attempt);
    since.is_kept_no_more = since.is_kept_no_more || !point->keeps_proofs;
  }
  return since;
}

Result<std::string> why_unseen(const Volume& volume, const Identity& self, const ProvenList& list, const Since& since) {
  const auto ends = read_ends(volume, list.job_uid, list.attempt, list);
  if (!ends) return std::unexpected(ends.error());
  if (std::string why = say_unseen(list.attempt, *ends); !why.empty()) return why;
  for (const std::int32_t attempt : since.unlisted) {
    const auto of_it = read_ends(volume, self.job_uid, attempt, list);
    if (!of_it) return std::unexpected(of_it.error());
    if (std::string why = say_unseen(attempt, *of_it); !why.empty()) return why;
  }
  return std::string();
}

bool is_as_proven(const Volume& volume, const ProvenList& list, const Checkpoint& each) {
  const auto* const known = find_proven(list, each);
  if (known == nullptr) return lists(list, each);
  return !known->shape || is_as_it_was(volume, each.name, *known->shape);
}

// Adds saves that would be halves by themselves, once the named ones are away.
void add_halves(const Volume& volume, const Environment& env, const VolumeScan& scan, std::set<std::string>& names) {
  Checkpoints rest = scan.found;
  std::erase_if(rest, [&](const Checkpoint& each) { return names.contains(each.name); });
  const Checkpoints before = rest;
  static_cast<void>(demote_halves(volume, rest, scan.made, held_by_volume(env)));
  for (const Checkpoint& each : before) {
    const auto now = std::ranges::find(rest, each.name, &Checkpoint::name);
    if (each.complete && now != rest.end() && !now->complete) names.insert(each.name);
  }
}

void add_rest_of_saves(const Identity& self, const VolumeScan& scan, std::set<std::string>& names) {
  for (const Checkpoint& each : scan.found)
    if (names.contains(each.name))
      for (const Checkpoint& part : save_of(each, self, scan))
        if (part.complete) names.insert(part.name);
}

}  // namespace

Checkpoints save_of(const Checkpoint& one, const Identity& self, const VolumeScan& scan) {
  std::set<std::string> names{one.name};
  const auto saves = group_by_save(scan.found, scan.made, self.job_uid, Doubtful::Count);
  for (const Generation& save : saves.known)
    if (std::ranges::find(save.parts, one.name, &Generation::Part::name) != save.parts.end())
      for (const auto& part : save.parts) names.insert(part.name);
  const SaveName says = read_save_name(one.name);
  Checkpoints parts;
  for (const Checkpoint& each : scan.found) {
    const SaveName other = read_save_name(each.name);
    const bool is_of_it = says.step && other.step == says.step && other.family == says.family;
    if (is_of_it || names.contains(each.name)) parts.push_back(each);
  }
  return parts;
}

std::string say_unseen(std::int32_t attempt, const std::vector<RankEnd>& ends) {
  for (const RankEnd& each : ends) {
    const std::string rank = "rank " + std::to_string(each.rank) + " of attempt " + std::to_string(attempt);
    if (!each.told) return "no agent saw the end of " + rank;
    if (!each.synced) return rank + " ended before all that it had written was on the storage";
  }
  return {};
}

Result<Unproven> find_unproven(const Volume& volume, const Environment& env, const Identity& self,
                               const VolumeScan& scan) {
  Unproven unproven{.keeps_proofs = keeps_proofs(volume.files)};
  if (!unproven.keeps_proofs) return unproven;
  auto list = volume.proofs->read(volume);
  if (!list) return std::unexpected(list.error());
  if (!*list) {
    unproven.proves_all = true;
    return unproven;
  }
  const auto since = begun_since(volume, self, **list);
  if (!since) return std::unexpected(since.error());
  // The checkpoints there are those of agents that kept no list, as on a volume that has none.
  unproven.proves_all = since->is_kept_no_more;
  if (unproven.proves_all) return unproven;
  unproven.before = *std::move(list);
  auto why = why_unseen(volume, self, *unproven.before, *since);
  if (!why) return std::unexpected(why.error());
  unproven.proves_all = why->empty();
  if (unproven.proves_all) return unproven;
  for (const Checkpoint& each : scan.found)
    if (may_be_resumed(each, scan.made, env.format != "Auto") && !is_as_proven(volume, *unproven.before, each))
      unproven.names.insert(each.name);
  unproven.lost_proven = std::ranges::any_of(unproven.before->checkpoints, [&](const ProvenCheckpoint& each) {
    const auto now = std::ranges::find(scan.found, each.name, &Checkpoint::name);
    return now == scan.found.end() || !now->complete || unproven.names.contains(each.name);
  });
  add_rest_of_saves(self, scan, unproven.names);
  if (!unproven.names.empty()) add_halves(volume, env, scan, unproven.names);
  if (!unproven.names.empty()) unproven.why = *std::move(why);
  return unproven;
}

bool gives_up_unproven(const Environment& env, bool all_agree) {
  return env.puts_unproven_aside && !all_agree && env.resume == ResumePolicy::Latest;
}

Checkpoints offered(Checkpoints found, const Environment& env, bool all_agree, const Unproven& unproven) {
  if (gives_up_unproven(env, all_agree))
    std::erase_if(found, [&](const Checkpoint& each) { return unproven.names.contains(each.name); });
  return found;
}

void put_unproven_aside(const Environment& env, bool all_agree, const Unproven& unproven, ResumeChoice& choice) {
  if (!gives_up_unproven(env, all_agree) || !choice.rejection.empty()) return;
  for (const std::string& name : unproven.names)
    if (std::ranges::find(choice.put_aside, name) == choice.put_aside.end()) choice.put_aside.push_back(name);
}

std::string say_unproven(const Environment& env, const Unproven& unproven) {
  if (unproven.names.empty()) return {};
  const std::string& first = *unproven.names.begin();
  const std::string others =
      unproven.names.size() > 1 ? " and " + std::to_string(unproven.names.size() - 1) + " more" : "";
  return unproven.why + ", and nothing proves that what it wrote last is on the disk: " + first + others +
         (env.puts_unproven_aside ? " may hold other bytes than were saved"
                                  : " is used all the same, as the spec says");
}

bool follows_unsynced_end(const Volume& volume, const Identity& self) {
  const auto heart = volume.files.look(volume.layout.alive(self.attempt, self.index), Links::Follow);
  if (!heart) return true;  // nobody can tell
  if (!*heart || is_current(volume.files, volume.layout, self)) return false;
  const auto ends = read_ends(volume, self.job_uid, self.attempt, {.first_rank = self.index});
  return !ends || !ends->back().synced;
}

std::string begin_proofs(const Volume& volume, const Environment& env, const Identity& self, const LeftThere& there,
                         const Unproven& unproven) {
  if (!unproven.keeps_proofs) return {};
  Checkpoints left = there.found;
  std::erase_if(left, [&](const Checkpoint& each) {
    return std::ranges::find(there.before, each.name, &Checkpoint::name) == there.before.end();
  });
  return volume.proofs->begin(volume, {.self = self,
                                       .ranks = env.is_gang() ? env.parallelism : 1,
                                       .found = left,
                                       .unproven = unproven.names,
                                       .by_sums = unproven.by_sums,
                                       .proves_all = unproven.proves_all});
}

}  // namespace reprise::agent
