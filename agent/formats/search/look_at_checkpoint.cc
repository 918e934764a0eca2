#include "agent/formats/search/look_at_checkpoint.h"

#include <utility>

#include "agent/formats/checkpoint.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/layouts/marked/marker.h"
#include "agent/formats/marker_names.h"
#include "agent/formats/names/unfinished_name.h"
#include "agent/formats/pieces/extra_files.h"
#include "agent/formats/verify/lost_bytes.h"

namespace reprise::agent {
namespace {

using runtime::ErrorClass;
using runtime::Result;

Result<Judgement> judge(const Layout& layout, const CheckpointContents& contents) {
  auto judged = layout.judge(contents);
  if (judged) return judged;
  const runtime::Error& error = judged.error();
  if (error.error_class == ErrorClass::NotFound)
    return Judgement{.flaw = Flaw{FlawKind::Incomplete, "a file went away meanwhile: " + error.message}};
  if (error.error_class == ErrorClass::Forbidden)
    return Judgement{.flaw = Flaw{.kind = FlawKind::Corrupt, .reason = error.message, .unread = true}};
  if (says_lost(error)) return Judgement{.flaw = flaw_of_lost(error, contents.path)};
  return judged;
}

// Names suffice to recognise one: what they are is asked of a checkpoint alone, since data has millions of them.
Entries by_name(const std::vector<DirectoryEntry>& listed) {
  Entries entries;
  for (const DirectoryEntry& each : listed) entries.emplace(each.name, FileInfo{.kind = each.kind});
  return entries;
}

// The directory may be data by its name alone, with more files than can be asked about.
Result<Entries> with_markers_in(const VolumeFiles& files, const std::filesystem::path& directory, Entries entries) {
  for (const std::string_view marker : kMarkers) {
    const auto info = files.look(directory / marker, Links::Follow);
    const bool closed = !info && info.error().error_class == ErrorClass::Forbidden;
    if (!info && !closed) return std::unexpected(info.error());
    entries.erase(std::string(marker));
    if (info && *info) entries.emplace(std::string(marker), **info);
  }
  return entries;
}

// Judges with all that the layout wants to know of the directory.
Result<Judgement> judge_directory_of(const Layout& layout, CheckpointContents& contents) {
  auto entries = layout.name() == kMarkerFormat
                     ? with_markers_in(contents.files, contents.path, std::move(contents.entries))
                     : entries_of(contents.files, contents.path);
  if (!entries && says_lost(entries.error())) return Judgement{.flaw = flaw_of_lost(entries.error(), contents.path)};
  if (!entries) return std::unexpected(entries.error());
  contents.entries = *std::move(entries);
  return judge(layout, contents);
}

// A program that borrows a library's names and writes a mark last has said by it what is complete. The mark does not
// mend damage to files that are there, nor a lack of files that the checkpoint itself lists.
std::optional<Judgement> judge_by_mark(const CheckpointContents& contents, const Judgement& judgement) {
  if (!judgement.flaw || !judgement.flaw->by_name || !bears_mark(contents)) return std::nullopt;
  auto marked = MarkerLayout().judge(contents);
  if (!marked || marked->flaw) return std::nullopt;
  marked->step = judgement.step;
  return *std::move(marked);
}

}  // namespace

Result<LookedAt> look_at_checkpoint(const VolumeFiles& files, const Layouts& layouts, const std::filesystem::path& path,
                                    const std::string& name, const FileInfo& info) {
  LookedAt seen;
  CheckpointContents contents{.files = files, .path = path, .name = name, .itself = info};
  const bool is_directory = info.kind == FileInfo::Kind::Directory;
  if (is_directory) {
    auto listed = files.list_entries(path);
    const auto problem = listed ? std::nullopt : std::optional(listed.error().error_class);
    seen.is_closed = problem == ErrorClass::Forbidden;
    if (seen.is_closed || problem == ErrorClass::Invalid) return seen;
    if (problem && says_lost(listed.error())) {
      seen.lost = flaw_of_lost(listed.error(), path);
      if (names_checkpoint(name)) seen.checkpoint = lost_checkpoint(layouts, contents, *seen.lost);
      return seen;
    }
    if (problem) return std::unexpected(listed.error());
    seen.entries = *std::move(listed);
    contents.entries = by_name(seen.entries);
  }
  for (const auto& layout : layouts) {
    const auto step = layout->recognise(contents);
    if (!step) continue;
    contents.held = layout->held();
    auto judgement = is_directory ? judge_directory_of(*layout, contents) : judge(*layout, contents);
    if (!judgement) return std::unexpected(judgement.error());
    seen.is_weights_alone = judgement->is_no_checkpoint && judgement->holds_no_optimizer;
    if (judgement->is_no_checkpoint) break;
    if (judgement->is_somebody_elses) continue;
    const auto marked = judge_by_mark(contents, *judgement);
    if (marked) judgement = *marked;
    if (!judgement->flaw && names_unfinished_save(name))
      judgement->flaw = Flaw{FlawKind::Incomplete, name + ": is the name of a save that did not end"};
    if (!judgement->flaw) {
      auto extra = extra_files_in(contents, marked ? kMarkerFormat : layout->name());
      if (!extra) return std::unexpected(extra.error());
      judgement->pieces = *std::move(extra);
    }
    seen.checkpoint = FoundCheckpoint{.path = {},
                                      .format = marked ? kMarkerFormat : layout->name(),
                                      .step = judgement->step.value_or(*step),
                                      .itself = info,
                                      .judgement = *std::move(judgement)};
    break;
  }
  return seen;
}

}  // namespace reprise::agent
