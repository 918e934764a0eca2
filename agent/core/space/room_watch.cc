#include "agent/core/space/room_watch.h"

#include <algorithm>
#include <set>

#include "agent/core/aside/checkpoint_order.h"
#include "agent/core/generations/spare_generations.h"
#include "agent/core/space/room_aside.h"

namespace reprise::agent {
namespace {

// From this multiple of the needed room on, room is not short: only below it the agent looks what `keep` would free.
constexpr std::int64_t kAmple = 2;

std::vector<Generation> complete_ones(const PruneQuestion& question) {
  Checkpoints counted = question.found;
  std::erase_if(counted, [&](const Checkpoint& each) { return may_be_none(each, question.made); });
  auto known = group_by_save(counted, question.made, question.job_uid).known;
  std::erase_if(known, [](const Generation& each) { return !each.is_complete(); });
  return known;
}

}  // namespace

std::int64_t needed_room(std::int64_t save_bytes, std::int64_t generations, std::optional<std::int32_t> keep,
                         bool rotates) {
  const std::int64_t unlimited = rotates ? 0 : 1;
  const std::int64_t more = keep ? std::max<std::int64_t>(*keep - generations, 0) : unlimited;
  return save_bytes * (1 + more);
}

std::optional<std::int32_t> smaller_keep(std::optional<std::int32_t> keep) {
  if (!keep || *keep > 2) return 2;
  return *keep == 2 ? std::optional(1) : std::nullopt;
}

std::int64_t RoomWatch::measure(const Volume& volume, const Generation& generation) {
  std::int64_t sum = 0;
  for (const Generation::Part& part : generation.parts) {
    const auto known = std::ranges::find_if(sizes_, [&](const auto& each) { return each.first.first == part.name; });
    if (known == sizes_.end()) continue;
    if (known->second < 0) known->second = volume.files.size_of(volume.layout.root / part.name);
    sum += known->second;
  }
  return sum;
}

void RoomWatch::note_growth(std::int64_t newest, std::int64_t generations) {
  if (at_newest_ && at_newest_->first != newest) rotates_ = generations <= at_newest_->second;
  if (!at_newest_ || at_newest_->first != newest) at_newest_ = {newest, generations};
}

void RoomWatch::count(const Volume& volume, const PruneQuestion& question) {
  room_ = {};
  has_advised_ = false;
  const auto generations = complete_ones(question);
  if (generations.empty()) return;
  room_.generations = std::ssize(generations);
  note_growth(generations.front().step, room_.generations);
  const std::int64_t save = measure(volume, generations.front());
  room_.save_bytes = save;
  room_.needed_bytes = needed_room(save, room_.generations, question.keep, rotates_);
}

// Advises as if all that is complete had been shown to be durable.
void RoomWatch::advise(const Volume& volume, PruneQuestion question) {
  has_advised_ = true;
  tell(room_aside(volume), room_);
  const auto generations = complete_ones(question);
  question.keep = smaller_keep(question.keep);
  if (!question.keep || generations.empty()) return;
  question.durable_step = generations.front().step;
  question.resumed_from.reset();
  const auto others = volume.set_aside->read(volume.files, volume.layout);
  if (!others) return;
  PruningPlan plan = plan_pruning(question);
  const auto to_prune = spare_generations(volume, question.found, *others, plan);
  if (!to_prune) return;
  std::erase_if(plan.goes, [&](const Generation& each) {
    return std::ranges::any_of(each.parts, [&](const auto& part) {
      return std::ranges::find(to_prune->names, part.name) == to_prune->names.end();
    });
  });
  if (plan.goes.empty()) return;
  room_.keep = question.keep;
  room_.keep_deletes = std::ssize(plan.goes);
  for (const Generation& each : plan.goes) room_.keep_frees_bytes += measure(volume, each);
}

bool RoomWatch::may_be_short(const std::optional<FreeSpace>& free) const {
  return free && !has_advised_ && room_.needed_bytes && free->bytes < kAmple * *room_.needed_bytes;
}

std::optional<protocol::ReportedRoom> RoomWatch::look(const Volume& volume, const PruneQuestion& question) {
  const auto free = volume.files.free_space(volume.layout.root);
  if (!free) return std::nullopt;
  Complete now;
  for (const Checkpoint& each : question.found) {
    if (!each.complete) continue;
    const auto before = sizes_.find({each.name, each.time});
    now.emplace(std::pair(each.name, each.time), before == sizes_.end() ? -1 : before->second);
  }
  const bool same = std::ranges::equal(now, sizes_, {}, &Complete::value_type::first, &Complete::value_type::first);
  sizes_ = std::move(now);
  if (!same) count(volume, question);
  if (may_be_short(free)) advise(volume, question);
  room_.free_bytes = free->bytes;
  return room_;
}

}  // namespace reprise::agent
