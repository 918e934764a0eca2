// ResourceQuota and LimitRange, as the API server's admission applies them to new objects in a namespace. Usage is
// counted anew each time: no controller has to keep status.used.
#pragma once

#include "runtime/base/clock.h"
#include "simulator/api_server/schema/kinds.h"
#include "simulator/api_server/store/store.h"

namespace reprise::simulator {

class NamespaceLimits {
 public:
  // All outlive it.
  NamespaceLimits(const Store& store, const Kinds& kinds, const runtime::Clock& clock);

  // LimitRange: sets the values that containers leave out.
  void set_defaults(const ResourceType& type, Value& object) const;
  // Forbidden by a LimitRange or, after that, by a ResourceQuota.
  Answer<void> admit(ResourceId resource, const Value& object) const;

 private:
  [[nodiscard]] std::vector<VersionPtr> ranges_of(std::string_view namespace_) const;
  Answer<void> admit_by_range(const ResourceType& type, const Value& object, const Value& range) const;
  Answer<void> admit_by_quota(ResourceId resource, const Value& object, const Value& quota) const;

  const Store& store_;
  const Kinds& kinds_;
  const runtime::Clock& clock_;
  ResourceId quotas_, ranges_;
};

}  // namespace reprise::simulator
