// Kinds for tests of the runtime itself: nothing but metadata and a color.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "runtime/kube/meta.h"

namespace reprise::runtime::testing {

// Comes in JSON only, like custom resources.
struct Thing {
  kube::ObjectMeta meta;
};

// Comes in both encodings, like built-in kinds.
struct WireThing {
  kube::ObjectMeta meta;
};

// In namespace "n", uid "u-<name>"; `more` is put after the metadata: ",\"color\":\"red\"".
[[nodiscard]] std::string thing_json(const std::string& name, int version, const std::string& more = "");
// The same in protobuf; `more` is put after the metadata: WireWriter().bytes(2, "red").str().
[[nodiscard]] std::string thing_wire(const std::string& name, int version, const std::string& uid,
                                     const std::string& more = "");

}  // namespace reprise::runtime::testing

namespace reprise::kube {

template <>
struct KindOf<runtime::testing::Thing> {
  static constexpr KindInfo info() { return {"test.dev", "v1", "Thing", "things", true}; }
  // Fails on any text with "broken" in quotes. "color" becomes a label.
  [[nodiscard]] static std::expected<runtime::testing::Thing, DecodeError> decode(std::string_view json);
};

template <>
struct KindOf<runtime::testing::WireThing> {
  static constexpr KindInfo info() { return {"test.dev", "v1", "WireThing", "wirethings", true}; }
  [[nodiscard]] static std::expected<runtime::testing::WireThing, DecodeError> decode(std::string_view json);
  // Field 2 is the color; fails when it is no text.
  [[nodiscard]] static std::expected<runtime::testing::WireThing, DecodeError> decode_protobuf(std::string_view bytes);
};

}  // namespace reprise::kube
