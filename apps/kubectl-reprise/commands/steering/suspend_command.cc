#include "apps/kubectl-reprise/commands/steering/suspend_command.h"

#include <ostream>

#include "api/resumable_job.h"
#include "apps/kubectl-reprise/cluster/fetch.h"
#include "apps/kubectl-reprise/cluster/job_name.h"
#include "runtime/kube/conditions.h"

namespace reprise::plugin {
namespace {

bool is_finished(const api::ResumableJob& job) {
  return kube::is_true(job.status.conditions, "Complete") || kube::is_true(job.status.conditions, "Failed");
}

// True when the operator has suspended the job at a limit of its own, without spec.suspend.
bool suspended_at_limit(const api::ResumableJob& job, std::string_view reason) {
  const kube::Condition* suspended = kube::find_condition(job.status.conditions, "Suspended");
  return suspended != nullptr && suspended->status == kube::ConditionStatus::True && suspended->reason == reason;
}

runtime::Result<void> set_suspend(Session& session, const std::string& word, bool suspend) {
  const auto name = job_name(word);
  if (!name) return std::unexpected(name.error());
  const std::string ns = session.namespace_();
  const auto job = get<api::ResumableJob>(session.client(), ns, *name);
  if (!job) return std::unexpected(job.error());
  const std::string done = suspend ? "suspended" : "resumed";
  std::ostream& out = session.world.out;
  if (is_finished(*job)) {
    return runtime::fail(runtime::ErrorClass::Conflict,
                         "ResumableJob " + ns + "/" + *name + " has finished; it cannot be " + done);
  }
  if (job->spec.suspend == suspend) {
    out << "resumablejob.reprise.dev/" << *name
        << (suspend ? " is suspended already\n" : " is not suspended by spec.suspend\n");
  } else {
    const std::string patch = std::string(R"({"spec":{"suspend":)") + (suspend ? "true" : "false") + "}}";
    const auto patched = session.client().patch(session.cluster->permit(), kube::KindOf<api::ResumableJob>::info(), ns,
                                                *name, runtime::PatchType::Merge, patch);
    if (!patched) return std::unexpected(patched.error());
    out << "resumablejob.reprise.dev/" << *name << " " << done << "\n";
  }
  if (!suspend && suspended_at_limit(*job, "MaxCostReached"))
    out << "It has cost what it may and goes on when spec.placement.maxCost is raised.\n";
  if (!suspend && suspended_at_limit(*job, "InterruptionLimitReached")) {
    out << "It has reached its limit of interruptions and goes on when spec.interruption.limit is raised above "
        << job->status.interruption_count << ".\n";
  }
  return {};
}

// Tries every named job; the first failure is the result.
runtime::Result<ExitCode> for_each_job(Session& session, bool suspend) {
  runtime::Result<ExitCode> result = kDone;
  for (const std::string& word : session.arguments.words) {
    auto done = set_suspend(session, word, suspend);
    if (done) continue;
    if (!result)
      session.world.err << done.error().message << "\n";
    else
      result = std::unexpected(std::move(done).error());
  }
  return result;
}

}  // namespace

Command suspend_command() {
  return {.name = "suspend",
          .operands = "JOB...",
          .summary = "stop jobs, which keep their checkpoints",
          .description =
              "Sets spec.suspend. The trainers are asked to save and are stopped; the nodes go when nothing else "
              "needs them. 'resume' has the job go on from its newest checkpoint.",
          .examples = {{"stop a job until somebody resumes it", "kubectl reprise suspend finetune -n vision"}},
          .least = 1,
          .most = kAnyNumber,
          .names = Names::Jobs,
          .run = [](Session& session) { return for_each_job(session, true); }};
}

Command resume_command() {
  return {.name = "resume",
          .operands = "JOB...",
          .summary = "have suspended jobs go on from their newest checkpoints",
          .description =
              "Unsets spec.suspend. The next attempt starts from the newest complete checkpoint as soon as there are "
              "nodes for all ranks. A job that was suspended at spec.interruption.limit stays so until that is raised.",
          .examples = {{"go on", "kubectl reprise resume finetune -n vision"}},
          .least = 1,
          .most = kAnyNumber,
          .names = Names::Jobs,
          .run = [](Session& session) { return for_each_job(session, false); }};
}

}  // namespace reprise::plugin
