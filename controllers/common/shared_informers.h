// The kinds that several controllers follow, each followed once, with the indexes that several of them ask. A
// controller adds what it alone follows itself (its register.cc).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/gpu_pool.h"
#include "api/karpenter.h"
#include "api/resumable_job.h"
#include "controllers/common/indexes.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"
#include "runtime/manager/manager.h"

namespace reprise::controllers {

// The prefix of the only labels and annotations that are read of pods, claims and Services.
inline constexpr std::string_view kOwnKeys = "reprise.dev/";

// Karpenter's kinds may be missing, come and go.
struct SharedInformers {
  explicit SharedInformers(runtime::Manager& manager);
  SharedInformers(const SharedInformers&) = delete;
  SharedInformers& operator=(const SharedInformers&) = delete;

  runtime::Informer<api::ResumableJob>& jobs;
  runtime::Informer<api::GpuPool>& pools;
  runtime::Informer<kube::Pod>& pods;
  runtime::Informer<kube::Node>& nodes;
  runtime::Informer<api::NodeClaim>& node_claims;
  runtime::Informer<api::NodePool>& node_pools;
  runtime::Informer<kube::Namespace>& namespaces;
};

// The permissions that following these kinds needs.
[[nodiscard]] std::vector<kube::Permission> shared_permissions();

// For indexes and mappers: nothing where the value is empty.
[[nodiscard]] std::vector<std::string> one(std::string_view value);
[[nodiscard]] std::vector<runtime::ObjectKey> keyed(std::string_view ns, std::string_view name);

template <class T>
[[nodiscard]] std::vector<std::string> pool_label(const T& object) {
  return one(object.meta.label(kPoolLabel));
}
// The pool that an object is labelled with, and the one that owns it: a label is soon taken off; what a pool has made
// stays its own.
[[nodiscard]] std::vector<std::string> pools_of(const kube::ObjectMeta& meta);

}  // namespace reprise::controllers
