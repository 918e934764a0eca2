#include "bench/sample/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/sample/job_template.h"

namespace bench {

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
  constexpr std::string_view metadata = R"("metadata": {)";
  constexpr std::size_t at = job_template.find(metadata) + metadata.size();
  return fmt::format(
      R"({}"name":"{}-{}","namespace":"{}","ownerReferences":[{{"apiVersion":"bench.reprise.dev/v1","kind":"BenchJob",)"
      R"("name":"{}","uid":"{}","controller":true,"blockOwnerDeletion":true}}],{})",
      job_template.substr(0, at), owner.meta.name, attempt, owner.meta.namespace_, owner.meta.name, owner.meta.uid,
      job_template.substr(at));
}

std::string encode_status(const Status& status) {
  return fmt::format(
      R"({{"status":{{"attempt":{},"pods":{},"ready":{},"conditions":[{{"type":"NodesHealthy","status":"{}",)"
      R"("reason":"{}","message":"","observedGeneration":{},"lastTransitionTime":"{}"}}]}}}})",
      status.attempt, status.pods, status.ready, status.nodes_healthy ? "True" : "False",
      status.nodes_healthy ? "Healthy" : "Tainted", status.observed_generation,
      kube::format_time(status.healthy_since));
}

}  // namespace bench
