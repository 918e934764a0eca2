#include "agent/core/progress/live_state.h"

#include <algorithm>
#include <utility>

namespace reprise::agent {

using std::chrono::milliseconds;

namespace {

constexpr std::size_t kRemembered = 64;

}  // namespace

LiveState::LiveState(const Identity& self, runtime::Instant now) : activity_since_(now) {
  report_.attempt = self.attempt;
  report_.index = self.index;
}

Activity LiveState::activity() const {
  return phase_ == Activity::Training && save_ ? Activity::Saving : phase_;
}

void LiveState::mark_change(Activity before, runtime::Instant now) {
  if (activity() != before) activity_since_ = now;
}

void LiveState::enter(Activity phase, const std::string& message, runtime::Instant now) {
  const std::lock_guard lock(mutex_);
  const Activity before = activity();
  phase_ = phase;
  report_.message = message;
  mark_change(before, now);
}

// A newer one may be taken back, or be written anew: the one before is as old then as it was.
runtime::Instant LiveState::known_since(const Checkpoint& durable, runtime::Instant now) {
  const auto found = std::ranges::find(known_since_, durable, &std::pair<Checkpoint, runtime::Instant>::first);
  if (found != known_since_.end()) return found->second;
  known_since_.emplace_back(durable, now);
  if (known_since_.size() > kRemembered) known_since_.pop_front();
  return now;
}

void LiveState::see(const CheckpointWatch::Seen& seen, runtime::Instant now) {
  const std::lock_guard lock(mutex_);
  const Activity before = activity();
  report_.room = seen.room;
  if (!seen.durable) {
    durable_.reset();
  } else if (!durable_ || durable_->found.checkpoint != *seen.durable) {
    std::optional<milliseconds> save;
    if (save_ && save_->name == seen.durable->name)
      save = std::chrono::duration_cast<milliseconds>(now - save_->first_seen);
    durable_ = Durable{.found = {.checkpoint = *seen.durable,
                                 .structure_only = seen.structure_only,
                                 .size_bytes = seen.size_bytes,
                                 .save = save,
                                 .was_before = seen.was_before},
                       .since = known_since(*seen.durable, now)};
  } else {
    durable_->found.structure_only = seen.structure_only;
  }
  if (!seen.saving)
    save_.reset();
  else if (!save_ || save_->name != *seen.saving)
    save_ = Save{.name = *seen.saving, .first_seen = now};
  mark_change(before, now);
}

void LiveState::resume_from(std::optional<std::int64_t> step) {
  const std::lock_guard lock(mutex_);
  report_.resumed_from = step;
}

void LiveState::put_aside(const Checkpoints& unproven) {
  const std::lock_guard lock(mutex_);
  report_.unproven = static_cast<std::int32_t>(unproven.size());
  report_.unproven_step = highest_step(unproven);
}

void LiveState::take(ProgressSource source, const ProgressNote& note, runtime::Instant now) {
  const std::lock_guard lock(mutex_);
  progress_.take(source, note, now);
}

std::string LiveState::take_file(const std::optional<std::string>& text, runtime::Instant now) {
  const std::lock_guard lock(mutex_);
  return file_.take(text, progress_, now);
}

Progress::Moves LiveState::moves() const {
  const std::lock_guard lock(mutex_);
  return progress_.moves();
}

LiveReport LiveState::at(runtime::Instant now) const {
  const std::lock_guard lock(mutex_);
  LiveReport report = report_;
  report.activity = activity();
  report.activity_age = std::chrono::duration_cast<milliseconds>(now - activity_since_);
  if (durable_) {
    report.checkpoint = durable_->found;
    report.checkpoint->age = std::chrono::duration_cast<milliseconds>(now - durable_->since);
  }
  report.progress = progress_.at(now);
  return report;
}

std::string moves_of(const LiveState* live, const CheckpointWatch::Seen& seen) {
  const std::string steps = std::to_string(live == nullptr ? 0 : live->moves().count);
  return steps + (seen.newest ? " " + seen.newest->name : std::string());
}

}  // namespace reprise::agent
