#include "agent/core/why_not_anew.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "agent/core/job_history.h"
#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

using runtime::Result;

bool may_be_of_a_library(const Checkpoint& each) {
  return !each.complete && each.step > 0 && !each.format.empty() && each.format != kMarkerFormat &&
         names_checkpoint(each.name);
}

// Others call a directory as a library does, and write files of their own into it.
bool is_of_a_library(std::string_view file) {
  constexpr std::array<std::string_view, 8> kFiles{"trainer_state.json",   "training_args.bin", "optimizer.pt",
                                                   "scheduler.pt",         ".metadata",         "meta.pt",
                                                   "_CHECKPOINT_METADATA", "common.pt"};
  return std::ranges::find(kFiles, file) != kFiles.end() || file.ends_with(".distcp") || file.ends_with("_states.pt") ||
         file.starts_with("mp_rank_");
}

Result<bool> bears_files_of_a_library(const Volume& volume, const std::string& name, const FileInfo& info) {
  if (info.kind == FileInfo::Kind::File) return true;
  const auto names = volume.files.list(volume.layout.root / name);
  if (!names) return std::unexpected(names.error());
  return std::ranges::any_of(*names, [](const std::string& each) { return is_of_a_library(each); });
}

}  // namespace

Result<std::string> why_not_anew(const Volume& volume, const Environment& env, const Identity& self,
                                 const VolumeScan& scan, const ResumeChoice& choice) {
  if (env.resume != ResumePolicy::Latest || choice.resume || !choice.rejection.empty() || env.expected_step) return {};
  if (std::ranges::none_of(scan.found, may_be_of_a_library)) return {};
  const auto history = read_history(volume, self);
  if (!history) return std::unexpected(history.error());
  if (history->has_trained) return {};
  std::vector<std::string> former;
  std::string reason;
  for (const Checkpoint& each : scan.found) {
    if (!may_be_of_a_library(each)) continue;
    const auto info = volume.files.look(volume.layout.root / each.name, Links::Stay);
    if (!info) return std::unexpected(info.error());
    if (!*info || is_own(each.name, (*info)->modified, scan.made, self.job_uid, *history)) continue;
    const auto bears = bears_files_of_a_library(volume, each.name, **info);
    if (!bears) return std::unexpected(bears.error());
    if (!*bears) continue;
    const auto seen = volume.format->look_closely(volume.files, volume.layout.root, each.name);
    if (!seen) return std::unexpected(seen.error());
    if (!*seen || !(*seen)->flaw) continue;
    if (former.empty()) reason = (*seen)->flaw->reason;
    former.push_back(each.name);
  }
  if (former.empty()) return {};
  const std::string others = former.size() > 1 ? " and " + std::to_string(former.size() - 1) + " more" : "";
  return "the volume holds checkpoints of an earlier training, " + former.front() + others +
         ", and none of them is complete (" + former.front() + ": " + reason +
         "); this job has never trained, and does not begin from zero over them: repair them, take them away, choose "
         "spec.checkpoint.format, or set spec.resume to FromScratch";
}

}  // namespace reprise::agent
