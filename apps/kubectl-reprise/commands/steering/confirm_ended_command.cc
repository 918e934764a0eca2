#include "apps/kubectl-reprise/commands/steering/confirm_ended_command.h"

#include <algorithm>
#include <ostream>

#include "apps/kubectl-reprise/cluster/fetch.h"
#include "apps/kubectl-reprise/cluster/job_name.h"
#include "apps/kubectl-reprise/cluster/job_pods.h"
#include "apps/kubectl-reprise/commands/checkpoints/unproven.h"
#include "apps/kubectl-reprise/commands/commands.h"
#include "apps/kubectl-reprise/commands/steering/confirm.h"

namespace reprise::plugin {
namespace {

using runtime::ErrorClass;

runtime::Result<Unproven> look(Session& session, const api::ResumableJob& job) {
  const auto pods = pods_of(session.client(), job);
  if (!pods) return std::unexpected(pods.error());
  std::vector<kube::Node> nodes;
  std::vector<std::string> hidden;
  for (const api::RankStatus& rank : job.status.members) {
    if (rank.node_name.empty()) continue;
    auto node = get<kube::Node>(session.client(), {}, rank.node_name);
    if (node) nodes.push_back(*std::move(node));
    // Without the right to look at nodes, the person has to know whether one answers, and name it.
    else if (node.error().error_class == ErrorClass::Forbidden)
      hidden.emplace_back(rank.node_name.view());
    else if (node.error().error_class != ErrorClass::NotFound)
      return std::unexpected(std::move(node).error());
  }
  return unproven_ranks(job, *pods, nodes, hidden);
}

// The ranks named by --node, or all silent ones.
runtime::Result<std::vector<UnprovenRank>> chosen(Session& session, const Unproven& unproven) {
  const auto names = session.arguments.all("node");
  std::vector<UnprovenRank> ranks;
  for (const UnprovenRank& rank : unproven.ranks) {
    const bool named = std::ranges::find(names, rank.node) != names.end();
    if (named || (names.empty() && rank.expected.empty()))
      ranks.push_back(rank);
    else if (names.empty())
      session.world.err << "Pod " << rank.pod << " is left out, for its end will be reported: " << rank.expected
                        << ".\n";
  }
  for (const std::string& name : names) {
    if (std::ranges::find(ranks, name, &UnprovenRank::node) == ranks.end())
      return runtime::fail(ErrorClass::NotFound,
                           "--node: no rank that is not proven to have ended was on node " + name);
  }
  return ranks;
}

std::string consequence(const std::string& job, const std::vector<UnprovenRank>& ranks, std::int32_t attempt) {
  std::string text = "You state that these machines are off, or that nothing of attempt " + std::to_string(attempt) +
                     " of job " + job + " runs on them any more:\n";
  for (const UnprovenRank& rank : ranks) {
    text += "  rank " + std::to_string(rank.index) + ": pod " + rank.pod + ", node " +
            (rank.node.empty() ? "not known" : rank.node) +
            (rank.node_claim.empty() ? "" : ", NodeClaim " + rank.node_claim) + " (" + rank.claim + ")\n";
    if (!rank.expected.empty()) text += "    But " + rank.expected + ": this rank may well be running.\n";
  }
  return text +
         "The next attempt begins on your word. If one of them still writes, two trainers write to one volume and the "
         "checkpoints can be damaged.";
}

runtime::Result<ExitCode> write(Session& session, const api::ResumableJob& job,
                                const std::vector<UnprovenRank>& ranks) {
  const std::string value = with_claims(job.meta.annotation(kConfirmEndedAnnotation), ranks);
  // For this job and not for another of its name. It may have changed since: the claim itself names the attempt.
  const Json patch = {
      {"metadata", {{"uid", std::string(job.meta.uid)}, {"annotations", {{kConfirmEndedAnnotation, value}}}}}};
  auto patched =
      session.client().patch(session.cluster->permit(), kube::KindOf<api::ResumableJob>::info(), job.meta.namespace_,
                             job.meta.name, runtime::PatchType::Merge, compact_json(patch));
  if (!patched && patched.error().error_class == ErrorClass::Conflict)
    return runtime::fail(ErrorClass::Conflict,
                         "the job is another one meanwhile, nothing was written; look at it again");
  if (!patched) return std::unexpected(std::move(patched).error());
  session.world.out << "resumablejob.reprise.dev/" << job.meta.name.view() << " " << kConfirmEndedAnnotation << "="
                    << value << "\n";
  return kDone;
}

runtime::Result<ExitCode> run_confirm_ended(Session& session) {
  const auto name = job_name(session.arguments.words.front());
  if (!name) return std::unexpected(name.error());
  const auto job = get<api::ResumableJob>(session.client(), session.namespace_(), *name);
  if (!job) return std::unexpected(job.error());
  const auto unproven = look(session, *job);
  if (!unproven) return std::unexpected(unproven.error());
  if (unproven->ranks.empty()) {
    session.world.err << "Nothing was done: no rank of job " << *name << " waits for a proof that it has ended.\n";
    return kDeclined;
  }
  const auto ranks = chosen(session, *unproven);
  if (!ranks) return std::unexpected(ranks.error());
  if (ranks->empty()) {
    session.world.err << "Nothing was done: name the nodes with --node if you know better.\n";
    return kDeclined;
  }
  if (!confirmed(session, consequence(*name, *ranks, unproven->attempt))) return kDeclined;
  return write(session, *job, *ranks);
}

}  // namespace

Command confirm_ended_command() {
  return {.name = "confirm-ended",
          .operands = "JOB",
          .summary = "state that the silent machines of a job are off",
          .description =
              "A job that says WriterNotFenced waits for a proof that each rank of its last attempt has ended. If you "
              "know that the machine is off, this writes your word into the annotation reprise.dev/confirm-ended: the "
              "uid of the node and the number of the attempt, nothing else. It shows what will be claimed and asks. "
              "Ranks whose nodes still answer are left out unless they are named.",
          .flags =
              {{.name = "node", .argument = "NAME", .help = "only the ranks on this node, several times", .many = true},
               yes_flag()},
          .examples = {{"see what would be claimed, then confirm", "kubectl reprise confirm-ended finetune -n vision"}},
          .least = 1,
          .most = 1,
          .names = Names::Jobs,
          .run = run_confirm_ended};
}

}  // namespace reprise::plugin
