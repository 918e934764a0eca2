#include "simulator/rehearsal/told.h"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/rehearsal/story_lanes.h"
#include "simulator/rehearsal/verdict/verdict_texts.h"

namespace reprise::simulator {
namespace {

double hours(Duration duration) {
  return static_cast<double>(duration.count()) / 3'600'000;
}

// What had to be trained again: from the checkpoint that was resumed to the end.
Duration training_lost(const JobFacts& job, const InterruptionFacts& seen) {
  const AttemptFacts& attempt = job.attempts[seen.attempt];
  const Duration end = attempt.ended().value_or(seen.at);
  if (seen.save_took && seen.step_resumed == seen.step_saved) return Duration{0};
  Duration from = attempt.ranks.front().began;
  for (const CheckpointFacts& each : attempt.checkpoints)
    if (each.complete && seen.step_resumed && each.step <= *seen.step_resumed) from = std::max(from, each.at);
  return std::max(end - from, Duration{0});
}

StoryInterruption row_of(const ToldRun& run, const ToldJob& job, const InterruptionFacts& seen) {
  StoryInterruption row{.job = job.facts.name,
                        .at = seen.at,
                        .notice = seen.noticed ? run.notice : Duration{0},
                        .save_took = seen.save_took.value_or(Duration{0}),
                        .resumed_after = seen.resumed_after,
                        .saved = seen.save_took.has_value(),
                        .step_at_notice = seen.step_at_notice,
                        .step_saved = seen.step_saved.value_or(0),
                        .step_resumed = seen.step_resumed.value_or(0),
                        .steps_lost = seen.steps_lost(),
                        .training_lost = training_lost(job.facts, seen)};
  for (const RentedMachine& machine : run.machines) {
    // The notice and what the operator makes of it are moments apart.
    if (machine.noticed && *machine.noticed <= seen.at && seen.at - *machine.noticed < run.notice)
      row.machine = machine.node + ", " + machine.zone;
  }
  return row;
}

Duration trained(const AttemptFacts& attempt, Duration until) {
  if (attempt.ranks.empty()) return Duration{0};
  return std::max(attempt.ended().value_or(until) - attempt.ranks.front().began, Duration{0});
}

std::optional<StoryCost> cost_of(const ToldRun& run, const std::vector<StoryInterruption>& interruptions) {
  StoryCost cost;
  double on_demand_price = 0;
  for (const RentedMachine& machine : run.machines) {
    cost.spent += hours(machine.to.value_or(run.length) - machine.from) * machine.price_per_hour;
    on_demand_price = std::max(on_demand_price, machine.on_demand_price_per_hour);
  }
  for (const ToldJob& job : run.jobs) {
    Duration useful{0};
    for (const AttemptFacts& attempt : job.facts.attempts) useful += trained(attempt, run.length);
    for (const StoryInterruption& each : interruptions)
      if (each.job == job.facts.name) useful -= std::min(each.training_lost, useful);
    cost.on_demand += hours(useful) * on_demand_price * static_cast<double>(job.parallelism);
  }
  if (cost.spent <= 0 || cost.on_demand <= 0) return std::nullopt;
  return cost;
}

std::string exit_words(const JobFacts& job) {
  std::vector<std::string> seen;
  for (const AttemptFacts& attempt : job.attempts) {
    for (const RankFacts& rank : attempt.ranks) {
      if (!rank.asked || !rank.ended) continue;
      const std::string word = rank.killed ? "killed" : "exits " + std::to_string(rank.exit_code);
      if (std::ranges::find(seen, word) == seen.end()) seen.push_back(word);
    }
  }
  std::string words;
  for (const std::string& each : seen) words += (words.empty() ? "" : ", ") + each;
  return words;
}

class Facts {
 public:
  explicit Facts(const ToldRun& run) : run_(run) {}

