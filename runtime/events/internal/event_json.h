// Events.k8s.io/v1 Event as text.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/events/events.h"
#include "runtime/kube/meta.h"

namespace reprise::runtime {

struct EventRecord {
  std::string name, namespace_;
  std::string regarding_api_version, regarding_kind, regarding_namespace, regarding_name, regarding_uid;
  EventType type = EventType::Normal;
  std::string reason, action, note;
  WallTime time{};
};

[[nodiscard]] constexpr kube::KindInfo event_kind() {
  return {"events.k8s.io", "v1", "Event", "events", true};
}
// Records with one identity belong to one series.
[[nodiscard]] std::string identity_of(const EventRecord& event);
// "<regarding>.<hex>", short enough for a name.
[[nodiscard]] std::string event_name(const EventRecord& event, std::uint64_t suffix);
[[nodiscard]] std::string encode_event(const EventRecord& event, const std::string& controller,
                                       const std::string& instance);
[[nodiscard]] std::string encode_series_patch(std::int32_t count, WallTime last);

}  // namespace reprise::runtime
