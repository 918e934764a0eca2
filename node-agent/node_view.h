// The parts of its own Node that the node agent reads.
#pragma once

#include <boost/json/array.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::node_agent {

struct NodeView {
  std::string name, uid, resource_version, provider_id;
  boost::json::array taints;  // as they came, also those of others
  [[nodiscard]] bool has_taint(std::string_view key) const;
};

[[nodiscard]] std::string_view key_of(const boost::json::value& taint);  // empty where it has none

// Returns nothing where the text is no Node.
[[nodiscard]] std::optional<NodeView> parse_node(std::string_view json);

}  // namespace reprise::node_agent
