// Reprise's own kinds, and the objects that show whether its operator runs.
#include <algorithm>
#include <boost/json/serialize.hpp>

#include "api/resumable_job.h"
#include "apps/kubectl-reprise/why/reading/read_common.h"
#include "apps/kubectl-reprise/why/reading/read_objects.h"

namespace reprise::plugin::why {

namespace {

template <class Kind>
std::shared_ptr<const Kind> decoded(const boost::json::value& object) {
  auto whole = kube::KindOf<Kind>::decode(boost::json::serialize(object));
  return whole ? std::make_shared<const Kind>(*std::move(whole)) : nullptr;
}

}  // namespace

Job read_job(const boost::json::value& object) {
  return {.meta = read_meta(object),
          .pool_name = string_at(object, {"spec", "poolName"}),
          .observed_generation = number_at(object, {"status", "observedGeneration"}, -1),
          .conditions = read_conditions(object),
          .attempt = number_at(object, {"status", "attempt"}),
          .ranks = number_at(object, {"spec", "parallelism"}, 1),
          .reports_live = !string_at(object, {"status", "progress", "activity"}).empty(),
          .last_end_reason = string_at(object, {"status", "lastEnd", "reason"}),
          .last_end_message = string_at(object, {"status", "lastEnd", "message"}),
          .unproven_attempt = number_at(object, {"status", "unproven", "attempt"}),
          .unproven_message = string_at(object, {"status", "unproven", "message"}),
          .whole = decoded<api::ResumableJob>(object)};
}

Pool read_pool(const boost::json::value& object) {
  Pool pool{.meta = read_meta(object),
            .observed_generation = number_at(object, {"status", "observedGeneration"}, -1),
            .resource_name = string_at(object, {"status", "resourceName"}),
            .conditions = read_conditions(object),
            .node_pools = {},
            .jobs = {},
            .whole = decoded<api::GpuPool>(object)};
  constexpr std::int64_t kNotSaid = -1;
  if (const auto jobs = number_at(object, {"status", "jobs"}, kNotSaid); jobs != kNotSaid) pool.jobs = jobs;
  for (const auto& entry : items_at(object, {"status", "nodePools"})) {
    pool.node_pools.push_back({.name = string_at(entry, {"name"}), .ready = flag_at(entry, {"ready"})});
  }
  return pool;
}

OperatorDeployment read_deployment(const boost::json::value& object) {
  return {.meta = read_meta(object),
          .wanted = number_at(object, {"spec", "replicas"}, 1),
          .ready = number_at(object, {"status", "readyReplicas"})};
}

OperatorLease read_lease(const boost::json::value& object) {
  return {.meta = read_meta(object),
          .holder = string_at(object, {"spec", "holderIdentity"}),
          .renewed = time_at(object, {"spec", "renewTime"}),
          .duration_seconds = number_at(object, {"spec", "leaseDurationSeconds"}, 15)};
}

}  // namespace reprise::plugin::why
