#include "simulator/cluster/installation.h"

#include <utility>

#include "crds/embedded.h"
#include "simulator/api_server/schema/custom_resource.h"

namespace reprise::simulator {
namespace {

Value namespace_object(std::string_view name) {
  return JsonObject{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", JsonObject{{"name", name}}}};
}

// The chart's PriorityClass.
Value standby_priority() {
  return JsonObject{{"apiVersion", "scheduling.k8s.io/v1"},
                    {"kind", "PriorityClass"},
                    {"metadata", JsonObject{{"name", "reprise-standby"}}},
                    {"value", -10},
                    {"preemptionPolicy", "Never"}};
}

}  // namespace

runtime::Result<OwnKinds> read_own_kinds() {
  OwnKinds kinds;
  for (const std::string_view crd : crds::all()) {
    auto rules = read_custom_resource(crd);
    if (!rules) return std::unexpected(std::move(rules).error());
    kinds.push_back(*std::move(rules));
  }
  return kinds;
}

void serve(ApiServer& api, const OwnKinds& kinds) {
  for (const auto& kind : kinds) api.add_custom_resource(kind);
}

runtime::Result<void> create_missing(ApiServer& api, std::string_view group, std::string_view plural, Value object) {
  const std::string kind(text(object, {"kind"})), name(name_of(object));
  auto created = api.create(api.resource(group, plural), std::move(object));
  if (created || created.error().error_class == runtime::ErrorClass::AlreadyExists) return {};
  return std::unexpected(std::move(created).error().with_context(kind + " " + name));
}

runtime::Result<void> install(ApiServer& api, std::set<std::string> namespaces) {
  namespaces.insert("reprise-system");
  for (const std::string& name : namespaces)
    if (auto made = create_missing(api, "", "namespaces", namespace_object(name)); !made) return made;
  return create_missing(api, "scheduling.k8s.io", "priorityclasses", standby_priority());
}

}  // namespace reprise::simulator
