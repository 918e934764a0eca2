// Names of the objects of wire_samples.h, so that they refer to each other.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "bench/micro/wire_samples.h"

namespace bench {

inline constexpr std::string_view kTimeText = "2026-11-21T09:00:00Z";
inline constexpr std::string_view kNamespace = "vision";

inline std::string uid(int kind, int number) {
  return fmt::format("5a8e1c2f-6b7d-4e3a-9f1{}-{:012d}", kind, number);
}
inline std::string job_uid(int job) {
  return uid(1, job);
}
inline std::string pod_uid(int pod) {
  return uid(2, pod);
}
inline std::string node_uid(int node) {
  return uid(3, node);
}
inline std::string claim_uid(int node) {
  return uid(4, node);
}
inline std::string job_name(int job) {
  return fmt::format("finetune-{:05d}", job);
}
inline std::string pod_name(int pod) {
  return fmt::format("{}-1-{}", job_name(pod / kPodsPerJob), pod % kPodsPerJob);
}
inline std::string node_name(int node) {
  return fmt::format("ip-10-1-{}-{}.eu-central-1.compute.internal", node / 250, node % 250);
}
inline std::string node_claim_name(int node) {
  return fmt::format("t4-spot-{:05x}", node * 7919 % 1'048'576);
}
inline int node_of(int job) {
  return job / kJobsPerNode;
}

}  // namespace bench
