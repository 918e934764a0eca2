#include "agent/check/find_checkpoints.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "agent/core/generations/halves/known_saves.h"
#include "agent/formats/recognise/like_checkpoints.h"
#include "agent/formats/search/checkpoint_search.h"
#include "agent/formats/verify/emptied_files.h"
#include "agent/formats/verify/lost_bytes.h"
#include "agent/formats/verify/read_everything.h"
#include "agent/formats/verify/shown_tear.h"

namespace reprise::agent {
namespace {

using Path = std::filesystem::path;

Verdict verdict_of(const std::optional<Flaw>& flaw) {
  if (!flaw) return Verdict::Complete;
  switch (flaw->kind) {
    case FlawKind::Incomplete:
      return Verdict::Incomplete;
    case FlawKind::Corrupt:
      return Verdict::Corrupt;
  }
  return Verdict::Corrupt;
}

// People are told of a byte that cannot be read, and of all other checkpoints.
CheckedCheckpoint checked(const VolumeFiles& files, const Path& path, const FoundCheckpoint& found, Verify verify) {
  auto flaw = found.judgement.flaw;
  if (!flaw && (verify == Verify::Full || found.judgement.needs_reading)) {
    auto read = lost_is_flaw(read_everything(files, path, found.itself), path);
    flaw = read ? *std::move(read) : Flaw{FlawKind::Corrupt, read.error().message};
  }
  return {.path = found.path,
          .step = found.step,
          .format = std::string(found.format),
          .bytes = files.size_of(path),
          .time = flaw ? found.itself.modified : found.judgement.completed,
          .verdict = verdict_of(flaw),
          .reason = flaw ? flaw->reason : std::string{},
          .state = {flaw ? std::vector<StateFiles>() : found.judgement.state}};
}

bool is_cut_off_export(const VolumeFiles& files, const Path& root, const FoundCheckpoint& each) {
  if (!each.judgement.flaw->exported) return false;
  const auto torn = shows_tear_by_itself(files, root / each.path, each.itself,
                                         {.checkpoint = {.name = each.path}, .flaw = each.judgement.flaw});
  return torn && *torn;
}

// Checkpoints that fit no layout in full, though nothing in them is cut off: a job leaves them alone.
std::string not_recognised(const VolumeFiles& files, const Path& root, const std::vector<FoundCheckpoint>& found) {
  std::size_t count = 0;
  std::string first;
  for (const FoundCheckpoint& each : found) {
    const auto& flaw = each.judgement.flaw;
    if (!flaw || (!flaw->by_name && !flaw->unread)) continue;
    if (is_cut_off_export(files, root, each) || count++ > 0) continue;
    first = each.path + " does not fit " + std::string(each.format) + " (" + flaw->reason + ")";
  }
  if (count == 0) return {};
  return "NotRecognised: " + first + (count > 1 ? " and " + std::to_string(count - 1) + " more" : "") +
         "; nothing in it is cut off, and a job leaves it where it is";
}

// Marks the whole parts of a save that is not whole, as a job that has this volume knows it.
void mark_halves(const VolumeFiles& files, const Path& root, std::vector<CheckedCheckpoint>& rows) {
  Checkpoints found;
  for (const CheckedCheckpoint& each : rows)
    found.push_back({.name = each.path,
                     .step = each.step,
                     .complete = each.verdict == Verdict::Complete,
                     .time = each.time,
                     .format = each.format,
                     .state = each.state});
  KnownSaves known;
  known.read(files, {.root = root});
  for (const HalfSave& half : find_half_saves(found, {}, Holds::AllRanks, known.get()))
    for (CheckedCheckpoint& each : rows) {
      if (std::ranges::find(half.halves, each.path) == half.halves.end()) continue;
      each.verdict = Verdict::Incomplete;
      each.reason = "a part of a save of which something is missing or torn, as " + half.lacks.front();
    }
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::Complete:
      return "Complete";
    case Verdict::Incomplete:
      return "Incomplete";
    case Verdict::Corrupt:
      return "Corrupt";
  }
  return "";
}

runtime::Result<FoundCheckpoints> find_checkpoints(const VolumeFiles& files, const Layouts& layouts, const Path& root,
                                                   Verify verify) {
  const auto info = files.look(root, Links::Follow);
  if (!info) return std::unexpected(info.error());
  if (!*info || (*info)->kind != FileInfo::Kind::Directory)
    return runtime::fail(runtime::ErrorClass::Invalid, root.string() + ": is not a directory");
  std::error_code problem;
  const Path whole = std::filesystem::weakly_canonical(root, problem);
  if (problem)
    return runtime::fail(runtime::ErrorClass::Terminal, root.string() + ": cannot be looked at: " + problem.message());
  auto itself = look_at_checkpoint(files, layouts, whole, whole.filename().string(), **info);
  if (!itself) return std::unexpected(itself.error());
  if (itself->lost && !itself->checkpoint)
    return runtime::fail(runtime::ErrorClass::Terminal, root.string() + ": " + itself->lost->reason);
  if (itself->checkpoint) {
    itself->checkpoint->path = ".";
    return FoundCheckpoints{
        .rows = {checked(files, whole, *itself->checkpoint, verify)}, .unsearched = {}, .not_taken = {}};
  }
  SearchMemory memory;
  const SearchLimits limits = no_limits(kDeepest);
  auto found = search_checkpoints(files, layouts, whole, limits, memory);
  if (!found) return std::unexpected(found.error());
  static_cast<void>(mark_emptied(files, whole, *found, {}, layouts.size() == 1));
  std::vector<CheckedCheckpoint> rows;
  for (const FoundCheckpoint& each : *found) rows.push_back(checked(files, whole / each.path, each, verify));
  std::ranges::sort(rows,
                    [](const auto& a, const auto& b) { return std::tie(b.step, a.path) < std::tie(a.step, b.path); });
  if (text(memory.unsearched, limits).empty()) mark_halves(files, whole, rows);
  const bool any = std::ranges::any_of(rows, [](const auto& each) { return each.verdict == Verdict::Complete; });
  std::string left = any ? text_of_newer(memory.not_taken) : text(memory.not_taken);
  const auto states = any ? std::vector<std::string>() : states_in(memory);
  if (!states.empty() && left.find(states.front()) == std::string::npos)
    left += (left.empty() ? "" : "; ") + say_other_states(states);
  if (const std::string unlike = not_recognised(files, whole, *found); !unlike.empty())
    left += (left.empty() ? "" : "; ") + unlike;
  return FoundCheckpoints{
      .rows = std::move(rows), .unsearched = text(memory.unsearched, limits), .not_taken = std::move(left)};
}

}  // namespace reprise::agent
