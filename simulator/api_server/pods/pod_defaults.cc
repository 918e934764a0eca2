#include "simulator/api_server/pods/pod_defaults.h"

#include <algorithm>

namespace reprise::simulator {
namespace {

void set_default(JsonObject& object, std::string_view field, Value value) {
  if (Value& there = object[field]; there.is_null()) there = std::move(value);
}

std::string_view pull_policy(std::string_view image) {
  const std::size_t name = image.find_last_of('/');
  const std::string_view tail = name == std::string_view::npos ? image : image.substr(name + 1);
  if (tail.find('@') != std::string_view::npos) return "IfNotPresent";
  const std::size_t tag = tail.find(':');
  return tag == std::string_view::npos || tail.substr(tag + 1) == "latest" ? "Always" : "IfNotPresent";
}

void default_probe(Value& container, std::string_view name) {
  Value* probe = find(container, {name});
  if (probe == nullptr || !probe->is_object()) return;
  JsonObject& fields = probe->get_object();
  set_default(fields, "timeoutSeconds", 1);
  set_default(fields, "periodSeconds", 10);
  set_default(fields, "successThreshold", 1);
  set_default(fields, "failureThreshold", 3);
}

// A limit without a request is requested.
void default_requests(Value& container) {
  const JsonObject limits = object(container, {"resources", "limits"});
  for (const auto& [name, amount] : limits) {
    if (find(container, {"resources", "requests", name}) == nullptr)
      set(container, {"resources", "requests", name}, amount);
  }
}

void default_container(Value& container) {
  if (!container.is_object()) return;
  JsonObject& fields = container.get_object();
  set_default(fields, "terminationMessagePath", "/dev/termination-log");
  set_default(fields, "terminationMessagePolicy", "File");
  set_default(fields, "imagePullPolicy", Value(pull_policy(text(container, {"image"}))));
  set_default(fields, "resources", JsonObject{});
  if (Value* ports = fields.if_contains("ports"); ports != nullptr && ports->is_array()) {
    for (Value& port : ports->get_array()) {
      if (port.is_object()) set_default(port.get_object(), "protocol", "TCP");
    }
  }
  if (Value* variables = fields.if_contains("env"); variables != nullptr && variables->is_array()) {
    for (Value& variable : variables->get_array()) {
      if (Value* reference = find(variable, {"valueFrom", "fieldRef"}); reference != nullptr && reference->is_object())
        set_default(reference->get_object(), "apiVersion", "v1");
    }
  }
  for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) default_probe(container, probe);
  default_requests(container);
}

// A container's values for the two resources that count.
struct Amounts {
  std::string_view limit, request;
};

Amounts amounts(const Value& container, std::string_view resource) {
  return {text(container, {"resources", "limits", resource}), text(container, {"resources", "requests", resource})};
}

}  // namespace

void set_pod_defaults(Value& pod) {
  JsonObject& spec = pod.get_object()["spec"].is_object() ? pod.get_object()["spec"].get_object()
                                                          : pod.get_object()["spec"].emplace_object();
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "schedulerName", "default-scheduler");
  set_default(spec, "securityContext", JsonObject{});
  set_default(spec, "enableServiceLinks", true);
  set_default(spec, "serviceAccountName", "default");
  set_default(spec, "serviceAccount", Value(spec["serviceAccountName"]));
  for (const char* list : {"containers", "initContainers"}) {
    if (Value* containers = spec.if_contains(list); containers != nullptr && containers->is_array()) {
      for (Value& container : containers->get_array()) default_container(container);
    }
  }
}

void add_default_tolerations(Value& pod) {
  for (const char* taint : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const JsonArray& there = array(pod, {"spec", "tolerations"});
    const bool tolerated = std::ranges::any_of(there, [&](const Value& toleration) {
      const std::string_view key = text(toleration, {"key"}), effect = text(toleration, {"effect"});
      return (key.empty() || key == taint) && (effect.empty() || effect == "NoExecute");
    });
    if (tolerated) continue;
    JsonArray all = there;
    all.emplace_back(
        JsonObject{{"key", taint}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}});
    set(pod, {"spec", "tolerations"}, std::move(all));
  }
}

std::string_view qos_class(const Value& pod) {
  bool any = false, guaranteed = true;
  for (const char* list : {"initContainers", "containers"}) {
    for (const Value& container : array(pod, {"spec", list})) {
      for (const char* resource : {"cpu", "memory"}) {
        const Amounts found = amounts(container, resource);
        any = any || !found.limit.empty() || !found.request.empty();
        guaranteed = guaranteed && !found.limit.empty() && found.limit == found.request;
      }
    }
  }
  if (!any) return "BestEffort";
  return guaranteed ? "Guaranteed" : "Burstable";
}

}  // namespace reprise::simulator
