// The controller "reports", and what it needs.
#pragma once

#include <memory>
#include <vector>

#include "controllers/common/shared_informers.h"
#include "controllers/reports/endpoint_reconciler.h"
#include "controllers/reports/inbox.h"
#include "runtime/kube/permission.h"
#include "runtime/manager/manager.h"

namespace reprise::controllers::reports {

[[nodiscard]] std::vector<kube::Permission> permissions();

// Lives as long as the manager; `inbox` outlives it.
class Registration {
 public:
  Registration(runtime::Manager& manager, SharedInformers& shared, Inbox& inbox, EndpointOptions options);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::controllers::reports
