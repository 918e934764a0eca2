#include "rehearsal/rehearsing.h"

#include <algorithm>

#include "rehearsal/moment.h"
#include "rehearsal/outcome/elsewhere.h"
#include "rehearsal/pace.h"
#include "rehearsal/processes/marked_processes.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using runtime::Duration;
using runtime::ErrorClass;
using runtime::Result;
using std::chrono::milliseconds;

constexpr milliseconds kTurn{100};            // the observer's pace, too
constexpr milliseconds kStalledLong{10'000};  // real: long enough for anything that it waits for

// Grows with each fact that a verdict is drawn from.
std::size_t ends_in(const JobFacts& facts) {
  std::size_t ends = 0;
  for (const AttemptFacts& attempt : facts.attempts)
    ends += 1 + attempt.checkpoints.size() +
            static_cast<std::size_t>(
                std::ranges::count_if(attempt.ranks, [](const RankFacts& rank) { return rank.ended.has_value(); }));
  return ends;
}

OwnTimes times_of(const JobFacts& facts, Duration start) {
  OwnTimes times{.start = start};
  for (const InterruptionFacts& each : interruptions_of(facts)) {
    times.save = std::max(times.save, each.save_took.value_or(Duration{0}));
    const bool further = each.step_saved.value_or(0) > each.step_given;
    times.in_vain = further ? 0 : times.in_vain + 1;
  }
  return times;
}

}  // namespace

Rehearsing::Rehearsing(const RehearsalPlan& plan, std::vector<RehearsedJob> jobs, const RehearsalObserver& observer)
    : plan_(plan), observer_(observer), begun_(fs::file_time_type::clock::now()) {
  stage_ = std::make_unique<Stage>(plan, std::move(jobs));
}

Result<ReportedRun> Rehearsing::run(const simulator::Value& pool) {
  if (auto ready = stage_->set_up(pool); !ready) return std::unexpected(std::move(ready).error());
  while (!over()) {
    stage_->turn(kTurn);
    interrupt();
    cancelled_ = !show();
    if (cancelled_) break;
  }
  if (auto rejected = rejection()) return std::unexpected(*std::move(rejected));
  return finish();
}

bool Rehearsing::over() {
  if (plan_.limit.count() > 0 && stage_->time.real_elapsed() >= plan_.limit) return true;
  if (stage_->recorder.volume_overflows()) return true;
  if (!plan_.to_the_end && settled()) return true;
  return std::ranges::all_of(stage_->jobs,
                             [&](const RehearsedJob& job) { return state(job).outcome != JobFacts::Outcome::Running; });
}

// Settled when one job does not survive; a job of which nothing was shown leaves it open, since another may yet fail.
bool Rehearsing::settled() {
  std::size_t ends = 0;
  for (const RehearsedJob& job : stage_->jobs) ends += ends_in(*stage_->recorder.facts(job.key()));
  if (ends == judged_) return settled_;
  judged_ = ends;
  std::size_t open = 0;
  for (const RehearsedJob& job : stage_->jobs) {
    const Verdict verdict = judge(without_unfinished(*stage_->recorder.facts(job.key())));
    if (!verdict.settled) continue;
    if (!verdict.open()) return settled_ = true;
    ++open;
  }
  return settled_ = open == stage_->jobs.size();
}

JobState Rehearsing::state(const RehearsedJob& job) {
  const simulator::ObjectPtr object = stage_->object_of(job);
  if (!object) return {};
  const bool stalled = is_stalled(*object);
  const Duration now = stage_->time.real_elapsed();
  if (!stalled) stalled_since_.erase(job.key());
  const Duration since = stalled ? stalled_since_.try_emplace(job.key(), now).first->second : now;
  return state_of(*object, *stage_->recorder.facts(job.key()), stalled && now - since >= kStalledLong);
}

Duration Rehearsing::pace_of(const RehearsedJob& job) const {
  if (!plan_.own_pace) return plan_.interrupt_every;
  const JobFacts& facts = *stage_->recorder.facts(job.key());
  return stage_->time.to_cluster(own_pace(times_of(facts, stage_->recorder.start_took(job.key()))));
}

