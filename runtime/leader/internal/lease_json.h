// Coordination.k8s.io/v1 Lease, as far as an elector reads and writes it.
#pragma once

#include <string>
#include <string_view>

#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime {

struct LeaseRecord {
  std::string resource_version;
  std::string holder;
  Duration duration{0};
  WallTime acquired{}, renewed{};
  std::int64_t transitions = 0;
  bool operator==(const LeaseRecord&) const = default;
};

[[nodiscard]] constexpr kube::KindInfo lease_kind() {
  return {"coordination.k8s.io", "v1", "Lease", "leases", true};
}
[[nodiscard]] Result<LeaseRecord> read_lease(std::string_view json);
[[nodiscard]] std::string encode_new_lease(const std::string& ns, const std::string& name, const LeaseRecord& lease);
// A merge patch that holds only if nobody has written the lease since; fields of others stay.
[[nodiscard]] std::string encode_lease_patch(const LeaseRecord& lease);

}  // namespace reprise::runtime
