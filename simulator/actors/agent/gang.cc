#include "simulator/actors/agent/gang.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace reprise::simulator {

Gang::Gang(Cluster& cluster, Volumes& volumes, TrainingPlan plan, int size, TrainingLog& log)
    : cluster_(cluster),
      volumes_(volumes),
      plan_(plan),
      size_(size),
      log_(log),
      timers_(cluster.loop),
      hang_(cluster.loop, [this] { hang_is_noticed(); }) {}

bool Gang::saves() const {
  return !plan_.apart || ranks_.contains(0);
}

void Gang::join(int rank, Trainer trainer) {
  if (Disk* disk = volumes_.disk(trainer.volume)) {
    disk->writers.insert(trainer.id);
    disk->attempts[trainer.id.attempt].loads[rank] = {.by = trainer.id, .step = trainer.loaded};
  }
  cluster_.log.add("trainer " + trainer.id.pod_uid, "rank " + std::to_string(rank) + " of attempt " +
                                                        std::to_string(trainer.id.attempt) + " starts from step " +
                                                        std::to_string(trainer.loaded));
  ranks_[rank] = RankState{.trainer = std::move(trainer)};
  // A rank that comes too late for its peers fails as they do.
  if (phase_ == Phase::Broken || phase_ == Phase::Finished) {
    phase_ = Phase::Broken;
    timers_.after(plan_.peer_loss, [this] { exit_all(1); });
  }
  if (!still_since_) begin_loading();
}

void Gang::begin_loading() {
  if (phase_ != Phase::Gathering || static_cast<int>(ranks_.size()) < size_) return;
  phase_ = Phase::Loading;
  plan(plan_.load, [this] {
    std::int64_t start = std::max<std::int64_t>(ranks_.begin()->second.trainer.loaded, 0);
    last_saved_ = start;
    train_from(start);
  });
}

Duration Gang::time() const {
  return still_since_.value_or(cluster_.loop.now());
}

void Gang::plan(Duration delay, std::function<void()> work) {
  timers_.cancel_all();
  next_ = {.at = time() + delay, .work = std::move(work)};
  if (!still_since_) timers_.after(delay, next_->work);
}

std::int64_t Gang::position() const {
  if (phase_ != Phase::Training) return phase_ == Phase::Saving ? saving_ : from_;
  return from_ + (time() - since_) / plan_.step;
}

std::optional<std::int64_t> Gang::told_step() const {
  const bool trains = phase_ == Phase::Training || phase_ == Phase::Saving || phase_ == Phase::Hung;
  return trains && plan_.tells_steps ? std::optional(position()) : std::nullopt;
}

void Gang::train_from(std::int64_t step) {
  phase_ = Phase::Training;
  from_ = step;
  since_ = cluster_.loop.now();
  plan_next();
}

void Gang::plan_next() {
  const std::int64_t here = position();
  std::int64_t next = std::min(plan_.steps, last_saved_ + plan_.save_every_steps);
  if (save_requested_) next = std::max(here, last_saved_ + 1);
  const std::int64_t attempt = ranks_.begin()->second.trainer.id.attempt;
  const bool fails = plan_.fail_at_step && (plan_.fail_attempt == 0 || plan_.fail_attempt == attempt) &&
                     *plan_.fail_at_step >= from_ && *plan_.fail_at_step < next;
  if (fails) next = *plan_.fail_at_step;
  const bool hangs = !fails && plan_.hang_at_step && attempt <= plan_.hang_attempts && *plan_.hang_at_step >= from_ &&
                     *plan_.hang_at_step < next;
  if (hangs) next = *plan_.hang_at_step;
  next = std::max(next, here);
  const Duration due = since_ + plan_.step * (next - from_) - time();
  plan(std::max(due, Duration{0}), [this, next, fails, hangs] {
    if (fails)
      exit_all(plan_.fail_exit_code);
    else if (hangs)
      hang();
    else if (next == last_saved_)  // resumed from the last checkpoint of all
      after_save(next);
    else if (!saves())
      skip_save(next);
    else
      begin_save(next);
  });
}

void Gang::hang() {
  phase_ = Phase::Hung;
  from_ = *plan_.hang_at_step;
  timers_.cancel_all();
  if (hung_since_) return;  // the trainer has only saved meanwhile
  hung_since_ = cluster_.loop.now();
  note_stand();
  cluster_.log.add("trainer " + ranks_.begin()->second.trainer.id.pod_uid, "hangs at step " + std::to_string(from_));
}

void Gang::note_stand() {
  for (const auto& [rank, state] : ranks_) log_.stood.insert(state.trainer.id);
}

