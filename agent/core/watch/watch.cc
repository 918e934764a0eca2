#include "agent/core/watch/watch.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <utility>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/aside/leave_alone.h"
#include "agent/core/aside/volume_scan.h"
#include "agent/core/fencing/own_places.h"
#include "agent/core/generations/halves/known_saves.h"
#include "agent/core/generations/outlived.h"
#include "agent/core/generations/spare_generations.h"
#include "agent/core/generations/surroundings.h"
#include "agent/core/restore/choose_torn.h"
#include "agent/core/retain/linked_checkpoints.h"
#include "agent/core/retain/prune.h"
#include "agent/core/space/reserve.h"
#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
using runtime::Result;

bool is_newer(const Checkpoint& candidate, const std::optional<Checkpoint>& baseline) {
  return !baseline || candidate.step > baseline->step || candidate.time > baseline->time ||
         (candidate.step == baseline->step && candidate.time != baseline->time);
}

MadeCheckpoints CheckpointWatch::made() const {
  const std::lock_guard lock(mutex_);
  return made_;
}

Result<std::optional<Checkpoint>> CheckpointWatch::newest_now() const {
  auto known = made();
  if (!options_.prunes)
    if (auto read = read_made_since(*volume_, known); !read) return std::unexpected(read.error());
  auto found = scan(known);
  if (!found) return std::unexpected(found.error());
  known = made_as_of(found->together(), std::move(known));
  {
    const std::lock_guard lock(mutex_);
    newest_part_ = newest_complete(found->lasting, known);
  }
  demote_halves(*volume_, found->lasting, known, options_.holds);
  const Checkpoints all = with_further(found->lasting, *found, known);
  return newest_complete(all, known);
}

CheckpointWatch::Seen CheckpointWatch::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void CheckpointWatch::look() {
  std::unique_lock<Exclusion> one_at_a_time;
  if (options_.one_look_at_a_time) one_at_a_time = std::unique_lock(*options_.one_look_at_a_time);
  const std::uint64_t number = [this] {
    const std::lock_guard lock(mutex_);
    return ++seen_.look_begun;
  }();
  const auto outcome = sees_nothing_new() ? Result<void>() : look_whole();
  {
    const std::lock_guard lock(mutex_);
    seen_.problem = outcome ? std::string() : outcome.error().message;
    seen_.look_ended = std::max(seen_.look_ended, number);
  }
  if (options_.told) options_.told(seen());
}

EqualLooks::Known CheckpointWatch::known_now() const {
  const std::lock_guard lock(mutex_);
  return {.made = made_,
          .saves = volume_->known_saves->get(),
          .ways = volume_->findings->get(),
          .write_errors = volume_->files.write_errors().count,
          .ended_by_itself = ended_by_itself_,
          .prunes = prunes_,
          .may_write = options_.may_write()};
}

// What a full read has found, or other ranks' volumes, no answer of this volume tells.
bool CheckpointWatch::sees_nothing_new() {
  if (options_.may_outlive || options_.step_of_all || !equal_looks_.is_one(known_now())) return false;
  if (!options_.prunes) return true;
  const auto free = volume_->files.free_space(volume_->layout.root);
  if (room_.may_be_short(free) || (!has_reserve_ && free && free->bytes >= kEnough)) return false;
  const std::lock_guard lock(mutex_);
  if (seen_.room && free) seen_.room->free_bytes = free->bytes;
  return seen_.room.has_value() == free.has_value();
}

Result<void> CheckpointWatch::look_whole() {
  equal_looks_.begin();
  auto outcome = look_once();
  equal_looks_.end(known_now(), outcome.has_value());
  return outcome;
}

bool CheckpointWatch::was_before(const Checkpoint& each) const {
  return std::ranges::find(options_.before, each) != options_.before.end();
}

void CheckpointWatch::see_saving(const std::optional<std::string>& name, const std::string& halves) {
  const std::int64_t bytes =
      options_.measures_saves && name ? volume_->files.size_of(volume_->layout.root / *name) : std::int64_t{0};
  const std::lock_guard lock(mutex_);
  seen_.saving = name;
  seen_.saving_bytes = bytes;
  seen_.halves = halves;
}

