// Everything that a decoded object says, as text, so that two decodings can be compared and their difference read. A
// field that is added to a type breaks the build here until it is part of the comparison.
#pragma once

#include <string>

#include "runtime/kube/core.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::kube::internal {

class Dump {
 public:
  Dump& operator<<(std::string_view value) {
    out_.append("\"").append(value).append("\" ");
    return *this;
  }
  template <std::size_t Bytes>
  Dump& operator<<(const BasicText<Bytes>& value) {
    return *this << value.view();
  }
  Dump& operator<<(std::int64_t value) {
    out_ += std::to_string(value) + " ";
    return *this;
  }
  Dump& operator<<(bool value) { return *this << std::int64_t{value}; }
  Dump& operator<<(std::int32_t value) { return *this << std::int64_t{value}; }
  Dump& operator<<(Time value) { return *this << format_micro_time(value); }
  template <class E>
  requires std::is_enum_v<E> Dump& operator<<(E value) { return *this << static_cast<std::int64_t>(value); }
  template <class T>
  Dump& operator<<(const std::optional<T>& value) {
    return value ? *this << *value : add("- ");
  }
  template <class T>
  Dump& operator<<(const List<T>& list) {
    add("[ ");
    for (const T& item : list) *this << item;
    return add("] ");
  }
  Dump& operator<<(const StringMap& map) {
    add("{ ");
    for (const auto& [key, value] : map) *this << key << value;
    return add("} ");
  }
  Dump& operator<<(const OwnerReference& owner) {
    const auto& [api_version, kind, name, uid, controller, block_owner_deletion] = owner;
    return add("owner ") << api_version << kind << name << uid << controller << block_owner_deletion;
  }
  Dump& operator<<(const ObjectMeta& meta) {
    const auto& [name, ns, uid, version, generation, labels, annotations, owners, finalizers, created, deleted, grace] =
        meta;
    return add("meta ") << name << ns << uid << version << generation << labels << annotations << owners << finalizers
                        << created << deleted << grace;
  }
  Dump& operator<<(const PodCondition& condition) {
    const auto& [type, status, reason, message] = condition;
    return add("\n  condition ") << type << status << reason << message;
  }
  Dump& operator<<(const Taint& taint) {
    const auto& [key, value, effect] = taint;
    return add("taint ") << key << value << effect;
  }
  Dump& operator<<(const ContainerStatus& status) {
    const auto& [name, init, sidecar, ready, state, reason, message, exit_code, finished_at] = status;
    return add("\n  container ") << name << init << sidecar << ready << state << reason << message << exit_code
                                 << finished_at;
  }
  Dump& operator<<(const Pod& pod) {
    const auto& [meta, node, selector, tolerated, containers, init_containers, requests, claims, grace, phase, reason,
                 message, conditions, statuses] = pod;
    return add("pod ") << meta << node << selector << tolerated << containers << init_containers << requests << claims
                       << grace << phase << reason << message << conditions << statuses;
  }
  Dump& operator<<(const Node& node) {
    const auto& [meta, provider_id, boot_id, unschedulable, taints, conditions, allocatable, capacity] = node;
    return add("node ") << meta << provider_id << boot_id << unschedulable << taints << conditions << allocatable
                        << capacity;
  }
  Dump& operator<<(const PersistentVolumeClaim& claim) {
    const auto& [meta, access_modes, phase, capacity] = claim;
    return add("claim ") << meta << access_modes << phase << capacity;
  }
  Dump& operator<<(const Service& service) {
    const auto& [meta] = service;
    return add("service ") << meta;
  }
  Dump& operator<<(const ConfigMap& map) {
    const auto& [meta, data] = map;
    return add("config map ") << meta << data;
  }
  Dump& operator<<(const Namespace& ns) {
    const auto& [meta] = ns;
    return add("namespace ") << meta;
  }
  Dump& operator<<(const Event& event) {
    const auto& [meta, kind, name, ns, uid, reason, message, type, source, last] = event;
    return add("event ") << meta << kind << name << ns << uid << reason << message << type << source << last;
  }
  Dump& operator<<(const Lease& lease) {
    const auto& [meta, holder, duration, transitions, acquired, renewed] = lease;
    return add("lease ") << meta << holder << duration << transitions << acquired << renewed;
  }
  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  Dump& add(const char* text) {
    out_ += text;
    return *this;
  }
  std::string out_;
};

template <class T>
[[nodiscard]] std::string dump(const T& value) {
  Dump out;
  out << value;
  return std::move(out).take();
}

}  // namespace reprise::kube::internal
