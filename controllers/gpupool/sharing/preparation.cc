#include "controllers/gpupool/sharing/preparation.h"

#include <algorithm>

#include "controllers/gpupool/providers/machine_types.h"
#include "controllers/gpupool/sharing/back_ends.h"
#include "controllers/gpupool/sharing/sharing.h"
#include "runtime/kube/quantity.h"

namespace reprise::controllers::gpupool {
namespace {

BackEnd::Prepared prepared(const api::Sharing& spec, const kube::Node& node) {
  for (const BackEnd& each : back_ends()) {
    if (each.mode == spec.mode && each.prepared != nullptr) return each.prepared(spec, node);
  }
  return {};
}

}  // namespace

Preparation preparation_of(const api::Sharing& spec, const kube::Node& node) {
  return prepared(spec, node).state;
}

std::string failed_preparations(const api::Sharing& spec, const std::vector<std::shared_ptr<const kube::Node>>& nodes) {
  const kube::Node* first = nullptr;
  std::size_t failed = 0;
  for (const auto& node : nodes) {
    if (preparation_of(spec, *node) != Preparation::Failed) continue;
    ++failed;
    if (first == nullptr || node->meta.name < first->meta.name) first = node.get();
  }
  if (first == nullptr) return {};
  std::string said = "node " + std::string(first->meta.name) + ": " + prepared(spec, *first).message;
  if (failed > 1) said += "; so it is with " + std::to_string(failed - 1) + " more of the pool's nodes";
  return said;
}

std::string missing_units(const api::GpuPool& pool, const std::vector<std::shared_ptr<const kube::Node>>& nodes) {
  const api::Sharing& spec = pool.spec.sharing;
  const GpuSharing sharing = sharing_of(spec);
  // The system that shares them counts such GPUs itself.
  if (spec.mode == api::SharingMode::External || sharing.unsupported) return {};
  const kube::Node* first = nullptr;
  std::int64_t offered = 0;
  std::int64_t expected = 0;
  std::size_t so_many = 0;
  for (const auto& node : nodes) {
    const auto known = gpus_of_type(node->meta.label("node.kubernetes.io/instance-type"));
    if (!known || node->meta.label("karpenter.sh/initialized") != "true" ||
        preparation_of(spec, *node) != Preparation::Done)
      continue;
    const auto found = node->capacity.find(sharing.resource_name);
    const std::int64_t there = found == node->capacity.end() ? 0 : kube::whole_number(found->second).value_or(0);
    const std::int64_t whole = sharing.quantity_of(*known);
    if (there <= 0 || there >= whole) continue;
    ++so_many;
    if (first != nullptr && first->meta.name < node->meta.name) continue;
    first = node.get();
    offered = there;
    expected = whole;
  }
  if (first == nullptr) return {};
  std::string said = "node " + std::string(first->meta.name) + " offers " + std::to_string(offered) + " of " +
                     std::to_string(expected) + " " + sharing.resource_name + ": " +
                     std::to_string(expected - offered) +
                     " are missing; see driver, device plugin and MIG manager there";
  if (so_many > 1) said += "; so it is with " + std::to_string(so_many - 1) + " more of the pool's nodes";
  return said;
}

}  // namespace reprise::controllers::gpupool
