#include "simulator/scenarios/workload/storage_classes.h"

#include "simulator/cluster/installation.h"

namespace reprise::simulator {
namespace {

Value storage_class(std::string_view name, std::string_view binding) {
  return JsonObject{{"apiVersion", "storage.k8s.io/v1"},
                    {"kind", "StorageClass"},
                    {"metadata", JsonObject{{"name", name}}},
                    {"provisioner", "simulated.csi.example.com"},
                    {"reclaimPolicy", "Delete"},
                    {"volumeBindingMode", binding}};
}

}  // namespace

runtime::Result<void> create_storage_classes(ApiServer& api) {
  for (const Value& each : {storage_class("zonal", "WaitForFirstConsumer"), storage_class("shared", "Immediate")})
    if (auto made = create_missing(api, "storage.k8s.io", "storageclasses", each); !made) return made;
  return {};
}

}  // namespace reprise::simulator
