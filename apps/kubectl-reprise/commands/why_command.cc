#include "apps/kubectl-reprise/commands/why_command.h"

#include <ostream>
#include <utility>

#include "apps/kubectl-reprise/cluster/fetch.h"
#include "apps/kubectl-reprise/cluster/scene.h"
#include "apps/kubectl-reprise/why/explain.h"
#include "apps/kubectl-reprise/why/explanation_text.h"
#include "apps/kubectl-reprise/why/reading/fetch_objects.h"

namespace reprise::plugin {
namespace {

class ClientSource final : public why::ObjectSource {
 public:
  explicit ClientSource(runtime::Client& client) : client_(client) {}
  runtime::Result<Json> get(const kube::KindInfo& kind, std::string_view ns, std::string_view name) override {
    return get_json(client_, kind, ns, name);
  }
  runtime::Result<std::vector<Json>> list(const kube::KindInfo& kind, std::string_view ns,
                                          runtime::ListOptions options) override {
    return list_json(client_, kind, ns, std::move(options));
  }

 private:
  runtime::Client& client_;
};

// A bare name is a job's; a pool's when there is no such job.
runtime::Result<why::Objects> fetch(Session& session, const ObjectName& wanted) {
  ClientSource source(session.client());
  if (wanted.kind == ObjectName::Kind::Pool) return why::fetch_for_pool(source, wanted.name);
  auto of_job = why::fetch_for_job(source, session.namespace_(), wanted.name);
  const bool absent = !of_job && of_job.error().error_class == runtime::ErrorClass::NotFound;
  if (!absent || wanted.kind == ObjectName::Kind::Job) return of_job;
  auto of_pool = why::fetch_for_pool(source, wanted.name);
  return of_pool ? std::move(of_pool) : std::move(of_job);
}

runtime::Result<ExitCode> run_why(Session& session) {
  std::ostream& out = session.world.out;
  if (session.arguments.is_set("causes")) {
    out << why::troubleshooting_tables();
    return kDone;
  }
  const auto wanted = object_name(session.arguments.words.front());
  if (!wanted) return std::unexpected(wanted.error());
  const auto objects = fetch(session, *wanted);
  if (!objects) return std::unexpected(objects.error());
  const why::Explanation explanation = why::explain(*objects, session.world.clock.wall());
  const std::string format = session.arguments.value("output").value_or("");
  if (format == "json") {
    out << json_text(why::explanation_json(explanation));
  } else if (format == "yaml") {
    out << yaml_text(why::explanation_json(explanation));
  } else {
    out << why::explanation_text(explanation, session.world.colours);
  }
  return explanation.blocked() ? kBlocked : kDone;
}

}  // namespace

Command why_command() {
  return {
      .name = "why",
      .operands = "NAME",
      .summary = "name the first thing that keeps a job or a pool from going on, and what to do",
      .description =
          "Looks along the chain from the job's conditions to its pods, their volumes, the scheduler, NodeClaims, "
          "NodePools, the pool and quotas, and names the first thing that blocks: the object, what was found there "
          "and the commands that mend it. NAME is a job or a pool: finetune, job/finetune, pool/t4. What you may not "
          "read is shown as unseen and does not count. docs/troubleshooting.md lists all causes.",
      .flags = {{.name = "output",
                 .letter = 'o',
                 .argument = "FORMAT",
                 .help = "json or yaml; the names of causes are stable",
                 .values = {"json", "yaml"}},
                {.name = "causes", .help = "print the tables of all causes, as Markdown", .asks_no_cluster = true}},
      .examples = {{"why a job does not start", "kubectl reprise why finetune -n vision"},
                   {"the same for a script", "kubectl reprise why job/finetune -n vision -o json"},
                   {"why a pool takes no jobs", "kubectl reprise why pool/t4"}},
      .least = 1,
      .most = 1,
      .names = Names::PoolsAndJobs,
      .run = run_why};
}

}  // namespace reprise::plugin
