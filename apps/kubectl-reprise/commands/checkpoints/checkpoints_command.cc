#include "apps/kubectl-reprise/commands/checkpoints/checkpoints_command.h"

#include <ostream>

#include "apps/kubectl-reprise/cluster/job_name.h"
#include "apps/kubectl-reprise/cluster/job_pods.h"
#include "apps/kubectl-reprise/commands/checkpoints/checkpoints_view.h"
#include "apps/kubectl-reprise/terminal/output.h"

namespace reprise::plugin {
namespace {

// The parts of the status about checkpoints, as the server has them.
Json checkpoint_parts(const Json& job) {
  boost::json::object parts;
  for (const std::string_view name : {"attempt", "checkpoint", "checkpointLost", "unproven", "volumeFull",
                                      "lostSeconds", "lastInterruption", "claims"}) {
    const Json& value = member(member(job, "status"), name);
    if (!value.is_null()) parts[name] = value;
  }
  const Json& live = member(member(member(job, "status"), "progress"), "checkpoint");
  if (!live.is_null()) parts["progress"] = boost::json::object{{"checkpoint", live}};
  return parts;
}

runtime::Result<ExitCode> run_checkpoints(Session& session) {
  const auto name = job_name(session.arguments.words.front());
  if (!name) return std::unexpected(name.error());
  const auto object = get_json(session.client(), kube::KindOf<api::ResumableJob>::info(), session.namespace_(), *name);
  if (!object) return std::unexpected(object.error());
  if (const auto format = session.arguments.value("output")) {
    session.world.out << (*format == "json" ? json_text(checkpoint_parts(*object))
                                            : yaml_text(checkpoint_parts(*object)));
    return kDone;
  }
  const auto job = decoded<api::ResumableJob>(*object);
  if (!job) return std::unexpected(job.error());
  const auto pods = pods_of(session.client(), *job);
  if (!pods) return std::unexpected(pods.error());
  session.world.out << checkpoints_screen(*job, rank_ends(*job, *pods), session.world.clock.wall());
  return kDone;
}

}  // namespace

Command checkpoints_command() {
  return {
      .name = "checkpoints",
      .operands = "JOB",
      .summary = "tell what is known of a job's checkpoints",
      .description =
          "Shows the newest complete checkpoint, which ranks report while they train and record when they end, how the "
          "ranks of the attempts that still have pods have ended, and what is not known without looking at the volume.",
      .flags =
          {{.name = "output", .letter = 'o', .argument = "FORMAT", .help = "json or yaml", .values = {"json", "yaml"}}},
      .examples = {{"one job's checkpoints", "kubectl reprise checkpoints finetune -n vision"}},
      .least = 1,
      .most = 1,
      .names = Names::Jobs,
      .run = run_checkpoints};
}

}  // namespace reprise::plugin
