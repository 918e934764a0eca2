#include "api/karpenter.h"

#include <array>
#include <charconv>

#include "api/internal/enum_names.h"
#include "runtime/kube/internal/meta_fields.h"
#include "runtime/kube/internal/pod_parts.h"

namespace reprise::api {

using kube::internal::Absent;

namespace {

// Labels and annotations of NodeClaims are kept when their keys begin with one of these.
constexpr std::array<std::string_view, 5> kept_keys{"reprise.dev/", "karpenter.sh/", "nvidia.com/",
                                                    "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone"};

// Karpenter's budget durations are made of hours and minutes alone ("1h30m"); a started minute counts.
std::string format_budget_duration(std::int64_t seconds) {
  const std::int64_t minutes = (seconds + 59) / 60;
  return std::to_string(minutes / 60) + "h" + std::to_string(minutes % 60) + "m";
}

std::optional<std::int64_t> parse_budget_duration(std::string_view text) {
  std::int64_t total = 0;
  while (!text.empty()) {
    std::int32_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || number < 0 || rest == text.data() + text.size()) return std::nullopt;
    const std::int64_t unit = *rest == 'h' ? 3600 : *rest == 'm' ? 60 : *rest == 's' ? 1 : 0;
    if (unit == 0) return std::nullopt;
    total += unit * number;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()) + 1);
  }
  return total;
}

// Keys that `have` carries and `want` does not: a merge patch removes only what it names.
void remove_left_over(Json::Value& map, const kube::StringMap& have, const kube::StringMap& want) {
  for (const auto& [key, value] : have) {
    if (!want.contains(key)) map[key] = Json::Value();
  }
}

Json::Value patch_meta(const kube::ObjectMeta& meta, std::string_view resource_version) {
  Json::Value tree(Json::objectValue);
  tree["resourceVersion"] = std::string(resource_version);
  tree["labels"] = kube::internal::to_tree(meta.labels);
  return tree;
}

}  // namespace

// Karpenter's shape of a budget; GpuPool's own has durationSeconds.
struct KarpenterBudget {
  std::string nodes;
  std::vector<std::string> reasons;
  std::string schedule;
  std::string duration;
  KarpenterBudget() = default;
  explicit KarpenterBudget(const DisruptionBudget& budget)
      : nodes(budget.nodes), reasons(budget.reasons), schedule(budget.schedule) {
    if (budget.duration_seconds) duration = format_budget_duration(*budget.duration_seconds);
  }
  explicit operator DisruptionBudget() const {
    return {nodes, reasons, schedule, duration.empty() ? std::nullopt : parse_budget_duration(duration)};
  }
  static void fields(auto& self, auto& field) {
    field("nodes", self.nodes);
    field("reasons", self.reasons);
    field("schedule", self.schedule);
    field("duration", self.duration);
  }
};

const kube::PodCondition* NodeClaim::condition(std::string_view type) const {
  return kube::internal::find_condition(conditions, type);
}

const kube::PodCondition* NodePool::condition(std::string_view type) const {
  return kube::internal::find_condition(conditions, type);
}

const kube::PodCondition* NodeOverlay::condition(std::string_view type) const {
  return kube::internal::find_condition(conditions, type);
}

}  // namespace reprise::api

std::expected<reprise::api::NodeClaim, reprise::kube::DecodeError>
reprise::kube::KindOf<reprise::api::NodeClaim>::decode(std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    const internal::Field status = object["status"];
    api::NodeClaim claim{.meta = internal::read_meta(object),
                         .node_name = status["nodeName"].view().value_or(""),
                         .provider_id = status["providerID"].view().value_or(""),
                         .capacity = status["capacity"].quantity_map(),
                         .conditions = status["conditions"].list(internal::In::read<PodCondition>)};
    if (claim.capacity.empty()) claim.capacity = object["spec"]["resources"]["requests"].quantity_map();
    erase_if(claim.capacity, [](const auto& entry) { return !internal::is_extended(entry.first); });
    for (auto* keys : {&claim.meta.labels, &claim.meta.annotations}) keep_only(*keys, api::kept_keys);
    return claim;
  });
}

