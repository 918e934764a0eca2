// Prints, as JSON, every configuration of the device plugin that Reprise may write, by its key, what Reprise says of
// the pools that use it, and by which layout of mig-parted it has the GPUs of each model cut into how many partitions.
#include <boost/json.hpp>
#include <iostream>

#include "controllers/gpupool/node_pools/device_plugin.h"
#include "controllers/gpupool/sharing/mig_geometry.h"
#include "controllers/gpupool/sharing/sharing.h"

namespace {

namespace api = reprise::api;
namespace json = boost::json;
using reprise::controllers::gpupool::GpuSharing;

json::object said_of(const api::Sharing& spec) {
  const GpuSharing sharing = reprise::controllers::gpupool::sharing_of(spec);
  json::object out{{"mode", api::name(spec.mode)}, {"resourceName", sharing.resource_name}};
  out["unitsPerGpu"] = sharing.units_per_gpu;
  if (sharing.max_units) out["maxUnits"] = *sharing.max_units;
  if (sharing.device_plugin) out["key"] = sharing.device_plugin->key;
  return out;
}

json::array layouts() {
  json::array out;
  for (const auto& gpu : reprise::controllers::gpupool::mig_geometries())
    for (const auto& profile : gpu.profiles) {
      const std::int32_t most = reprise::controllers::gpupool::most_of(gpu, profile.name);
      api::Sharing spec;
      spec.mode = api::SharingMode::MIG;
      spec.mig_devices = {{std::string(profile.name), most}};
      out.push_back(json::object{
          {"model", gpu.model},
          {"memoryMiB", gpu.memory_mib},
          {"profile", profile.name},
          {"most", most},
          {"layout", reprise::controllers::gpupool::sharing_of(spec).node_labels.at("nvidia.com/mig.config")}});
    }
  return out;
}

}  // namespace

int main() {
  json::object configs;
  for (const auto& each : reprise::controllers::gpupool::all_device_plugin_configs()) configs[each.key] = each.content;
  json::array pools;
  for (const auto mode : {api::SharingMode::TimeSlicing, api::SharingMode::MPS})
    for (std::int32_t replicas = 2; replicas <= 48; ++replicas) {
      api::Sharing spec;
      spec.mode = mode;
      spec.replicas = replicas;
      pools.push_back(said_of(spec));
    }
  api::Sharing partitions;
  partitions.mode = api::SharingMode::MIG;
  partitions.mig_devices = {{"1g.5gb", 7}};
  pools.push_back(said_of(partitions));
  std::cout << json::serialize(json::object{{"configs", configs},
                                            {"default", reprise::controllers::gpupool::kSharesNothing},
                                            {"pools", pools},
                                            {"layouts", layouts()}})
            << '\n';
}
