#include "runtime/kube/permission.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace reprise::kube {
namespace {

std::string scope_of(const Permission& permission) {
  switch (permission.scope) {
    case PermissionScope::Cluster:
      return "cluster";
    case PermissionScope::OwnNamespace:
      return "namespace";
    case PermissionScope::WatchedNamespaces:
      return "watched";
    case PermissionScope::DefaultNamespace:
      return "namespace/default";
    case PermissionScope::OneNamespace:
      return "namespace/" + permission.namespace_;
  }
  return {};
}

// True when the watched namespaces grant the same permission.
bool is_watched_too(const Permission& permission, const std::vector<Permission>& all) {
  return std::ranges::any_of(all, [&](const Permission& each) {
    return each.scope == PermissionScope::WatchedNamespaces && each.api_group == permission.api_group &&
           each.resource == permission.resource && each.verbs == permission.verbs;
  });
}

std::string padded(std::string text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

}  // namespace

std::vector<Permission> narrowed(const std::vector<Permission>& permissions, const std::vector<std::string>& watched) {
  using enum PermissionScope;
  std::vector<Permission> out;
  const auto add = [&](const Permission& from, PermissionScope scope, std::string ns) {
    Permission& added = out.emplace_back(from);
    added.scope = scope;
    added.namespace_ = std::move(ns);
  };
  for (const Permission& each : permissions) {
    if (each.scope == DefaultNamespace) {
      if (!watched.empty() || !is_watched_too(each, permissions)) add(each, OneNamespace, "default");
    } else if (each.scope != WatchedNamespaces) {
      out.push_back(each);
    } else if (watched.empty()) {
      add(each, Cluster, {});
    } else {
      for (const std::string& ns : watched) add(each, OneNamespace, ns);
    }
  }
  return out;
}

std::vector<Permission> merged(std::vector<Permission> permissions) {
  std::map<std::tuple<PermissionScope, std::string, std::string, std::string>, std::set<std::string>> all;
  for (Permission& each : permissions) {
    auto& verbs = all[{each.scope, std::move(each.namespace_), std::move(each.api_group), std::move(each.resource)}];
    verbs.insert(each.verbs.begin(), each.verbs.end());
  }
  std::vector<Permission> out;
  out.reserve(all.size());
  for (const auto& [what, verbs] : all) {
    const auto& [scope, ns, group, resource] = what;
    out.push_back({group, resource, {verbs.begin(), verbs.end()}, scope, ns});
  }
  return out;
}

std::string as_table(const std::vector<Permission>& permissions) {
  constexpr std::size_t least_width = 11;
  std::size_t scope_width = least_width;
  for (const Permission& each : permissions) scope_width = std::max(scope_width, scope_of(each).size() + 2);
  std::string table;
  for (const Permission& each : permissions) {
    const std::size_t slash = each.resource.starts_with('/') ? std::string::npos : each.resource.find('/');
    std::string resource = each.resource.substr(0, slash);
    if (!each.api_group.empty()) resource += "." + each.api_group;
    if (slash != std::string::npos) resource += each.resource.substr(slash);
    std::string verbs;
    for (const std::string& verb : each.verbs) verbs += (verbs.empty() ? "" : ",") + verb;
    table += padded(scope_of(each), scope_width) + padded(std::move(resource), 40) + verbs + "\n";
  }
  return table;
}

}  // namespace reprise::kube
