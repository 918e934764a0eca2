#include "runtime/leader/internal/lease_json.h"

#include "api/time.h"
#include "runtime/internal/json.h"

namespace reprise::runtime {
namespace {

Json::Value spec_of(const LeaseRecord& lease) {
  Json::Value spec(Json::objectValue);
  spec["holderIdentity"] = lease.holder;
  spec["leaseDurationSeconds"] = Json::Int64(std::chrono::duration_cast<std::chrono::seconds>(lease.duration).count());
  spec["acquireTime"] = api::format_micro_time(lease.acquired);
  spec["renewTime"] = api::format_micro_time(lease.renewed);
  spec["leaseTransitions"] = Json::Int64(lease.transitions);
  return spec;
}

WallTime time_of(const Json::Value& spec, std::string_view field) {
  return api::parse_time(internal::text_of(spec, field)).value_or(WallTime{});
}

}  // namespace

Result<LeaseRecord> read_lease(std::string_view json) {
  const auto root = internal::parse_json(json);
  if (!root || !root->isObject()) return fail(ErrorClass::Terminal, "the Lease is not a JSON object");
  const Json::Value& spec = internal::member(*root, "spec");
  LeaseRecord lease;
  lease.resource_version = internal::text_of(internal::member(*root, "metadata"), "resourceVersion");
  lease.holder = internal::text_of(spec, "holderIdentity");
  lease.duration = std::chrono::seconds(internal::number_of(spec, "leaseDurationSeconds"));
  lease.acquired = time_of(spec, "acquireTime");
  lease.renewed = time_of(spec, "renewTime");
  lease.transitions = internal::number_of(spec, "leaseTransitions");
  return lease;
}

std::string encode_new_lease(const std::string& ns, const std::string& name, const LeaseRecord& lease) {
  Json::Value root(Json::objectValue);
  root["apiVersion"] = "coordination.k8s.io/v1";
  root["kind"] = "Lease";
  root["metadata"]["namespace"] = ns;
  root["metadata"]["name"] = name;
  root["spec"] = spec_of(lease);
  return internal::write_json(root);
}

std::string encode_lease_patch(const LeaseRecord& lease) {
  Json::Value root(Json::objectValue);
  root["metadata"]["resourceVersion"] = lease.resource_version;
  root["spec"] = spec_of(lease);
  return internal::write_json(root);
}

}  // namespace reprise::runtime
