// A cache as read-your-writes needs it, whatever its type of object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reprise::runtime {

// Callable from any thread.
class StoreView {
 public:
  virtual ~StoreView() = default;
  // The scope that this namespace (empty: cluster-scoped) is followed in: the namespace, or "" for everything at once.
  // Empty when the namespace is not followed.
  [[nodiscard]] virtual std::optional<std::string> scope_of(std::string_view ns) const = 0;
  // The version up to which the scope's objects are in the store.
  [[nodiscard]] virtual std::string resource_version(std::string_view scope) const = 0;
  // True while the store holds an object of that uid with no deletionTimestamp.
  [[nodiscard]] virtual bool holds_undeleted(std::string_view uid) const = 0;
  // See Store::absent().
  [[nodiscard]] virtual bool absent() const = 0;
  // Lists of the newest state asked for so far, and the ordinal of the one that the store's content goes back to. Such
  // a list shows all writes before its request. A list that only had to be no older than the last one seen (the first
  // after the history was lost) is not counted: an API server that lags behind may have answered it.
  [[nodiscard]] virtual std::uint64_t lists_begun(std::string_view scope) const = 0;
  [[nodiscard]] virtual std::uint64_t list_in_use(std::string_view scope) const = 0;
};

}  // namespace reprise::runtime
