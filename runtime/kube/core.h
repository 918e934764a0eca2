// Small built-in kinds: PersistentVolumeClaim, Service, ConfigMap, Namespace, core/v1 Event, Lease.
#pragma once

#include <expected>

#include "runtime/kube/meta.h"

namespace reprise::kube {

struct PersistentVolumeClaim {
  ObjectMeta meta;
  List<Text> access_modes;
  Text phase;     // Pending | Bound | Lost
  Text capacity;  // capacity of the bound volume; empty: none yet

  static void fields(auto& self, auto& field) {
    field.unmapped(self.meta, self.access_modes, self.phase, self.capacity);
  }
};
template <>
struct KindOf<PersistentVolumeClaim> {
  static constexpr KindInfo info() { return {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true}; }
  [[nodiscard]] static std::expected<PersistentVolumeClaim, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<PersistentVolumeClaim, DecodeError> decode_protobuf(std::string_view bytes);
};
// `spec_json` is a PersistentVolumeClaimSpec.
[[nodiscard]] std::string encode_claim(const ObjectMeta& meta, std::string_view spec_json);

struct Service {
  ObjectMeta meta;

  static void fields(auto& self, auto& field) { field.unmapped(self.meta); }
};
template <>
struct KindOf<Service> {
  static constexpr KindInfo info() { return {"", "v1", "Service", "services", true}; }
  [[nodiscard]] static std::expected<Service, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<Service, DecodeError> decode_protobuf(std::string_view bytes);
};
// A headless Service with publishNotReadyAddresses.
[[nodiscard]] std::string encode_headless_service(const ObjectMeta& meta, const StringMap& selector);

struct ConfigMap {
  ObjectMeta meta;
  StringMap data;

  static void fields(auto& self, auto& field) { field.unmapped(self.meta, self.data); }
};
template <>
struct KindOf<ConfigMap> {
  static constexpr KindInfo info() { return {"", "v1", "ConfigMap", "configmaps", true}; }
  [[nodiscard]] static std::expected<ConfigMap, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<ConfigMap, DecodeError> decode_protobuf(std::string_view bytes);
};
[[nodiscard]] std::string encode(const ConfigMap& config_map);

struct Namespace {
  ObjectMeta meta;  // no annotations

  static void fields(auto& self, auto& field) { field.unmapped(self.meta); }
};
template <>
struct KindOf<Namespace> {
  static constexpr KindInfo info() { return {"", "v1", "Namespace", "namespaces", false}; }
  [[nodiscard]] static std::expected<Namespace, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<Namespace, DecodeError> decode_protobuf(std::string_view bytes);
};

// core/v1 Event, read only: the signals of Karpenter and node termination handlers arrive this way.
struct Event {
  ObjectMeta meta;  // no labels, no annotations
  Text involved_kind, involved_name, involved_namespace, involved_uid;
  Text reason, message, type;
  Text source;            // source.component or reportingComponent
  Time last_timestamp{};  // when it was seen last, by the clock of the API server

  static void fields(auto& self, auto& field) {
    field.unmapped(self.meta, self.involved_kind, self.involved_name, self.involved_namespace, self.involved_uid,
                   self.reason, self.message, self.type, self.source, self.last_timestamp);
  }
};
template <>
struct KindOf<Event> {
  static constexpr KindInfo info() { return {"", "v1", "Event", "events", true}; }
  [[nodiscard]] static std::expected<Event, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<Event, DecodeError> decode_protobuf(std::string_view bytes);
};

struct Lease {
  ObjectMeta meta;
  Text holder_identity;
  std::int32_t lease_duration_seconds = 0;
  std::int32_t lease_transitions = 0;
  std::optional<Time> acquire_time, renew_time;
  static void fields(auto& self, auto& field) {
    field.unmapped(self.meta, self.holder_identity, self.lease_duration_seconds, self.lease_transitions,
                   self.acquire_time, self.renew_time);
  }
};
template <>
struct KindOf<Lease> {
  static constexpr KindInfo info() { return {"coordination.k8s.io", "v1", "Lease", "leases", true}; }
  [[nodiscard]] static std::expected<Lease, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<Lease, DecodeError> decode_protobuf(std::string_view bytes);
};
[[nodiscard]] std::string encode(const Lease& lease);

}  // namespace reprise::kube
