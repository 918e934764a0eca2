#include "runtime/cache/watch/watch_request.h"

#include <utility>

#include "runtime/internal/query.h"

namespace reprise::runtime {
namespace {

constexpr std::string_view page_size = "500";

std::string accept(const WatchTarget& target, Encoding encoding, std::string_view transformed) {
  std::string as;
  if (target.metadata_only) as.append(";as=").append(transformed).append(";g=meta.k8s.io;v=v1");
  std::string types;
  if (encoding == Encoding::Protobuf) types = "application/vnd.kubernetes.protobuf" + as + ", ";
  types += "application/json" + as + (types.empty() ? "" : ";q=0.9");
  // Whole objects have their metadata too.
  if (target.metadata_only) types += ", application/json;q=0.8";
  return types;
}

Request request(const WatchTarget& target, std::string query, std::string accepted) {
  if (!target.label_selector.empty()) add_query(query, "labelSelector", target.label_selector);
  if (!target.field_selector.empty()) add_query(query, "fieldSelector", target.field_selector);
  return {.path_and_query = target.kind.path(target.namespace_, {}, {}) + "?" + query,
          .headers = {{"Accept", std::move(accepted)}}};
}

}  // namespace

Request watch_request(const WatchTarget& target, const OpenWatch& open) {
  std::string query;
  add_query(query, "watch", "true");
  add_query(query, "allowWatchBookmarks", "true");
  add_query(query, "timeoutSeconds",
            std::to_string(std::chrono::duration_cast<std::chrono::seconds>(open.server_timeout).count()));
  if (open.initial_events) {
    add_query(query, "sendInitialEvents", "true");
    add_query(query, "resourceVersionMatch", "NotOlderThan");
  }
  if (!open.resource_version.empty()) add_query(query, "resourceVersion", open.resource_version);
  Request watch = request(target, std::move(query), accept(target, open.encoding, "PartialObjectMetadata"));
  watch.idle_timeout = open.idle_timeout;
  return watch;
}

Request page_request(const WatchTarget& target, const FetchPage& page) {
  std::string query;
  add_query(query, "limit", page_size);
  if (!page.continue_token.empty()) add_query(query, "continue", page.continue_token);
  return request(target, std::move(query), accept(target, page.encoding, "PartialObjectMetadataList"));
}

}  // namespace reprise::runtime