namespace reprise::api {}  // namespace reprise::api

std::expected<reprise::api::NodePool, reprise::kube::DecodeError> reprise::kube::KindOf<reprise::api::NodePool>::decode(
    std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    return api::NodePool{.meta = internal::read_meta(object),
                         .spec = internal::In::read<api::NodePoolSpec>(object["spec"]),
                         .conditions = object["status"]["conditions"].list(internal::In::read<PodCondition>)};
  });
}

namespace reprise::api {

std::string encode(const NodePool& pool) {
  Json::Value tree = kube::internal::start_object(kube::KindOf<NodePool>::info(), pool.meta);
  tree["spec"] = kube::internal::Out::write(pool.spec, Absent::LeaveOut);
  return kube::internal::to_text(tree);
}

std::string encode_spec_patch(const NodePool& pool, std::string_view resource_version) {
  Json::Value tree(Json::objectValue);
  tree["metadata"] = patch_meta(pool.meta, resource_version);
  tree["spec"] = kube::internal::Out::write(pool.spec, Absent::Null);
  return kube::internal::to_text(tree);
}

std::string encode_spec_patch(const NodePool& want, const NodePool& have) {
  Json::Value tree(Json::objectValue);
  tree["metadata"] = patch_meta(want.meta, have.meta.resource_version);
  Json::Value& spec = tree["spec"] = kube::internal::Out::write(want.spec, Absent::Null);
  if (!want.spec.limits.empty()) remove_left_over(spec["limits"], have.spec.limits, want.spec.limits);
  Json::Value& meta = spec["template"]["metadata"];
  if (!want.spec.labels.empty()) remove_left_over(meta["labels"], have.spec.labels, want.spec.labels);
  if (!want.spec.annotations.empty()) {
    remove_left_over(meta["annotations"], have.spec.annotations, want.spec.annotations);
  }
  return kube::internal::to_text(tree);
}

}  // namespace reprise::api

std::expected<reprise::api::NodeOverlay, reprise::kube::DecodeError>
reprise::kube::KindOf<reprise::api::NodeOverlay>::decode(std::string_view json) {
  return internal::decode_with(json, [](const internal::Field& object) {
    return api::NodeOverlay{.meta = internal::read_meta(object),
                            .spec = internal::In::read<api::NodeOverlaySpec>(object["spec"]),
                            .conditions = object["status"]["conditions"].list(internal::In::read<PodCondition>)};
  });
}

namespace reprise::api {

std::string encode(const NodeOverlay& overlay) {
  Json::Value tree = kube::internal::start_object(kube::KindOf<NodeOverlay>::info(), overlay.meta);
  tree["spec"] = kube::internal::Out::write(overlay.spec, Absent::LeaveOut);
  return kube::internal::to_text(tree);
}

std::string encode_spec_patch(const NodeOverlay& overlay, std::string_view resource_version) {
  Json::Value tree(Json::objectValue);
  tree["metadata"] = patch_meta(overlay.meta, resource_version);
  tree["spec"] = kube::internal::Out::write(overlay.spec, Absent::Null);
  return kube::internal::to_text(tree);
}

std::string encode_spec_patch(const NodeOverlay& want, const NodeOverlay& have) {
  Json::Value tree(Json::objectValue);
  tree["metadata"] = patch_meta(want.meta, have.meta.resource_version);
  Json::Value& spec = tree["spec"] = kube::internal::Out::write(want.spec, Absent::Null);
  if (!want.spec.capacity.empty()) remove_left_over(spec["capacity"], have.spec.capacity, want.spec.capacity);
  return kube::internal::to_text(tree);
}

}  // namespace reprise::api
