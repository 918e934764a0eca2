#include "simulator/api_server/store/list_pages.h"

#include <charconv>
#include <utility>
#include <vector>

#include "simulator/api_server/store/envelope.h"
#include "simulator/api_server/wire/selectors.h"

namespace reprise::simulator {
namespace {

constexpr const char* too_old_token =
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without "
    "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. "
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or "
    "deleted between the time the first chunk was returned and now may show up in the list.";

// The place where a list goes on: the version it shows and the first key it has not shown.
struct Token {
  std::uint64_t version = 0;  // 0: any version
  std::string start;
};

// "12:vision/a"; version 0 for a list that may be inconsistent.
std::string encoded(const Token& token) {
  return std::to_string(token.version) + ":" + token.start;
}

Answer<Token> decoded(std::string_view text) {
  const std::size_t colon = text.find(':');
  Token token;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), token.version);
  if (error != std::errc{} || colon == std::string_view::npos || end != text.data() + colon || colon + 1 == text.size())
    return reject(bad_request("continue key is not valid: " + std::string(text)));
  token.start = text.substr(colon + 1);
  return token;
}

struct Wanted {
  std::uint64_t version = 0;  // 0: as it is now
  std::string start;          // first key
};

Answer<Wanted> wanted_of(const Store& store, const WireRequest& asked) {
  const std::string_view token = value_of(asked.query, "continue");
  const std::string_view version_text = value_of(asked.query, "resourceVersion");
  const std::string_view match = value_of(asked.query, "resourceVersionMatch");
  const auto version = read_version(version_text);
  if (!version) return reject(version.error());
  if (!match.empty() && version_text.empty()) {
    return reject(invalid({.group = "meta.k8s.io", .version = {}, .plural = {}, .kind = "ListOptions"}, "",
                          {forbidden_field("resourceVersionMatch",
                                           "resourceVersionMatch is forbidden unless resourceVersion is provided")}));
  }
  if (!token.empty()) {
    if (!version_text.empty() && version_text != "0")
      return reject(bad_request("specifying resource version is not allowed when using continue"));
    auto from = decoded(token);
    if (!from) return reject(from.error());
    if (from->version != 0 && from->version < store.compacted()) {
      Rejection rejection = expired(too_old_token);
      rejection.continue_token = encoded({0, from->start});
      return reject(std::move(rejection));
    }
    return Wanted{from->version, from->start};
  }
  if (*version > store.version()) return reject(too_large_version(*version, store.version()));
  if (match == "Exact" && *version != 0) {
    if (*version < store.compacted()) return reject(expired("The resourceVersion for the provided list is too old."));
    return Wanted{*version, {}};
  }
  return Wanted{};
}

}  // namespace

Answer<std::string> list_text(const Store& store, const KindRules& rules, const WireRequest& asked) {
  const auto selector =
      Selector::parse(rules, value_of(asked.query, "labelSelector"), value_of(asked.query, "fieldSelector"));
  if (!selector) return reject(selector.error());
  auto wanted = wanted_of(store, asked);
  if (!wanted) return reject(wanted.error());
  const std::string_view limit_text = value_of(asked.query, "limit");
  std::size_t limit = 0;
  std::from_chars(limit_text.data(), limit_text.data() + limit_text.size(), limit);
  const std::uint64_t version = wanted->version == 0 ? store.version() : wanted->version;

  std::vector<VersionPtr> items;
  std::size_t left = 0;
  std::string next;
  const auto visit = [&](const std::string& key, const VersionPtr& object) {
    if (!selector->matches_all() && !selector->matches(object->object())) return;
    if (limit != 0 && items.size() == limit) {
      if (left++ == 0) next = key;
      return;
    }
    items.push_back(object);
  };
  const std::string& namespace_ = asked.route.namespace_;
  if (wanted->version == 0 || wanted->version == store.version()) {
    store.each(asked.resource, namespace_, wanted->start, visit);
  } else {
    const Store::Objects past = store.at(asked.resource, namespace_, version);
    for (auto at = past.lower_bound(wanted->start); at != past.end(); ++at) visit(at->first, at->second);
  }
  JsonObject metadata{{"resourceVersion", std::to_string(version)}};
  if (!next.empty()) {
    metadata["continue"] = encoded({version, next});
    if (selector->matches_all()) metadata["remainingItemCount"] = left;
  }
  return list_of(rules.type(), asked.shape, std::move(metadata), items);
}

}  // namespace reprise::simulator
