#include "simulator/rehearsal/rehearsal.h"

#include <algorithm>
#include <map>

#include "simulator/api_server/yaml.h"
#include "simulator/rehearsal/agent_program.h"
#include "simulator/rehearsal/elsewhere.h"
#include "simulator/rehearsal/interrupter.h"
#include "simulator/rehearsal/moment.h"
#include "simulator/rehearsal/outcome.h"
#include "simulator/rehearsal/processes/marked_processes.h"
#include "simulator/rehearsal/stage.h"
#include "simulator/rehearsal/told.h"

namespace reprise::simulator {
namespace {

namespace fs = std::filesystem;
using runtime::ErrorClass;
using runtime::Result;
using std::chrono::milliseconds;

constexpr milliseconds kTurn{100};            // the observer's pace, too
constexpr milliseconds kStalledLong{10'000};  // real: whatever it waits for would have come
constexpr std::string_view kOwnPool = "rehearsal";

Result<std::vector<RehearsedJob>> read_jobs(const RehearsalPlan& plan, std::string_view pool) {
  if (plan.job_yamls.empty()) return runtime::fail(ErrorClass::Invalid, "there is no ResumableJob to rehearse");
  std::vector<RehearsedJob> jobs;
  for (const std::string& yaml : plan.job_yamls) {
    auto job = read_job(yaml, pool);
    if (!job) return std::unexpected(std::move(job).error());
    for (const RehearsedJob& other : jobs)
      if (other.key() == job->key())
        return runtime::fail(ErrorClass::Invalid, "ResumableJob " + job->key() + " is there twice");
    jobs.push_back(*std::move(job));
  }
  return jobs;
}

Result<Value> read_pool(const RehearsalPlan& plan) {
  auto pool = read_yaml(plan.pool_yaml);
  if (!pool) return std::unexpected(std::move(pool).error().with_context("GpuPool"));
  if (text(*pool, {"kind"}) != "GpuPool" || name_of(*pool).empty())
    return runtime::fail(ErrorClass::Invalid, "found kind '" + std::string(text(*pool, {"kind"})) +
                                                  "', must be a GpuPool with a metadata.name");
  return pool;
}

class Rehearsing {
 public:
  Rehearsing(const RehearsalPlan& plan, std::vector<RehearsedJob> jobs, const RehearsalObserver& observer)
      : plan_(plan), observer_(observer), begun_(fs::file_time_type::clock::now()) {
    stage_ = std::make_unique<Stage>(plan, std::move(jobs));
    interrupter_ = std::make_unique<Interrupter>(plan.interrupt_every);
  }

  Result<Story> run(const Value& pool) {
    if (auto ready = stage_->set_up(pool); !ready) return std::unexpected(std::move(ready).error());
    while (!over()) {
      stage_->turn(kTurn);
      interrupt();
      if (!show()) break;
    }
    if (auto refused = refusal()) return std::unexpected(*std::move(refused));
    return finish();
  }

 private:
  bool over() {
    if (plan_.limit.count() > 0 && stage_->time.real_elapsed() >= plan_.limit) return true;
    if (stage_->recorder.volume_overflows()) return true;
    return std::ranges::all_of(
        stage_->jobs, [&](const RehearsedJob& job) { return state(job).outcome != JobFacts::Outcome::Running; });
  }

  JobState state(const RehearsedJob& job) {
    const ObjectPtr object = stage_->object_of(job);
    if (!object) return {};
    const bool stalled = is_stalled(*object);
    const Duration now = stage_->time.real_elapsed();
    if (!stalled) stalled_since_.erase(job.key());
    const Duration since = stalled ? stalled_since_.try_emplace(job.key(), now).first->second : now;
    return state_of(*object, stalled && now - since >= kStalledLong);
  }

  void interrupt() {
    for (const RehearsedJob& job : stage_->jobs) {
      const bool trains = stage_->recorder.trains(job.key(), job.parallelism);
      if (!interrupter_->due(job.key(), trains, stage_->time.now())) continue;
      if (const std::string node = stage_->node_of(job); !node.empty()) stage_->actors->interrupt(node, plan_.notice);
    }
  }

  bool show() {
    if (!observer_) return true;
    const auto now = stage_->clock.steady();
    if (now - shown_ < kTurn) return true;
    shown_ = now;
    return observer_(moment_of(*stage_, plan_.spot, told_));
  }

  // A job that the operator would not even begin.
  std::optional<runtime::Error> refusal() {
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

  std::vector<RentedMachine> machines() const {
    std::vector<RentedMachine> machines;
    for (const auto& [id, instance] : stage_->actors->cloud.instances()) {
      const double own = static_cast<double>(instance.offering.type->micro_usd_per_hour) / 1e6;
      RentedMachine machine{
          .node = instance.node,
          .zone = instance.offering.zone,
          .capacity_type = instance.offering.capacity_type,
          .from = instance.launched,
          .to = instance.ended,
          .noticed = instance.noticed,
          .price_per_hour = static_cast<double>(instance.offering.micro_usd_per_hour) / 1e6,
          .on_demand_price_per_hour = plan_.on_demand_price_per_hour > 0 ? plan_.on_demand_price_per_hour : own};
      for (const SpotPlan::Zone& zone : plan_.spot.zones)
        if (zone.name == machine.zone && machine.capacity_type == "spot" && zone.price_per_hour > 0)
          machine.price_per_hour = zone.price_per_hour;
      if (machine.capacity_type != "spot") machine.price_per_hour = machine.on_demand_price_per_hour;
      machines.push_back(std::move(machine));
    }
    std::ranges::sort(machines, {}, &RentedMachine::from);
    return machines;
  }

  Story finish() {
    stage_->recorder.look();
    stage_->recorder.measure();
    ToldRun run{.length = std::max(stage_->loop.now(), Duration{1}),
                .notice = plan_.notice,
                .speed = plan_.speed,
                .spot = plan_.spot,
                .nodes = stage_->nodes.all(),
                .machines = machines(),
                .notes = stage_->notes};
    run.notes.insert(run.notes.end(), stage_->programs->notes().begin(), stage_->programs->notes().end());
    for (const RehearsedJob& job : stage_->jobs) {
      const JobState now = state(job);
      JobFacts facts = without_unfinished(*stage_->recorder.facts(job.key()));
      facts.outcome = now.outcome;
      facts.message = now.message;
      if (facts.attempts.empty() && now.outcome == JobFacts::Outcome::Running)
        if (const std::string why = stage_->unschedulable(job); !why.empty()) facts.message = why;
      facts.elsewhere =
          checkpoints_elsewhere({fs::current_path(), stage_->uncovered_path(job)}, plan_.work_directory, begun_);
      facts.not_laid_out = not_laid_out(stage_->claims.of(job.namespace_, job.claim_of(0)));
      const Verdict verdict = judge(facts);
      run.jobs.push_back(
          {.key = job.key(), .facts = std::move(facts), .verdict = verdict, .parallelism = job.parallelism});
    }
    for (const LogEntry& entry : stage_->log.entries()) run.lines.push_back(to_line(entry));
    const std::string mark = "REPRISE_REHEARSAL=" + plan_.work_directory.string();
    stage_.reset();
    run.left_behind = static_cast<int>(marked_processes(mark).size());
    return tell(run);
  }

  const RehearsalPlan& plan_;
  const RehearsalObserver& observer_;
  fs::file_time_type begun_;
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<Interrupter> interrupter_;
  std::map<std::string, Duration> stalled_since_;
  runtime::Instant shown_{};
  std::size_t told_ = 0;
};

Result<RehearsalPlan> checked(RehearsalPlan plan) {
  std::error_code problem;
  plan.work_directory = fs::absolute(plan.work_directory, problem);
  plan.agent = fs::absolute(plan.agent, problem);
  if (auto found = check_agent(plan.agent); !found) return std::unexpected(std::move(found).error());
  for (const char* own : {"volumes", "pods"}) {
    if (fs::exists(plan.work_directory / own, problem))
      return runtime::fail(ErrorClass::Invalid, (plan.work_directory / own).string() +
                                                    " is there already: a rehearsal begins with empty volumes");
  }
  fs::create_directories(plan.work_directory, problem);
  if (problem)
    return runtime::fail(ErrorClass::Invalid, plan.work_directory.string() + ": cannot be made: " + problem.message());
  if (plan.spot.zones.empty()) plan.spot = steady_spot_plan("zone-a", 0);
  return plan;
}

}  // namespace

Result<Story> rehearse(const RehearsalPlan& wanted, const RehearsalObserver& observer) {
  const auto plan = checked(wanted);
  if (!plan) return std::unexpected(plan.error());
  std::optional<Value> pool;
  if (!plan->pool_yaml.empty()) {
    auto read = read_pool(*plan);
    if (!read) return std::unexpected(std::move(read).error());
    pool = *std::move(read);
  }
  auto jobs = read_jobs(*plan, pool ? name_of(*pool) : kOwnPool);
  if (!jobs) return std::unexpected(std::move(jobs).error());
  if (!pool) {
    const auto name = text(jobs->front().object, {"spec", "poolName"});
    pool = pool_for(name, *jobs, std::chrono::duration_cast<std::chrono::seconds>(plan->notice).count());
  }
  return Rehearsing(*plan, *std::move(jobs), observer).run(*pool);
}

}  // namespace reprise::simulator
