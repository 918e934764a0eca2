#include "simulator/api_server/pods/pods.h"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/kube/time.h"
#include "simulator/api_server/pods/pod_defaults.h"
#include "simulator/api_server/store/editable.h"
#include "simulator/api_server/store/equality.h"

namespace reprise::simulator {
namespace {

constexpr std::string_view frozen_spec =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

// The spec without the fields that may change.
Value frozen_part(const Value& pod) {
  Value spec = object(pod, {"spec"});
  for (const char* list : {"containers", "initContainers"}) {
    Value* containers = find(spec, {list});
    if (containers == nullptr || !containers->is_array()) continue;
    for (Value& container : containers->get_array()) unset(container, {"image"});
  }
  unset(spec, {"activeDeadlineSeconds"});
  unset(spec, {"tolerations"});
  return spec;
}

bool tolerations_only_grew(const Value& before, const Value& after) {
  const JsonArray& now = array(after, {"spec", "tolerations"});
  return std::ranges::all_of(array(before, {"spec", "tolerations"}),
                             [&](const Value& old) { return std::ranges::find(now, old) != now.end(); });
}

Answer<void> resolve_priority(const Surroundings& around, const ResourceType& type, Value& pod) {
  const std::string name(text(pod, {"spec", "priorityClassName"}));
  std::int64_t priority = 0;
  std::string policy = "PreemptLowerPriority";
  if (!name.empty()) {
    const VersionPtr found = around.get("scheduling.k8s.io", "priorityclasses", name);
    if (!found) return reject(forbidden(type, name_of(pod), "no PriorityClass with name " + name + " was found"));
    priority = number(found->object(), {"value"});
    if (const auto own = text(found->object(), {"preemptionPolicy"}); !own.empty()) policy = own;
  }
  set(pod, {"spec", "priority"}, priority);
  if (text(pod, {"spec", "preemptionPolicy"}).empty()) set(pod, {"spec", "preemptionPolicy"}, policy);
  return {};
}

std::vector<Cause> wrong_spec(const Value& pod) {
  std::vector<Cause> wrong;
  const JsonArray& containers = array(pod, {"spec", "containers"});
  if (containers.empty()) wrong.push_back(required("spec.containers", ""));
  for (std::size_t i = 0; i < containers.size(); ++i) {
    for (const char* field : {"name", "image"}) {
      if (text(containers[i], {field}).empty())
        wrong.push_back(required("spec.containers[" + std::to_string(i) + "]." + field, ""));
    }
  }
  return wrong;
}

class PodRules final : public KindRules {
 public:
  using KindRules::KindRules;

  Answer<void> prepare_new(const Surroundings& around, Value& pod) const override {
    set_pod_defaults(pod);
    add_default_tolerations(pod);
    if (auto resolved = resolve_priority(around, type(), pod); !resolved) return resolved;
    if (auto wrong = wrong_spec(pod); !wrong.empty()) return reject(invalid(type(), name_of(pod), std::move(wrong)));
    pod.get_object()["status"] = JsonObject{{"phase", "Pending"}, {"qosClass", qos_class(pod)}};
    return {};
  }

  Answer<void> prepare_change(const Surroundings&, const Value& before, Value& after, Part part) const override {
    keep_other_parts(before, after, part);
    if (part == Part::Status) {
      // Old kubelets write broken owner references here.
      JsonObject& metadata = after.get_object()["metadata"].get_object();
      if (const Value* owners = find(before, {"metadata", "ownerReferences"})) {
        metadata["ownerReferences"] = *owners;
      } else {
        metadata.erase("ownerReferences");
      }
      if (find(before, {"status", "qosClass"}) != nullptr && text(after, {"status", "qosClass"}).empty())
        set(after, {"status", "qosClass"}, *find(before, {"status", "qosClass"}));
      return {};
    }
    if (part != Part::Main) return {};
    add_default_tolerations(after);
    if (equal(object(before, {"spec"}), object(after, {"spec"}))) return {};
    if (frozen_part(before) == frozen_part(after) && tolerations_only_grew(before, after)) return {};
    return reject(invalid(type(), name_of(before), {forbidden_field("spec", frozen_spec)}));
  }

  std::optional<std::int64_t> grace_seconds(const Value& pod, std::optional<std::int64_t> asked) const override {
    const std::string_view phase = text(pod, {"status", "phase"});
    if (text(pod, {"spec", "nodeName"}).empty() || phase == "Failed" || phase == "Succeeded") return 0;
    const std::int64_t grace = asked ? *asked : number(pod, {"spec", "terminationGracePeriodSeconds"});
    return grace < 0 ? 1 : grace;
  }

  [[nodiscard]] bool deletion_shows_object() const override { return true; }

  [[nodiscard]] bool selectable(std::string_view field) const override {
    constexpr std::string_view fields[] = {
        "metadata.name",      "metadata.namespace",      "spec.nodeName",           "spec.restartPolicy",
        "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork",        "status.phase",
        "status.podIP",       "status.podIPs",           "status.nominatedNodeName"};
    return std::ranges::find(fields, field) != std::end(fields);
  }
  [[nodiscard]] std::string not_selectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }
};

}  // namespace

std::unique_ptr<KindRules> pod_rules(ResourceType type) {
  return std::make_unique<PodRules>(std::move(type));
}

Answer<Value> bound_pod(const ResourceType& type, const Value& pod, std::string_view node, runtime::WallTime now) {
  const std::string name(name_of(pod));
  ResourceType binding = type;
  binding.plural = "pods/binding";
  if (being_deleted(pod))
    return reject(conflict(binding, name, "pod " + name + " is being deleted, cannot be assigned to a host"));
  if (const std::string_view other = text(pod, {"spec", "nodeName"}); !other.empty())
    return reject(
        conflict(binding, name, "pod " + name + " is already assigned to node \"" + std::string(other) + "\""));
  Value bound = editable_copy(pod);
  set(bound, {"spec", "nodeName"}, node);
  JsonArray conditions = array(pod, {"status", "conditions"});
  const auto is_old = [](const Value& condition) { return text(condition, {"type"}) == "PodScheduled"; };
  conditions.erase(std::remove_if(conditions.begin(), conditions.end(), is_old), conditions.end());
  conditions.emplace_back(JsonObject{{"type", "PodScheduled"},
                                     {"status", "True"},
                                     {"lastProbeTime", nullptr},
                                     {"lastTransitionTime", kube::format_time(now)}});
  set(bound, {"status", "conditions"}, std::move(conditions));
  return bound;
}

}  // namespace reprise::simulator
