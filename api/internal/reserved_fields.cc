#include "api/internal/reserved_fields.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/environment.h"

namespace reprise::api::internal {

using kube::internal::Field;
namespace {

constexpr std::string_view kOwnDomain = "reprise.dev/";

using Paths = std::vector<kube::Text>;

// Operators that only exclude nodes are harmless: with them a template takes no node that is not its own.
bool keeps_away(std::string_view op) {
  return op == "NotIn" || op == "DoesNotExist";
}

bool is_own_variable(std::string_view name) {
  return name.starts_with(protocol::kOwnVariables) &&
         std::ranges::find(protocol::kUsersVariables, name) == protocol::kUsersVariables.end();
}

void look_at_term(const Field& term, const std::string& path, Paths& found) {
  static_cast<void>(term["matchExpressions"].list([&](const Field& each) {
    const std::string_view key = each["key"].view().value_or("");
    if (key.starts_with(kOwnDomain) && !keeps_away(each["operator"].view().value_or(""))) {
      found.emplace_back(path + "[" + std::string(key) + "]");
    }
    return true;
  }));
}

void look_at_affinity(const Field& affinity, Paths& found) {
  const std::string path = "spec.affinity.nodeAffinity.";
  const Field required = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  static_cast<void>(required["nodeSelectorTerms"].list([&](const Field& term) {
    look_at_term(term, path + "requiredDuringSchedulingIgnoredDuringExecution", found);
    return true;
  }));
  static_cast<void>(affinity["preferredDuringSchedulingIgnoredDuringExecution"].list([&](const Field& preferred) {
    look_at_term(preferred["preference"], path + "preferredDuringSchedulingIgnoredDuringExecution", found);
    return true;
  }));
}

void look_at_containers(const Field& containers, std::string_view list, std::string_view other_policy, Paths& found) {
  static_cast<void>(containers.list([&](const Field& container) {
    const std::string path = "spec." + std::string(list) + "[" + container["name"].text().value_or("") + "].";
    const std::string_view policy = container["restartPolicy"].view().value_or("Never");
    if (policy != "Never" && policy != other_policy) found.emplace_back(path + "restartPolicy");
    if (container["restartPolicyRules"].present()) found.emplace_back(path + "restartPolicyRules");
    static_cast<void>(container["env"].list([&](const Field& variable) {
      const std::string_view name = variable["name"].view().value_or("");
      if (is_own_variable(name)) found.emplace_back(path + "env[" + std::string(name) + "]");
      return true;
    }));
    return true;
  }));
}

}  // namespace

kube::List<kube::Text> reserved_fields(const Field& spec) {
  Paths found;
  if (!spec["nodeName"].view().value_or("").empty()) found.emplace_back("spec.nodeName");
  for (const auto& [key, value] : spec["nodeSelector"].string_map()) {
    if (std::string_view(key).starts_with(kOwnDomain))
      found.emplace_back("spec.nodeSelector[" + std::string(key) + "]");
  }
  look_at_affinity(spec["affinity"]["nodeAffinity"], found);
  if (spec["activeDeadlineSeconds"].present()) found.emplace_back("spec.activeDeadlineSeconds");
  look_at_containers(spec["containers"], "containers", {}, found);
  look_at_containers(spec["initContainers"], "initContainers", "Always", found);  // a sidecar
  return found;
}

}  // namespace reprise::api::internal
