#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "apps/reprise/lint/edits.h"
#include "apps/reprise/lint/rules/decoded.h"
#include "apps/reprise/lint/rules/rules.h"
#include "controllers/gpupool/decide/decide.h"
#include "controllers/gpupool/rentable/machines.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "controllers/resumablejob/decide/validate.h"

namespace reprise::apps::lint {
namespace {

namespace gpupool = controllers::gpupool;
namespace resumablejob = controllers::resumablejob;

// The pool that the job would find: the one of these files, else one that takes everything. It is there and ready, for
// nothing is known of the cluster.
std::shared_ptr<api::GpuPool> pool_for(const api::ResumableJob& job, const Manifest* written,
                                       const kube::StringMap* namespace_labels) {
  auto pool = written == nullptr ? nullptr : decoded<api::GpuPool>(*written);
  if (!pool) {
    pool = std::make_shared<api::GpuPool>();
    pool->meta.name = job.spec.pool_name;
  }
  pool->status.resource_name = gpupool::sharing_of(pool->spec.sharing).resource_name;
  if (pool->status.resource_name.empty()) pool->status.resource_name = "unknown";
  if (namespace_labels == nullptr) pool->spec.allowed_namespaces.reset();
  return pool;
}

const Manifest* object_of(const std::vector<Manifest>& all, std::string_view kind, std::string_view namespace_,
                          std::string_view name) {
  const auto found = std::ranges::find_if(all, [&](const Manifest& each) {
    return each.kind() == kind && each.name() == name && (namespace_.empty() || each.namespace_() == namespace_);
  });
  return found == all.end() ? nullptr : &*found;
}

// What the claim that the job names is: as written in these files, else whatever serves.
std::shared_ptr<kube::PersistentVolumeClaim> claim_named(const std::string& name, const Manifest* written) {
  if (written != nullptr)
    if (auto claim = decoded<kube::PersistentVolumeClaim>(*written)) return claim;
  auto claim = std::make_shared<kube::PersistentVolumeClaim>();
  claim->meta.name = name;
  claim->access_modes = {kube::Text("ReadWriteMany")};
  return claim;
}

// The operator's messages end in what to do: "; remove it", "; write Shared".
std::optional<Edit> mend_of(const Manifest& manifest, const std::string& field, const std::string& message) {
  const Node* node = manifest.find(field);
  if (node != nullptr && node->kind == Node::Kind::Sequence) return {};
  // A word takes the place of a word, never of what has members of its own.
  const bool is_word = node != nullptr && node->kind == Node::Kind::Scalar;
  std::string value;
  static const re2::RE2 write(R"re((?s).*; write "?([A-Za-z0-9.-]+)"?(?: or .*| \(.*)?)re");
  static const re2::RE2 must_be(R"((?s).*, must be (\d+)(?::.*)?|(?s).*; must be (\d+))");
  std::string other;
  if (message.ends_with("remove it")) return remove(manifest, field);
  if (is_word && re2::RE2::FullMatch(message, write, &value)) return replace_value(manifest, field, value);
  if (is_word && re2::RE2::FullMatch(message, must_be, &value, &other))
    return replace_value(manifest, field, value.empty() ? other : value);
  if (message.find(": must be absent") != std::string::npos ||
      message.find("the operator sets it itself") != std::string::npos)
    return remove(manifest, field);
  if (field.ends_with(".restartPolicy")) return remove(manifest, field);
  return {};
}

void add(const Manifest& manifest, const std::string& reason, const std::string& message, Report& report) {
  static const re2::RE2 shape(R"((?s)(spec[^\s:]*(?:: [a-z0-9.-]+/[a-z0-9.-]+)?):? (.*))");
  std::string field = "spec";
  std::string rest = message;
  re2::RE2::FullMatch(message, shape, &field, &rest);
  // "spec.template.metadata: reprise.dev/x is one of ...": the key is part of the place.
  if (const auto colon = field.find(": "); colon != std::string::npos) {
    const std::string key = field.substr(colon + 2);
    for (const char* map : {".labels.", ".annotations."})
      if (manifest.find(field.substr(0, colon) + map + key) != nullptr) {
        field = field.substr(0, colon) + map + key;
        break;
      }
  }
  report.add(Severity::Error, "operator/" + reason, manifest, field, rest, {mend_of(manifest, field, message)});
}

void look_at_job(const Manifest& manifest, const std::vector<Manifest>& all, Report& report) {
  const auto job = decoded<api::ResumableJob>(manifest);
  if (!job) return;
  resumablejob::Observation seen{.job = job};
  job->meta.namespace_ = std::string(manifest.namespace_());
  std::optional<kube::StringMap> labels;
  if (const Manifest* found = object_of(all, "Namespace", "", manifest.namespace_())) {
    labels.emplace();
    for (const auto& label : simulator::object(found->object, {"metadata", "labels"}))
      labels->emplace(std::string(label.key()), std::string(simulator::text(label.value(), {})));
    seen.namespace_labels = *labels;
  }
  if (!job->spec.pool_name.empty()) seen.pool = pool_for(*job, pool_of(manifest, all), labels ? &*labels : nullptr);
  if (const std::string claim(job->spec.checkpoint.volume.claim_name); !claim.empty())
    seen.claims.emplace(claim,
                        claim_named(claim, object_of(all, "PersistentVolumeClaim", manifest.namespace_(), claim)));
  for (const resumablejob::Problem& problem : resumablejob::find_problems(seen))
    add(manifest, problem.reason, problem.message, report);
}

// Why the pool is stalled; of what else the operator says the cluster decides.
constexpr std::string_view kToldByTheFiles[] = {"NotSupported",   "InvalidSpec",       "NodePoolNotOwned",
                                                "NoInstanceType", "LimitBelowOneNode", "CostLimitBelowOneNode"};

void look_at_pool(const Manifest& manifest, const std::vector<Manifest>& all, Report& report) {
  const auto pool = decoded<api::GpuPool>(manifest);
  if (!pool) return;
  pool->status = {};
  pool->meta.uid = "u";
  gpupool::Observation seen{.pool = pool};
  for (const Manifest& each : all) {
    if (each.kind() != "NodePool" || each.api_version() != "karpenter.sh/v1") continue;
    if (auto node_pool = decoded<api::NodePool>(each)) seen.node_pools.emplace(std::string(each.name()), node_pool);
  }
  // As the chart starts the operator; it watches every namespace.
  const gpupool::Plan plan = gpupool::decide(seen, {.agent_image = "reprise"});
  for (const kube::Condition& condition : plan.status.conditions)
    if (condition.type == "Stalled" && condition.status == kube::ConditionStatus::True &&
        std::ranges::find(kToldByTheFiles, condition.reason.view()) != std::end(kToldByTheFiles))
      add(manifest, std::string(condition.reason), std::string(condition.message), report);
}

}  // namespace

void operator_rules(const Manifest& manifest, const std::vector<Manifest>& all, Report& report) {
  // The API server rejects capitals in a model, and does not say what was meant.
  model_rules(manifest, report);
  // What the API server rejects never comes before the operator.
  if (report.has_errors(manifest)) return;
  if (manifest.kind() == "ResumableJob") look_at_job(manifest, all, report);
  if (manifest.kind() == "GpuPool") look_at_pool(manifest, all, report);
  rentable_rules(manifest, all, report);
}

}  // namespace reprise::apps::lint