void Gang::note_end_of_hang(const RankState& state) {
  if (!hung_since_ || state.trainer.id.rank != 0) return;
  // A look at the volume that is under way comes before the judgement.
  const bool disturbed = disturbed_ || volumes_.stood_still(state.trainer.volume, *hung_since_);
  log_.hangs.push_back({.by = state.trainer.id,
                        .lasted = cluster_.loop.now() - *hung_since_,
                        .allowed = disturbed ? Duration{0} : state.trainer.longest_hang});
}

void Gang::after_save(std::int64_t step) {
  if (step >= plan_.steps) {
    end_well();
    return;
  }
  train_from(step);
  end_terminated();
}

// Ends the ranks that were sent SIGTERM while the checkpoint was written.
void Gang::end_terminated() {
  std::vector<int> going;
  for (const auto& [rank, state] : ranks_)
    if (state.terminating && !state.still) going.push_back(rank);
  for (const int rank : going) exit(rank, code_when_stopped(rank));
}

int Gang::code_when_stopped(int rank) const {
  const auto found = ranks_.find(rank);
  return found != ranks_.end() && found->second.hooked ? 0 : plan_.term_exit_code;
}

void Gang::request_save(int rank) {
  const bool hung = phase_ == Phase::Hung && plan_.on_hang == OnHang::Saves;
  if (!ranks_.contains(rank) || (phase_ != Phase::Training && phase_ != Phase::Saving && !hung)) return;
  for (auto& [each, state] : ranks_) state.saved_since_request = false;
  save_requested_ = true;
  if (hung) static_cast<void>(save_of_hung_begins());
  if (phase_ == Phase::Training) plan_next();  // while saving the save at hand is the answer
}

// Saves the work since the last checkpoint; false: there is none.
bool Gang::save_of_hung_begins() {
  if (from_ <= last_saved_ || !saves()) return false;
  plan(Duration{0}, [this] { begin_save(from_); });
  return true;
}

void Gang::terminate(int rank) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end() || plan_.on_term == OnTerm::Ignore) return;
  if (phase_ == Phase::Hung && plan_.on_hang == OnHang::Deaf) return;
  if (phase_ == Phase::Hung && plan_.on_hang == OnHang::Saves && save_of_hung_begins()) {
    found->second.terminating = true;
    return;
  }
  end_when_saved(rank, found->second, plan_.on_term == OnTerm::Save && !found->second.saved_since_request);
}

void Gang::end_by_hook(int rank) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end() || (phase_ == Phase::Hung && plan_.on_hang == OnHang::Deaf)) return;
  found->second.hooked = true;
  end_when_saved(rank, found->second, true);
}

void Gang::end_when_saved(int rank, RankState& state, bool saves) {
  if (phase_ == Phase::Saving || (saves && phase_ == Phase::Training)) {
    state.terminating = true;
    if (phase_ == Phase::Training) {
      save_requested_ = true;
      plan_next();
    }
    return;
  }
  exit(rank, code_when_stopped(rank));
}

Gang::RankState Gang::take(int rank) {
  auto node = ranks_.extract(rank);
  RankState state = std::move(node.mapped());
  note_end_of_hang(state);
  if (Disk* disk = volumes_.disk(state.trainer.volume)) {
    disk->writers.erase(state.trainer.id);
    disk->standing_still.erase(state.trainer.id);
    disk->waking.erase(state.trainer.id);
  }
  return state;
}

void Gang::leave(int rank) {
  if (!ranks_.contains(rank)) return;
  take(rank);
  break_up();
}

void Gang::lose_helpers(int rank, Duration left, Duration grace) {
  if (!ranks_.contains(rank) || (phase_ != Phase::Training && phase_ != Phase::Saving)) return;
  const RankState& state = ranks_.at(rank);
  const Duration next = next_->at - time();
  // Overdue: the volume holds the save up, for an unknown time.
  const bool held_up = next < Duration{0};
  const bool saved = phase_ == Phase::Saving && last_saved_ == saving_;  // and deletes older ones
  if (state.terminating && !state.still && !state.cut_off && !held_up && !saved) {
    log_.cut_short.push_back(
        {.by = state.trainer.id,
         .needed = next + (phase_ == Phase::Saving ? rest_of_save() : plan_.save + spread_of_save()),
         .left = left,
         .grace = grace});
  }
  exit(rank, 1);
}

void Gang::exit(int rank, int code) {
  if (!ranks_.contains(rank)) return;
  const RankState gone = take(rank);
  break_up();
  gone.trainer.on_exit(code);
}

