// Finalizers, for actors that have work to do before an object may go.
#pragma once

#include <algorithm>
#include <string_view>

#include "simulator/api_server/api_server.h"

namespace reprise::simulator {

[[nodiscard]] inline bool has_finalizer(const Value& object, std::string_view finalizer) {
  return std::ranges::any_of(array(object, {"metadata", "finalizers"}), [&](const Value& each) {
    return each.is_string() && std::string_view(each.get_string()) == finalizer;
  });
}

// An object without it is left alone.
inline void remove_finalizer(ApiServer& api, const ObjectAddress& address, std::string_view finalizer) {
  static_cast<void>(api.update(address, [&](Value& object) {
    if (!has_finalizer(object, finalizer)) return;
    JsonArray kept;
    for (const Value& each : array(object, {"metadata", "finalizers"}))
      if (!each.is_string() || std::string_view(each.get_string()) != finalizer) kept.push_back(each);
    if (kept.empty())
      unset(object, {"metadata", "finalizers"});
    else
      set(object, {"metadata", "finalizers"}, std::move(kept));
  }));
}

}  // namespace reprise::simulator
