// A server's watches and lists in either encoding, so that one invariant can be held against both: TYPED_TEST_SUITE
// over InJson and InProtobuf.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runtime/testing/thing.h"

namespace reprise::runtime::testing {

struct ThingSpec {
  std::string name;
  int version = 0;
  std::string color = {};
  std::string uid = {};     // empty: "u-<name>"
  bool broken = false;      // does not decode
  std::size_t padding = 0;  // bytes more
};

// Both have the same members. event, bookmark, error and framed are bytes of a watch; page and status are bodies.
struct InJson {
  using Object = Thing;
  static constexpr const char* name = "json";
  static constexpr std::string_view kind = "Thing";
  [[nodiscard]] static std::string event(std::string_view type, const ThingSpec& thing);
  [[nodiscard]] static std::string bookmark(int version, bool initial_events_end);
  [[nodiscard]] static std::string error(int code, std::string_view reason, std::string_view message,
                                         std::string_view cause);
  [[nodiscard]] static std::string framed(std::string_view event);
  [[nodiscard]] static std::string page(int version, std::string_view continue_token, const ThingSpec& thing);
  [[nodiscard]] static std::string status(int code, std::string_view reason, std::string_view message,
                                          std::string_view cause);
};

struct InProtobuf {
  using Object = WireThing;
  static constexpr const char* name = "protobuf";
  static constexpr std::string_view kind = "WireThing";
  [[nodiscard]] static std::string event(std::string_view type, const ThingSpec& thing);
  [[nodiscard]] static std::string bookmark(int version, bool initial_events_end);
  [[nodiscard]] static std::string error(int code, std::string_view reason, std::string_view message,
                                         std::string_view cause);
  [[nodiscard]] static std::string framed(std::string_view event);
  [[nodiscard]] static std::string page(int version, std::string_view continue_token, const ThingSpec& thing);
  [[nodiscard]] static std::string status(int code, std::string_view reason, std::string_view message,
                                          std::string_view cause);
};

}  // namespace reprise::runtime::testing