void Rehearsing::interrupt() {
  if (plan_.interrupt_every.count() == 0 && !plan_.own_pace) return;
  for (const RehearsedJob& job : stage_->jobs) {
    const bool trains = stage_->recorder.trains(job.key(), job.parallelism);
    if (!interrupter_.due(job.key(), trains, stage_->time.now(), pace_of(job))) continue;
    if (const std::string node = stage_->node_of(job); !node.empty()) stage_->actors->interrupt(node, plan_.notice);
  }
}

bool Rehearsing::show() {
  if (!observer_) return true;
  const auto now = stage_->clock.steady();
  if (now - shown_ < kTurn) return true;
  shown_ = now;
  return observer_(moment_of(*stage_, plan_.spot, shown_lines_));
}

std::optional<runtime::Error> Rehearsing::rejection() {
  for (const RehearsedJob& job : stage_->jobs) {
    const JobState now = state(job);
    const JobFacts* facts = stage_->recorder.facts(job.key());
    if (now.outcome == JobFacts::Outcome::Stalled && facts->attempts.empty())
      return runtime::Error{.error_class = ErrorClass::Invalid,
                            .message = "ResumableJob " + job.name + ": " + now.message,
                            .retry_after = {}};
  }
  return std::nullopt;
}

std::vector<RentedNode> Rehearsing::rented_nodes() const {
  std::vector<RentedNode> nodes;
  for (const auto& [id, instance] : stage_->actors->cloud.instances()) {
    const double own = static_cast<double>(instance.offering.type->micro_usd_per_hour) / 1e6;
    RentedNode node{
        .name = instance.node,
        .zone = instance.offering.zone,
        .capacity_type = instance.offering.capacity_type,
        .from = instance.launched,
        .to = instance.ended,
        .noticed = instance.noticed,
        .price_per_hour = static_cast<double>(instance.offering.micro_usd_per_hour) / 1e6,
        .on_demand_price_per_hour = plan_.on_demand_price_per_hour > 0 ? plan_.on_demand_price_per_hour : own};
    for (const SpotPlan::Zone& zone : plan_.spot.zones)
      if (zone.name == node.zone && node.capacity_type == "spot" && zone.price_per_hour > 0)
        node.price_per_hour = zone.price_per_hour;
    if (node.capacity_type != "spot") node.price_per_hour = node.on_demand_price_per_hour;
    nodes.push_back(std::move(node));
  }
  std::ranges::sort(nodes, {}, &RentedNode::from);
  return nodes;
}

JobFacts Rehearsing::facts_of(const RehearsedJob& job) {
  const JobState now = state(job);
  JobFacts facts = without_unfinished(*stage_->recorder.facts(job.key()));
  facts.outcome = now.outcome;
  facts.message = now.message;
  if (facts.attempts.empty() && now.outcome == JobFacts::Outcome::Running)
    if (const std::string why = stage_->unschedulable(job); !why.empty()) facts.message = why;
  facts.elsewhere =
      checkpoints_elsewhere({fs::current_path(), stage_->uncovered_path(job)}, plan_.work_directory, begun_);
  facts.not_laid_out = not_laid_out(stage_->claims.of(job.namespace_, job.claim_of(0)), job.format);
  return facts;
}

ReportedRun Rehearsing::finish() {
  stage_->recorder.look();
  stage_->recorder.measure();
  ReportedRun run{.length = std::max(stage_->loop.now(), Duration{1}),
                  .notice = plan_.notice,
                  .speed = plan_.speed,
                  .played = stage_->time.real_elapsed(),
                  .spot = plan_.spot,
                  .nodes = stage_->nodes.all(),
                  .rented = rented_nodes(),
                  .notes = stage_->notes};
  run.notes.insert(run.notes.end(), stage_->programs->notes().begin(), stage_->programs->notes().end());
  for (const RehearsedJob& job : stage_->jobs) {
    ReportedJob reported{.key = job.key(), .facts = facts_of(job), .parallelism = job.parallelism};
    for (std::int64_t index = 0; index < (job.per_index ? job.parallelism : 1); ++index)
      reported.volumes.push_back(stage_->claims.of(job.namespace_, job.claim_of(index)));
    reported.format = job.format;
    run.jobs.push_back(std::move(reported));
  }
  for (const simulator::LogEntry& entry : stage_->log.entries()) run.lines.push_back(simulator::to_line(entry));
  const std::string mark = "REPRISE_REHEARSAL=" + plan_.work_directory.string();
  stage_.reset();
  run.left_behind = static_cast<int>(marked_processes(mark).size());
  return run;
}

}  // namespace reprise::rehearsal