  std::vector<StoryFact> of(const ToldJob& job) {
    const auto interruptions = interruptions_of(job.facts);
    if (!interruptions.empty()) {
      const auto resumed = std::ranges::count_if(
          interruptions, [](const InterruptionFacts& each) { return each.step_resumed.value_or(0) > 0; });
      const auto known =
          std::ranges::count_if(interruptions, [](const auto& each) { return each.step_resumed.has_value(); });
      add(job, "Resumed from a checkpoint", fmt::format("{} of {}", resumed, known), resumed == known);
      add_save(job, interruptions);
      const std::string words = exit_words(job.facts);
      if (!words.empty()) add(job, "On SIGTERM", words);
    }
    std::size_t torn = 0;
    for (const AttemptFacts& attempt : job.facts.attempts)
      torn += static_cast<std::size_t>(std::ranges::count(attempt.checkpoints, false, &CheckpointFacts::complete));
    add(job, "Torn checkpoints seen", torn == 0 ? "none" : std::to_string(torn), torn == 0);
    for (const std::string& advice : job.verdict.advice) add(job, "Advice", advice);
    return std::move(facts_);
  }

 private:
  void add_save(const ToldJob& job, const std::vector<InterruptionFacts>& interruptions) {
    Duration slowest{0};
    std::size_t saved = 0;
    for (const InterruptionFacts& each : interruptions) {
      if (!each.save_took) continue;
      ++saved;
      slowest = std::max(slowest, *each.save_took);
    }
    if (saved == 0) return add(job, "Saves after a notice", "never", false);
    const auto real = Duration{static_cast<Duration::rep>(static_cast<double>(slowest.count()) / run_.speed)};
    std::string value = fmt::format("{} of a notice of {}", texts::seconds(slowest), texts::seconds(run_.notice));
    if (run_.speed != 1) value += fmt::format("; {} on this machine", texts::seconds(real));
    add(job, "Slowest save after a notice", value, slowest < run_.notice);
  }

  void add(const ToldJob& job, const std::string& label, const std::string& value) {
    facts_.push_back({.label = labelled(job, label), .value = value});
  }
  void add(const ToldJob& job, const std::string& label, const std::string& value, bool good) {
    facts_.push_back({.label = labelled(job, label), .value = value, .good = good, .judgement = true});
  }
  [[nodiscard]] std::string labelled(const ToldJob& job, const std::string& label) const {
    return run_.jobs.size() == 1 ? label : job.facts.name + ": " + label;
  }

  const ToldRun& run_;
  std::vector<StoryFact> facts_;
};

}  // namespace

JobFacts without_unfinished(JobFacts facts) {
  if (facts.attempts.empty() || facts.attempts.back().ended()) return facts;
  for (RankFacts& rank : facts.attempts.back().ranks) rank.asked.reset();
  std::erase_if(facts.attempts, [](const AttemptFacts& each) { return each.ranks.empty(); });
  return facts;
}

Story tell(const ToldRun& run) {
  Story story{.title = "Rehearsal", .length = run.length, .speed = run.speed};
  for (const ToldJob& job : run.jobs) story.subtitle += (story.subtitle.empty() ? "" : ", ") + job.facts.name;
  add_zone_lanes(run, story);
  add_node_lanes(run, story);
  for (const ToldJob& job : run.jobs) {
    add_job_lanes(run, job, story);
    for (const InterruptionFacts& each : interruptions_of(job.facts))
      story.interruptions.push_back(row_of(run, job, each));
    for (StoryFact& fact : Facts(run).of(job)) story.facts.push_back(std::move(fact));
    for (const Finding& finding : job.verdict.findings) {
      story.survived = false;
      const std::string who = run.jobs.size() == 1 ? "" : job.facts.name + ": ";
      story.reasons.push_back(
          fmt::format("{}{}: {}. What to do: {}.", who, name(finding.reason), finding.what, finding.advice));
    }
  }
  std::ranges::sort(story.interruptions, {}, &StoryInterruption::at);
  story.facts.push_back({.label = "Processes left behind",
                         .value = run.left_behind == 0 ? "none" : std::to_string(run.left_behind),
                         .good = run.left_behind == 0,
                         .judgement = true});
  for (const std::string& note : run.notes) story.facts.push_back({.label = "Note", .value = note});
  // What a script that does not survive has trained is worth nothing.
  if (story.survived) story.cost = cost_of(run, story.interruptions);
  story.lines = run.lines;
  return story;
}

}  // namespace reprise::simulator
