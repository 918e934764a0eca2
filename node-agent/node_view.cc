#include "node-agent/node_view.h"

#include <algorithm>

#include "agent/json/json.h"

namespace reprise::node_agent {

std::string_view key_of(const boost::json::value& taint) {
  const auto* object = taint.if_object();
  const auto* key = object == nullptr ? nullptr : object->if_contains("key");
  return key != nullptr && key->is_string() ? std::string_view(key->get_string()) : std::string_view{};
}

bool NodeView::has_taint(std::string_view key) const {
  return std::ranges::any_of(taints, [&](const auto& each) { return key_of(each) == key; });
}

std::optional<NodeView> parse_node(std::string_view json) {
  const auto node = agent::parse_object(json);
  const auto* meta = node ? agent::object_of(*node, "metadata") : nullptr;
  if (meta == nullptr) return std::nullopt;
  NodeView view{.name = agent::text_of(*meta, "name").value_or(""),
                .uid = agent::text_of(*meta, "uid").value_or(""),
                .resource_version = agent::text_of(*meta, "resourceVersion").value_or(""),
                .provider_id = {},
                .taints = {}};
  if (view.name.empty() || view.uid.empty() || view.resource_version.empty()) return std::nullopt;
  if (const auto* spec = agent::object_of(*node, "spec")) {
    view.provider_id = agent::text_of(*spec, "providerID").value_or("");
    if (const auto* taints = agent::array_of(*spec, "taints")) view.taints = *taints;
  }
  return view;
}

}  // namespace reprise::node_agent
