#include "controllers/gpupool/node_pools/node_labels.h"

#include <algorithm>

#include "controllers/common/indexes.h"

namespace reprise::controllers::gpupool {
namespace {

constexpr std::string_view kRecordPrefix = "set.reprise.dev/";

// Stands for a label without a prefix: a name may not begin with the '_'.
constexpr std::string_view kNoPrefix = "0";

std::optional<std::string_view> value_of(const kube::Node& node, std::string_view label) {
  const auto found = node.meta.labels.find(label);
  if (found == node.meta.labels.end()) return std::nullopt;
  return std::string_view(found->second);
}

// "set.reprise.dev/nvidia.com_mig.config" -> "nvidia.com/mig.config"; nothing: it records no label. No prefix of a
// label has a '_' in it.
std::optional<std::string> recorded_by(std::string_view record) {
  if (!record.starts_with(kRecordPrefix)) return std::nullopt;
  const std::string_view name = record.substr(kRecordPrefix.size());
  const std::size_t cut = name.find('_');
  if (cut == std::string_view::npos) return std::nullopt;
  const std::string_view label = name.substr(cut + 1);
  const std::string_view prefix = name.substr(0, cut);
  if (label.empty() || prefix.empty()) return std::nullopt;
  return prefix == kNoPrefix ? std::string(label) : std::string(prefix) + "/" + std::string(label);
}

// A person who may write on a node must not have the operator take off labels that are not theirs.
bool may_be_ours(std::string_view label) {
  const std::string_view prefix = label.substr(0, label.find('/'));
  const auto is_of = [&](std::string_view domain) {
    return prefix == domain || (prefix.ends_with(domain) && prefix[prefix.size() - domain.size() - 1] == '.');
  };
  return !is_of("kubernetes.io") && !is_of("k8s.io") && !is_of("karpenter.sh");
}

struct Recorded {
  std::string label, value;
  bool stands = false;  // the label is as it was put there
};

std::vector<Recorded> recorded_on(const kube::Node& node) {
  std::vector<Recorded> all;
  for (const auto& [key, value] : node.meta.labels) {
    if (auto label = recorded_by(key); label && may_be_ours(*label)) {
      const bool stands = value_of(node, *label) == std::string_view(value);
      all.push_back({*std::move(label), std::string(value), stands});
    }
  }
  return all;
}

bool is_ours(const kube::Node& node, std::string_view label) {
  const auto record = value_of(node, record_of(label));
  return record && record == value_of(node, label);
}

LabelNode change_of(const kube::Node& node) {
  return {.node = std::string(node.meta.name), .resource_version = node.meta.resource_version, .labels = {}};
}

void put(LabelNode& change, const std::string& label, const std::string& value) {
  change.labels.emplace_back(label, value);
  change.labels.emplace_back(record_of(label), value);
}

void take_off(LabelNode& change, const Recorded& recorded) {
  if (recorded.stands) change.labels.emplace_back(recorded.label, std::nullopt);
  change.labels.emplace_back(record_of(recorded.label), std::nullopt);
}

std::string subject(const kube::Node& node) {
  return "node " + std::string(node.meta.name) + ": ";
}

// The label of `wanted` that is there with a value that somebody else gave it; empty: none.
std::optional<std::string> taken_label(const kube::Node& node, const std::string& pool, const kube::StringMap& wanted) {
  const auto differs = [&](std::string_view label, std::string_view value) {
    const auto there = value_of(node, label);
    return there && *there != value && !is_ours(node, label);
  };
  if (differs(kPoolLabel, pool)) return std::string(kPoolLabel);
  for (const auto& [label, value] : wanted) {
    if (differs(label, value)) return std::string(label);
  }
  return std::nullopt;
}

}  // namespace

std::string record_of(std::string_view label) {
  std::string name(label);
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) {
    name = std::string(kNoPrefix) + "_" + name;
  } else {
    name[slash] = '_';
  }
  return std::string(kRecordPrefix) + name;
}

NodeVerdict take_node(const kube::Node& node, const std::string& pool, const kube::StringMap& labels,
                      const std::string& user) {
  const std::string_view holder = node.meta.label(kLabelledByLabel);
  if (!holder.empty() && holder != pool) {
    return {.state = NodeState::OtherPool,
            .message = subject(node) + "it bears labels that were put there for GpuPool " + std::string(holder) +
                       "; they go when no pod uses its GPUs"};
  }
  if (const auto taken = taken_label(node, pool, labels)) {
    NodeVerdict verdict = release_node(node, pool, user);
    verdict.state = NodeState::LabelTaken;
    verdict.message = subject(node) + "label " + *taken + ": found " + std::string(node.meta.label(*taken)) +
                      ", which this pool has not put there; take the label off, or take the node out of "
                      "spec.existingNodes.selector";
    return verdict;
  }
  LabelNode change = change_of(node);
  for (const auto& [label, value] : labels) {
    if (value_of(node, label) != std::string_view(value)) put(change, std::string(label), std::string(value));
  }
  const std::vector<Recorded> recorded = recorded_on(node);
  for (const Recorded& each : recorded) {
    if (each.label != kPoolLabel && !labels.contains(each.label)) take_off(change, each);
  }
  if (!change.labels.empty() && !user.empty()) {
    return {.state = NodeState::InUse,
            .message = subject(node) + "pod " + user +
                       " uses its GPUs, so how they are shared is not changed before that pod has ended"};
  }
  if (node.meta.label(kPoolLabel) != pool) put(change, std::string(kPoolLabel), pool);
  if (holder.empty() && !(change.labels.empty() && recorded.empty()))
    change.labels.emplace_back(std::string(kLabelledByLabel), pool);
  if (change.labels.empty()) return {.state = NodeState::In};
  return {.state = NodeState::Labelling, .message = {}, .change = std::move(change)};
}

kube::StringMap labels_of_others(const kube::Node& node) {
  kube::StringMap labels;
  for (const auto& [key, value] : node.meta.labels)
    if (!recorded_by(key) && key != kLabelledByLabel && !is_ours(node, key)) labels.emplace(key, value);
  return labels;
}

NodeVerdict release_node(const kube::Node& node, const std::string& pool, const std::string& user) {
  if (node.meta.label(kLabelledByLabel) != pool) return {};
  LabelNode change = change_of(node);
  bool stays = false;
  for (const Recorded& recorded : recorded_on(node)) {
    if (user.empty() || recorded.label == kPoolLabel) {
      take_off(change, recorded);
    } else {
      stays = true;
    }
  }
  if (!stays) change.labels.emplace_back(std::string(kLabelledByLabel), std::nullopt);
  NodeVerdict verdict{.state = NodeState::Leaving};
  if (stays) {
    verdict.message =
        subject(node) + "it leaves the pool; its other labels go when pod " + user + ", which uses its GPUs, has ended";
  }
  if (!change.labels.empty()) verdict.change = std::move(change);
  return verdict;
}

}  // namespace reprise::controllers::gpupool
