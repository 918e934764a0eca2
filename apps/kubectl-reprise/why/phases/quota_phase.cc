// A full ResourceQuota, where pods of the attempt are not made and nobody has said why yet.
#include "apps/kubectl-reprise/why/phases/phases.h"
#include "apps/kubectl-reprise/why/reading/quantity.h"

namespace reprise::plugin::why {
namespace {

// The first resource that the quota has used up; empty: none.
std::string full_resource(const Quota& quota) {
  for (const auto& [resource, hard] : quota.hard) {
    const auto used = quota.used.find(resource);
    if (used == quota.used.end()) continue;
    if (parse_quantity(used->second) >= parse_quantity(hard)) return resource;
  }
  return {};
}

}  // namespace

void look_at_quotas(Inquiry& inquiry) {
  const Job& job = *inquiry.seen.job;
  const bool missing = static_cast<std::int64_t>(ranks_of_attempt(inquiry).size()) < job.ranks;
  for (const Quota& quota : inquiry.seen.quotas) {
    const std::string full = full_resource(quota);
    const ObjectRef object = ref("ResourceQuota", quota.meta);
    if (full.empty() || !missing) {
      inquiry.ok(object, full.empty() ? "has room" : full + " is used up; the job's pods are counted");
      continue;
    }
    return inquiry.found({.cause = Cause::QuotaExceeded,
                          .object = object,
                          .found = full + ": " + quota.used.find(full)->second + " of " +
                                   quota.hard.find(full)->second + " are used, and pods of the job are not made",
                          .to_do = {describe(object), "end something there, or ask for a larger quota"}});
  }
}

}  // namespace reprise::plugin::why
