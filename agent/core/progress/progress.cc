#include "agent/core/progress/progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reprise::agent {
namespace {

constexpr std::chrono::seconds kShortestSample{1};
constexpr double kSmoothedSeconds = 60;
constexpr std::chrono::minutes kSilent{10};

std::optional<std::int32_t> percentage_of(const ProgressNote& note) {
  if (!note.step || !note.total_steps) return std::nullopt;
  const double part = static_cast<double>(*note.step) / static_cast<double>(*note.total_steps);
  return static_cast<std::int32_t>(std::clamp(std::floor(part * 100), 0.0, 100.0));
}

std::optional<std::int64_t> remaining_of(const ProgressNote& note) {
  if (!note.step || !note.total_steps || !note.steps_per_second || *note.steps_per_second <= 0) return std::nullopt;
  const double left = static_cast<double>(std::max<std::int64_t>(*note.total_steps - *note.step, 0));
  return static_cast<std::int64_t>(std::min(std::ceil(left / *note.steps_per_second), 1e15));
}

// Two may count different things: what belongs to a step stays with it.
void fill_gaps(ProgressNote& note, const ProgressNote& other) {
  if (!note.step) {
    note.step = other.step;
    note.total_steps = other.total_steps;
    if (!note.steps_per_second) note.steps_per_second = other.steps_per_second;
  }
  if (!note.percentage) note.percentage = other.percentage;
  if (!note.remaining_seconds) note.remaining_seconds = other.remaining_seconds;
}

}  // namespace

void Speed::take(std::int64_t step, runtime::Instant now) {
  if (!last_ || step < last_->step) {
    last_ = Sample{.step = step, .at = now};
    rate_.reset();
    return;
  }
  const auto passed = now - last_->at;
  if (step == last_->step || passed < kShortestSample) return;
  const double seconds = std::chrono::duration<double>(passed).count();
  const double measured = static_cast<double>(step - last_->step) / seconds;
  const double weight = 1 - std::exp(-seconds / kSmoothedSeconds);
  rate_ = rate_ ? *rate_ + weight * (measured - *rate_) : measured;
  last_ = Sample{.step = step, .at = now};
}

void Progress::take(ProgressSource source, const ProgressNote& note, runtime::Instant now) {
  if (note.says_nothing()) return;
  count_move(source, note);
  if (note.of_other_work) return;
  auto& said = said_.at(static_cast<std::size_t>(source));
  if (note.of_one_epoch && said && said->note.step && !said->note.of_one_epoch && now - said->at < kSilent) return;
  // A bar of something smaller, such as an evaluation, is not the training's.
  const bool smaller =
      said && said->note.total_steps && note.total_steps && *note.total_steps < *said->note.total_steps;
  if (source == ProgressSource::Output && smaller && now - said->at < kSilent) return;
  if (!trains_since_ && passes_a_step(said, note)) trains_since_ = now;
  if (!said) said.emplace();
  said->note = note;
  said->at = now;
  if (note.step) said->speed.take(*note.step, now);
}

// Counts the moves of a smaller bar as well, such as an evaluation's: it moves while the training does not.
void Progress::count_move(ProgressSource source, const ProgressNote& note) {
  auto& last = last_.at(static_cast<std::size_t>(source));
  const bool moves = !last || last->step != note.step || last->percentage != note.percentage ||
                     last->of_other_work != note.of_other_work;
  last = note;
  if (!moves || (!note.step && !note.percentage)) return;
  ++moves_.count;
  if (!note.step || note.of_other_work) return;
  moves_.step = note.step;
  moves_.stated = moves_.stated || source != ProgressSource::Output;
}

// A trainer that resumes tells first of the step that it has loaded.
bool Progress::passes_a_step(const std::optional<Said>& before, const ProgressNote& note) {
  if (note.step && note.steps_per_second.value_or(0) > 0) return true;
  const auto more = [](const auto& was, const auto& is) { return was && is && *is > *was; };
  return before && (more(before->note.step, note.step) || more(before->note.percentage, note.percentage));
}

ProgressNote Progress::completed(const Said& said) {
  ProgressNote note = said.note;
  if (!note.steps_per_second) note.steps_per_second = said.speed.steps_per_second();
  if (!note.percentage) note.percentage = percentage_of(note);
  if (!note.remaining_seconds) note.remaining_seconds = remaining_of(note);
  return note;
}

std::optional<Progress::State> Progress::at(runtime::Instant now) const {
  std::optional<runtime::Instant> newest;
  for (const auto& said : said_)
    if (said) newest = std::max(newest.value_or(said->at), said->at);
  std::optional<State> state;
  for (const auto& said : said_) {
    if (!said || *newest - said->at >= kSilent) continue;
    const ProgressNote note = completed(*said);
    if (state) {
      fill_gaps(state->note, note);
      continue;
    }
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - said->at);
    state = State{.note = note, .age = std::max(age, std::chrono::milliseconds(0))};
  }
  if (state && trains_since_) {
    state->trained = std::max(std::chrono::duration_cast<std::chrono::milliseconds>(now - *trains_since_),
                              std::chrono::milliseconds(0));
  }
  return state;
}

}  // namespace reprise::agent
