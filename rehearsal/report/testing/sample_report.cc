#include "rehearsal/report/testing/sample_report.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace reprise::rehearsal::testing {
namespace {

using State = ReportSpan::State;
using Kind = ReportMark::Kind;
using runtime::Duration;

constexpr Duration seconds(std::int64_t count) {
  return Duration(count * 1000);
}

constexpr std::int64_t kLength = 5400;
constexpr std::int64_t kNotice = 120;
constexpr std::array<std::pair<std::int64_t, std::int64_t>, 4> kOutages = {
    {{780, 1020}, {1890, 2040}, {2700, 3240}, {4020, 4110}}};

ReportLane zone(std::string name, bool steady) {
  ReportLane lane{.kind = ReportLane::Kind::Zone, .name = std::move(name)};
  std::int64_t from = 0;
  const auto add = [&](std::int64_t to, State state) {
    lane.spans.push_back({.from = seconds(from), .to = seconds(to), .state = state, .label = "$0.92 an hour"});
    from = to;
  };
  if (!steady) {
    for (const auto& [begin, end] : kOutages) {
      add(begin, State::Available);
      add(end, State::Unavailable);
    }
  } else {
    add(3600, State::Available);
    add(3720, State::Unavailable);
  }
  add(kLength, State::Available);
  return lane;
}

ReportLane node(int number, std::int64_t from, std::int64_t to, bool taken) {
  ReportLane lane{.kind = ReportLane::Kind::Node, .name = "spot-" + std::to_string(number)};
  const std::int64_t ready = from + 50;
  lane.spans.push_back({.from = seconds(from), .to = seconds(ready), .state = State::Starting, .label = "p3.2xlarge"});
  lane.spans.push_back({.from = seconds(ready), .to = seconds(to), .state = State::Available, .label = "us-west-2c"});
  if (taken) {
    lane.marks.push_back({.at = seconds(to - kNotice), .kind = Kind::Notice, .label = "taken in 2 min"});
    lane.marks.push_back({.at = seconds(to), .kind = Kind::Kill});
  }
  return lane;
}

// Trains with one step a second but for the outages; a checkpoint every 240 steps.
class Job {
 public:
  Job(RunReport& report, std::string name, std::int64_t begin, std::int64_t steps, int ranks)
      : report_(report), name_(std::move(name)), steps_(steps), ranks_(ranks) {
    lane_ = {.kind = ReportLane::Kind::Job, .name = name_};
    span(begin, begin + 60, State::Starting);
    std::int64_t now = begin + 60;
    int attempt = 1;
    for (const auto& [out, back] : kOutages) {
      if (out - kNotice <= now || step_ >= steps_) continue;
      now = train(now, out - kNotice, attempt);
      if (step_ >= steps_) break;
      now = interrupt(now, back + 90, attempt);
      ++attempt;
    }
    if (step_ < steps_) now = train(now, kLength, attempt);
    if (step_ >= steps_) {
      lane_.marks.push_back({.at = seconds(now), .kind = Kind::End, .label = "exit 0", .step = step_});
      span(now, kLength, State::Done);
    }
    report_.lanes.push_back(lane_);
    for (int rank = 0; rank < ranks_ && ranks_ > 1; ++rank) {
      ReportLane lane{.kind = ReportLane::Kind::Rank, .name = "rank " + std::to_string(rank), .spans = lane_.spans};
      report_.lanes.push_back(lane);
    }
  }

 private:
  void span(std::int64_t from, std::int64_t to, State state, const std::string& label = {}) {
    if (to > from) lane_.spans.push_back({.from = seconds(from), .to = seconds(to), .state = state, .label = label});
  }

  std::int64_t train(std::int64_t from, std::int64_t until, int attempt) {
    const std::int64_t to = std::min(until, from + steps_ - step_);
    for (std::int64_t next = (step_ / 240 + 1) * 240; next <= step_ + to - from; next += 240) {
      lane_.marks.push_back({.at = seconds(from + next - step_),
                             .kind = Kind::Checkpoint,
                             .label = "step " + std::to_string(next) + ", 12.3 MB, durable",
                             .step = next});
      saved_ = next;
    }
    step_ += to - from;
    span(from, to, State::Training, "attempt " + std::to_string(attempt) + " on spot-" + std::to_string(attempt));
    return to;
  }

