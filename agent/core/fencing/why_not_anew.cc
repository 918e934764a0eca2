#include "agent/core/fencing/why_not_anew.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/generations/surroundings.h"
#include "agent/core/record/record.h"
#include "agent/formats/checkpoint_name.h"
#include "agent/formats/verify/shown_tear.h"

namespace reprise::agent {
namespace {

using runtime::Result;

constexpr const char* kAnyFormat = "Auto";

bool may_be_of_a_library(const Checkpoint& each) {
  return each.step > 0 && !each.format.empty() && each.format != kMarkerFormat && names_checkpoint(each.name);
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

// A person who names one of the others has a script with a way of its own, and may start from what a library has saved.
bool names_a_library(std::string_view format) {
  constexpr std::array<std::string_view, 4> kOfScripts{kAnyFormat, kMarkerFormat, "Manifest", "Plain"};
  return std::ranges::find(kOfScripts, format) == kOfScripts.end();
}

// Torn checkpoints of the scan, and where a library's format is named also those that any other layout finds, complete
// or torn: the name may be the wrong one.
struct Candidates {
  std::unique_ptr<CheckpointFormat> any;  // null: the format is no certain one
  Checkpoints found{};                    // each by the volume's format, or else by that one
};

Result<Candidates> candidates_on(const Volume& volume, const Environment& env, const VolumeScan& scan) {
  Candidates candidates;
  for (const Checkpoint& each : scan.found)
    if (!each.complete) candidates.found.push_back(each);
  if (!names_a_library(env.format)) return candidates;
  auto any = make_format(kAnyFormat);
  if (!any) return std::unexpected(any.error());
  const auto others = (*any)->discover(volume.files, volume.layout.root);
  if (!others) return std::unexpected(others.error());
  for (const Checkpoint& each : *others)
    if (std::ranges::find(scan.all, each.name, &Checkpoint::name) == scan.all.end()) candidates.found.push_back(each);
  candidates.any = *std::move(any);
  return candidates;
}

// Empty: it keeps nobody waiting.
struct Matters {
  std::string reason;
  std::optional<CloseLook> seen{};  // a look at one that is not complete
};
Result<std::optional<Matters>> why_it_matters(const Volume& volume, const Candidates& candidates,
                                              const Checkpoint& each) {
  if (each.complete) return Matters{.reason = "it is complete by " + each.format};
  for (const CheckpointFormat* format : {&*volume.format, candidates.any.get()}) {
    if (format == nullptr) continue;
    const auto seen = format->look_closely(volume.files, volume.layout.root, each.name);
    if (!seen) return std::unexpected(seen.error());
    if (*seen && (*seen)->flaw) return Matters{.reason = (*seen)->flaw->reason, .seen = **seen};
  }
  return std::nullopt;
}

// "optimizer.pt", "scheduler.bin", "rng_state_0.pth", "random_states_0.pkl", "global_step500/".
bool is_state_of_training(std::string_view file) {
  constexpr std::array<std::string_view, 9> kWords{"optim",       "sched",  "rng",       "random", "_states",
                                                   "global_step", "scaler", ".metadata", ".distcp"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return file.contains(word); });
}

Result<bool> holds_weights_alone(const Volume& volume, const std::string& name) {
  const auto names = volume.files.list(volume.layout.root / name);
  if (!names && names.error().error_class == runtime::ErrorClass::Invalid) return false;  // a file
  if (!names) return std::unexpected(names.error());
  if (std::ranges::any_of(*names, [](const std::string& each) { return is_state_of_training(each); })) return false;
  return std::ranges::any_of(
      *names, [](const std::string& each) { return may_hold_state(each) && each != "training_args.bin"; });
}

bool is_one_of_several(const std::string& name, const Checkpoints& all, const Checkpoints& candidates) {
  const auto is_like_it = [&](const Checkpoint& each) {
    return each.name != name && naming_of(each.name) == naming_of(name);
  };
  return std::ranges::any_of(all, is_like_it) || std::ranges::any_of(candidates, is_like_it);
}

Result<bool> is_model_to_start_from(const Volume& volume, const VolumeScan& scan, const Candidates& candidates,
                                    const Matters& why, const FileInfo& itself) {
  const auto& flaw = why.seen ? why.seen->flaw : std::nullopt;
  if (!flaw || !flaw->by_name || flaw->unread) return false;
  const std::string& name = why.seen->checkpoint.name;
  if (is_one_of_several(name, scan.all, candidates.found)) return false;
  const auto torn = shows_tear_by_itself(volume.files, volume.layout.root / name, itself, *why.seen);
  if (!torn) return torn;
  return *torn ? Result<bool>(false) : holds_weights_alone(volume, name);
}

std::string in_words(const std::vector<std::string>& former, const std::string& reason, const std::string& format) {
  const std::string others = former.size() > 1 ? " and " + std::to_string(former.size() - 1) + " more" : "";
  return "the volume holds checkpoints of an earlier training, " + former.front() + others +
         ", and none of them is complete" + (format == kAnyFormat ? "" : " by spec.checkpoint.format " + format) +
         " (" + former.front() + ": " + reason +
         "); this job has never trained, and does not begin from zero over them: repair them, take them away "
         "(models to start from to a volume of their own), choose another spec.checkpoint.format, or accept the start "
         "from zero: set spec.resume to FromScratch";
}

}  // namespace

Result<WhyNotAnew> why_not_anew(const Volume& volume, const Environment& env, const Identity& self, HistoryOnce& once,
                                const VolumeScan& scan, const ResumeChoice& choice) {
  if (env.resume != ResumePolicy::Latest || choice.resume || !choice.rejection.empty() || env.expected_step)
    return WhyNotAnew{};
  const auto history = once.get();
  if (!history) return std::unexpected(history.error());
  if (history->has_trained) return WhyNotAnew{};
  const auto candidates = candidates_on(volume, env, scan);
  if (!candidates) return std::unexpected(candidates.error());
  std::vector<std::string> former;
  std::string reason;
  WhyNotAnew answer;
  for (const Checkpoint& each : candidates->found) {
    if (!may_be_of_a_library(each)) continue;
    const auto info = volume.files.look(volume.layout.root / each.name, Links::Stay);
    if (!info) return std::unexpected(info.error());
    if (!*info || is_own(each.name, (*info)->modified, scan.made, self.job_uid, *history)) continue;
    const auto bears = bears_files_of_a_library(volume, each.name, **info);
    if (!bears) return std::unexpected(bears.error());
    if (!*bears) continue;
    const auto why = why_it_matters(volume, *candidates, each);
    if (!why) return std::unexpected(why.error());
    if (!*why) continue;
    const auto model = is_model_to_start_from(volume, scan, *candidates, **why, **info);
    if (!model) return std::unexpected(model.error());
    if (*model) {
      append(answer.note, each.name +
                              " is taken for a model to start from: it holds weights, nothing of an optimizer's "
                              "state, and no other one like it lies beside it");
      continue;
    }
    if (former.empty()) reason = (*why)->reason;
    former.push_back(each.name);
  }
  if (!former.empty()) answer.rejection = in_words(former, reason, env.format);
  return answer;
}

}  // namespace reprise::agent
