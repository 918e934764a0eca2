// Kueue's kinds (kueue.x-k8s.io/v1beta2), as far as Reprise reads and writes them: Workload, ResourceFlavor,
// WorkloadPriorityClass; and Kubernetes' PriorityClass, which gives a Workload its priority where no class of Kueue
// does.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod_builder.h"
#include "runtime/kube/memory/rare.h"
#include "runtime/kube/meta.h"

namespace reprise::api {

// spec.priorityClassRef
struct PriorityClassRef {
  kube::Text group, kind, name;
  static void fields(auto& self, auto& field) {
    field("group", self.group);
    field("kind", self.kind);
    field("name", self.name);
  }
  bool operator==(const PriorityClassRef&) const = default;
};

struct WorkloadSpec {
  kube::Text queue_name;
  std::optional<std::int32_t> priority;
  kube::Rare<PriorityClassRef> priority_class_ref;
  bool active = true;  // false: never admitted, and evicted where it was
  static void fields(auto& self, auto& field) {
    field("queueName", self.queue_name);
    field("priority", self.priority);
    field("priorityClassRef", self.priority_class_ref);
    field("active", self.active);
  }
  bool operator==(const WorkloadSpec&) const = default;
};

// A request for quota. Its podSets are written once (WorkloadRequest) and not read back.
struct Workload {
  kube::ObjectMeta meta;
  WorkloadSpec spec;
  bool has_admission = false;                 // status.admission is set: quota is reserved for it
  std::vector<std::string> assigned_flavors;  // flavors of all its podSets, each once
  std::vector<kube::Condition> conditions;
  [[nodiscard]] const kube::Condition* condition(std::string_view type) const;
  [[nodiscard]] bool is_true(std::string_view type) const;

  static void fields(auto& self, auto& field) {
    field.unmapped(self.meta, self.spec, self.has_admission, self.assigned_flavors, self.conditions);
  }
};

struct ResourceFlavor {
  kube::ObjectMeta meta;
  kube::StringMap node_labels;          // nodes of this flavor have them
  std::vector<Toleration> tolerations;  // pods that run on it get them
  static void fields(auto& self, auto& field) { field.unmapped(self.meta, self.node_labels, self.tolerations); }
};

struct WorkloadPriorityClass {
  kube::ObjectMeta meta;
  std::int32_t value = 0;
  static void fields(auto& self, auto& field) { field.unmapped(self.meta, self.value); }
};

struct PriorityClass {
  kube::ObjectMeta meta;
  std::int32_t value = 0;
  bool global_default = false;  // for pods that name no class
  static void fields(auto& self, auto& field) { field.unmapped(self.meta, self.value, self.global_default); }
};

}  // namespace reprise::api

template <>
struct reprise::kube::KindOf<reprise::api::Workload> {
  static constexpr kube::KindInfo info() { return {"kueue.x-k8s.io", "v1beta2", "Workload", "workloads", true}; }
  [[nodiscard]] static std::expected<api::Workload, kube::DecodeError> decode(std::string_view json);
};
template <>
struct reprise::kube::KindOf<reprise::api::ResourceFlavor> {
  static constexpr kube::KindInfo info() {
    return {"kueue.x-k8s.io", "v1beta2", "ResourceFlavor", "resourceflavors", false};
  }
  [[nodiscard]] static std::expected<api::ResourceFlavor, kube::DecodeError> decode(std::string_view json);
};
template <>
struct reprise::kube::KindOf<reprise::api::WorkloadPriorityClass> {
  static constexpr kube::KindInfo info() {
    return {"kueue.x-k8s.io", "v1beta2", "WorkloadPriorityClass", "workloadpriorityclasses", false};
  }
  [[nodiscard]] static std::expected<api::WorkloadPriorityClass, kube::DecodeError> decode(std::string_view json);
};
template <>
struct reprise::kube::KindOf<reprise::api::PriorityClass> {
  static constexpr kube::KindInfo info() {
    return {"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false};
  }
  [[nodiscard]] static std::expected<api::PriorityClass, kube::DecodeError> decode(std::string_view json);
};

namespace reprise::api {

// A new Workload, which asks for `count` identical pods.
struct WorkloadRequest {
  kube::ObjectMeta meta;
  WorkloadSpec spec;
  std::int32_t count = 1;
  PodBuilder pod;  // its template with what places it; resources as the user has named them
};
// The Workload as JSON, ready to be created. Fails as render_pod does.
[[nodiscard]] std::expected<std::string, kube::DecodeError> encode(const WorkloadRequest& request);

// A merge patch of the status that holds for that version alone. `admission` is taken away where asked: the quota goes
// to others from then on.
enum class KeepAdmission { Yes, No };
[[nodiscard]] std::string encode_workload_status(const std::vector<kube::Condition>& conditions, KeepAdmission keep,
                                                 std::string_view resource_version);

}  // namespace reprise::api