// A save that was torn before, or was left behind by a save that a later one has followed, is not being written.
std::optional<std::string> CheckpointWatch::unfinished(const Checkpoints& found, const Checkpoints& counted,
                                                       const std::optional<Checkpoint>& newest) const {
  const auto unreadable = volume_->format->unreadable().checkpoints;
  const auto is_new = [&](const Checkpoint& each) {
    return !each.complete && is_newer(each, newest) && !unreadable.contains(each.name) &&
           !was_before(*std::ranges::find(found, each.name, &Checkpoint::name));
  };
  const auto first = std::ranges::find_if(counted, is_new);
  return first == counted.end() ? std::nullopt : std::optional(first->name);
}

// A save of which others still write their parts is not complete yet. `said`: about the new ones.
Checkpoints CheckpointWatch::without_halves(const Checkpoints& found, const MadeCheckpoints& made,
                                            std::string& said) const {
  Checkpoints counted = found;
  auto halves = demote_halves(*volume_, counted, made, options_.holds);
  std::erase_if(halves, [&](const HalfSave& each) {
    return std::ranges::all_of(each.halves, [&](const std::string& name) {
      return std::ranges::find(options_.before, name, &Checkpoint::name) != options_.before.end();
    });
  });
  said = say_halves(halves, newest_complete(counted, made));
  return counted;
}

// A checkpoint that a look which was cut short has not seen is looked for by its name.
bool CheckpointWatch::is_there(const Checkpoint& known, const Checkpoints& found) const {
  if (std::ranges::find(found, known) != found.end()) return true;
  if (volume_->format->unreadable().checkpoints.contains(known.name)) return true;  // it may be read in a moment
  if (std::ranges::find(found, known.name, &Checkpoint::name) != found.end()) return false;
  if (volume_->format->unsearched().empty()) return false;
  const auto completed = volume_->format->completed(volume_->files, volume_->layout.root / known.name);
  return !completed || *completed == known.time;
}

// A trainer may take a checkpoint back, or write it anew: what is not there is nothing that the next attempt should
// expect.
void CheckpointWatch::forget_removed(const Checkpoints& found) {
  const Seen before = seen();
  const bool newest_is_there = !before.newest || is_there(*before.newest, found);
  const bool durable_is_there = !before.durable || is_there(*before.durable, found);
  const std::lock_guard lock(mutex_);
  if (!newest_is_there) seen_.newest.reset();
  if (durable_is_there) return;
  seen_.durable.reset();
  seen_.size_bytes.reset();
}

// A file that can be written only once would tell for ever of saves that are long gone.
void CheckpointWatch::know_saves(const Checkpoints& found, const MadeCheckpoints& listed) {
  const auto ways = volume_->findings->get();
  const bool is_written_once = ways && (ways->overwrite == false || ways->remove == false);
  if (!options_.prunes || !options_.may_write() || is_written_once || !volume_->format->unsearched().empty()) return;
  volume_->known_saves->note(volume_->files, volume_->layout, found, listed);
}

void CheckpointWatch::see_room(const Checkpoints& found, const MadeCheckpoints& listed) {
  auto room = room_.look(*volume_, {.found = found,
                                    .made = listed,
                                    .job_uid = options_.self.job_uid,
                                    .gang = options_.gang,
                                    .keep = options_.keep,
                                    .agrees_on_step = options_.step_of_all != nullptr,
                                    .step_of_all = step_of_all_,
                                    .known = volume_->known_saves->get()});
  // Once: it goes only where a later attempt begins.
  if (room && !has_reserve_ && room->free_bytes >= kEnough && options_.may_write()) {
    has_reserve_ = true;
    keep_reserve(*volume_, room->free_bytes);
  }
  const std::lock_guard lock(mutex_);
  seen_.room = std::move(room);
}

void CheckpointWatch::see_lasting(std::optional<Checkpoint> newest) {
  const std::lock_guard lock(mutex_);
  seen_.lasting = std::move(newest);
}

void CheckpointWatch::see_newest(const Checkpoint& newest, const std::optional<std::string>& saving) {
  {
    const std::lock_guard lock(mutex_);
    seen_.newest = newest;
    if (!saving && !was_before(newest)) seen_.saving = newest.name;
  }
  if (options_.told) options_.told(seen());
}

