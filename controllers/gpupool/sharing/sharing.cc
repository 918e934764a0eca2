#include "controllers/gpupool/sharing/sharing.h"

namespace reprise::controllers::gpupool {

std::string resource_name(const api::Sharing& sharing) {
  switch (sharing.mode) {
    case api::SharingMode::Exclusive:
      return "nvidia.com/gpu";
    case api::SharingMode::TimeSlicing:
    case api::SharingMode::MPS:
      return "nvidia.com/gpu.shared";
    case api::SharingMode::MIG:
      return sharing.mig_devices.empty() ? "" : "nvidia.com/mig-" + sharing.mig_devices.front().profile;
    case api::SharingMode::External:
      return sharing.external_resource_name;
  }
  return {};
}

std::int32_t slices_per_gpu(const api::Sharing& sharing) {
  const bool cut = sharing.mode == api::SharingMode::TimeSlicing || sharing.mode == api::SharingMode::MPS;
  return cut ? sharing.replicas.value_or(1) : 1;
}

std::string device_plugin_key(const api::Sharing& sharing) {
  if (sharing.mode != api::SharingMode::TimeSlicing) return {};
  return "ts-" + std::to_string(slices_per_gpu(sharing));
}

std::string device_plugin_config(const api::Sharing& sharing) {
  return "version: v1\n"
         "sharing:\n"
         "  timeSlicing:\n"
         "    renameByDefault: true\n"
         "    failRequestsGreaterThanOne: true\n"
         "    resources:\n"
         "    - name: nvidia.com/gpu\n"
         "      replicas: " +
         std::to_string(slices_per_gpu(sharing)) + "\n";
}

api::IsolationStatus isolation(const api::Sharing& sharing) {
  switch (sharing.mode) {
    case api::SharingMode::Exclusive:
      return {"Hardware", "Hardware", "Hardware"};
    case api::SharingMode::TimeSlicing:
      return {"None", "None", "None"};
    case api::SharingMode::MPS:
      return {"Limited", "Limited", "None"};
    case api::SharingMode::MIG:
      return {"Hardware", "Hardware", "Hardware"};
    case api::SharingMode::External:
      return {"Unknown", "Unknown", "Unknown"};
  }
  return {};
}

std::string in_words(const api::Sharing& sharing) {
  const std::int32_t slices = slices_per_gpu(sharing);
  return std::string(api::name(sharing.mode)) + (slices > 1 ? " x" + std::to_string(slices) : "");
}

}  // namespace reprise::controllers::gpupool
