// Deletes what `keep` frees and what newer saves have outlived, behind a look that has found a durable checkpoint.
#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/aside/leave_alone.h"
#include "agent/core/generations/halves/known_saves.h"
#include "agent/core/generations/outlived.h"
#include "agent/core/generations/spare_generations.h"
#include "agent/core/generations/surroundings.h"
#include "agent/core/restore/choose_torn.h"
#include "agent/core/retain/linked_checkpoints.h"
#include "agent/core/retain/prune.h"
#include "agent/core/watch/watch.h"
#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {

using runtime::Result;

namespace {

// "step_10", once its last rank's part is gone: empty it would look torn.
void remove_empty_holder(const Volume& volume, const std::string& pruned) {
  const std::string holder(directory_of(pruned));
  const auto step = read_save_name(pruned).step;
  if (holder.empty() || !step || read_save_name(holder).step != step) return;
  static_cast<void>(volume.files.remove_directory(volume.layout.root / holder));  // unless others are in it
}

// The pieces of all parts of that save.
std::vector<StateFiles> pieces_of_save(const Checkpoints& found, const Checkpoint& of) {
  std::vector<StateFiles> pieces;
  const auto step = read_save_name(of.name).likely;
  for (const Checkpoint& each : found)
    if (each.complete && step && read_save_name(each.name).likely == step)
      pieces.insert(pieces.end(), each.pieces.for_keep.begin(), each.pieces.for_keep.end());
  return pieces;
}

}  // namespace

bool CheckpointWatch::may_tidy() const {
  return options_.prunes && prunes_ && options_.may_write() && !volume_->findings->keeps_everything();
}

// The newest that older ones may go for: none that stands in for another.
std::optional<Checkpoint> CheckpointWatch::outliving(const Checkpoints& counted, const Checkpoint& durable) const {
  const bool stands_in = std::ranges::find(counted, durable) == counted.end();
  if (!options_.may_outlive && !stands_in) return durable;
  const auto safe = std::ranges::find_if(counted, [&](const Checkpoint& each) {
    const bool may_be = is_proven(each) && !may_be_none(each, made());
    return each.complete && may_be && (!options_.may_outlive || options_.may_outlive(each));
  });
  return safe == counted.end() ? std::nullopt : std::optional(*safe);
}

// `names`: newest first. What cannot be deleted keeps what it links to.
Result<void> CheckpointWatch::prune_while_allowed(const std::vector<std::string>& names) const {
  const auto deletions = order_of_deletion(*volume_, names);
  if (!deletions) return std::unexpected(deletions.error());
  Result<void> outcome;
  std::set<std::string> needed;
  for (const Deletion& each : *deletions) {
    if (!prunes_ || !options_.may_write()) break;
    const bool stays = is_reached(each.name, needed);
    auto pruned = stays ? Result<void>() : prune(*volume_, each.name);
    if (stays || !pruned) needed.insert(each.leads_to.begin(), each.leads_to.end());
    if (!stays && pruned) remove_empty_holder(*volume_, each.name);
    if (!pruned && outcome) outcome = std::move(pruned);
  }
  return outcome;
}

// Checkpoints that were proven before stay so.
void CheckpointWatch::note_proven(const Checkpoints& found, const Checkpoints& shown) {
  Proven proven;
  for (const Checkpoint& each : found)
    if (each.complete && (is_proven(each) || std::ranges::find(shown, each) != shown.end()))
      proven.emplace(each.name, each.time);
  proven_ = std::move(proven);
}

bool CheckpointWatch::is_proven(const Checkpoint& each) const {
  return proven_.contains({each.name, each.time});
}

// The names of those that nothing shows to be durable, once they have been asked for.
Result<std::set<std::string>> CheckpointWatch::unproven(const Checkpoints& found) {
  const auto kind = volume_->files.kind();
  const bool may_ask = kind && kind->fuse && options_.keep;
  std::set<std::string> names;
  for (const Checkpoint& each : found) {
    if (!each.complete || is_proven(each)) continue;
    const auto synced = may_ask ? volume_->files.sync_volume(volume_->layout.root, volume_->layout.root / each.name)
                                : Result<Durability>(Durability::Unproven);
    if (!synced) return std::unexpected(synced.error());
    if (*synced == Durability::Proven)
      proven_.emplace(each.name, each.time);
    else
      names.insert(each.name);
  }
  return names;
}

