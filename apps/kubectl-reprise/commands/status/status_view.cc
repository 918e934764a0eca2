#include "apps/kubectl-reprise/commands/status/status_view.h"

#include <fmt/format.h>

#include <map>

#include "api/newest_checkpoint.h"
#include "apps/kubectl-reprise/commands/status/cost_view.h"
#include "apps/kubectl-reprise/terminal/money.h"
#include "apps/kubectl-reprise/terminal/time_text.h"
#include "runtime/kube/conditions.h"

namespace reprise::plugin {
namespace {

using kube::find_condition;

std::string status_text(const std::vector<kube::Condition>& conditions, std::string_view type) {
  const kube::Condition* found = find_condition(conditions, type);
  if (found == nullptr) return "Unknown";
  switch (found->status) {
    case kube::ConditionStatus::True:
      return "True";
    case kube::ConditionStatus::False:
      return "False";
    case kube::ConditionStatus::Unknown:
      return "Unknown";
  }
  return "Unknown";
}

std::string gpus_of(const api::GpuPool& pool, api::CapacityType type) {
  for (const api::CapacityStatus& each : pool.status.capacity) {
    if (each.type == type) return std::to_string(each.gpus);
  }
  return {};
}

// The object's name, then its condition's reason and message, on one line.
std::string said(const std::string& name, const kube::Condition& condition) {
  std::string message = condition.message;
  for (char& each : message) each = each == '\n' ? ' ' : each;
  return fmt::format("{}: {}{}{}", name, condition.reason.view(), message.empty() ? "" : ": ", message);
}

std::string number(std::optional<std::int64_t> value) {
  return value ? std::to_string(*value) : std::string();
}

std::string newest_step(const api::ResumableJobStatus& status) {
  if (const auto* live = newer_live_checkpoint(status)) return number(live->step);
  return status.checkpoint ? number(status.checkpoint->step) : std::string();
}

std::string percentage_of(const api::ResumableJobStatus& status) {
  const std::int32_t percentage = status.progress ? status.progress->percentage.value_or(-1) : -1;
  return percentage < 0 ? std::string() : std::to_string(percentage) + "%";
}

std::string time_left(const api::ResumableJobStatus& status) {
  const std::int64_t left = status.progress ? status.progress->estimated_remaining_seconds.value_or(-1) : -1;
  return left < 0 ? std::string() : length_text(kube::bounded_seconds(left));
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

std::string state_of(const api::ResumableJob& job) {
  if (job.meta.deletion_timestamp) return "Deleting";
  const kube::Condition* ready = find_condition(job.status.conditions, "PodsReady");
  return ready == nullptr || ready->reason.empty() ? "New" : std::string(ready->reason);
}

Table pools_table(const std::vector<api::GpuPool>& pools, kube::Time now, const Columns& columns) {
  Table table{{"POOL", "READY", "GPUS", "UNITS", "SPOT", "ON-DEMAND", "SHARING", "COST/H", "IDLE/H", "JOBS"}, {}};
  if (columns.wide) table.header.insert(table.header.end(), {"RESOURCE", "ON-DEMAND/H", "INTERRUPTIONS", "LAST"});
  table.header.emplace_back("AGE");
  for (const api::GpuPool& pool : pools) {
    const api::GpuPoolStatus& status = pool.status;
    std::vector<std::string> row = {pool.meta.name,
                                    status_text(status.conditions, "Ready"),
                                    status.gpus,
                                    fmt::format("{}/{}", status.units.used, status.units.total),
                                    gpus_of(pool, api::CapacityType::Spot),
                                    gpus_of(pool, api::CapacityType::OnDemand),
                                    status.sharing,
                                    status.cost.per_hour,
                                    status.cost.idle_per_hour,
                                    std::to_string(status.jobs)};
    if (columns.wide) {
      const auto& interruptions = status.interruptions;
      row.insert(row.end(), {status.resource_name, status.cost.on_demand_per_hour, std::to_string(interruptions.total),
                             age_text(interruptions.last_time, now)});
    }
    row.push_back(age_text(pool.meta.creation_timestamp, now));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table jobs_table(const std::vector<api::ResumableJob>& jobs, kube::Time now, const Columns& columns) {
  Table table;
  if (columns.namespaces) table.header.emplace_back("NAMESPACE");
  table.header.insert(table.header.end(), {"JOB", "STATE", "PODS", "PROGRESS", "ATTEMPT", "INTERRUPTIONS", "LOST",
                                           "STEP", "CHECKPOINT", "POOL"});
  if (columns.wide) table.header.insert(table.header.end(), {"CAPACITY", "ZONE", "FAILURES", "COST", "ETA"});
  table.header.emplace_back("AGE");
  for (const api::ResumableJob& job : jobs) {
    const api::ResumableJobStatus& status = job.status;
    std::vector<std::string> row;
    if (columns.namespaces) row.emplace_back(job.meta.namespace_);
    row.insert(row.end(),
               {std::string(job.meta.name), state_of(job), fmt::format("{}/{}", status.ready, job.spec.parallelism),
                percentage_of(status), std::to_string(status.attempt), std::to_string(status.interruption_count),
                length_text(kube::bounded_seconds(status.lost_seconds)), newest_step(status),
                age_text(api::newest_checkpoint_time(status), now), std::string(job.spec.pool_name)});
    if (columns.wide) {
      const auto spent = spent_so_far(status, now).spent;
      row.insert(row.end(), {status.placement ? std::string(status.placement->capacity) : "",
                             status.placement ? std::string(status.placement->zone) : "",
                             std::to_string(status.failures), spent ? spent->text() : "", time_left(status)});
    }
    row.push_back(age_text(job.meta.creation_timestamp, now));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string summary_line(const Scene& scene) {
  std::string text = scene.pools_unseen.empty() ? counted(scene.pools.size(), "pool") + ", " : "";
  text += counted(scene.jobs.size(), "job");
  std::map<std::string, int> states;
  for (const api::ResumableJob& job : scene.jobs) ++states[state_of(job)];
  std::string_view before = ": ";
  for (const auto& [state, count] : states) {
    text += fmt::format("{}{} {}", before, count, state);
    before = ", ";
  }
  if (scene.pools.empty()) return text;
  std::int32_t gpus = 0, used = 0;
  Money cost, idle;
  for (const api::GpuPool& pool : scene.pools) {
    for (const api::CapacityStatus& each : pool.status.capacity) {
      gpus += each.gpus;
      used += each.gpus_used;
    }
    cost += Money::parse(pool.status.cost.per_hour);
    idle += Money::parse(pool.status.cost.idle_per_hour);
  }
  return text + fmt::format("; {} of {} GPUs in use; {} USD per hour, {} of it idle (estimates)", used, gpus,
                            cost.text(), idle.text());
}

std::vector<std::string> attention(const Scene& scene) {
  std::vector<std::string> lines;
  for (const api::GpuPool& pool : scene.pools) {
    for (const kube::Condition& each : pool.status.conditions) {
      const bool good_when_true =
          each.type == "Ready" || each.type == "NodePoolsSynced" || each.type == "SharingConfigured";
      const bool bad = good_when_true ? each.status == kube::ConditionStatus::False
                                      : each.type == "Stalled" && each.status == kube::ConditionStatus::True;
      if (bad) lines.push_back(said(fmt::format("pool {}", pool.meta.name.view()), each));
    }
  }
  for (const api::ResumableJob& job : scene.jobs) {
    const std::string name = fmt::format("job {}/{}", job.meta.namespace_.view(), job.meta.name.view());
    const auto& conditions = job.status.conditions;
    const kube::Condition* ready = find_condition(conditions, "PodsReady");
    if (kube::is_true(conditions, "Failed")) {
      lines.push_back(said(name, *find_condition(conditions, "Failed")));
    } else if (kube::is_true(conditions, "Stalled")) {
      lines.push_back(said(name, *find_condition(conditions, "Stalled")));
    } else if (ready != nullptr && (ready->reason == "WriterNotFenced" || ready->reason == "ClaimInUse")) {
      lines.push_back(said(name, *ready));
    }
  }
  return lines;
}

std::string status_screen(const Scene& scene, kube::Time now, const Columns& columns) {
  std::string text = summary_line(scene) + "\n";
  if (!scene.pools_unseen.empty()) text += "Pools are not shown: " + scene.pools_unseen + "\n";
  if (!scene.pools.empty()) text += "\n" + pools_table(scene.pools, now, columns).text();
  if (!scene.jobs.empty()) text += "\n" + jobs_table(scene.jobs, now, columns).text();
  const auto lines = attention(scene);
  if (!lines.empty()) text += "\nWhat waits for somebody:\n";
  for (const std::string& line : lines) text += "  " + line + "\n";
  return text;
}

}  // namespace reprise::plugin
