// How far a node is with what has to be done to its GPUs before they can be shared as the pool says. The device plugin
// shows slices by itself; partitions are cut by NVIDIA's MIG manager, which may restart the node for that, and may
// fail.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/gpu_pool.h"
#include "runtime/kube/node.h"

namespace reprise::controllers::gpupool {

enum class Preparation {
  Done,      // or nothing has to be done
  Underway,  // the GPUs that the node shows are not to be counted on
  Failed,
};

[[nodiscard]] Preparation preparation_of(const api::Sharing& spec, const kube::Node& node);

// The report on nodes that have failed: the first by name, what is wrong with it, what to do, how many more. Empty:
// none has.
[[nodiscard]] std::string failed_preparations(const api::Sharing& spec,
                                              const std::vector<std::shared_ptr<const kube::Node>>& nodes);

// The report on nodes that Karpenter calls initialised, of known instance types, that offer a part of what their GPUs
// make by the pool's sharing: the first by name, how many units are missing. Empty: none does. A node that offers
// nothing is another matter: the device plugin may be starting anew.
[[nodiscard]] std::string missing_units(const api::GpuPool& pool,
                                        const std::vector<std::shared_ptr<const kube::Node>>& nodes);

}  // namespace reprise::controllers::gpupool
