// Reprise's controllers in one manager. Each registers itself (register.h in its folder): a new one adds a line here.
// Karpenter's kinds may be missing, come and go: pools then say so, and jobs without one run all the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/manager/manager.h"

namespace reprise::controllers {

struct SetupOptions {
  std::string agent_image;         // image that holds /reprise-agent; empty: trainers' images bring the agent
  std::string operator_namespace;  // where the device plugin's ConfigMap lives
  int max_concurrent_reconciles = 4;
};

// All that the operator asks of the API server: what its ClusterRole and its Role have to grant, and no more.
[[nodiscard]] std::vector<kube::Permission> permissions();

// Lives as long as the manager.
class Controllers {
 public:
  Controllers(runtime::Manager& manager, SetupOptions options);
  ~Controllers();
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::controllers
