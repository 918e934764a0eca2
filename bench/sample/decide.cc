#include "bench/sample/decide.h"

#include <fmt/format.h>
#include <json/reader.h>

#include <algorithm>
#include <memory>

#include "bench/sample/job_template.h"
#include "runtime/base/json_tree.h"
#include "runtime/kube/object_writer.h"

namespace bench {
namespace {

Json::Value parsed_template() {
  const std::unique_ptr<Json::CharReader> reader(Json::CharReaderBuilder().newCharReader());
  Json::Value job;
  reader->parse(job_template.data(), job_template.data() + job_template.size(), &job, nullptr);
  return job;
}

}  // namespace

Status decide(const Seen& seen) {
  const Status& before = seen.job.status;
  const bool disrupted =
      std::ranges::any_of(seen.pods, [&](const auto& pod) { return pod->attempt == before.attempt && pod->disrupted; });
  Status status;
  status.attempt = before.attempt + (disrupted ? 1 : 0);
  status.pods = static_cast<std::int32_t>(seen.pods.size());
  status.ready =
      static_cast<std::int32_t>(std::ranges::count_if(seen.pods, [](const auto& pod) { return pod->ready; }));
  status.nodes_healthy = !seen.a_node_is_tainted;
  status.observed_generation = seen.job.generation;
  const bool same = before.observed_generation >= 0 && before.nodes_healthy == status.nodes_healthy;
  status.healthy_since = same ? before.healthy_since : seen.now;
  return status;
}

std::string job_name(const BenchJob& owner, std::int32_t attempt) {
  return fmt::format("{}-{}", owner.meta.name, attempt);
}

std::string encode_job(const BenchJob& owner, std::int32_t attempt) {
  static const Json::Value parsed = parsed_template();
  Json::Value job = parsed;
  Json::Value& metadata = job["metadata"];
  metadata["name"] = job_name(owner, attempt);
  metadata["namespace"] = owner.meta.namespace_;
  Json::Value& reference = metadata["ownerReferences"][0];
  reference["apiVersion"] = "bench.reprise.dev/v1";
  reference["kind"] = "BenchJob";
  reference["name"] = owner.meta.name;
  reference["uid"] = owner.meta.uid;
  reference["controller"] = true;
  reference["blockOwnerDeletion"] = true;
  return reprise::runtime::compact_json(job);
}

std::string encode_status(const Status& status) {
  return kube::ObjectWriter()
      .integer("status.attempt", status.attempt)
      .integer("status.pods", status.pods)
      .integer("status.ready", status.ready)
      .conditions("status.conditions",
                  {{.type = "NodesHealthy",
                    .status = status.nodes_healthy ? kube::ConditionStatus::True : kube::ConditionStatus::False,
                    .observed_generation = status.observed_generation,
                    .last_transition_time = status.healthy_since,
                    .reason = status.nodes_healthy ? "Healthy" : "Tainted",
                    .message = ""}})
      .json();
}

}  // namespace bench
