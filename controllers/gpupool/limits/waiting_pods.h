// Pods that select a pool and have no node: Karpenter is asked for machines for them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "controllers/gpupool/decide/observation.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "runtime/base/clock.h"

namespace reprise::controllers::gpupool {

// The pool that a pod selects, while it has no node; empty: none.
[[nodiscard]] std::string_view pool_asked_for(const kube::Pod& pod);
// True for a pod without a node that asks for devices and selects no pool: it may run on any that it tolerates.
[[nodiscard]] bool asks_for_gpus_anywhere(const kube::Pod& pod);
// True for a pool with a limit of cost, with GPUs that are kept ready, or with nodes that have drifted; waiting pods
// change nothing for the others.
[[nodiscard]] bool looks_at_waiting_pods(const api::GpuPool& pool);
// True for a pod that holds nothing of its node any more.
[[nodiscard]] bool has_ended(const kube::Pod& pod);
// True for a pod that waits for a machine: nobody holds it back, and it is not on its way out.
[[nodiscard]] bool waits_for_node(const kube::Pod& pod);
// The one type of capacity that it takes; empty: it takes any.
[[nodiscard]] std::optional<api::CapacityType> capacity_asked_for(const kube::Pod& pod);
// The GPUs that the pod needs, one at the least: a machine of the pool has GPUs, whatever the pod asks for.
[[nodiscard]] std::int64_t gpus_asked_for(const kube::Pod& pod, const GpuSharing& sharing);
// True for a NodeClaim that is launched, so that a machine will come: where the cloud has none it never is.
[[nodiscard]] bool is_on_its_way(const api::NodeClaim& claim);

// Measures for how long each pod of one pool has waited without an answer: since it came, or since a machine of the
// pool was last on its way, which may be for any of them; but not for one by which machines have passed for a quarter
// of an hour. By this process's own clock. One thread.
class Unanswered {
 public:
  using Times = std::map<std::string, std::chrono::seconds, std::less<>>;
  // To be called at each pass; forgets pods that wait no more. By uid.
  [[nodiscard]] Times look(const Observation& seen, runtime::Instant now);

 private:
  struct Wait {
    runtime::Instant came, unanswered_since;
  };
  std::map<std::string, Wait, std::less<>> waits_;
};

}  // namespace reprise::controllers::gpupool
