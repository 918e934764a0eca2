#include "apps/kubectl-reprise/why/reading/fetch_objects.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/gpu_pool.h"
#include "api/karpenter.h"
#include "api/labels.h"
#include "api/resumable_job.h"
#include "apps/kubectl-reprise/why/reading/read_objects.h"
#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::plugin::why {
namespace {

constexpr kube::KindInfo kDeployments{"apps", "v1", "Deployment", "deployments", true};
constexpr kube::KindInfo kLeases{"coordination.k8s.io", "v1", "Lease", "leases", true};
constexpr kube::KindInfo kEvents{"", "v1", "Event", "events", true};
constexpr kube::KindInfo kQuotas{"", "v1", "ResourceQuota", "resourcequotas", true};
constexpr kube::KindInfo kStorageClasses{"storage.k8s.io", "v1", "StorageClass", "storageclasses", false};

// Fetches one object after the other; the first failure that matters stays as the error.
class Fetcher {
 public:
  explicit Fetcher(ObjectSource& source) : source_(source) {}
  Objects objects;
  std::optional<runtime::Error> error;

  void list(const kube::KindInfo& kind, std::string_view ns, runtime::ListOptions options = {}) {
    if (error) return;
    auto items = source_.list(kind, ns, std::move(options));
    if (!items) return note(kind, std::move(items).error(), Missing::Kind);
    for (const auto& item : *items) put(kind.kind, item, objects);
  }
  // Leaves out a missing object.
  void get(const kube::KindInfo& kind, std::string_view ns, std::string_view name) {
    if (error) return;
    auto object = source_.get(kind, ns, name);
    if (!object) return note(kind, std::move(object).error(), Missing::Object);
    put(kind.kind, *object, objects);
  }
  void must_get(const kube::KindInfo& kind, std::string_view ns, std::string_view name) {
    if (error) return;
    auto object = source_.get(kind, ns, name);
    if (!object) {
      error = std::move(object).error();
      return;
    }
    put(kind.kind, *object, objects);
  }

 private:
  enum class Missing { Object, Kind };
  void note(const kube::KindInfo& kind, runtime::Error problem, Missing missing) {
    const bool absent = problem.error_class == runtime::ErrorClass::NotFound;
    if (absent && missing == Missing::Object) return;
    if (!absent && problem.error_class != runtime::ErrorClass::Forbidden) {
      error = std::move(problem);
      return;
    }
    if (!objects.saw(kind.kind)) return;
    objects.unseen.push_back({.kind = std::string(kind.kind), .why = absent ? "not served" : problem.message});
  }
  ObjectSource& source_;
};

void fetch_operator(Fetcher& fetch) {
  fetch.list(kDeployments, "", {.label_selector = "app.kubernetes.io/name=reprise"});
  fetch.list(kLeases, "", {.field_selector = "metadata.name=reprise-operator"});
}

// Fetches NodePools, their NodeClaims and nodes, and Karpenter's Events about those.
void fetch_machines(Fetcher& fetch) {
  if (!fetch.objects.pool) return;
  std::string names;
  for (const NodePoolOfPool& own : fetch.objects.pool->node_pools) {
    names += (names.empty() ? "" : ",") + own.name;
    fetch.get(kube::KindOf<api::NodePool>::info(), "", own.name);
  }
  if (names.empty()) return;
  fetch.list(kube::KindOf<api::NodeClaim>::info(), "", {.label_selector = "karpenter.sh/nodepool in (" + names + ")"});
  fetch.list(kEvents, "default", {.field_selector = "involvedObject.kind=NodeClaim"});
}

void fetch_namespace(Fetcher& fetch, std::string_view ns, std::string_view job) {
  fetch.list(kube::KindOf<kube::Pod>::info(), ns,
             {.label_selector = std::string(api::kJobLabel) + "=" + std::string(job)});
  fetch.list(kube::KindOf<kube::PersistentVolumeClaim>::info(), ns);
  fetch.list(kQuotas, ns);
  fetch.list(kStorageClasses, "");
  for (const char* kind : {"Pod", "PersistentVolumeClaim"}) {
    fetch.list(kEvents, ns, {.field_selector = std::string("involvedObject.kind=") + kind});
  }
  std::set<std::string> nodes;
  for (const Pod& pod : fetch.objects.pods) nodes.insert(pod.node_name);
  nodes.erase("");
  for (const std::string& node : nodes) fetch.get(kube::KindOf<kube::Node>::info(), "", node);
}

runtime::Result<Objects> result_of(Fetcher& fetch) {
  if (fetch.error) return std::unexpected(*std::move(fetch.error));
  return std::move(fetch.objects);
}

}  // namespace

runtime::Result<Objects> fetch_for_job(ObjectSource& source, std::string_view ns, std::string_view name) {
  Fetcher fetch(source);
  fetch.objects.subject = {.kind = "ResumableJob", .namespace_ = std::string(ns), .name = std::string(name)};
  fetch.must_get(kube::KindOf<api::ResumableJob>::info(), ns, name);
  if (fetch.error) return result_of(fetch);
  fetch_operator(fetch);
  fetch_namespace(fetch, ns, name);
  if (const std::string& pool = fetch.objects.job->pool_name; !pool.empty()) {
    fetch.get(kube::KindOf<api::GpuPool>::info(), "", pool);
  }
  fetch_machines(fetch);
  return result_of(fetch);
}

runtime::Result<Objects> fetch_for_pool(ObjectSource& source, std::string_view name) {
  Fetcher fetch(source);
  fetch.objects.subject = {.kind = "GpuPool", .namespace_ = {}, .name = std::string(name)};
  fetch.must_get(kube::KindOf<api::GpuPool>::info(), "", name);
  fetch_operator(fetch);
  fetch_machines(fetch);
  return result_of(fetch);
}

}  // namespace reprise::plugin::why
