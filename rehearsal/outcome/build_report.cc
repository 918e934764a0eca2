#include "rehearsal/outcome/build_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "rehearsal/outcome/report_lanes.h"
#include "rehearsal/outcome/reported_work.h"
#include "rehearsal/verdict/verdict_texts.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;

// The last lines of the first rank that was killed or ended with an error, else of the first rank.
std::vector<std::string> last_lines(const AttemptFacts& attempt) {
  const auto said = std::ranges::find_if(
      attempt.ranks, [](const RankFacts& each) { return each.killed || (each.ended && each.exit_code != 0); });
  return said != attempt.ranks.end() ? said->last_lines
         : attempt.ranks.empty()     ? std::vector<std::string>{}
                                     : attempt.ranks.front().last_lines;
}

ReportInterruption row_of(const ReportedRun& run, const ReportedJob& job, const InterruptionFacts& seen) {
  ReportInterruption row{.job = job.facts.name,
                         .at = seen.at,
                         .notice = seen.noticed ? run.notice : Duration{0},
                         .save_took = seen.save_took.value_or(Duration{0}),
                         .resumed_after = seen.resumed_after,
                         .saved = seen.save_took.has_value(),
                         .step_at_notice = seen.step_at_notice,
                         .step_saved = seen.step_saved,
                         .step_resumed = seen.step_resumed,
                         .steps_lost = steps_lost(seen),
                         .training_lost = training_lost(run, job, seen)};
  // The last one may come when the training is as good as done, which then ends within the grace.
  const bool went_on = seen.resumed_after || job.facts.outcome == JobFacts::Outcome::Complete;
  row.survived = went_on && !job.verdict.lost.contains(seen.attempt);
  const RentedNode* taken = node_taken(run, job, job.facts.attempts[seen.attempt]);
  if (taken != nullptr) row.node = taken->name + ", " + taken->zone;
  row.last_lines = last_lines(job.facts.attempts[seen.attempt]);
  return row;
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

// True when that attempt or an earlier one has a complete checkpoint.
bool has_checkpoint(const JobFacts& job, std::size_t last) {
  return std::any_of(
      job.attempts.begin(), job.attempts.begin() + static_cast<std::ptrdiff_t>(last) + 1,
      [](const AttemptFacts& attempt) { return std::ranges::any_of(attempt.checkpoints, &CheckpointFacts::complete); });
}

class Facts {
 public:
  explicit Facts(const ReportedRun& run) : run_(run) {}

  std::vector<ReportFact> of(const ReportedJob& job) {
    const auto interruptions = interruptions_of(job.facts);
    if (!interruptions.empty()) {
      add_resumes(job, interruptions);
      add_save(job, interruptions);
      const std::string words = exit_words(job.facts);
      if (!words.empty()) add(job, "On SIGTERM", words);
    }
    add_formats(job);
    std::size_t torn = 0;
    for (const AttemptFacts& attempt : job.facts.attempts)
      torn += static_cast<std::size_t>(std::ranges::count(attempt.checkpoints, false, &CheckpointFacts::complete));
    add(job, "Torn checkpoints seen", torn == 0 ? "none" : std::to_string(torn), torn == 0);
    add_weights(job);
    for (const std::string& advice : job.verdict.advice) add(job, "Advice", advice);
    return std::move(facts_);
  }

 private:
  void add_formats(const ReportedJob& job) {
    std::string formats;
    for (const AttemptFacts& attempt : job.facts.attempts) {
      for (const CheckpointFacts& each : attempt.checkpoints) {
        if (each.format.empty() || formats.find(each.format) != std::string::npos) continue;
        formats += (formats.empty() ? "" : ", ") + each.format;
      }
    }
    if (!formats.empty()) add(job, "Checkpoints recognised as", formats);
  }

  // Counts only resumes for which a checkpoint was there.
  void add_resumes(const ReportedJob& job, const std::vector<InterruptionFacts>& interruptions) {
    std::size_t shown = 0, open = 0, able = 0;
    for (const InterruptionFacts& each : interruptions) {
      if (!each.step_resumed || !has_checkpoint(job.facts, each.attempt)) continue;
      ++able;
      if (each.resumption == Resumption::Shown) ++shown;
      if (each.resumption == Resumption::NotShown) ++open;
    }
    if (able == 0) return;
    if (open == able) return add(job, "Resumed from a checkpoint", "not shown");
    std::string value = fmt::format("{} of {}", shown, able);
    if (open > 0) value += fmt::format("; not shown for {}", open);
    // A resume that is shown vouches for those of the same script that are not.
    add(job, "Resumed from a checkpoint", value, shown + (shown > 0 ? open : 0) == able);
  }

  void add_save(const ReportedJob& job, const std::vector<InterruptionFacts>& interruptions) {
    Duration slowest{0};
    std::size_t saved = 0;
    for (const InterruptionFacts& each : interruptions) {
      if (!each.save_took) continue;
      ++saved;
      slowest = std::max(slowest, *each.save_took);
    }
    if (saved == 0) {
      const bool nothing_to_save =
          std::ranges::all_of(interruptions, [&](const auto& each) { return steps_lost(each) == 0; });
      if (nothing_to_save) return add(job, "Saves after a notice", "never: there was nothing new to save");
      return add(job, "Saves after a notice", "never", false);
    }
    const std::string value = fmt::format("{} of a notice of {}", texts::seconds(slowest), texts::seconds(run_.notice));
    add(job, "Slowest save after a notice", value, slowest < run_.notice);
  }

  void add_weights(const ReportedJob& job) {
    const char* label = "Final weights, as if undisturbed";
    switch (job.facts.weights.state) {
      case WeightsFacts::State::NotAsked:
        return add(job, label, "not compared (--verify-weights)");
      case WeightsFacts::State::Equal:
        return add(job, label, "equal", true);
      case WeightsFacts::State::Different:
        return add(job, label, "different: " + job.facts.weights.what, false);
      case WeightsFacts::State::Arbitrary:
        return add(job, label, "not known: two undisturbed runs differ as well");
      case WeightsFacts::State::NotCompared:
        return add(job, label, "not compared: " + job.facts.weights.what);
    }
  }

  void add(const ReportedJob& job, const std::string& label, const std::string& value) {
    facts_.push_back({.label = labelled(job, label), .value = value});
  }
  void add(const ReportedJob& job, const std::string& label, const std::string& value, bool good) {
    facts_.push_back({.label = labelled(job, label), .value = value, .good = good, .judgement = true});
  }
  [[nodiscard]] std::string labelled(const ReportedJob& job, const std::string& label) const {
    return run_.jobs.size() == 1 ? label : job.facts.name + ": " + label;
  }

  const ReportedRun& run_;
  std::vector<ReportFact> facts_;
};

}  // namespace