Result<void> CheckpointWatch::prune_generations(const Checkpoints& found, const PruneQuestion& question) {
  auto others = volume_->set_aside->read(volume_->files, volume_->layout);
  if (!others) return std::unexpected(others.error());
  others->insert(others->end(), options_.ignored.begin(), options_.ignored.end());
  const auto to_prune = spare_generations(*volume_, found, *others, plan_pruning(question));
  if (!to_prune) return std::unexpected(to_prune.error());
  {
    const std::lock_guard lock(mutex_);
    seen_.left_alone = to_prune->left_alone;
    if (std::string doubtful = say_doubtful(question.found, question.made, question.job_uid);
        question.keep && !doubtful.empty())
      seen_.left_alone.push_back(std::move(doubtful));
    if (!wiped_.empty()) seen_.left_alone.push_back(wiped_);
  }
  return prune_while_allowed(to_prune->names);
}

// Torn ones, put aside or left where they lie, for which a newer generation stands. Whether that has all parts only a
// look tells that has seen everything.
Result<void> CheckpointWatch::drop_outlived(const Checkpoints& found, const PruneQuestion& question) {
  if (!volume_->format->unsearched().empty()) return {};
  if (auto dropped =
          drop_torn(*volume_, [&](const std::string& path,
                                  std::int32_t put_aside_by) { return is_outlived(path, put_aside_by, question); });
      !dropped)
    return dropped;
  std::vector<std::string> torn;
  for (std::string& name : choose_torn(question, options_.before)) {
    const auto seen = volume_->format->look_closely(volume_->files, volume_->layout.root, name);
    if (!seen) return std::unexpected(seen.error());
    if (*seen && tear_in(**seen, found, std::nullopt) == Tear::Shown) torn.push_back(std::move(name));
  }
  if (torn.empty()) return {};
  const auto around = look_around(*volume_, found, Hidden::LookForLinks);
  if (!around) return std::unexpected(around.error());
  if (!around->cut_short.empty()) return {};
  const auto unlinked = spare_linked(*volume_, found, std::move(torn), around->folders_with_links());
  return unlinked ? prune_while_allowed(*unlinked) : std::unexpected(unlinked.error());
}

bool CheckpointWatch::has_tidied_for(const Checkpoints& counted, const Checkpoint& durable) const {
  return tidied_for_ ==
         Tidied{.durable = durable, .step_of_all = step_of_all_, .pieces = pieces_of_save(counted, durable)};
}

// A save may go on behind what makes it complete: what was kept for its sake goes then.
bool CheckpointWatch::has_more_pieces(const Checkpoints& counted, const Checkpoint& durable) const {
  return tidied_for_ && tidied_for_->durable == durable && tidied_for_->pieces != pieces_of_save(counted, durable);
}

Result<void> CheckpointWatch::tidy(const Checkpoints& found, const Checkpoints& counted, const Checkpoint& durable) {
  const bool first = !tidied_for_;
  tidied_for_ = Tidied{.durable = durable, .step_of_all = step_of_all_, .pieces = pieces_of_save(counted, durable)};
  if (first) empty_trash(*volume_);
  auto not_proven = unproven(found);
  if (!not_proven) return std::unexpected(not_proven.error());
  const PruneQuestion question{.found = counted,
                               .made = made(),
                               .job_uid = options_.self.job_uid,
                               .durable_step = read_save_name(durable.name).step.value_or(durable.step),
                               .unproven = *std::move(not_proven),
                               .resumed_from = options_.resumed_from,
                               .resumed_path = options_.resumed_path,
                               .gang = options_.gang,
                               .holds = options_.holds,
                               .keep = options_.keep,
                               .agrees_on_step = options_.step_of_all != nullptr,
                               .step_of_all = step_of_all_,
                               .known = volume_->known_saves->get()};
  auto pruned = prune_generations(found, question);
  room_.note_deletion();
  if (prunes_ && !was_before(durable)) {
    auto dropped = drop_outlived(found, question);
    if (pruned) pruned = std::move(dropped);
  }
  if (!prunes_) return pruned;
  auto known = made();
  const std::int64_t last = known.empty() ? 0 : known.back().order;
  forget_gone(*volume_, known, options_.expected);
  const std::lock_guard lock(mutex_);
  std::ranges::copy_if(made_, std::back_inserter(known), [&](const auto& each) { return each.order > last; });
  made_ = std::move(known);
  return pruned;
}

}  // namespace reprise::agent
