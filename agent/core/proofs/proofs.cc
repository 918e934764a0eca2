#include "agent/core/proofs/proofs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "agent/core/proofs/shared_syncs.h"
#include "agent/core/run/volume.h"

namespace reprise::agent {
namespace {

using runtime::Result;
using Shapes = std::map<std::string, CheckpointShape>;

bool is_proven_by_sync(const std::optional<MountKind>& kind) {
  return kind && kind->proof == DurabilityProof::Sync;
}

// The shapes of checkpoints; none for one that has too many files: its name and the time of its completion tell.
Shapes shapes_of(const Volume& volume, const Checkpoints& checkpoints) {
  Shapes shapes;
  for (const Checkpoint& each : checkpoints)
    if (const auto shape = shape_now(volume, each.name)) shapes.emplace(each.name, *shape);
  return shapes;
}

Checkpoints complete_ones(const Checkpoints& found, const auto& which) {
  Checkpoints all;
  for (const Checkpoint& each : found)
    if (each.complete && which(each)) all.push_back(each);
  return all;
}

Checkpoints listed_ones(const Checkpoints& found, const ProvenList& list) {
  return complete_ones(found, [&](const Checkpoint& each) { return lists(list, each); });
}

// True if it is on the list, and nothing of it has come, changed or gone since.
bool is_listed_as_it_is(const ProvenList& list, const Checkpoint& each, const Shapes& shapes) {
  const auto* const known = find_proven(list, each);
  if (known == nullptr || !known->shape) return lists(list, each);
  const auto now = shapes.find(each.name);
  return now != shapes.end() && now->second == known->shape;
}

Shapes unchanged(const Shapes& before, const Shapes& after) {
  Shapes same;
  for (const auto& [name, shape] : before)
    if (const auto now = after.find(name); now != after.end() && now->second == shape) same.emplace(name, shape);
  return same;
}

// After an error nothing is proven of what was added to it, and what it had before stays proven.
bool stays_as_proven(const Volume& volume, const ProvenList& list, const Checkpoint& each) {
  const auto* const known = find_proven(list, each);
  return volume.files.write_errors().count > 0 && known != nullptr && known->shape &&
         is_as_it_was(volume, each.name, *known->shape);
}

// True if a sync shows all that was written since this process began to look.
bool shows_all(const Volume& volume, const Result<Durability>& synced) {
  return synced && *synced == Durability::Proven && volume.files.write_errors().count == 0;
}

std::string not_written(const runtime::Error& error) {
  return "what is proven on the volume could not be written down: " + error.message;
}

std::string refused(const WriteErrors& errors, const std::string& name) {
  return "nothing proves that checkpoint " + name + " is on the storage: " +
         (errors.count > 0 ? "a write of its time has failed (" + errors.said + ")"
                           : std::string("it was left by an attempt whose end no agent saw"));
}

}  // namespace

std::optional<CheckpointShape> shape_now(const Volume& volume, const std::string& checkpoint) {
  const auto files = volume.files.list_below(volume.layout.root / checkpoint, kMostShaped);
  if (files) return files->empty() ? std::nullopt : std::optional(shape_of(*files));
  const bool has_too_many = files.error().error_class == runtime::ErrorClass::Invalid;
  return has_too_many ? std::optional(CheckpointShape{}) : std::nullopt;
}

bool is_as_it_was(const Volume& volume, const std::string& checkpoint, const CheckpointShape& shape) {
  auto files = volume.files.list_below(volume.layout.root / checkpoint, kMostShaped);
  if (files) return are_still_there(shape, *std::move(files));
  return files.error().error_class == runtime::ErrorClass::Invalid && shape == CheckpointShape{};
}

bool keeps_proofs(const VolumeFiles& files) {
  const auto kind = files.kind();
  return is_proven_by_sync(kind) && kind->local;
}

ProvenList Proofs::list() const {
  const std::lock_guard lock(mutex_);
  return list_.value_or(ProvenList{});
}

void Proofs::know(ProvenList list) {
  const std::lock_guard lock(mutex_);
  list_ = std::move(list);
}

Result<std::optional<ProvenList>> Proofs::read(const Volume& volume) {
  const auto text = volume.files.read(volume.layout.proven());
  if (!text && !says_lost(text.error())) return std::unexpected(text.error());
  auto list = text && *text ? decode_proven(**text) : std::nullopt;
  const std::lock_guard lock(mutex_);
  written_ = text ? text->value_or("") : "";
  list_ = list.value_or(ProvenList{});
  return list;
}

bool Proofs::is_doubted(const Checkpoint& checkpoint) const {
  const std::lock_guard lock(mutex_);
  return doubted_.contains({checkpoint.name, checkpoint.time});
}

std::set<std::string> Proofs::suspects(const Asking& asking) const {
  const auto& [volume, question, asked, shapes, before, save] = asking;
  std::set<std::string> names;
  const WriteErrors errors = volume.files.write_errors();
  for (const Checkpoint& each : asked) {
    const auto* const known = find_proven(before, each);
    const auto now = shapes.find(each.name);
    if (known != nullptr && now != shapes.end() && known->shape == now->second) continue;
    const auto may_be_lost = [&] {
      return errors.count > 0 && is_suspect(errors, volume.files.oldest_birth(volume.layout.root / each.name));
    };
    if (is_doubted(each) || may_be_lost()) names.insert(each.name);
  }
  return names;
}

Result<void> Proofs::load(const Volume& volume) {
  {
    const std::lock_guard lock(mutex_);
    if (list_) return {};
  }
  const auto known = read(volume);
  return known ? Result<void>() : std::unexpected(known.error());
}

Result<void> Proofs::write(const Volume& volume, ProvenList list) {
  std::string text = encode_proven(list);
  {
    const std::lock_guard lock(mutex_);
    if (text == written_) {
      list_ = std::move(list);
      return {};
    }
  }
  if (auto written = volume.files.write(volume.layout.proven(), text, Sync::Yes); !written) return written;
  const std::lock_guard lock(mutex_);
  written_ = std::move(text);
  list_ = std::move(list);
  return {};
}

void Proofs::note_unsettled(const Checkpoint& newest, const std::map<std::string, CheckpointShape>& shapes) {
  const auto now = shapes.find(newest.name);
  const std::lock_guard lock(mutex_);
  unsettled_ = ProvenCheckpoint{.name = newest.name,
                                .completed = newest.time,
                                .shape = now == shapes.end() ? std::nullopt : std::optional(now->second)};
}

bool Proofs::still_changes(const Checkpoint& newest, const CheckpointShape& shape) {
  const std::lock_guard lock(mutex_);
  if (!unsettled_ || unsettled_->name != newest.name || unsettled_->shape == shape) return false;
  unsettled_->shape = shape;
  return true;
}

// Another mount than one on which a sync proves: each is asked for by itself there, or nothing is ever proven.
Result<Proofs::Outcome> Proofs::ask_mount(const Volume& volume, const Question& question) {
  const auto synced = volume.files.sync_volume(volume.layout.root, volume.layout.root / question.newest.name);
  if (!synced) return std::unexpected(synced.error());
  const auto kind = volume.files.kind();
  Outcome outcome{.durability = *synced};
  if (*synced == Durability::Proven)
    outcome.proven = complete_ones(
        question.found, [&](const Checkpoint& each) { return !(kind && kind->fuse) || each == question.newest; });
  return outcome;
}

Result<Proofs::Outcome> Proofs::prove(const Volume& volume, const Question& question) {
  if (!is_proven_by_sync(volume.files.kind())) return ask_mount(volume, question);
  const bool writes = question.writes && keeps_proofs(volume.files);
  if (writes)
    if (auto loaded = load(volume); !loaded)
      return Outcome{.durability = Durability::NotYet, .why = not_written(loaded.error())};
  const ProvenList before = writes ? list() : ProvenList{};
  const Checkpoint& newest = question.newest;
  const Shapes shapes = shapes_of(
      volume, complete_ones(question.found, [&](const Checkpoint& each) { return writes || each == newest; }));
  const Checkpoints asked = complete_ones(question.found, [&](const Checkpoint& each) {
    return each == newest ||
           (writes && !is_listed_as_it_is(before, each, shapes) && !stays_as_proven(volume, before, each));
  });
  const auto shape = shapes.find(newest.name);
  Outcome outcome{.durability = Durability::NotYet, .proven = listed_ones(question.found, before)};
  if (shape == shapes.end()) return outcome;
  const auto* const known = find_proven(before, newest);
  const bool is_known = known != nullptr && known->shape == shape->second && asked.size() == 1;
  const auto save = question.syncs != nullptr ? shape_of_save(volume, question.found, newest) : std::nullopt;
  if (is_known) outcome.durability = Durability::Proven;
  if (is_known && save) question.syncs->tell(volume, newest.name, *save);
  if (is_known || still_changes(newest, shape->second)) return outcome;
  const Asking asking{
      .volume = volume, .question = question, .asked = asked, .shapes = shapes, .before = before, .save = save};
  return save ? sync_once(asking, writes, std::move(outcome)) : sync(asking, writes, std::move(outcome));
}

// Syncs by one rank for all whose writes wait in the same memory.
Result<Proofs::Outcome> Proofs::sync_once(const Asking& asking, bool writes, Outcome outcome) {
  const Checkpoint& newest = asking.question.newest;
  if (std::ranges::any_of(asking.asked, [&](const Checkpoint& each) { return is_doubted(each); }))
    return sync(asking, writes, std::move(outcome));
  switch (asking.question.syncs->ask(asking.volume, *asking.save)) {
    case SharedSyncs::Answer::IsSynced:
      return Outcome{.durability = Durability::Proven, .proven = {newest}};
    case SharedSyncs::Answer::Wait:
      outcome.waits = true;
      return outcome;
    case SharedSyncs::Answer::SyncAlone:
      return sync(asking, writes, std::move(outcome));
    case SharedSyncs::Answer::SyncForAll:
      break;
  }
  return sync_for_all(asking, writes, std::move(outcome));
}

Result<Proofs::Outcome> Proofs::sync_for_all(const Asking& asking, bool writes, Outcome outcome) {
  const auto& [volume, question, asked, shapes, before, save] = asking;
  question.syncs->begin(volume, question.newest.name);
  auto synced = sync(asking, writes, std::move(outcome));
  const bool is_proven = synced && synced->durability == Durability::Proven;
  if (is_proven && shape_of_save(volume, question.found, question.newest) == save)
    question.syncs->tell(volume, question.newest.name, *save);
  else
    question.syncs->give_up(volume);
  return synced;
}

Result<Proofs::Outcome> Proofs::sync(const Asking& asking, bool writes, Outcome outcome) {
  const auto& [volume, question, asked, shapes, before, save] = asking;
  const Checkpoint& newest = question.newest;
  const std::uint64_t errors_before = volume.files.write_errors().count;
  const auto synced = volume.files.sync_volume(volume.layout.root, volume.layout.root / newest.name);
  const WriteErrors errors = volume.files.write_errors();
  if (!synced && errors.count == errors_before) return std::unexpected(synced.error());
  SyncSeen seen{.found = question.found, .saw_all = volume.format->unsearched().empty(), .suspect = suspects(asking)};
  std::erase_if(outcome.proven, [&](const Checkpoint& each) { return seen.suspect.contains(each.name); });
  if (!synced || seen.suspect.contains(newest.name)) {
    outcome.durability = Durability::Unproven;
    outcome.why = refused(errors, newest.name);
    return outcome;
  }
  outcome.durability = *synced;
  if (*synced != Durability::Proven) return outcome;
  const Shapes afterwards = shapes_of(volume, asked);
  seen.shapes = unchanged(shapes, afterwards);
  if (!seen.shapes.contains(newest.name)) {
    note_unsettled(newest, afterwards);
    outcome.durability = Durability::NotYet;
    return outcome;
  }
  if (!writes) {
    const auto kind = volume.files.kind();
    const bool answers_for_all = !kind->fuse && errors.count == 0;
    outcome.proven =
        complete_ones(question.found, [&](const Checkpoint& each) { return answers_for_all || each == newest; });
    return outcome;
  }
  ProvenList after = with_proven(before, seen);
  outcome.proven = listed_ones(question.found, after);
  if (auto written = write(volume, std::move(after)); !written) {
    outcome = {.durability = Durability::NotYet,
               .proven = listed_ones(question.found, before),
               .why = not_written(written.error())};
  }
  return outcome;
}

std::string Proofs::begin(const Volume& volume, const Beginning& beginning) {
  if (!keeps_proofs(volume.files)) return {};
  std::string problem;
  SyncSeen seen{
      .found = beginning.found, .saw_all = volume.format->unsearched().empty(), .suspect = beginning.unproven};
  // The list as it is known without what this start proves.
  ProvenList known = with_proven(list(), seen);
  known.job_uid = beginning.self.job_uid;
  known.attempt = beginning.self.attempt;
  known.ranks = beginning.ranks;
  known.first_rank = beginning.ranks > 1 ? 0 : beginning.self.index;
  const auto may_be = [&](const Checkpoint& each) {
    return (beginning.proves_all || beginning.by_sums.contains(each.name)) && !beginning.unproven.contains(each.name);
  };
  const Shapes at_first = shapes_of(volume, complete_ones(beginning.found, may_be));
  const bool any_new = std::ranges::any_of(beginning.found, [&](const Checkpoint& each) {
    return each.complete && may_be(each) && !is_listed_as_it_is(known, each, at_first);
  });
  if (any_new) {
    const auto synced = volume.files.sync_volume(volume.layout.root, volume.layout.root);
    if (shows_all(volume, synced))
      seen.shapes = unchanged(at_first, shapes_of(volume, complete_ones(beginning.found, may_be)));
    else
      problem = "nothing shows that what lies on the volume is on its storage" +
                (synced ? std::string() : ": " + synced.error().message);
  }
  {
    const std::lock_guard lock(mutex_);
    doubted_.clear();
    for (const Checkpoint& each : beginning.found)
      if (beginning.unproven.contains(each.name)) doubted_.emplace(each.name, each.time);
  }
  ProvenList after = with_proven(known, seen);
  know(std::move(known));
  // A list without what lies there would have the next start put that aside.
  if (!problem.empty()) return problem;
  if (auto written = write(volume, std::move(after)); !written) problem = not_written(written.error());
  return problem;
}

Result<void> Proofs::take_over(const Volume& volume, const Checkpoints& found) {
  if (!keeps_proofs(volume.files)) return {};
  if (auto loaded = load(volume); !loaded) return loaded;
  const ProvenList known = list();
  const std::lock_guard lock(mutex_);
  for (const Checkpoint& each : found)
    if (each.complete && !lists(known, each)) doubted_.emplace(each.name, each.time);
  return {};
}

bool Proofs::seal(const Volume& volume) {
  if (!keeps_proofs(volume.files)) return false;
  return shows_all(volume, volume.files.sync_volume(volume.layout.root, volume.layout.root));
}

std::shared_ptr<Proofs> make_proofs() {
  return std::make_shared<Proofs>();
}

}  // namespace reprise::agent
