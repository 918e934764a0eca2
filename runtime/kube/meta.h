// The metadata of every Kubernetes object, as far as Reprise reads it, and the names of a kind on the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kube/list.h"
#include "runtime/kube/memory/string_map.h"
#include "runtime/kube/text.h"
#include "runtime/kube/time.h"

namespace reprise::kube {

struct OwnerReference {
  Text api_version;
  Text kind;
  Text name;
  Text uid;
  bool controller = false;
  bool block_owner_deletion = false;
  static void fields(auto& self, auto& field) {
    field("apiVersion", self.api_version);
    field("kind", self.kind);
    field("name", self.name);
    field("uid", self.uid);
    field("controller", self.controller);
    field("blockOwnerDeletion", self.block_owner_deletion);
  }
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  Text name;
  Text namespace_;  // empty for cluster-scoped kinds
  Text uid;
  BasicText<16> resource_version;  // no two objects share one: held without a block
  std::int64_t generation = 0;
  StringMap labels;
  StringMap annotations;
  List<OwnerReference> owner_references;
  List<Text> finalizers;
  Time creation_timestamp{};
  std::optional<Time> deletion_timestamp;
  std::optional<std::int64_t> deletion_grace_period_seconds;

  // The owner that controls this object, if any.
  [[nodiscard]] const OwnerReference* controller() const;
  [[nodiscard]] bool has_finalizer(std::string_view finalizer) const;
  // The value of a label or annotation; empty when absent.
  [[nodiscard]] std::string_view label(std::string_view key) const;
  [[nodiscard]] std::string_view annotation(std::string_view key) const;

  static void fields(auto& self, auto& field) {
    field("name", self.name);
    field("namespace", self.namespace_);
    field("uid", self.uid);
    field("resourceVersion", self.resource_version);
    field("labels", self.labels);
    field("annotations", self.annotations);
    field("ownerReferences", self.owner_references);
    field("finalizers", self.finalizers);
    field("deletionTimestamp", self.deletion_timestamp);
    field("deletionGracePeriodSeconds", self.deletion_grace_period_seconds);
    field.unless_zero("generation", self.generation);
    field.unless_zero("creationTimestamp", self.creation_timestamp);
  }
};

// Removes kubectl's copy of the manifest, which can be as large as the object, from objects that are kept.
void compact(ObjectMeta& meta);
// For kinds of which few keys are ever read, and none is written back: keeps only those that begin with one of the
// prefixes. The end of a prefix may be the end of the key.
void keep_only(StringMap& map, std::span<const std::string_view> prefixes);

// How a kind is named on the wire. `KindOf<T>::info()` is specialised beside each type.
struct KindInfo {
  std::string_view group;  // empty for the core group
  std::string_view version;
  std::string_view kind;
  std::string_view plural;
  bool namespaced = true;

  // "v1", "reprise.dev/v1alpha1"
  [[nodiscard]] std::string api_version() const;
  // "/api/v1/namespaces/vision/pods/a", "/apis/karpenter.sh/v1/nodepools"; empty parts are left out. Characters that
  // are not safe in a path are percent-encoded; "." and ".." are rejected: the result is empty.
  [[nodiscard]] std::string path(std::string_view namespace_, std::string_view name,
                                 std::string_view subresource) const;
};

template <class T>
struct KindOf;

enum class ConditionStatus { True, False, Unknown };

// metav1.Condition.
struct Condition {
  Text type;
  ConditionStatus status = ConditionStatus::Unknown;
  std::int64_t observed_generation = 0;
  Time last_transition_time{};
  Text reason;
  Text message;
  static void fields(auto& self, auto& field) {
    field("type", self.type);
    field("status", self.status);
    field("observedGeneration", self.observed_generation);
    field("lastTransitionTime", self.last_transition_time);
    field.always("reason", self.reason);
    field.always("message", self.message);
  }
  bool operator==(const Condition&) const = default;
};

// The place in a text and the reason why it did not become an object. Decoding never throws.
struct DecodeError {
  std::string path;  // "spec.checkpoint.path"
  std::string message;
};

}  // namespace reprise::kube
