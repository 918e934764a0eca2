// Reads objects from the API server's JSON. Reading never fails: a missing field, or one of another type, is absent.
#pragma once

#include <boost/json/value.hpp>

#include "apps/kubectl-reprise/why/reading/objects.h"

namespace reprise::plugin::why {

[[nodiscard]] Meta read_meta(const boost::json::value& object);
[[nodiscard]] Conditions read_conditions(const boost::json::value& object);  // its status' conditions
[[nodiscard]] Job read_job(const boost::json::value& object);
[[nodiscard]] Pool read_pool(const boost::json::value& object);
[[nodiscard]] Pod read_pod(const boost::json::value& object);
[[nodiscard]] Claim read_claim(const boost::json::value& object);
[[nodiscard]] StorageClass read_storage_class(const boost::json::value& object);
[[nodiscard]] Event read_event(const boost::json::value& object);
[[nodiscard]] Node read_node(const boost::json::value& object);
[[nodiscard]] NodeClaim read_node_claim(const boost::json::value& object);
[[nodiscard]] NodePool read_node_pool(const boost::json::value& object);
[[nodiscard]] Quota read_quota(const boost::json::value& object);
[[nodiscard]] OperatorDeployment read_deployment(const boost::json::value& object);
[[nodiscard]] OperatorLease read_lease(const boost::json::value& object);

// Puts an object of that kind into its list ("ResumableJob", "Pod", "Lease", ...); items of a list do not name their
// kind. Other kinds are left out.
void put(std::string_view kind, const boost::json::value& object, Objects& into);

}  // namespace reprise::plugin::why