  std::int64_t interrupt(std::int64_t now, std::int64_t again, int attempt) {
    const bool saves = attempt != 2;
    lane_.marks.push_back({.at = seconds(now), .kind = Kind::Notice, .label = "120 s", .step = step_});
    ReportInterruption interruption{.job = name_,
                                    .at = seconds(now),
                                    .notice = seconds(kNotice),
                                    .save_took = Duration(saves ? 9'400 : 0),
                                    .resumed_after = seconds(again - now),
                                    .survived = true,
                                    .saved = saves,
                                    .step_at_notice = step_,
                                    .step_saved = saves ? step_ : saved_,
                                    .node = "spot-" + std::to_string(attempt) + ", us-west-2c"};
    if (saves) {
      saved_ = step_;
      span(now, now + 40, State::Saving);
      lane_.marks.push_back({.at = seconds(now + 9), .kind = Kind::Checkpoint, .label = "on notice", .step = step_});
    } else {
      span(now, now + 40, State::Interrupted, "did not save");
      lane_.marks.push_back({.at = seconds(now + 30), .kind = Kind::TornCheckpoint, .label = "no _COMPLETE"});
      lane_.marks.push_back({.at = seconds(now + 40), .kind = Kind::Loss, .label = "before the save was complete"});
    }
    span(now + 40, now + kNotice, State::Stopped);
    span(now + kNotice, again - 60, State::Waiting, "no spot capacity");
    span(again - 60, again, State::Starting);
    interruption.step_resumed = saved_;
    interruption.steps_lost = step_ - saved_;
    interruption.training_lost = seconds(*interruption.steps_lost);
    report_.interruptions.push_back(interruption);
    step_ = saved_;
    lane_.marks.push_back({.at = seconds(again), .kind = Kind::Resume, .label = "", .step = step_});
    return again;
  }

  RunReport& report_;
  std::string name_;
  std::int64_t steps_;
  int ranks_;
  std::int64_t step_ = 0, saved_ = 0;
  ReportLane lane_;
};

}  // namespace

RunReport sample_report() {
  RunReport report{.title = "A spot day",
                   .subtitle =
                       "Three jobs on spot capacity as it was in us-west-2c on 15 February 2023, one day played in "
                       "an hour and a half of the cluster's time.",
                   .length = seconds(kLength),
                   .speed = 60,
                   .cost = ReportCost{.spent = 2.18, .on_demand = 6.47},
                   .survived = true};
  report.lanes.push_back(zone("us-west-2b", true));
  report.lanes.push_back(zone("us-west-2c", false));
  report.lanes.push_back(node(1, 20, 780, true));
  report.lanes.push_back(node(2, 1040, 1890, true));
  report.lanes.push_back(node(3, 2060, 2700, true));
  report.lanes.push_back(node(4, 3260, 4020, true));
  report.lanes.push_back(node(5, 4130, 5300, false));
  Job(report, "vision/segment", 30, 2600, 1);
  Job(report, "vision/finetune", 60, 3100, 2);
  Job(report, "speech/align", 90, 1900, 1);
  std::sort(report.interruptions.begin(), report.interruptions.end(),
            [](const ReportInterruption& a, const ReportInterruption& b) { return a.at < b.at; });
  report.facts = {
      {.label = "Final weights", .value = "equal, bit by bit", .good = true, .judgement = true, .headline = true},
      {.label = "vision/segment: on SIGTERM", .value = "exits 143", .good = true, .judgement = true},
      {.label = "vision/segment: torn checkpoints seen", .value = "1", .good = false, .judgement = true},
      {.label = "vision/finetune: slowest save after a notice",
       .value = "9.4 s of a notice of 120 s; 0.16 s on this machine",
       .good = true,
       .judgement = true},
      {.label = "Note",
       .value = "checkpoints of vision/segment lie in a private directory that is mounted at its path"}};
  for (const ReportLane& lane : report.lanes)
    for (const ReportMark& mark : lane.marks)
      report.lines.push_back(std::to_string(mark.at.count() / 1000) + " s  " + lane.name + "  " + mark.label);
  return report;
}

RunReport hostile_report() {
  const std::string text =
      "</title></style><script>document.title='broken'</script>\"'&<img src=x onerror=1>\x1b[31m\xff";
  RunReport report = sample_report();
  report.title = report.subtitle = text;
  report.survived = false;
  report.reasons = {text, "vision/segment: resumed from step 0 at 0:31:30; write checkpoints below /checkpoints"};
  for (ReportFact& fact : report.facts) fact.label = fact.value = text;
  report.facts.front().good = false;
  report.lines = {text};
  for (ReportInterruption& one : report.interruptions) one.job = one.node = text;
  report.interruptions.back().resumed_after = {};
  report.interruptions.back().survived = false;
  for (ReportLane& lane : report.lanes) {
    lane.name = text;
    for (ReportSpan& span : lane.spans) span.label = text;
    for (ReportMark& mark : lane.marks) mark.label = text;
  }
  report.lanes.back().spans.back().state = State::Failed;
  return report;
}

RunReport huge_report(std::size_t each) {
  RunReport report{.title = "Huge", .length = seconds(static_cast<std::int64_t>(each)), .speed = 1};
  ReportLane job{.kind = ReportLane::Kind::Job, .name = "job"};
  for (std::size_t i = 0; i < each; ++i) {
    const auto at = static_cast<std::int64_t>(i);
    job.marks.push_back({.at = seconds(at), .kind = i % 100 == 0 ? Kind::Resume : Kind::Checkpoint, .step = at});
    job.spans.push_back(
        {.from = seconds(at), .to = seconds(at + 1), .state = i % 2 == 0 ? State::Training : State::Saving});
    report.interruptions.push_back({.job = "job",
                                    .at = seconds(at),
                                    .resumed_after = seconds(1),
                                    .survived = true,
                                    .saved = true,
                                    .steps_lost = 0});
    report.lines.push_back("line " + std::to_string(i));
    report.lanes.push_back(
        {.kind = ReportLane::Kind::Node, .name = "node-" + std::to_string(i), .spans = {{.to = report.length}}});
  }
  report.lanes.push_back(job);
  return report;
}

}  // namespace reprise::rehearsal::testing
