// Splits the path of a request, "/apis/karpenter.sh/v1/nodepools/a/status?x=y", into its parts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::simulator {

struct Route {
  std::string group, version, namespace_, plural, name, subresource;
};

using Query = std::map<std::string, std::string, std::less<>>;

// Empty: not the path of an API object.
[[nodiscard]] std::optional<Route> parse_route(std::string_view path_and_query);
[[nodiscard]] Query parse_query(std::string_view path_and_query);
// The value; empty when missing.
[[nodiscard]] std::string_view value_of(const Query& query, std::string_view name);
// "true", "1".
[[nodiscard]] bool is_set(const Query& query, std::string_view name);

}  // namespace reprise::simulator
