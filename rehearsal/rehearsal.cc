#include "rehearsal/rehearsal.h"

#include <algorithm>

#include "rehearsal/agent_program.h"
#include "rehearsal/outcome/undisturbed.h"
#include "rehearsal/plan/node_constraints.h"
#include "rehearsal/plan/pool_instance_types.h"
#include "rehearsal/plan/recorded_spot.h"
#include "rehearsal/rehearsing.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::rehearsal {
namespace {

namespace fs = std::filesystem;
using runtime::ErrorClass;
using runtime::Result;
using simulator::name_of;
using simulator::text;
using simulator::Value;

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
  auto pool = simulator::read_yaml(plan.pool_yaml);
  if (!pool) return std::unexpected(std::move(pool).error().with_context("GpuPool"));
  if (text(*pool, {"kind"}) != "GpuPool" || name_of(*pool).empty())
    return runtime::fail(ErrorClass::Invalid, "found kind '" + std::string(text(*pool, {"kind"})) +
                                                  "', must be a GpuPool with a metadata.name");
  return pool;
}

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

Result<RunReport> rehearse(const RehearsalPlan& wanted, const RehearsalObserver& observer) {
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
  const bool given = pool.has_value();
  if (!given) {
    std::ranges::for_each(*jobs, lower_gpus);
    const auto name = text(jobs->front().object, {"spec", "poolName"});
    pool = pool_for(name, *jobs, std::chrono::duration_cast<std::chrono::seconds>(plan->notice).count());
  }
  std::vector<std::string> zones;
  for (const SpotPlan::Zone& zone : plan->spot.zones) zones.push_back(zone.name);
  if (auto fitting = fit_to_instance_types(*jobs, *pool, given, zones); !fitting)
    return std::unexpected(std::move(fitting).error());
  Rehearsing rehearsing(*plan, *jobs, observer);
  auto run = rehearsing.run(*pool);
  if (!run) return std::unexpected(std::move(run).error());
  for (ReportedJob& job : run->jobs) job.verdict = judge(job.facts);
  if (plan->verify_weights && !rehearsing.cancelled()) {
    verify_weights(*plan, *jobs, *pool, observer, *run);
    for (ReportedJob& job : run->jobs) job.verdict = judge(job.facts);
  }
  return build_report(*run);
}

}  // namespace reprise::rehearsal
