// The fields that the sample operator reads of its four kinds, and no others: the built-in kinds in both encodings.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/kube/meta.h"

namespace bench {

namespace kube = reprise::kube;

// The fields that the runtime needs in every object's `meta`.
struct Meta {
  std::string name, namespace_, uid, resource_version;
  std::optional<kube::Time> deletion_timestamp;
};

struct Status {
  std::int32_t attempt = 0, pods = 0, ready = 0;
  bool nodes_healthy = false;
  std::int64_t observed_generation = -1;  // the condition's; -1: there is no condition yet
  kube::Time healthy_since{};             // the condition's lastTransitionTime
  bool operator==(const Status&) const = default;
};

struct BenchJob {
  Meta meta;
  std::int64_t generation = 0;
  Status status;
};

struct Pod {
  Meta meta;
  std::string job;  // label bench.reprise.dev/job
  std::string node_name;
  std::int32_t attempt = -1;  // label bench.reprise.dev/attempt
  bool ready = false, disrupted = false;
};

struct Node {
  Meta meta;
  bool tainted = false;  // bench.reprise.dev/interrupted
};

struct Job {
  Meta meta;
  std::string owner;  // name of the BenchJob that controls it
};

}  // namespace bench

template <>
struct reprise::kube::KindOf<bench::BenchJob> {
  static constexpr KindInfo info() { return {"bench.reprise.dev", "v1", "BenchJob", "benchjobs", true}; }
  [[nodiscard]] static std::expected<bench::BenchJob, DecodeError> decode(std::string_view json);
};

template <>
struct reprise::kube::KindOf<bench::Pod> {
  static constexpr KindInfo info() { return {"", "v1", "Pod", "pods", true}; }
  [[nodiscard]] static std::expected<bench::Pod, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<bench::Pod, DecodeError> decode_protobuf(std::string_view bytes);
};

template <>
struct reprise::kube::KindOf<bench::Node> {
  static constexpr KindInfo info() { return {"", "v1", "Node", "nodes", false}; }
  [[nodiscard]] static std::expected<bench::Node, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<bench::Node, DecodeError> decode_protobuf(std::string_view bytes);
};

template <>
struct reprise::kube::KindOf<bench::Job> {
  static constexpr KindInfo info() { return {"batch", "v1", "Job", "jobs", true}; }
  [[nodiscard]] static std::expected<bench::Job, DecodeError> decode(std::string_view json);
  [[nodiscard]] static std::expected<bench::Job, DecodeError> decode_protobuf(std::string_view bytes);
};
