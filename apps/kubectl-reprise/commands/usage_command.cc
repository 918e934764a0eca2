#include "apps/kubectl-reprise/commands/usage_command.h"

#include <ostream>

#include "api/gpu_pool.h"
#include "apps/kubectl-reprise/cluster/fetch.h"
#include "apps/kubectl-reprise/cluster/scene.h"

namespace reprise::plugin {
namespace {

runtime::Result<ExitCode> print_usage(Session& session) {
  const auto name = object_name(session.arguments.words.front());
  if (!name) return std::unexpected(name.error());
  const auto pool = get<api::GpuPool>(session.client(), {}, name->name);
  if (!pool) return std::unexpected(pool.error());
  if (pool->status.usage.empty())
    return runtime::fail(
        runtime::ErrorClass::Conflict,
        "GpuPool " + name->name + " offers nothing yet; ask 'kubectl reprise why gpupool/" + name->name + "'");
  session.world.out << pool->status.usage;
  return kDone;
}

}  // namespace

Command usage_command() {
  return {.name = "usage",
          .operands = "POOL",
          .summary = "print what a pod that is no job's writes to use a pool",
          .description =
              "A part of a pod template, as YAML: node selector, tolerations, runtime class and the resources of one "
              "unit, to be pasted into a Deployment or whatever else makes pods. It is the pool's status.usage.",
          .examples = {{"what a server in the pool t4 writes", "kubectl reprise usage t4"}},
          .least = 1,
          .most = 1,
          .names = Names::Pools,
          .run = print_usage};
}

}  // namespace reprise::plugin
