#include "runtime/kube/permission.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace reprise::kube {

std::vector<Permission> merged(std::vector<Permission> permissions) {
  std::map<std::tuple<PermissionScope, std::string, std::string>, std::set<std::string>> all;
  for (Permission& each : permissions) {
    auto& verbs = all[{each.scope, std::move(each.api_group), std::move(each.resource)}];
    verbs.insert(each.verbs.begin(), each.verbs.end());
  }
  std::vector<Permission> out;
  out.reserve(all.size());
  for (const auto& [what, verbs] : all) {
    const auto& [scope, group, resource] = what;
    out.push_back({group, resource, {verbs.begin(), verbs.end()}, scope});
  }
  return out;
}

std::string as_table(const std::vector<Permission>& permissions) {
  std::string table;
  for (const Permission& each : permissions) {
    const std::size_t slash = each.resource.starts_with('/') ? std::string::npos : each.resource.find('/');
    std::string resource = each.resource.substr(0, slash);
    if (!each.api_group.empty()) resource += "." + each.api_group;
    if (slash != std::string::npos) resource += each.resource.substr(slash);
    std::string verbs;
    for (const std::string& verb : each.verbs) verbs += (verbs.empty() ? "" : ",") + verb;
    std::string line = each.scope == PermissionScope::Cluster ? "cluster    " : "namespace  ";
    line += resource + std::string(resource.size() < 40 ? 40 - resource.size() : 1, ' ') + verbs + "\n";
    table += line;
  }
  return table;
}

}  // namespace reprise::kube
