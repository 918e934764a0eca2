#include "runtime/events/internal/event_json.h"

#include <json/value.h>

#include <array>
#include <charconv>

#include "runtime/base/json_tree.h"
#include "runtime/kube/time.h"

namespace reprise::runtime {

std::string identity_of(const EventRecord& event) {
  std::string key;
  for (const std::string* part : {&event.regarding_uid, &event.regarding_kind, &event.regarding_namespace,
                                  &event.regarding_name, &event.reason, &event.action, &event.note}) {
    key += *part;
    key += '\0';
  }
  return key + (event.type == EventType::Normal ? "N" : "W");
}

std::string event_name(const EventRecord& event, std::uint64_t suffix) {
  std::array<char, 16> digits{};
  const auto micros = static_cast<std::uint64_t>(event.time.time_since_epoch().count());
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), micros ^ (suffix << 20U), 16);
  std::string base = event.regarding_name.substr(0, 230);
  while (!base.empty() && (base.back() == '.' || base.back() == '-')) base.pop_back();
  return base + "." + std::string(digits.data(), end.ptr);
}

std::string encode_event(const EventRecord& event, const std::string& controller, const std::string& instance) {
  Json::Value root(Json::objectValue);
  root["apiVersion"] = "events.k8s.io/v1";
  root["kind"] = "Event";
  root["metadata"]["name"] = event.name;
  root["metadata"]["namespace"] = event.namespace_;
  root["eventTime"] = kube::format_micro_time(event.time);
  root["reportingController"] = controller;
  root["reportingInstance"] = instance.empty() ? controller : instance;
  root["type"] = event.type == EventType::Normal ? "Normal" : "Warning";
  root["reason"] = event.reason;
  root["action"] = event.action;
  root["note"] = event.note;
  Json::Value& regarding = root["regarding"];
  regarding["apiVersion"] = event.regarding_api_version;
  regarding["kind"] = event.regarding_kind;
  if (!event.regarding_namespace.empty()) regarding["namespace"] = event.regarding_namespace;
  regarding["name"] = event.regarding_name;
  regarding["uid"] = event.regarding_uid;
  return compact_json(root);
}

std::string encode_series_patch(std::int32_t count, WallTime last) {
  Json::Value root(Json::objectValue);
  root["series"]["count"] = count;
  root["series"]["lastObservedTime"] = kube::format_micro_time(last);
  return compact_json(root);
}

}  // namespace reprise::runtime
