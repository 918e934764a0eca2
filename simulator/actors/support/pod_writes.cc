#include "simulator/actors/support/pod_writes.h"

#include <array>
#include <cstdio>

#include "simulator/actors/support/conditions.h"

namespace reprise::simulator {

void record_event(const World& world, ResourceId resource, const Value& involved, std::string_view reason,
                  std::string_view message, std::string_view component, std::string_view type) {
  const ResourceType& kind = world.cluster.api.type(resource);
  const std::string now = time_text(world.cluster.loop);
  const std::string_view home = namespace_of(involved).empty() ? "default" : namespace_of(involved);
  // Named as by client-go: the object's name and a number that does not come twice.
  std::array<char, 20> number{};
  std::snprintf(number.data(), number.size(), "%016llx",
                static_cast<unsigned long long>(world.cluster.api.version() + 1));
  const std::string name = std::string(name_of(involved)) + "." + number.data();
  JsonObject about{
      {"kind", kind.kind}, {"apiVersion", kind.api_version()}, {"name", name_of(involved)}, {"uid", uid_of(involved)}};
  if (!namespace_of(involved).empty()) about["namespace"] = namespace_of(involved);
  JsonObject event{{"apiVersion", "v1"},
                   {"kind", "Event"},
                   {"metadata", JsonObject{{"name", name}, {"namespace", home}}},
                   {"involvedObject", std::move(about)},
                   {"reason", reason},
                   {"message", message},
                   {"type", type},
                   {"source", JsonObject{{"component", component}}},
                   {"reportingComponent", component},
                   {"firstTimestamp", now},
                   {"lastTimestamp", now},
                   {"count", 1}};
  // Best effort, as in real clusters.
  static_cast<void>(world.cluster.api.create(world.kinds.events, std::move(event)));
}

void disrupt_pod(const World& world, const PodFacts& pod, std::string_view reason, std::string_view message,
                 std::optional<std::int64_t> grace_seconds) {
  const std::string now = time_text(world.cluster.loop);
  const std::string namespace_ = pod.namespace_;
  const std::string name = pod.name;
  const std::string uid = pod.uid;
  static_cast<void>(world.cluster.api.update(
      {world.kinds.pods, namespace_, name},
      [&](Value& object) {
        set_condition(object, {"DisruptionTarget", "True", reason, message}, now);
      },
      "status"));
  static_cast<void>(
      world.cluster.api.remove({world.kinds.pods, namespace_, name}, {.grace_seconds = grace_seconds, .uid = uid}));
}

void delete_pod(const World& world, const PodFacts& pod, std::optional<std::int64_t> grace_seconds) {
  const std::string namespace_ = pod.namespace_;
  const std::string name = pod.name;
  const std::string uid = pod.uid;
  static_cast<void>(
      world.cluster.api.remove({world.kinds.pods, namespace_, name}, {.grace_seconds = grace_seconds, .uid = uid}));
}

}  // namespace reprise::simulator
