#include <algorithm>

#include "controllers/gpupool/providers/catalog.h"
#include "controllers/gpupool/sharing/back_ends.h"
#include "controllers/gpupool/sharing/mig_geometry.h"

namespace reprise::controllers::gpupool {
namespace {

// NVIDIA's MIG manager on the node cuts its GPUs as the layout of this name says.
constexpr std::string_view kLayoutLabel = "nvidia.com/mig.config";
// The MIG manager says in this label how far it is: pending, rebooting, success, failed.
constexpr std::string_view kStateLabel = "nvidia.com/mig.config.state";

// Puts each profile under a resource of its own: Karpenter would take partitions for whole GPUs where they are called
// so.
DevicePluginConfig mixed() {
  return {.key = "mig-mixed", .content = "version: v1\nflags:\n  migStrategy: mixed\n"};
}

std::string devices_field(std::string_view name) {
  return "spec.sharing.migDevices[0]." + std::string(name);
}

std::string models_text() {
  std::string out;
  for (const MigGeometry& each : mig_geometries())
    if (out.find(each.model) == std::string::npos) out += (out.empty() ? "" : ", ") + std::string(each.model);
  return out;
}

// The fields in which a pool says which GPUs its nodes have.
std::string fields_of_gpus(const api::GpuPoolSpec& spec) {
  return spec.existing_nodes ? "spec.gpu.models and spec.existingNodes.selector" : "spec.gpu and spec.instanceTypes";
}

std::optional<std::string> misfit_of(const api::GpuPoolSpec& spec, const std::vector<const MigGeometry*>& gpus,
                                     std::string_view model) {
  const api::MigDevice& device = spec.sharing.mig_devices.front();
  const auto with_profile = std::ranges::find_if(gpus, [&](const auto* gpu) { return gpu->find(device.profile); });
  if (with_profile == gpus.end())
    return devices_field("profile") + ": found " + device.profile + ", " + std::string(model) + " can be cut into " +
           profiles_text(*gpus.front()) + "; choose one of these, or narrow " + fields_of_gpus(spec);
  if (std::ranges::any_of(gpus, [&](const auto* gpu) { return most_of(*gpu, device.profile) == device.count; }))
    return std::nullopt;
  const std::string most = std::to_string(most_of(**with_profile, device.profile));
  return devices_field("count") + ": found " + std::to_string(device.count) + ", " + std::string(model) +
         " is cut into as many as fit, " + most + " of " + device.profile + "; write " + most +
         " or leave such nodes out by " + fields_of_gpus(spec);
}

// The kinds of GPU that nodes of the pool may have, by the name to call them. An instance type is a kind of its own,
// for models of one name differ in memory. A model that the catalogue does not know, and one of nodes that are there
// already, whose selector tells them apart, is a kind of all GPUs that bear its name.
struct Kind {
  std::string name;
  std::vector<const MigGeometry*> geometries;
};

std::vector<Kind> kinds_of(const api::GpuPoolSpec& spec) {
  std::vector<Kind> out;
  std::vector<std::string_view> known;
  for (const InstanceType& type : catalog()) {
    if (spec.existing_nodes || !admits(spec, type)) continue;
    known.push_back(type.gpu_model);
    out.push_back({std::string(type.gpu_model) + " of " + std::string(type.name),
                   mig_geometries_of(type.gpu_model, type.gpu_memory_mib)});
  }
  for (const std::string& model : spec.gpu.models)
    if (std::ranges::find(known, model) == known.end()) out.push_back({model, mig_geometries_of(model)});
  return out;
}

std::optional<std::string> misfit(const api::GpuPoolSpec& spec) {
  if (spec.sharing.mig_devices.empty()) return std::nullopt;  // the API server has refused it
  if (spec.gpu.models.empty() && spec.instance_types.empty())
    return "spec.gpu.models: found none, a pool by MIG must name its GPUs, some of " + models_text();
  for (const Kind& kind : kinds_of(spec)) {
    if (kind.geometries.empty())
      return "spec.gpu: found " + kind.name + ", which cannot be cut by MIG, as " + models_text() + " can; narrow " +
             fields_of_gpus(spec);
    if (auto said = misfit_of(spec, kind.geometries, kind.name)) return said;
  }
  return std::nullopt;
}

GpuSharing share(const api::Sharing& spec) {
  GpuSharing out{.isolation = {"Hardware", "Hardware", "Hardware"}, .max_units = 1, .summary = "MIG"};
  if (spec.mig_devices.size() != 1) {
    out.unsupported =
        Unsupported{.field = "spec.sharing.migDevices: found " + std::to_string(spec.mig_devices.size()) + " profiles",
                    .instead = "write one, and a pool of its own for each other: a unit of a pool is one resource"};
    return out;
  }
  const api::MigDevice& device = spec.mig_devices.front();
  if (device.profile.find_first_not_of("0123456789gb.") != std::string::npos) {
    out.unsupported = Unsupported{.field = devices_field("profile") + ": found " + device.profile,
                                  .instead = "choose a profile without media extensions, such as 1g.10gb"};
    return out;
  }
  out.resource_name = "nvidia.com/mig-" + device.profile;
  out.units_per_gpu = device.count;
  out.needs_overlay = true;
  out.device_plugin = mixed();
  // A layout that mig-parted's own configuration has: as many as fit.
  out.node_labels = {{std::string(kDevicePluginConfigLabel), out.device_plugin->key},
                     {std::string(kLayoutLabel), "all-" + device.profile}};
  out.summary = "MIG " + device.profile + " x" + std::to_string(device.count);
  return out;
}

BackEnd::Prepared prepared(const api::Sharing& spec, const kube::Node& node) {
  const std::string_view said = node.meta.label(kStateLabel);
  if (said == "success") return {};
  if (said == "failed")
    return {
        .state = Preparation::Failed,
        .message = "label " + std::string(kStateLabel) + ": found failed, must become success: the MIG manager " +
                   "could not cut its GPUs as " + std::string(kLayoutLabel) + "=" +
                   std::string(node.meta.label(kLayoutLabel)) +
                   " says; read the log of the MIG manager's pod there (GPUs that something uses are not cut), or " +
                   "delete the node for another machine"};
  // Partitions that somebody else has cut are as good, and nobody tells of them.
  const bool there = said.empty() && share(spec).units_in(node.allocatable) > 0;
  return {.state = there ? Preparation::Done : Preparation::Underway};
}

}  // namespace

BackEnd mig() {
  return {.mode = api::SharingMode::MIG,
          .share = share,
          .misfit = misfit,
          .all_configs = [] { return std::vector{mixed()}; },
          .prepared = prepared};
}

}  // namespace reprise::controllers::gpupool
