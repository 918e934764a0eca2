// A kind for tests of the runtime itself: nothing but metadata.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "api/meta.h"

namespace reprise::runtime::testing {

struct Thing {
  api::ObjectMeta meta;
};

// In namespace "n", uid "u-<name>"; `more` is put after the metadata: ",\"color\":\"red\"".
[[nodiscard]] std::string thing_json(const std::string& name, int version, const std::string& more = "");

}  // namespace reprise::runtime::testing

namespace reprise::api {

template <>
struct KindOf<runtime::testing::Thing> {
  static constexpr KindInfo info() { return {"test.dev", "v1", "Thing", "things", true}; }
  // Fails on any text with "broken" in quotes. "color" becomes a label.
  [[nodiscard]] static std::expected<runtime::testing::Thing, DecodeError> decode(std::string_view json);
};

}  // namespace reprise::api
