// Built-in kinds with small peculiarities. Pods have a file of their own.
#include <algorithm>
#include <utility>

#include "simulator/api_server/pods/pods.h"
#include "simulator/api_server/schema/custom_resource.h"
#include "simulator/api_server/schema/kind_rules.h"

namespace reprise::simulator {
namespace {

void add_finalizer(Value& object, std::string_view finalizer) {
  JsonArray all = array(object, {"metadata", "finalizers"});
  if (std::ranges::find(all, Value(finalizer)) != all.end()) return;
  all.emplace_back(finalizer);
  set(object, {"metadata", "finalizers"}, std::move(all));
}

// Kinds that can be selected by fields of their own.
class SelectableRules : public KindRules {
 public:
  using KindRules::KindRules;
  [[nodiscard]] std::string not_selectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }
};

class NamespaceRules final : public SelectableRules {
 public:
  using SelectableRules::SelectableRules;
  Answer<void> prepare_new(const Surroundings&, Value& object) const override {
    set(object, {"metadata", "labels", "kubernetes.io/metadata.name"}, name_of(object));
    set(object, {"spec", "finalizers"}, JsonArray{"kubernetes"});
    object.get_object()["status"] = JsonObject{{"phase", "Active"}};
    return {};
  }
  Answer<void> prepare_change(const Surroundings&, const Value& before, Value& after, Part part) const override {
    if (part == Part::Finalize) {
      Value kept = before;
      set(kept, {"spec", "finalizers"}, array(after, {"spec", "finalizers"}));
      after = std::move(kept);
      return {};
    }
    keep_other_parts(before, after, part);
    set(after, {"spec", "finalizers"}, array(before, {"spec", "finalizers"}));
    return {};
  }
  [[nodiscard]] bool held(const Value& object) const override { return !array(object, {"spec", "finalizers"}).empty(); }
  void mark_deleted(Value& object) const override {
    set(object, {"status", "phase"}, "Terminating");
    unset(object, {"metadata", "deletionGracePeriodSeconds"});
  }
  [[nodiscard]] bool selectable(std::string_view field) const override {
    return field == "metadata.name" || field == "name" || field == "status.phase";
  }
};

// A kubelet registers its node. No pod is placed there until the node controller has seen it ready.
class NodeRules final : public SelectableRules {
 public:
  using SelectableRules::SelectableRules;
  Answer<void> prepare_new(const Surroundings&, Value& node) const override {
    const Value taint = {{"key", "node.kubernetes.io/not-ready"}, {"effect", "NoSchedule"}};
    JsonArray taints = array(node, {"spec", "taints"});
    if (std::ranges::find(taints, taint) == taints.end()) taints.push_back(taint);
    set(node, {"spec", "taints"}, std::move(taints));
    if (const Value* capacity = find(node, {"status", "capacity"});
        capacity != nullptr && find(node, {"status", "allocatable"}) == nullptr) {
      set(node, {"status", "allocatable"}, Value(*capacity));
    }
    return {};
  }
  [[nodiscard]] bool selectable(std::string_view field) const override {
    return field == "metadata.name" || field == "spec.unschedulable";
  }
};

class ClaimRules final : public KindRules {
 public:
  using KindRules::KindRules;
  Answer<void> prepare_new(const Surroundings&, Value& object) const override {
    add_finalizer(object, "kubernetes.io/pvc-protection");
    if (text(object, {"spec", "volumeMode"}).empty()) set(object, {"spec", "volumeMode"}, "Filesystem");
    object.get_object()["status"] = JsonObject{{"phase", "Pending"}};
    return {};
  }
  Answer<void> prepare_change(const Surroundings&, const Value& before, Value& after, Part part) const override {
    keep_other_parts(before, after, part);
    const auto frozen = [&](const Value& claim) {
      Value spec = object(claim, {"spec"});
      unset(spec, {"resources"});
      unset(spec, {"volumeAttributesClassName"});
      if (text(before, {"spec", "volumeName"}).empty()) unset(spec, {"volumeName"});
      return spec;
    };
    if (part != Part::Main || frozen(before) == frozen(after)) return {};
    return reject(invalid(type(), name_of(before),
                          {forbidden_field("spec",
                                           "spec is immutable after creation except resources.requests and "
                                           "volumeAttributesClassName for bound claims")}));
  }
  [[nodiscard]] bool deletion_shows_object() const override { return true; }
};

class VolumeRules final : public KindRules {
 public:
  using KindRules::KindRules;
  Answer<void> prepare_new(const Surroundings&, Value& object) const override {
    add_finalizer(object, "kubernetes.io/pv-protection");
    if (text(object, {"spec", "volumeMode"}).empty()) set(object, {"spec", "volumeMode"}, "Filesystem");
    if (text(object, {"spec", "persistentVolumeReclaimPolicy"}).empty())
      set(object, {"spec", "persistentVolumeReclaimPolicy"}, "Retain");
    object.get_object()["status"] = JsonObject{{"phase", "Pending"}};
    return {};
  }
  [[nodiscard]] bool deletion_shows_object() const override { return true; }
};

class ServiceRules final : public SelectableRules {
 public:
  using SelectableRules::SelectableRules;
  Answer<void> prepare_new(const Surroundings&, Value& object) const override {
    const auto set_default = [&](std::string_view field, Value value) {
      if (find(object, {"spec", field}) == nullptr) set(object, {"spec", field}, std::move(value));
    };
    set_default("type", "ClusterIP");
    set_default("sessionAffinity", "None");
    set_default("internalTrafficPolicy", "Cluster");
    set_default("ipFamilies", JsonArray{"IPv4"});
    set_default("ipFamilyPolicy", "SingleStack");
    if (text(object, {"spec", "clusterIP"}) == "None") set_default("clusterIPs", JsonArray{"None"});
    object.get_object()["status"] = JsonObject{{"loadBalancer", JsonObject{}}};
    return {};
  }
  [[nodiscard]] bool deletion_shows_object() const override { return true; }
  [[nodiscard]] bool selectable(std::string_view field) const override {
    return KindRules::selectable(field) || field == "spec.clusterIP" || field == "spec.type";
  }
};

class EventRules final : public SelectableRules {
 public:
  using SelectableRules::SelectableRules;
  [[nodiscard]] bool selectable(std::string_view field) const override {
    constexpr std::string_view fields[] = {"involvedObject.kind",
                                           "involvedObject.namespace",
                                           "involvedObject.name",
                                           "involvedObject.uid",
                                           "involvedObject.apiVersion",
                                           "involvedObject.resourceVersion",
                                           "involvedObject.fieldPath",
                                           "reason",
                                           "reportingComponent",
                                           "source",
                                           "type",
                                           "metadata.name",
                                           "metadata.namespace"};
    return std::ranges::find(fields, field) != std::end(fields);
  }
};

}  // namespace

std::unique_ptr<KindRules> rules_of_built_in(ResourceType type) {
  if (type.group.empty()) {
    if (type.plural == "pods") return pod_rules(std::move(type));
    if (type.plural == "namespaces") return std::make_unique<NamespaceRules>(std::move(type));
    if (type.plural == "nodes") return std::make_unique<NodeRules>(std::move(type));
    if (type.plural == "persistentvolumeclaims") return std::make_unique<ClaimRules>(std::move(type));
    if (type.plural == "persistentvolumes") return std::make_unique<VolumeRules>(std::move(type));
    if (type.plural == "services") return std::make_unique<ServiceRules>(std::move(type));
    if (type.plural == "events") return std::make_unique<EventRules>(std::move(type));
  }
  if (type.group == "karpenter.sh" || type.group == "snapshot.storage.k8s.io")
    return custom_rules_without_schema(std::move(type));
  return std::make_unique<KindRules>(std::move(type));
}

}  // namespace reprise::simulator
