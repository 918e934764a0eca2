#include "apps/kubectl-reprise/commands/status/cost_command.h"

#include <algorithm>
#include <ostream>

#include "apps/kubectl-reprise/cluster/scene.h"
#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/commands/status/cost_view.h"

namespace reprise::plugin {
namespace {

constexpr const char* kEstimates =
    "\nUSD, estimates: prices are those of node labels, of spec.prices or of a built-in table, never of a bill.\n"
    "A job's PER HOUR is its part of what its pool's used units cost at this moment; SPENT counts its pods'\n"
    "shares of their nodes from when they were bound until they ended.\n";
constexpr const char* kSinceChooses = "--since chooses jobs; what is shown of each is since it began.\n";
constexpr const char* kNotRecorded =
    "SPENT is not shown: nothing has run yet, no price of the nodes is known, or the operator does not record it.\n";

std::optional<kube::Time> since_of(const Session& session) {
  const auto length = duration_of(session.arguments, "since");
  return length ? std::optional(session.world.clock.wall() - *length) : std::nullopt;
}

runtime::Result<ExitCode> run_cost(Session& session) {
  const auto since = since_of(session);
  const std::string scope = session.scope();
  const auto found = find_scene(session.client(), scope, session.arguments.words);
  if (!found) return std::unexpected(found.error());
  const auto scene = decoded_scene(*found);
  if (!scene) return std::unexpected(scene.error());
  const std::string by = session.arguments.value("by").value_or("");
  const auto jobs = costs_of_jobs(scene->pools, scene->jobs, session.world.clock.wall(), since);
  const auto namespaces = costs_by_namespace(jobs);
  std::ostream& out = session.world.out;
  if (const auto format = session.arguments.value("output")) {
    const Json shown = costs_json(by == "namespace" ? namespaces : jobs);
    out << (*format == "json" ? json_text(shown) : yaml_text(shown));
    return kDone;
  }
  if (!scene->pools_unseen.empty()) out << "Pools are not shown: " << scene->pools_unseen << "\n\n";
  if ((by.empty() || by == "pool") && !scene->pools.empty()) out << pool_costs_table(scene->pools).text();
  if ((by.empty() || by == "job") && !jobs.empty())
    out << (by.empty() ? "\n" : "") << costs_table(jobs, scope.empty()).text();
  if (by == "namespace" || (by.empty() && namespaces.size() > 1))
    out << (by.empty() ? "\n" : "") << costs_table(namespaces, true).text();
  out << kEstimates;
  if (since && !jobs.empty() && by != "pool") out << kSinceChooses;
  const bool recorded = std::ranges::any_of(jobs, [](const CostRow& row) { return row.spent.has_value(); });
  if (!jobs.empty() && !recorded && by != "pool") out << kNotRecorded;
  return kDone;
}

}  // namespace

Command cost_command() {
  return {
      .name = "cost",
      .operands = "[NAME...]",
      .summary = "tell what pools, jobs and namespaces cost: estimates",
      .description =
          "Shows what pools cost per hour, idle nodes among it, and the part of each job and namespace. All "
          "are estimates, and what is not known is left open.",
      .flags =
          {all_namespaces_flag(),
           {.name = "by",
            .argument = "WHAT",
            .help = "one table alone: pool, job or namespace",
            .values = {"pool", "job", "namespace"}},
           duration_flag("since",
                         "only jobs that ran within it, such as 24h; each with all that it cost since it began",
                         "a duration such as 90m or 24h, at most 720h"),
           {.name = "output", .letter = 'o', .argument = "FORMAT", .help = "json or yaml", .values = {"json", "yaml"}}},
      .examples = {{"who costs what now", "kubectl reprise cost -A --by namespace"}},
      .most = kAnyNumber,
      .names = Names::PoolsAndJobs,
      .run = run_cost};
}

}  // namespace reprise::plugin
