#include "simulator/api_server/pods/quotas.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "runtime/kube/time.h"
#include "simulator/base/resources.h"

namespace reprise::simulator {
namespace {

bool is_pod(const ResourceType& type) {
  return type.group.empty() && type.plural == "pods";
}

void add_container(const Value& container, Resources& used) {
  for (const char* part : {"requests", "limits"}) {
    for (const auto& [name, value] : read_resources(object(container, {"resources", part}))) {
      used[std::string(part) + "." + name] += value;
      const bool plain = name == "cpu" || name == "memory";
      if (plain && std::string_view(part) == "requests") used[name] += value;
    }
  }
}

// The resources that one object of that kind uses.
Resources usage_of(const ResourceType& type, const Value& object) {
  Resources used;
  const std::int64_t one = parse_amount("1");
  used["count/" + type.plural + (type.group.empty() ? "" : "." + type.group)] = one;
  if (!type.group.empty()) return used;
  if (type.plural == "pods" || type.plural == "services" || type.plural == "persistentvolumeclaims") {
    used[type.plural] = one;
  }
  if (type.plural == "pods") {
    for (const Value& container : array(object, {"spec", "containers"})) add_container(container, used);
  }
  if (type.plural == "persistentvolumeclaims") {
    used["requests.storage"] = parse_amount(text(object, {"spec", "resources", "requests", "storage"}));
  }
  return used;
}

// Pods that have ended use nothing; nor do pods without a report of their end once their grace is over.
bool counts(const ResourceType& type, const Value& object, runtime::WallTime now) {
  if (!is_pod(type)) return true;
  const std::string_view phase = text(object, {"status", "phase"});
  if (phase == "Failed" || phase == "Succeeded") return false;
  const auto deleted = kube::parse_time(text(object, {"metadata", "deletionTimestamp"}));
  const std::chrono::seconds grace(number(object, {"metadata", "deletionGracePeriodSeconds"}));
  return !deleted || now <= *deleted + grace;
}

std::string listed(const Resources& resources, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ",") + name + "=" + format_amount(amount(resources, name));
  return text;
}

// Fields that each container must set when a quota is on them.
constexpr std::array must_be_said{"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};

bool says(const Value& container, std::string_view what) {
  const bool limit = what.starts_with("limits.");
  const std::size_t dot = what.find('.');
  const std::string_view name = dot == std::string_view::npos ? what : what.substr(dot + 1);
  return find(container, {"resources", limit ? "limits" : "requests", name}) != nullptr;
}

std::string silent_containers(const Value& pod, std::string_view what) {
  std::string names;
  for (const char* list : {"containers", "initContainers"})
    for (const Value& container : array(pod, {"spec", list}))
      if (!says(container, what)) names += (names.empty() ? "" : ",") + std::string(text(container, {"name"}));
  return names;
}

std::string joined(const std::vector<std::string>& complaints) {
  if (complaints.size() == 1) return complaints.front();
  std::string text;
  for (const std::string& each : complaints) text += (text.empty() ? "[" : ", ") + each;
  return text + "]";
}

void check_range(const Value& item, const Value& resources, std::string_view of, std::vector<std::string>& wrong) {
  const auto plain = [](const JsonObject& from, std::string_view name) {
    return std::string(from.at(name).as_string());
  };
  for (const auto& [name, most] : object(item, {"max"})) {
    const JsonObject& limits = object(resources, {of == "Container" ? "limits" : "requests"});
    const std::string what =
        "maximum " + std::string(name) + " usage per " + std::string(of) + " is " + std::string(most.as_string());
    if (!limits.contains(name)) {
      wrong.push_back(what + ".  No limit is specified");
    } else if (parse_amount(plain(limits, name)) > parse_amount(std::string_view(most.as_string()))) {
      wrong.push_back(what + ", but " + (of == "Container" ? "limit" : "request") + " is " + plain(limits, name));
    }
  }
  for (const auto& [name, least] : object(item, {"min"})) {
    const JsonObject& requests = object(resources, {"requests"});
    const std::string what =
        "minimum " + std::string(name) + " usage per " + std::string(of) + " is " + std::string(least.as_string());
    if (!requests.contains(name)) {
      wrong.push_back(what + ".  No request is specified");
    } else if (parse_amount(plain(requests, name)) < parse_amount(std::string_view(least.as_string()))) {
      wrong.push_back(what + ", but request is " + plain(requests, name));
    }
  }
}

}  // namespace

NamespaceLimits::NamespaceLimits(const Store& store, const Kinds& kinds, const runtime::Clock& clock)
    : store_(store),
      kinds_(kinds),
      clock_(clock),
      quotas_(*kinds.find("", "resourcequotas")),
      ranges_(*kinds.find("", "limitranges")) {}

std::vector<VersionPtr> NamespaceLimits::ranges_of(std::string_view namespace_) const {
  return store_.list(ranges_, namespace_);
}

void NamespaceLimits::set_defaults(const ResourceType& type, Value& object) const {
  if (!is_pod(type)) return;
  for (const VersionPtr& range : ranges_of(namespace_of(object))) {
    for (const Value& item : array(range->object(), {"spec", "limits"})) {
      if (text(item, {"type"}) != "Container") continue;
      for (const char* list : {"containers", "initContainers"}) {
        Value* const containers = find(object, {"spec", list});
        if (containers == nullptr || !containers->is_array()) continue;
        for (Value& container : containers->get_array()) {
          const Value asked = container;
          for (const auto& [part, from] : {std::pair{"requests", "defaultRequest"}, std::pair{"limits", "default"}}) {
            for (const auto& [name, value] : simulator::object(item, {from})) {
              // A limit of its own is also its request.
              const bool own = find(asked, {"resources", part, name}) != nullptr ||
                               find(asked, {"resources", "limits", name}) != nullptr;
              if (!own) set(container, {"resources", part, name}, Value(value));
            }
          }
        }
      }
    }
  }
}

Answer<void> NamespaceLimits::admit_by_range(const ResourceType& type, const Value& object, const Value& range) const {
  std::vector<std::string> wrong;
  for (const Value& item : array(range, {"spec", "limits"})) {
    const std::string_view of = text(item, {"type"});
    if (of == "Container" && is_pod(type)) {
      for (const char* list : {"containers", "initContainers"})
        for (const Value& container : array(object, {"spec", list}))
          check_range(item, Value(simulator::object(container, {"resources"})), of, wrong);
    }
    if (of == "PersistentVolumeClaim" && type.plural == "persistentvolumeclaims")
      check_range(item, Value(simulator::object(object, {"spec", "resources"})), of, wrong);
  }
  if (wrong.empty()) return {};
  return reject(forbidden(type, name_of(object), joined(wrong)));
}

Answer<void> NamespaceLimits::admit_by_quota(ResourceId resource, const Value& object, const Value& quota) const {
  const ResourceType& type = kinds_.type(resource);
  const Resources hard = read_resources(simulator::object(quota, {"spec", "hard"}));
  if (is_pod(type)) {
    std::vector<std::string> missing;
    for (const char* what : must_be_said) {
      if (!hard.contains(std::string_view(what))) continue;
      const std::string who = silent_containers(object, what);
      if (!who.empty()) missing.push_back(std::string(what) + " for: " + who);
    }
    if (!missing.empty()) {
      std::string all;
      for (const std::string& each : missing) all += (all.empty() ? "" : "; ") + each;
      return reject(
          forbidden(type, name_of(object), "failed quota: " + std::string(name_of(quota)) + ": must specify " + all));
    }
  }
  const Resources wanted = usage_of(type, object);
  Resources used;
  store_.each(resource, namespace_of(object), {}, [&](const std::string&, const VersionPtr& each) {
    if (counts(type, each->object(), clock_.wall())) add(used, usage_of(type, each->object()));
  });
  std::vector<std::string> exceeded;
  for (const auto& [name, most] : hard)
    if (amount(wanted, name) > 0 && amount(used, name) + amount(wanted, name) > most) exceeded.push_back(name);
  if (exceeded.empty()) return {};
  return reject(forbidden(type, name_of(object),
                          "exceeded quota: " + std::string(name_of(quota)) +
                              ", requested: " + listed(wanted, exceeded) + ", used: " + listed(used, exceeded) +
                              ", limited: " + listed(hard, exceeded)));
}

Answer<void> NamespaceLimits::admit(ResourceId resource, const Value& object) const {
  const std::string_view namespace_ = namespace_of(object);
  for (const VersionPtr& range : ranges_of(namespace_))
    if (auto admitted = admit_by_range(kinds_.type(resource), object, range->object()); !admitted) return admitted;
  for (const VersionPtr& quota : store_.list(quotas_, namespace_))
    if (auto admitted = admit_by_quota(resource, object, quota->object()); !admitted) return admitted;
  return {};
}

}  // namespace reprise::simulator
