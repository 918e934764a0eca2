// Reprise's controllers in one manager. Each registers itself (register.h in its folder): a new one adds a line here.
// Karpenter's kinds may be missing, come and go: pools then say so, and jobs without one run all the same.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "controllers/reports/endpoint_reconciler.h"
#include "controllers/reports/take_report.h"
#include "runtime/manager/manager.h"
#include "runtime/traces/span.h"

namespace reprise::controllers {

struct SetupOptions {
  std::string agent_image = {};              // image that holds /reprise-agent; empty: trainers' images bring the agent
  std::string agent_image_pull_policy = {};  // Always, IfNotPresent or Never; empty: Kubernetes' own choice by the tag
  std::vector<std::string> agent_image_pull_secrets = {};  // Secrets in the namespaces of jobs
  std::string device_plugin_namespace = {};                // the namespace of its ConfigMap
  std::string own_namespace = {};                          // the operator's; where pods are that keep GPUs ready
  std::vector<api::InstancePrice> prices = {};             // the cluster's, below a pool's own
  int max_concurrent_reconciles = 4;
  bool kueue = false;                  // feature gate: jobs that name a LocalQueue wait for Kueue
  bool kueue_priority_boost = false;   // likewise: Kueue is told what a preemption would cost
  runtime::SpanSink* spans = nullptr;  // takes the traces of jobs; outlives the controllers. Without: nothing is traced
  std::size_t job_metrics_limit = 500;    // how many jobs have metrics of their own; 0: none
  reports::EndpointOptions reports = {};  // receives the reports of ranks; without a bind address none
  // For simulations, in place of that: the address that pods are told; their reports come by
  // Controllers::take_report().
  std::optional<reports::ReportTarget> report_target = {};
};

// The options on which permissions depend.
struct PermissionOptions {
  std::vector<std::string> watch_namespaces = {};  // empty: all
  std::string device_plugin_namespace = {};        // empty: the operator's own
  bool kueue = false;                              // feature gate
  bool kueue_priority_boost = false;               // likewise
  bool secure_metrics = false;                     // see ManagerOptions::metrics_secure
  bool reports = false;                            // reports of ranks are received
};

// All that the operator asks of the API server: what its ClusterRole and its Roles have to grant, and no more.
[[nodiscard]] std::vector<kube::Permission> permissions(const PermissionOptions& options = {});

// Lives as long as the manager.
class Controllers {
 public:
  Controllers(runtime::Manager& manager, SetupOptions options);
  ~Controllers();
  Controllers(const Controllers&) = delete;
  Controllers& operator=(const Controllers&) = delete;

  // Takes a report as the port does when it knows the sender, whoever leads.
  [[nodiscard]] runtime::HttpAnswer take_report(const reports::PodIdentity& who, const std::string& body);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::controllers
