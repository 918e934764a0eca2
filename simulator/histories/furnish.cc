#include "simulator/histories/furnish.h"

#include <string>
#include <utility>

#include "crds/embedded.h"
#include "runtime/base/last_words.h"
#include "simulator/histories/workload.h"

namespace reprise::simulator {
namespace {

Value namespace_object(std::string_view name) {
  return JsonObject{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", JsonObject{{"name", name}}}};
}

Value storage_class(std::string_view name, std::string_view binding) {
  return JsonObject{{"apiVersion", "storage.k8s.io/v1"},
                    {"kind", "StorageClass"},
                    {"metadata", JsonObject{{"name", name}}},
                    {"provisioner", "simulated.csi.example.com"},
                    {"reclaimPolicy", "Delete"},
                    {"volumeBindingMode", binding}};
}

// As the chart has it.
Value standby_priority() {
  return JsonObject{{"apiVersion", "scheduling.k8s.io/v1"},
                    {"kind", "PriorityClass"},
                    {"metadata", JsonObject{{"name", "reprise-standby"}}},
                    {"value", -10},
                    {"preemptionPolicy", "Never"}};
}

}  // namespace

void serve_own_kinds(ApiServer& api) {
  for (const std::string_view crd : {crds::gpu_pools(), crds::resumable_jobs()}) {
    if (const auto added = api.add_custom_resource(crd); !added)
      runtime::end_process("the embedded cluster cannot read the project's CRDs: " + added.error().message);
  }
}

runtime::Result<void> furnish(ApiServer& api) {
  const auto create = [&](std::string_view group, std::string_view plural, Value object) -> runtime::Result<void> {
    auto made = api.create(api.resource(group, plural), std::move(object));
    if (!made) return std::unexpected(std::move(made).error());
    return {};
  };
  for (const std::string_view name : {kJobNamespace, std::string_view("reprise-system")})
    if (auto made = create("", "namespaces", namespace_object(name)); !made) return made;
  if (auto made = create("storage.k8s.io", "storageclasses", storage_class("zonal", "WaitForFirstConsumer")); !made)
    return made;
  if (auto made = create("storage.k8s.io", "storageclasses", storage_class("shared", "Immediate")); !made) return made;
  return create("scheduling.k8s.io", "priorityclasses", standby_priority());
}

}  // namespace reprise::simulator
