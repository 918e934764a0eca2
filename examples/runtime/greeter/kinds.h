// The kinds that the greeter follows, with the fields it uses and no others.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/kube/meta.h"

namespace greeter {

namespace kube = reprise::kube;

// greetings.example.dev, see crd.yaml: what somebody wants to be said.
struct Greeting {
  struct Status {
    std::int64_t observed_generation = -1;
    std::vector<kube::Condition> conditions;
    bool operator==(const Status&) const = default;
  };
  kube::ObjectMeta meta;
  std::string text;
  Status status;
};
[[nodiscard]] std::string encode_status_patch(const Greeting::Status& status, std::string_view resource_version);

// A ConfigMap, as far as the greeter cares.
struct Letter {
  kube::ObjectMeta meta;
  std::string text;
};
[[nodiscard]] std::string encode(const Letter& letter);

}  // namespace greeter

namespace reprise::kube {

template <>
struct KindOf<greeter::Greeting> {
  static constexpr KindInfo info() { return {"example.dev", "v1", "Greeting", "greetings", true}; }
  [[nodiscard]] static std::expected<greeter::Greeting, DecodeError> decode(std::string_view json);
};

template <>
struct KindOf<greeter::Letter> {
  static constexpr KindInfo info() { return {"", "v1", "ConfigMap", "configmaps", true}; }
  [[nodiscard]] static std::expected<greeter::Letter, DecodeError> decode(std::string_view json);
};

}  // namespace reprise::kube
