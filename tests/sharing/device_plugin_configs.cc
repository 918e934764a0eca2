// Prints, as JSON, every configuration of the device plugin that Reprise may write, by its key, and what Reprise says
// of the pools that use it.
#include <boost/json.hpp>
#include <iostream>

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
  std::cout << json::serialize(json::object{{"configs", configs}, {"pools", pools}}) << '\n';
}
