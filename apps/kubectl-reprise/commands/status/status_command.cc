#include "apps/kubectl-reprise/commands/status/status_command.h"

#include <ostream>

#include "apps/kubectl-reprise/cluster/scene.h"
#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/terminal/output.h"

namespace reprise::plugin {
namespace {

runtime::Result<ExitCode> run_status(Session& session) {
  const auto& names = session.arguments.words;
  const std::string scope = session.scope();
  const auto found = find_scene(session.client(), scope, names);
  if (!found) return std::unexpected(found.error());
  const std::string format = session.arguments.value("output").value_or("");
  std::vector<Json> objects = found->pools;
  objects.insert(objects.end(), found->jobs.begin(), found->jobs.end());
  if (const auto text = objects_as(format, objects, names.size() == 1)) {
    session.world.out << *text;
    return kDone;
  }
  const auto scene = decoded_scene(*found);
  if (!scene) return std::unexpected(scene.error());
  session.world.out << status_screen(*scene, session.world.clock.wall(),
                                     {.namespaces = scope.empty(), .wide = format == "wide"});
  return kDone;
}

}  // namespace

Command status_command() {
  return {.name = "status",
          .operands = "[NAME...]",
          .summary = "show pools and jobs on one screen",
          .description =
              "Shows pools and jobs on one screen: a summary, the tables, and what waits for somebody. NAME is a "
              "job or a pool: finetune, job/finetune, pool/t4. Prices are estimates.",
          .flags = {all_namespaces_flag(), output_flag()},
          .examples = {{"everything of all namespaces", "kubectl reprise status -A"},
                       {"one job, whole", "kubectl reprise status job/finetune -n vision -o yaml"}},
          .most = kAnyNumber,
          .names = Names::PoolsAndJobs,
          .run = run_status};
}

}  // namespace reprise::plugin
