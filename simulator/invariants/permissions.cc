#include <algorithm>

#include "controllers/setup/setup.h"
#include "simulator/api_server/wire/wire_path.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

using runtime::Method;
using runtime::Request;

// The API server's verb for the request.
std::string_view verb_of(const Request& request, const std::optional<Route>& route) {
  switch (request.method) {
    case Method::Get:
      if (is_set(parse_query(request.path_and_query), "watch")) return "watch";
      return route && route->name.empty() ? "list" : "get";
    case Method::Post:
      return "create";
    case Method::Patch:
      return "patch";
    case Method::Delete:
      return "delete";
    case Method::Put:
      return "update";
  }
  return {};
}

class AsksWhatIsPermitted final : public Invariant {
 public:
  explicit AsksWhatIsPermitted(bool kueue) : granted_(controllers::permissions({.kueue = kueue})) {}
  [[nodiscard]] std::string_view name() const override { return "asks-what-is-permitted"; }

  void on_request(std::string_view who, const Request& request, const Objection& object_to) override {
    const auto route = parse_route(request.path_and_query);
    const std::string path = path_of(request), verb(verb_of(request, route));
    const bool permitted = std::ranges::any_of(granted_, [&](const kube::Permission& each) {
      return std::ranges::find(each.verbs, verb) != each.verbs.end() &&
             (route ? covers(each, *route) : covers(each, path));
    });
    if (!permitted)
      object_to(std::string(who) + " asks for " + verb + " " + path + ", which is not among its permissions()");
  }

 private:
  [[nodiscard]] static bool covers(const kube::Permission& permission, const Route& route) {
    const std::string resource = route.subresource.empty() ? route.plural : route.plural + "/" + route.subresource;
    const std::string_view there = permission.scope == kube::PermissionScope::OneNamespace
                                       ? std::string_view(permission.namespace_)
                                       : kOperatorNamespace;
    const bool reaches = permission.scope == kube::PermissionScope::Cluster || route.namespace_ == there;
    return reaches && permission.api_group == route.group && permission.resource == resource;
  }
  // Covers paths that are no resources: "/apis/*" stands for all below "/apis/".
  [[nodiscard]] static bool covers(const kube::Permission& permission, std::string_view path) {
    std::string_view pattern = permission.resource;
    if (!pattern.ends_with('*')) return pattern == path;
    pattern.remove_suffix(1);
    return path.starts_with(pattern);
  }

  static constexpr std::string_view kOperatorNamespace = "reprise-system";
  const std::vector<kube::Permission> granted_;
};

}  // namespace

std::unique_ptr<Invariant> asks_what_is_permitted(bool kueue) {
  return std::make_unique<AsksWhatIsPermitted>(kueue);
}

}  // namespace reprise::simulator
