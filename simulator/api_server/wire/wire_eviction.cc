// pods/eviction and the deletion of collections.
#include <algorithm>
#include <utility>
#include <vector>

#include "simulator/api_server/store/envelope.h"
#include "simulator/api_server/wire/selectors.h"
#include "simulator/api_server/wire/wire_body.h"
#include "simulator/api_server/wire/wire_writes.h"

namespace reprise::simulator {
namespace {

constexpr std::int64_t retry_after_seconds = 10;

// matchLabels of a budget; expressions are not evaluated.
bool guards(const Value& budget, const Value& pod) {
  const JsonObject& labels = object(pod, {"metadata", "labels"});
  const JsonObject& wanted = object(budget, {"spec", "selector", "matchLabels"});
  return find(budget, {"spec", "selector"}) != nullptr && std::ranges::all_of(wanted, [&](const auto& label) {
           const Value* there = labels.if_contains(label.key());
           return there != nullptr && *there == label.value();
         });
}

bool budget_allows(const ServerState& state, const Value& pod) {
  const auto budgets = state.kinds.find("policy", "poddisruptionbudgets");
  const auto all = state.store.list(*budgets, namespace_of(pod));
  return std::ranges::all_of(all, [&](const VersionPtr& budget) {
    return !guards(budget->object(), pod) || number(budget->object(), {"status", "disruptionsAllowed"}) > 0;
  });
}

}  // namespace

Answer<Written> evict_pod(ServerState& state, const WireRequest& asked) {
  const auto body = parse_body(asked);
  if (!body) return reject(body.error());
  const VersionPtr current = state.store.get(asked.resource, asked.key());
  if (!current) return reject(not_found(state.kinds.type(asked.resource), asked.route.name));
  const Value* given = find(*body, {"deleteOptions"});
  const auto how = parse_removal(asked, given == nullptr ? Value{} : *given);
  if (!how) return reject(how.error());
  // An idle pod may go whatever the budget says.
  const std::string_view phase = text(current->object(), {"status", "phase"});
  const bool idle = phase == "Pending" || phase == "Succeeded" || phase == "Failed";
  if (!idle && !being_deleted(current->object()) && !budget_allows(state, current->object())) {
    return reject({.code = 429,
                   .reason = "TooManyRequests",
                   .message = "Cannot evict pod as it would violate the pod's disruption budget.",
                   .retry_after_seconds = retry_after_seconds});
  }
  const auto removed = state.writer.remove(asked.resource, current, how->removal());
  if (!removed) return reject(removed.error());
  return Written{201, created_status()};
}

Answer<Written> delete_collection(ServerState& state, const WireRequest& asked) {
  const KindRules& rules = state.kinds.rules(asked.resource);
  const auto selector =
      Selector::parse(rules, value_of(asked.query, "labelSelector"), value_of(asked.query, "fieldSelector"));
  if (!selector) return reject(selector.error());
  const auto how = parse_removal(asked);
  if (!how) return reject(how.error());
  std::vector<VersionPtr> collection;
  for (const VersionPtr& version : state.store.list(asked.resource, asked.route.namespace_)) {
    if (!selector->matches(version->object())) continue;
    const auto removed = state.writer.remove(asked.resource, version, how->removal());
    if (!removed) return reject(removed.error());
    collection.push_back(removed->object);
  }
  JsonObject metadata{{"resourceVersion", std::to_string(state.store.version())}};
  return Written{200, list_of(rules.type(), asked.shape, std::move(metadata), collection)};
}

}  // namespace reprise::simulator
