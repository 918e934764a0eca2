// Registers the controller of GpuPools: what it follows beside the shared kinds, its indexes, and whose change wakes
// which pool.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "controllers/common/shared_informers.h"
#include "controllers/metrics/recorder.h"

namespace reprise::controllers::gpupool {

struct RegisterOptions {
  std::string device_plugin_namespace;  // the namespace of its ConfigMap
  std::string own_namespace = {};       // the namespace of the pods that keep GPUs ready
  std::string agent_image = {};         // the image that they run
  std::string agent_image_pull_policy = {};
  std::vector<std::string> agent_image_pull_secrets = {};
  std::vector<api::InstancePrice> prices = {};  // the cluster's (prices/price_table.h)
  int max_concurrent_reconciles = 4;
};

// The permissions that this controller needs beside shared_permissions() and manager_permissions(). (permissions.cc)
// `device_plugin_namespace` empty: the operator's own.
[[nodiscard]] std::vector<kube::Permission> permissions(const std::string& device_plugin_namespace);

// Lives as long as the manager, the shared informers and the recorder.
class Registration {
 public:
  Registration(runtime::Manager& manager, SharedInformers& shared, metrics::Recorder& recorder,
               const RegisterOptions& options);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace reprise::controllers::gpupool
