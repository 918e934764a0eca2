#include "rehearsal/outcome/report_lanes.h"

#include <fmt/format.h>

#include <algorithm>

#include "rehearsal/verdict/verdict_texts.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using State = ReportSpan::State;
using Kind = ReportMark::Kind;

// Spans one behind the other; those without length are left out.
class Row {
 public:
  Row(ReportLane::Kind kind, std::string name) : lane_{.kind = kind, .name = std::move(name)} {}

  void until(Duration to, State state, std::string label = {}) {
    if (to <= at_) return;
    lane_.spans.push_back({.from = at_, .to = to, .state = state, .label = std::move(label)});
    at_ = to;
  }
  void begin_at(Duration from) { at_ = std::max(at_, from); }
  void mark(Duration at, Kind kind, std::string label, std::int64_t step = -1) {
    lane_.marks.push_back({.at = std::max(at, Duration{0}), .kind = kind, .label = std::move(label), .step = step});
  }
  [[nodiscard]] ReportLane take() {
    std::ranges::stable_sort(lane_.marks, {}, &ReportMark::at);
    return std::move(lane_);
  }

 private:
  ReportLane lane_;
  Duration at_{0};
};

std::string size_text(std::int64_t bytes) {
  if (bytes < 1'000) return fmt::format("{} B", bytes);
  if (bytes < 1'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) / 1e3);
  if (bytes < 1'000'000'000) return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

void mark_checkpoints(const AttemptFacts& attempt, Row& row) {
  for (const CheckpointFacts& each : attempt.checkpoints)
    row.mark(each.at, each.complete ? Kind::Checkpoint : Kind::TornCheckpoint,
             fmt::format("step {}, {}{}", each.step, size_text(each.bytes), each.complete ? "" : ", incomplete"),
             each.complete ? each.step : -1);
}

State end_state(const JobFacts& job) {
  switch (job.outcome) {
    case JobFacts::Outcome::Complete:
      return State::Done;
    case JobFacts::Outcome::Failed:
    case JobFacts::Outcome::Stalled:
      return State::Failed;
    case JobFacts::Outcome::Suspended:
      return State::Stopped;
    case JobFacts::Outcome::Running:
      break;
  }
  return State::Waiting;
}

ReportLane job_lane(const ReportedRun& run, const ReportedJob& job) {
  Row row(ReportLane::Kind::Job, job.facts.name);
  const auto interruptions = interruptions_of(job.facts);
  for (std::size_t i = 0; i < job.facts.attempts.size(); ++i) {
    const AttemptFacts& attempt = job.facts.attempts[i];
    if (attempt.ranks.empty()) continue;
    Duration began{0};
    for (const RankFacts& rank : attempt.ranks) began = std::max(began, rank.began);
    const Duration end = attempt.ended().value_or(run.length);
    const std::string label = fmt::format("attempt {}", attempt.number);
    row.until(began, i == 0 ? State::Starting : State::Waiting);
    const auto asked = attempt.failed_by_itself() ? std::nullopt : attempt.asked();
    row.until(asked.value_or(end), State::Training, label);
    row.until(end, State::Saving, label);
    mark_checkpoints(attempt, row);
    if (attempt.resumed_from)
      row.mark(began, Kind::Resume, fmt::format("from step {}", *attempt.resumed_from),
               resumption_of(job.facts, i) == Resumption::StartedOver ? 0 : *attempt.resumed_from);
    if (asked) row.mark(*asked, Kind::Notice, "notice: " + texts::seconds(run.notice));
    for (const RankFacts& rank : attempt.ranks)
      if (rank.killed && rank.ended) row.mark(*rank.ended, Kind::Kill, fmt::format("rank {} killed", rank.rank));
    for (const InterruptionFacts& each : interruptions)
      if (each.attempt == i && each.steps_known && each.steps_lost() > 0)
        row.mark(end, Kind::Loss, fmt::format("{} steps lost", each.steps_lost()), each.step_reached);
  }
  const State last = end_state(job.facts);
  if (last != State::Waiting) {
    const auto& attempts = job.facts.attempts;
    const Duration end = attempts.empty() ? run.length : attempts.back().ended().value_or(run.length);
    row.mark(end, Kind::End, last == State::Done ? "finished" : job.facts.message);
  }
  row.until(run.length, last);
  return row.take();
}

ReportLane rank_lane(const ReportedRun& run, const ReportedJob& job, int number) {
  Row row(ReportLane::Kind::Rank, fmt::format("{} rank {}", job.facts.name, number));
  for (const AttemptFacts& attempt : job.facts.attempts) {
    for (const RankFacts& rank : attempt.ranks) {
      if (rank.rank != number) continue;
      const Duration end = rank.ended.value_or(run.length);
      row.until(rank.began, State::Waiting);
      row.until(rank.asked.value_or(end), State::Training, fmt::format("attempt {}", attempt.number));
      row.until(end, State::Saving, rank.ended ? fmt::format("ended with {}", rank.exit_code) : "");
    }
  }
  row.until(run.length, end_state(job.facts));
  return row.take();
}

}  // namespace

void add_zone_lanes(const ReportedRun& run, RunReport& report) {
  for (const SpotPlan::Zone& zone : run.spot.zones) {
    Row row(ReportLane::Kind::Zone, zone.name);
    const std::string price = zone.price_per_hour > 0 ? fmt::format("${:.2f} an hour", zone.price_per_hour) : "";
    State now = State::Available;
    for (const SpotPlan::Edge& edge : zone.edges) {
      row.until(std::min(edge.at, run.length), now, price);
      now = edge.available ? State::Available : State::Unavailable;
    }
    row.until(run.length, now, price);
    report.lanes.push_back(row.take());
  }
}

void add_node_lanes(const ReportedRun& run, RunReport& report) {
  for (const RentedNode& node : run.rented) {
    Row row(ReportLane::Kind::Node, node.name);
    const std::string label = node.zone + ", " + node.capacity_type;
    const Duration end = node.to.value_or(run.length);
    row.begin_at(node.from);
    row.until(std::min(node.noticed.value_or(end), end), State::Available, label);
    row.until(end, State::Interrupted, label);
    if (node.noticed) row.mark(*node.noticed, Kind::Notice, "called back");
    report.lanes.push_back(row.take());
  }
}

void add_job_lanes(const ReportedRun& run, const ReportedJob& job, RunReport& report) {
  report.lanes.push_back(job_lane(run, job));
  for (int rank = 0; job.parallelism > 1 && rank < job.parallelism; ++rank)
    report.lanes.push_back(rank_lane(run, job, rank));
}

}  // namespace reprise::rehearsal