void Gang::end_well() {
  if (plan_.end_spread == Duration{0}) {
    exit_all(0);
    return;
  }
  phase_ = Phase::Finished;
  timers_.cancel_all();
  const int first = ranks_.begin()->first, last = ranks_.rbegin()->first;
  for (const auto& [rank, state] : ranks_)
    timers_.after(
        plan_.end_spread > Duration{0} ? plan_.end_spread * (last - rank) : -plan_.end_spread * (rank - first),
        [this, rank = rank] { end_of_work(rank); });
}

void Gang::end_of_work(int rank) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end()) return;  // its machine is gone, or it was stopped
  found->second.end_is_due = true;
  if (found->second.still) return;
  const RankState gone = take(rank);
  log_.finished.insert(gone.trainer.id);
  gone.trainer.on_exit(0);
}

// A rank that stands still finds out when it goes on.
void Gang::exit_all(int code) {
  phase_ = Phase::Finished;
  timers_.cancel_all();
  std::vector<int> going;
  for (const auto& [rank, state] : ranks_)
    if (!state.still) going.push_back(rank);
  if (going.size() < ranks_.size()) phase_ = Phase::Broken;
  for (const int rank : going) {
    const RankState gone = take(rank);
    if (code == 0) log_.finished.insert(gone.trainer.id);
    gone.trainer.on_exit(code);
  }
}

// A rank that could not write and can again is waking.
template <class Change>
void Gang::change_writing(RankState& state, Change change) {
  const auto writes = [&] { return !state.still && !state.cut_off; };
  const bool wrote = writes();
  change();
  Disk* disk = volumes_.disk(state.trainer.volume);
  if (disk == nullptr || writes() == wrote) return;
  (wrote ? disk->waking : disk->standing_still).erase(state.trainer.id);
  (wrote ? disk->standing_still : disk->waking).insert(state.trainer.id);
}

void Gang::cut_off(int rank, bool cut) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end()) return;
  disturbed_ = true;
  note_stand();
  change_writing(found->second, [&] { found->second.cut_off = cut; });
}

void Gang::stood_still(int rank, bool still) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end() || found->second.still == still) return;
  RankState& state = found->second;
  disturbed_ = true;
  note_stand();
  change_writing(state, [&] { state.still = still; });
  const bool any = std::ranges::any_of(ranks_, [](const auto& each) { return each.second.still; });
  if (any && !still_since_) hold();
  if (!any && still_since_) go_on();
  if (still) return;
  if (phase_ == Phase::Broken) timers_.after(plan_.peer_loss, [this] { exit_all(1); });
  if (phase_ == Phase::Finished && state.end_is_due) timers_.after(Duration{0}, [this, rank] { end_of_work(rank); });
}

void Gang::looked(int rank) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end()) return;
  if (Disk* disk = volumes_.disk(found->second.trainer.volume)) disk->waking.erase(found->second.trainer.id);
}

void Gang::hold() {
  still_since_ = cluster_.loop.now();
  if (phase_ != Phase::Loading && phase_ != Phase::Training && phase_ != Phase::Saving) return;
  timers_.cancel_all();
  hang_.within(plan_.peer_hang);
}

void Gang::go_on() {
  const Duration since = *std::exchange(still_since_, std::nullopt);
  hang_.cancel();
  if (phase_ == Phase::Gathering) return begin_loading();
  if (phase_ != Phase::Loading && phase_ != Phase::Training && phase_ != Phase::Saving) return;
  since_ += cluster_.loop.now() - since;
  timers_.after(std::max(next_->at - since, Duration{0}), next_->work);
}

// Notices a hang by the ranks that run; there may be none.
void Gang::hang_is_noticed() {
  if (std::ranges::all_of(ranks_, [](const auto& each) { return each.second.still; }))
    hang_.within(plan_.peer_hang);
  else
    exit_all(1);
}

// Breaks up when a rank is missing: the save at hand stays torn, and the others fail when they notice.
void Gang::break_up() {
  if (phase_ == Phase::Finished || phase_ == Phase::Broken) return;
  timers_.cancel_all();
  hang_.cancel();
  phase_ = Phase::Broken;
  disturbed_ = true;
  note_stand();
  if (ranks_.empty()) return;
  end_terminated();
  if (ranks_.empty()) return;
  timers_.after(jittered(cluster_.random, plan_.peer_loss, 0.2), [this] { exit_all(1); });
}

std::shared_ptr<Gang> Gangs::of(const TrainerId& trainer, const TrainingPlan& plan, int size) {
  std::erase_if(gangs_, [](const auto& each) { return each.second.expired(); });
  auto& known = gangs_[{trainer.job_uid, trainer.attempt, plan.apart ? trainer.rank : 0}];
  if (auto gang = known.lock()) return gang;
  auto made = std::make_shared<Gang>(cluster_, volumes_, plan, plan.apart ? 1 : size, log_);
  known = made;
  return made;
}

}  // namespace reprise::simulator
