#include "apps/kubectl-reprise/cluster/fetch.h"

namespace reprise::plugin {
namespace {

constexpr std::uint32_t kPage = 500;

runtime::Result<Json> parsed(const kube::KindInfo& kind, const std::string& text) {
  if (auto value = parse_json(text); value && value->is_object()) return *std::move(value);
  return runtime::fail(runtime::ErrorClass::Terminal,
                       std::string(kind.kind) + ": what the API server answered is no JSON object");
}

// Puts apiVersion and kind in front, as in a manifest.
Json with_kind(const kube::KindInfo& kind, const Json& item) {
  boost::json::object object{{"apiVersion", kind.api_version()}, {"kind", kind.kind}};
  for (const auto& [key, value] : item.as_object()) object[key] = value;
  return object;
}

}  // namespace

runtime::Result<Json> get_json(runtime::Client& client, const kube::KindInfo& kind, std::string_view ns,
                               std::string_view name) {
  auto text = client.get(kind, ns, name);
  if (!text) return std::unexpected(std::move(text).error());
  return parsed(kind, *text);
}

runtime::Result<std::vector<Json>> list_json(runtime::Client& client, const kube::KindInfo& kind, std::string_view ns,
                                             runtime::ListOptions options) {
  std::vector<Json> all;
  if (options.limit == 0) options.limit = kPage;
  do {
    auto text = client.list(kind, ns, options);
    if (!text) return std::unexpected(std::move(text).error());
    auto page = parsed(kind, *text);
    if (!page) return std::unexpected(std::move(page).error());
    if (const auto* items = member(*page, "items").if_array()) {
      for (const Json& item : *items) {
        if (item.is_object()) all.push_back(with_kind(kind, item));
      }
    }
    options.continue_token = text_at(*page, {"metadata", "continue"});
  } while (!options.continue_token.empty());
  return all;
}

}  // namespace reprise::plugin
