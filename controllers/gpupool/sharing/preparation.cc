#include "controllers/gpupool/sharing/preparation.h"

#include <algorithm>

#include "controllers/gpupool/sharing/back_ends.h"

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

}  // namespace reprise::controllers::gpupool