Result<CheckpointWatch::Found> CheckpointWatch::scan_and_write_down(Result<void>& outcome) {
  if (options_.prunes) {
    note_saved_so_far();
    outcome = write_own_anew();
    const auto appeared = new_names();
    if (!appeared) return std::unexpected(appeared.error());
    if (outcome) outcome = write_down(*appeared);  // a full volume hides nothing of what is complete, and is pruned
  } else if (auto read = look_beside(); !read) {
    return std::unexpected(read.error());
  }
  auto found = scan(made());
  if (!found) return found;
  if (options_.prunes && outcome) outcome = write_down(found->together());
  if (auto settled = settle(); !settled && outcome) outcome = std::move(settled);
  std::erase_if(found->further, [&](const Checkpoint& each) { return !may_be_own(each, made()); });  // as listed now
  return found;
}

void CheckpointWatch::see_durable(const Checkpoint& newest, const Proofs::Outcome& proof,
                                  const std::optional<std::string>& saving, std::string out_of_order) {
  const std::int64_t size = volume_->files.size_of(volume_->layout.root / newest.name);
  const std::lock_guard lock(mutex_);
  seen_.durable = newest;
  seen_.structure_only = proof.durability != Durability::Proven;
  seen_.proof_may_come = proof.durability == Durability::NotYet;
  seen_.not_proven = proof.why;
  seen_.was_before = was_before(newest);
  seen_.size_bytes = size;
  seen_.saving = saving;
  seen_.out_of_order = std::move(out_of_order);
}

Result<void> CheckpointWatch::look_once() {
  Result<void> outcome;
  if (options_.syncs && options_.prunes) options_.syncs->step_forward(*volume_);
  auto seen_now = scan_and_write_down(outcome);
  if (!seen_now) return std::unexpected(seen_now.error());
  Checkpoints& found = seen_now->lasting;
  MadeCheckpoints listed = made_as_of(seen_now->together(), made());
  if (options_.prunes) sort_newest_first(found, listed);
  know_saves(found, listed);
  std::string halves;
  Checkpoints counted = without_halves(found, listed, halves);
  if (!halves.empty() && write_down_answers(found)) {
    listed = made_as_of(seen_now->together(), made());
    counted = without_halves(found, listed, halves);
  }
  see_lasting(newest_complete(counted, listed));
  if (options_.prunes) see_room(found, listed);
  const Checkpoints all = with_further(counted, *seen_now, listed);
  const auto newest = newest_complete(all, listed);
  forget_removed(all);
  const auto saving = unfinished(found, counted, newest);
  see_saving(saving, halves);
  const auto before = seen();
  if (!newest) return outcome;
  const bool known = before.durable && !is_newer(*newest, before.durable);
  if (options_.step_of_all) step_of_all_ = options_.step_of_all();
  const bool may_go_later =
      options_.may_outlive || options_.step_of_all || (known && has_more_pieces(counted, *before.durable));
  if (known && may_go_later && !before.structure_only && may_tidy()) {
    const auto safe = outliving(counted, *before.durable);
    if (safe && !has_tidied_for(counted, *safe)) {
      auto tidied = tidy(found, counted, *safe);
      return outcome ? tidied : outcome;
    }
  }
  if (known && !before.proof_may_come) return outcome;
  // A scan compares the sums of what was completed last by the clocks of machines.
  const auto hold = volume_->format->sums_hold(volume_->files, volume_->layout.root, newest->name);
  if (!hold && !says_lost(hold.error())) return std::unexpected(hold.error());
  if (!hold || !*hold) return outcome;  // the next look finds it torn
  if (!known) see_newest(*newest, saving);
  const auto proof = volume_->proofs->prove(*volume_, {.found = all,
                                                       .newest = *newest,
                                                       .writes = options_.prunes && options_.may_write(),
                                                       .syncs = options_.syncs.get()});
  if (!proof) return std::unexpected(proof.error());
  if (proof->waits) return outcome;
  const bool proven = proof->durability == Durability::Proven;
  note_proven(all, proof->proven);
  see_durable(*newest, *proof, saving, out_of_order(counted, listed, options_.self.job_uid));
  if (!known || proven) options_.notify();
  if (!proven || !may_tidy()) return outcome;
  const auto safe = outliving(counted, *newest);
  if (!safe || (*safe != *newest && has_tidied_for(counted, *safe))) return outcome;
  auto tidied = tidy(found, counted, *safe);
  return outcome ? tidied : outcome;
}

}  // namespace reprise::agent
