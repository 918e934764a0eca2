#include "simulator/scenarios/people/shared_namespace.h"

#include <string>
#include <utility>

#include "simulator/faults/own_stream.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view kCommonClaim = "common";

void draw_second_job(Workload& workload, runtime::Random&& random) {
  const bool wanted = random.uniform() < 0.25, at_once = random.uniform() < 0.6;
  const auto which = static_cast<std::size_t>(random.uniform() * static_cast<double>(workload.jobs.size()));
  const Duration later{static_cast<Duration::rep>(random.uniform() * 20 * 60'000)};
  if (!wanted) return;
  workload.jobs[which].claim = kCommonClaim;
  // A person who has one of them start anew would give up the other one's saves, too.
  workload.jobs[which].from_scratch = Duration{0};
  // A pool's status counts the jobs that have not ended, and so wakes all of its jobs whenever one ends.
  workload.jobs[which].pooled = random.uniform() >= 0.5;
  JobPlan second = workload.jobs[which];
  second.name += "-too";
  second.steps *= 2;
  if (!at_once) second.submitted += later;
  workload.jobs.push_back(std::move(second));
}

Value named(const char* api_version, const char* kind, std::string_view name, JsonObject spec) {
  return JsonObject{{"apiVersion", api_version},
                    {"kind", kind},
                    {"metadata", JsonObject{{"name", name}, {"namespace", kJobNamespace}}},
                    {"spec", std::move(spec)}};
}

std::string pods_allowed(const ApiServer& api, const Workload& workload) {
  int pods = 0;
  const ResourceId jobs = api.resource("reprise.dev", "resumablejobs");
  for (const JobPlan& job : workload.jobs) {
    const ObjectPtr there = api.get({jobs, kJobNamespace, job.name});
    if (!there || !has_ended(*there)) pods += job.parallelism;
  }
  return std::to_string(pods + workload.quota_slack);
}

}  // namespace

void draw_namespace(Workload& workload, std::uint64_t seed) {
  draw_second_job(workload, own_stream(seed, "workload/second-job-on-a-claim"));
  auto of_quota = own_stream(seed, "workload/quota");
  workload.tight_quota = of_quota.uniform() < 0.5;
  auto of_slack = own_stream(seed, "workload/quota-slack");
  // Without slack, a standby pod is made only when a rank has gone already, and seldom has a machine before the next
  // one comes. The slack is taken back when one has: then the quota holds the next attempt up.
  const bool slack = of_slack.uniform() < 0.6;
  const int pods = 1 + static_cast<int>(of_slack.uniform() * 2);
  if (workload.tight_quota && slack) workload.quota_slack = pods;
  auto of_range = own_stream(seed, "workload/limit-range");
  workload.limit_range = of_range.uniform() < 0.2;
}

void tighten_quota(ApiServer& api, const Workload& workload) {
  const std::string pods = pods_allowed(api, workload);
  (void)api.update({api.resource("", "resourcequotas"), kJobNamespace, "team"}, [&](Value& quota) {
    for (const char* what : {"pods", "requests.nvidia.com/gpu"}) set(quota, {"spec", "hard", what}, pods);
  });
}

runtime::Result<void> create_namespace_objects(ApiServer& api, const Workload& workload) {
  const auto create = [&](const char* plural, Value object) -> runtime::Result<void> {
    auto made = api.create(api.resource("", plural), std::move(object));
    if (!made) return std::unexpected(made.error());
    return {};
  };
  for (const JobPlan& job : workload.jobs) {
    if (job.claim.empty() || api.get({api.resource("", "persistentvolumeclaims"), kJobNamespace, job.claim})) continue;
    auto made = create("persistentvolumeclaims", named("v1", "PersistentVolumeClaim", job.claim, claim_spec(job)));
    if (!made) return made;
  }
  if (workload.tight_quota) {
    const std::string pods = pods_allowed(api, workload);
    auto made =
        create("resourcequotas", named("v1", "ResourceQuota", "team",
                                       {{"hard", JsonObject{{"pods", pods}, {"requests.nvidia.com/gpu", pods}}}}));
    if (!made) return made;
  }
  if (!workload.limit_range) return {};
  const JsonObject item{{"type", "Container"},
                        {"default", JsonObject{{"cpu", "1"}, {"memory", "1Gi"}}},
                        {"defaultRequest", JsonObject{{"cpu", "100m"}, {"memory", "64Mi"}}},
                        {"max", JsonObject{{"cpu", "2"}}}};
  return create("limitranges", named("v1", "LimitRange", "team", {{"limits", JsonArray{item}}}));
}

}  // namespace reprise::simulator
