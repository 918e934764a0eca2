// What every Kubernetes object has, as far as Reprise reads it, and what names a kind on the wire.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/string_map.h"
#include "api/time.h"

namespace reprise::api {

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool controller = false;
  bool block_owner_deletion = false;
  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name;
  std::string namespace_;  // empty for cluster-scoped kinds
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  StringMap labels;
  StringMap annotations;
  std::vector<OwnerReference> owner_references;
  std::vector<std::string> finalizers;
  Time creation_timestamp{};
  std::optional<Time> deletion_timestamp;
  std::optional<std::int64_t> deletion_grace_period_seconds;

  // The owner that controls this object, if any.
  [[nodiscard]] const OwnerReference* controller() const;
  [[nodiscard]] bool has_finalizer(std::string_view finalizer) const;
  // The value of a label or annotation; empty when absent.
  [[nodiscard]] std::string_view label(std::string_view key) const;
  [[nodiscard]] std::string_view annotation(std::string_view key) const;
};

// For objects that are kept: without kubectl's copy of the manifest, which can be as large as the object, and without
// room for more.
void compact(ObjectMeta& meta);

// How a kind is named on the wire. `KindOf<T>::info()` is specialised beside each type.
struct KindInfo {
  std::string_view group;  // empty for the core group
  std::string_view version;
  std::string_view kind;
  std::string_view plural;
  bool namespaced = true;

  // "v1", "reprise.dev/v1alpha1"
  [[nodiscard]] std::string api_version() const;
  // "/api/v1/namespaces/vision/pods/a", "/apis/karpenter.sh/v1/nodepools"; empty parts are left out.
  // What is not safe in a path is percent-encoded; "." and ".." are refused: the result is empty.
  [[nodiscard]] std::string path(std::string_view namespace_, std::string_view name,
                                 std::string_view subresource) const;
};

template <class T>
struct KindOf;

enum class ConditionStatus { True, False, Unknown };

// metav1.Condition.
struct Condition {
  std::string type;
  ConditionStatus status = ConditionStatus::Unknown;
  std::int64_t observed_generation = 0;
  Time last_transition_time{};
  std::string reason;
  std::string message;
  bool operator==(const Condition&) const = default;
};

// Why a text did not become an object: where and what. Decoding never throws.
struct DecodeError {
  std::string path;  // "spec.checkpoint.path"
  std::string message;
};

}  // namespace reprise::api
