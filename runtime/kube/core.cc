#include "runtime/kube/core.h"

#include "runtime/kube/internal/event_time.h"
#include "runtime/kube/internal/meta_fields.h"
#include "runtime/kube/internal/pod_parts.h"

namespace reprise::kube {

using internal::Field;

std::expected<PersistentVolumeClaim, DecodeError> KindOf<PersistentVolumeClaim>::decode(std::string_view json) {
  return internal::decode_with(json, [](const Field& object) {
    return PersistentVolumeClaim{.meta = internal::read_meta(object),
                                 .access_modes = object["spec"]["accessModes"].strings(),
                                 .phase = object["status"]["phase"].view().value_or(""),
                                 .capacity = object["status"]["capacity"]["storage"].view().value_or("")};
  });
}

std::string encode_claim(const ObjectMeta& meta, std::string_view spec_json) {
  Json::Value tree = internal::start_object(KindOf<PersistentVolumeClaim>::info(), meta);
  tree["spec"] = internal::parse_trusted(spec_json);
  return internal::to_text(tree);
}

std::expected<Service, DecodeError> KindOf<Service>::decode(std::string_view json) {
  return internal::decode_with(json, [](const Field& object) { return Service{.meta = internal::read_meta(object)}; });
}

std::string encode_headless_service(const ObjectMeta& meta, const StringMap& selector) {
  Json::Value tree = internal::start_object(KindOf<Service>::info(), meta);
  Json::Value& spec = tree["spec"];
  spec["clusterIP"] = "None";
  spec["publishNotReadyAddresses"] = true;
  spec["selector"] = internal::to_tree(selector);
  return internal::to_text(tree);
}

std::expected<ConfigMap, DecodeError> KindOf<ConfigMap>::decode(std::string_view json) {
  return internal::decode_with(json, [](const Field& object) {
    return ConfigMap{.meta = internal::read_meta(object), .data = object["data"].string_map()};
  });
}

std::string encode(const ConfigMap& config_map) {
  Json::Value tree = internal::start_object(KindOf<ConfigMap>::info(), config_map.meta);
  tree["data"] = internal::to_tree(config_map.data);
  return internal::to_text(tree);
}

std::expected<Namespace, DecodeError> KindOf<Namespace>::decode(std::string_view json) {
  return internal::decode_with(json, [](const Field& object) {
    Namespace ns{.meta = internal::read_meta(object)};
    ns.meta.annotations.clear();
    return ns;
  });
}

std::expected<Event, DecodeError> KindOf<Event>::decode(std::string_view json) {
  return internal::decode_with(json, [](const Field& object) {
    const Field involved = object["involvedObject"];
    Event event;
    event.meta = internal::read_meta(object);
    event.meta.labels.clear();
    event.meta.annotations.clear();
    event.involved_kind = involved["kind"].view().value_or("");
    event.involved_name = involved["name"].view().value_or("");
    event.involved_namespace = involved["namespace"].view().value_or("");
    event.involved_uid = involved["uid"].view().value_or("");
    event.reason = object["reason"].view().value_or("");
    event.message = object["message"].view().value_or("");
    event.type = object["type"].view().value_or("");
    event.source = object["source"]["component"].view().value_or("");
    if (event.source.empty()) event.source = object["reportingComponent"].view().value_or("");
    const Field series = object["series"];
    event.last_timestamp = internal::last_seen(event.meta.creation_timestamp,
                                               {object["firstTimestamp"].time(), object["eventTime"].time()},
                                               {object["lastTimestamp"].time(), series["lastObservedTime"].time()});
    return event;
  });
}

std::expected<Lease, DecodeError> KindOf<Lease>::decode(std::string_view json) {
  return internal::decode_with(json, [](const Field& object) {
    const Field spec = object["spec"];
    return Lease{.meta = internal::read_meta(object),
                 .holder_identity = spec["holderIdentity"].view().value_or(""),
                 .lease_duration_seconds = spec["leaseDurationSeconds"].int32().value_or(0),
                 .lease_transitions = spec["leaseTransitions"].int32().value_or(0),
                 .acquire_time = spec["acquireTime"].time(),
                 .renew_time = spec["renewTime"].time()};
  });
}

std::string encode(const Lease& lease) {
  Json::Value tree = internal::start_object(KindOf<Lease>::info(), lease.meta);
  Json::Value& spec = tree["spec"];
  spec["holderIdentity"] = std::string(lease.holder_identity);
  // The API server rejects a duration of zero; unset says the same.
  if (lease.lease_duration_seconds > 0) spec["leaseDurationSeconds"] = lease.lease_duration_seconds;
  spec["leaseTransitions"] = lease.lease_transitions;
  if (lease.acquire_time) spec["acquireTime"] = format_micro_time(*lease.acquire_time);
  if (lease.renew_time) spec["renewTime"] = format_micro_time(*lease.renew_time);
  return internal::to_text(tree);
}

}  // namespace reprise::kube
