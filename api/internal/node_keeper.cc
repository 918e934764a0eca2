#include "api/internal/node_keeper.h"

#include <initializer_list>

namespace reprise::api::internal {
namespace {

using Json::Value;

Value only(const Value& from, std::initializer_list<const char*> keys) {
  Value left(Json::objectValue);
  for (const char* const key : keys)
    if (from.isMember(key)) left[key] = from[key];
  return left;
}

Value list_of(const std::vector<std::string>& items) {
  Value list(Json::arrayValue);
  for (const std::string& item : items) list.append(item);
  return list;
}

// The agent's own image where there is one: it lies on the node, and has no need of an init container.
Value pausing_container(const PodBuilder& pod_builder, const Value& spec) {
  std::vector<std::string> command = pod_builder.standby_command;
  const Value& first = spec["initContainers"][0];
  const bool installs = first["name"] == std::string(kAgentInstallContainer);
  Value container = only(installs ? first : spec["containers"][0], {"image", "imagePullPolicy", "securityContext"});
  if (installs && !command.empty()) command.front() = "/reprise-agent";
  container["name"] = pod_builder.container;
  container["command"] = list_of(command);
  return container;
}

Value labels_of(const kube::StringMap& labels) {
  Value tree(Json::objectValue);
  for (const auto& [key, value] : labels) tree[std::string(key)] = std::string(value);
  return tree;
}

}  // namespace

Value reduce_to_node_keeper(const PodBuilder& pod_builder, const Value& standby) {
  Value pod = standby;
  pod["metadata"]["labels"] = labels_of(pod_builder.labels);
  const Value& whole = standby["spec"];
  Value spec = only(whole, {"priorityClassName", "terminationGracePeriodSeconds", "restartPolicy",
                            "automountServiceAccountToken", "tolerations", "imagePullSecrets", "securityContext"});
  spec["nodeName"] = pod_builder.node_name;
  spec["activeDeadlineSeconds"] = static_cast<Json::Int64>(pod_builder.active_deadline_seconds);
  spec["containers"].append(pausing_container(pod_builder, whole));
  pod["spec"] = std::move(spec);
  return pod;
}

}  // namespace reprise::api::internal
