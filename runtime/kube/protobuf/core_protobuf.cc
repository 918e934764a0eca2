// The small built-in kinds in the wire format; the numbers are those of k8s.io/api/core/v1 and coordination/v1.
#include <algorithm>

#include "runtime/kube/core.h"
#include "runtime/kube/internal/event_time.h"
#include "runtime/kube/internal/pod_parts.h"
#include "runtime/kube/protobuf/protobuf.h"

namespace reprise::kube {

using protobuf::Message;

namespace {

void read_involved(const Message& object, Event& event) {
  for (Message involved = object.message(); involved.next();) {
    if (involved.field() == 1) involved.text(event.involved_kind);
    if (involved.field() == 2) involved.text(event.involved_namespace);
    if (involved.field() == 3) involved.text(event.involved_name);
    if (involved.field() == 4) involved.text(event.involved_uid);
  }
}

void read_lease_spec(const Message& object, Lease& lease) {
  for (Message spec = object.message(); spec.next();) {
    if (spec.field() == 1) spec.text(lease.holder_identity);
    if (spec.field() == 2) lease.lease_duration_seconds = spec.int32();
    if (spec.field() == 3) lease.acquire_time = spec.time();
    if (spec.field() == 4) lease.renew_time = spec.time();
    if (spec.field() == 5) lease.lease_transitions = spec.int32();
  }
}

}  // namespace

std::expected<PersistentVolumeClaim, DecodeError> KindOf<PersistentVolumeClaim>::decode_protobuf(
    std::string_view bytes) {
  return protobuf::decode<PersistentVolumeClaim>(bytes, [](Message& object, PersistentVolumeClaim& claim) {
    while (object.next()) {
      if (object.field() == 1) protobuf::read(object, claim.meta);
      if (object.field() == 2) {
        for (Message spec = object.message(); spec.next();) {
          if (spec.field() == 1) claim.access_modes.push_back(spec.text());
        }
      }
      if (object.field() == 3) {
        for (Message status = object.message(); status.next();) {
          if (status.field() == 1) status.text(claim.phase);
          if (status.field() != 3) continue;
          auto [resource, quantity] = status.quantity_entry();
          if (resource == "storage") claim.capacity = std::move(quantity);
        }
      }
    }
  });
}

std::expected<Service, DecodeError> KindOf<Service>::decode_protobuf(std::string_view bytes) {
  return protobuf::decode<Service>(bytes, [](Message& object, Service& service) {
    while (object.next()) {
      if (object.field() == 1) protobuf::read(object, service.meta);
    }
  });
}

std::expected<ConfigMap, DecodeError> KindOf<ConfigMap>::decode_protobuf(std::string_view bytes) {
  return protobuf::decode<ConfigMap>(bytes, [](Message& object, ConfigMap& map) {
    while (object.next()) {
      if (object.field() == 1) protobuf::read(object, map.meta);
      if (object.field() == 2) object.entry(map.data);
    }
  });
}

std::expected<Namespace, DecodeError> KindOf<Namespace>::decode_protobuf(std::string_view bytes) {
  return protobuf::decode<Namespace>(bytes, [](Message& object, Namespace& ns) {
    while (object.next()) {
      if (object.field() == 1) protobuf::read(object, ns.meta);
    }
    ns.meta.annotations.clear();
  });
}

std::expected<Event, DecodeError> KindOf<Event>::decode_protobuf(std::string_view bytes) {
  return protobuf::decode<Event>(bytes, [](Message& object, Event& event) {
    Text reporting;
    std::optional<Time> first, event_time, last, observed;
    while (object.next()) {
      switch (object.field()) {
        case 1:
          protobuf::read(object, event.meta);
          break;
        case 2:
          read_involved(object, event);
          break;
        case 3:
          object.text(event.reason);
          break;
        case 4:
          object.text(event.message);
          break;
        case 5:
          for (Message source = object.message(); source.next();) {
            if (source.field() == 1) source.text(event.source);
          }
          break;
        case 6:
          first = object.time();
          break;
        case 7:
          last = object.time();
          break;
        case 10:
          event_time = object.time();
          break;
        case 9:
          object.text(event.type);
          break;
        case 11:
          for (Message series = object.message(); series.next();) {
            if (series.field() == 2) observed = series.time();
          }
          break;
        case 14:
          object.text(reporting);
          break;
        default:
          break;
      }
    }
    if (event.source.empty()) event.source = std::move(reporting);
    event.last_timestamp = internal::last_seen(event.meta.creation_timestamp, {first, event_time}, {last, observed});
    event.meta.labels.clear();
    event.meta.annotations.clear();
  });
}

std::expected<Lease, DecodeError> KindOf<Lease>::decode_protobuf(std::string_view bytes) {
  return protobuf::decode<Lease>(bytes, [](Message& object, Lease& lease) {
    while (object.next()) {
      if (object.field() == 1) protobuf::read(object, lease.meta);
      if (object.field() == 2) read_lease_spec(object, lease);
    }
  });
}

}  // namespace reprise::kube
