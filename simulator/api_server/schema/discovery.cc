#include "simulator/api_server/schema/discovery.h"

#include <boost/json/serialize.hpp>
#include <map>
#include <set>
#include <string>

#include "simulator/api_server/wire/wire_request.h"
#include "simulator/base/json.h"

namespace reprise::simulator {
namespace {

std::string group_list(const Kinds& kinds) {
  std::map<std::string, std::set<std::string>> versions;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const ResourceId resource{static_cast<std::uint16_t>(i)};
    const ResourceType& type = kinds.type(resource);
    if (kinds.served(resource) && !type.group.empty()) versions[type.group].insert(type.version);
  }
  JsonArray groups;
  for (const auto& [group, all] : versions) {
    JsonArray entries;
    for (const std::string& version : all)
      entries.emplace_back(JsonObject{{"groupVersion", group + "/" + version}, {"version", version}});
    JsonObject entry{{"name", group}};
    entry["versions"] = std::move(entries);
    groups.emplace_back(std::move(entry));
  }
  JsonObject list{{"kind", "APIGroupList"}, {"apiVersion", "v1"}};
  list["groups"] = std::move(groups);
  return boost::json::serialize(list);
}

std::optional<std::string> resource_list(const Kinds& kinds, const std::string& group_version) {
  JsonArray resources;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const ResourceId resource{static_cast<std::uint16_t>(i)};
    const ResourceType& type = kinds.type(resource);
    const std::string its = type.group.empty() ? type.version : type.group + "/" + type.version;
    if (!kinds.served(resource) || its != group_version) continue;
    resources.emplace_back(JsonObject{{"name", type.plural}, {"namespaced", type.namespaced}, {"kind", type.kind}});
  }
  if (resources.empty()) return std::nullopt;
  JsonObject list{{"kind", "APIResourceList"}, {"apiVersion", "v1"}, {"groupVersion", group_version}};
  list["resources"] = std::move(resources);
  return boost::json::serialize(list);
}

}  // namespace

std::optional<runtime::Response> discovery(const Kinds& kinds, const runtime::Request& request) {
  if (request.method != runtime::Method::Get) return std::nullopt;
  const std::string path = request.path_and_query.substr(0, request.path_and_query.find('?'));
  if (path == "/apis") return json_response(200, group_list(kinds));
  std::optional<std::string> list;
  if (path == "/api/v1") list = resource_list(kinds, "v1");
  constexpr std::string_view apis = "/apis/";
  if (path.starts_with(apis)) list = resource_list(kinds, path.substr(apis.size()));
  if (!list) return std::nullopt;
  return json_response(200, *std::move(list));
}

}  // namespace reprise::simulator
