#include "apps/kubectl-reprise/commands/steering/interrupt_command.h"

#include <fmt/format.h>

#include <ostream>

#include "apps/kubectl-reprise/cluster/job_name.h"
#include "apps/kubectl-reprise/cluster/job_pods.h"
#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/commands/status/interruption_report.h"
#include "apps/kubectl-reprise/commands/steering/confirm.h"
#include "apps/kubectl-reprise/terminal/time_text.h"
#include "runtime/kube/conditions.h"

namespace reprise::plugin {
namespace {

using runtime::ErrorClass;

constexpr runtime::Duration kLook{500};
constexpr runtime::Duration kUsualTimeout = std::chrono::minutes(15);

// Why no interruption is possible; empty: it is.
std::string hindrance(const api::ResumableJob& job, const std::vector<kube::Pod>& running) {
  const auto& conditions = job.status.conditions;
  if (kube::is_true(conditions, "Complete") || kube::is_true(conditions, "Failed")) return "the job has finished";
  if (job.status.attempt_end) return fmt::format("attempt {} is ending already", job.status.attempt);
  if (running.empty()) return "no pod of the job runs";
  return {};
}

std::vector<kube::Pod> running_pods(const std::vector<kube::Pod>& pods, std::int32_t attempt) {
  std::vector<kube::Pod> running;
  for (const kube::Pod& pod : pods) {
    const bool ended = pod.phase == kube::PodPhase::Succeeded || pod.phase == kube::PodPhase::Failed;
    if (attempt_of(pod) == attempt && !pod.meta.deletion_timestamp && !ended) running.push_back(pod);
  }
  return running;
}

std::string consequence(const api::ResumableJob& job, const std::vector<kube::Pod>& pods, kube::Time now) {
  const auto& checkpoint = job.status.checkpoint;
  const std::string age = checkpoint ? age_text(checkpoint->time, now) : "";
  return fmt::format(
      "This deletes the {} pod{} of attempt {} of job {}/{}, as an interruption of their nodes would: each trainer is "
      "asked to save and has {} for it. Newest checkpoint known: {}.",
      pods.size(), pods.size() == 1 ? "" : "s", job.status.attempt, job.meta.namespace_.view(), job.meta.name.view(),
      length_text(kube::bounded_seconds(job.spec.checkpoint.grace_seconds)),
      checkpoint ? fmt::format("step {}{}", checkpoint->step, age.empty() ? "" : ", " + age + " old") : "none");
}

// Deletes all ranks of one attempt, each only if it still is the very pod that was seen.
runtime::Result<void> delete_pods(Session& session, const std::vector<kube::Pod>& pods) {
  for (const kube::Pod& pod : pods) {
    const auto deleted = session.client().remove(session.cluster->permit(), kube::KindOf<kube::Pod>::info(),
                                                 pod.meta.namespace_, pod.meta.name, {.uid = pod.meta.uid});
    if (deleted) continue;
    const ErrorClass error = deleted.error().error_class;
    // The pod has gone by itself, or the operator deletes the others since the first has gone.
    if (error != ErrorClass::NotFound && error != ErrorClass::Conflict) return std::unexpected(deleted.error());
  }
  return {};
}

runtime::Result<ExitCode> wait_and_tell(Session& session, const api::ResumableJob& before, runtime::Duration timeout) {
  World& world = session.world;
  const auto end = world.clock.steady() + timeout;
  const kube::Time asked = world.clock.wall();
  for (;;) {
    const auto job = get<api::ResumableJob>(session.client(), before.meta.namespace_, before.meta.name);
    // The API server may be away for a while, as in a real interruption.
    if (!job && job.error().error_class != ErrorClass::Unavailable) return std::unexpected(job.error());
    const bool late = world.clock.steady() >= end;
    const Passage passage = job ? passage_of(*job, before.status.attempt) : Passage::Under;
    if (job && (late || passage != Passage::Under)) {
      world.out << interruption_report(before, *job, asked, world.clock.wall());
      return passage == Passage::Under ? kNotYet : passage == Passage::Stopped ? kFailed : kDone;
    }
    if (late) return std::unexpected(job.error());
    world.pause(kLook);
  }
}

runtime::Result<ExitCode> run_interrupt(Session& session) {
  const auto name = job_name(session.arguments.words.front());
  if (!name) return std::unexpected(name.error());
  const auto timeout = duration_of(session.arguments, "timeout").value_or(kUsualTimeout);
  const auto job = get<api::ResumableJob>(session.client(), session.namespace_(), *name);
  if (!job) return std::unexpected(job.error());
  const auto pods = pods_of(session.client(), *job);
  if (!pods) return std::unexpected(pods.error());
  const auto running = running_pods(*pods, job->status.attempt);
  if (const std::string why = hindrance(*job, running); !why.empty()) {
    session.world.err << "Nothing was done: " << why << ".\n";
    return kDeclined;
  }
  if (!confirmed(session, consequence(*job, running, session.world.clock.wall()))) return kDeclined;
  if (auto deleted = delete_pods(session, running); !deleted) return std::unexpected(std::move(deleted).error());
  session.world.out << "resumablejob.reprise.dev/" << *name << " interrupted\n" << std::flush;
  if (!session.arguments.is_set("wait", true)) return kDone;
  return wait_and_tell(session, *job, timeout);
}

}  // namespace

Command interrupt_command() {
  return {.name = "interrupt",
          .operands = "JOB",
          .summary = "interrupt a job now, and tell what was lost: a drill",
          .description =
              "Deletes the pods of the job's present attempt, gracefully and as an interruption of their nodes would, "
              "then waits until the next attempt runs with all its pods and tells how long that took, the steps before "
              "and after, and the work that was lost. The nodes themselves stay. It asks first.",
          .flags = {{.name = "wait", .help = "wait for the next attempt (default: true)"},
                    duration_flag("timeout", "wait at most so long (default: 15m)", "a duration such as 90s or 15m"),
                    yes_flag()},
          .examples = {{"a drill, with its outcome", "kubectl reprise interrupt finetune -n vision"},
                       {"in a script", "kubectl reprise interrupt finetune -n vision --yes --timeout=5m"}},
          .least = 1,
          .most = 1,
          .names = Names::Jobs,
          .run = run_interrupt};
}

}  // namespace reprise::plugin