JobFacts without_unfinished(JobFacts facts) {
  if (facts.attempts.empty() || facts.attempts.back().ended()) return facts;
  for (RankFacts& rank : facts.attempts.back().ranks) rank.asked.reset();
  std::erase_if(facts.attempts, [](const AttemptFacts& each) { return each.ranks.empty(); });
  return facts;
}

RunReport build_report(const ReportedRun& run) {
  RunReport report{.title = "Rehearsal", .length = run.length, .speed = run.speed, .played = run.played};
  // One job that does not survive is enough.
  report.shown = std::ranges::none_of(run.jobs, [](const ReportedJob& job) { return job.verdict.open(); }) ||
                 std::ranges::any_of(
                     run.jobs, [](const ReportedJob& job) { return !job.verdict.survived() && !job.verdict.open(); });
  for (const ReportedJob& job : run.jobs) report.subtitle += (report.subtitle.empty() ? "" : ", ") + job.facts.name;
  add_zone_lanes(run, report);
  add_node_lanes(run, report);
  for (const ReportedJob& job : run.jobs) {
    add_job_lanes(run, job, report);
    for (const InterruptionFacts& each : interruptions_of(job.facts))
      report.interruptions.push_back(row_of(run, job, each));
    for (ReportFact& fact : Facts(run).of(job)) report.facts.push_back(std::move(fact));
    for (const Finding& finding : job.verdict.findings) {
      report.survived = false;
      const std::string who = run.jobs.size() == 1 ? "" : job.facts.name + ": ";
      report.reasons.push_back(
          fmt::format("{}{}: {}. What to do: {}.", who, name(finding.reason), finding.what, finding.advice));
    }
  }
  std::ranges::sort(report.interruptions, {}, &ReportInterruption::at);
  report.facts.push_back({.label = "Processes left behind",
                          .value = run.left_behind == 0 ? "none" : std::to_string(run.left_behind),
                          .good = run.left_behind == 0,
                          .judgement = true});
  for (const std::string& note : run.notes) report.facts.push_back({.label = "Note", .value = note});
  // A script that does not survive has trained for nothing.
  if (report.survived) report.cost = cost_of(run);
  report.lines = run.lines;
  return report;
}

}  // namespace reprise::rehearsal
