#include "simulator/actors/karpenter/node_pool.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <tuple>
#include <utility>

#include "simulator/base/digest.h"

namespace reprise::simulator {
namespace {

// Hashes for drift the template without fields that may change in place (requirements, which have their own check).
std::string hash_of(const Value& pool) {
  Value hashed = object(pool, {"spec", "template"});
  unset(hashed, {"spec", "requirements"});
  Digest digest;
  digest.add(boost::json::serialize(hashed));
  return std::to_string(digest.value());
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  Duration total{0};
  if (text.empty() || text == "Never") return std::nullopt;
  while (!text.empty()) {
    std::int64_t count = 0;
    const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (problem != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    const bool milliseconds = text.starts_with("ms");
    if (milliseconds)
      total += Duration(count);
    else if (text.starts_with('h'))
      total += std::chrono::hours(count);
    else if (text.starts_with('m'))
      total += std::chrono::minutes(count);
    else
      total += std::chrono::seconds(count);
    text.remove_prefix(std::min<std::size_t>(milliseconds ? 2 : 1, text.size()));
  }
  return total;
}

NodePoolFacts read_node_pool(const ObjectPtr& object_ptr) {
  const Value& pool = *object_ptr;
  NodePoolFacts facts;
  facts.object = object_ptr;
  facts.name = name_of(pool);
  facts.uid = uid_of(pool);
  facts.hash = hash_of(pool);
  facts.weight = number(pool, {"spec", "weight"});
  facts.limits = read_resources(object(pool, {"spec", "limits"}));
  const std::string_view after = text(pool, {"spec", "disruption", "consolidateAfter"});
  facts.consolidate_after = after.empty() ? std::optional(Duration{0}) : parse_duration(after);
  for (const Value& each : array(pool, {"spec", "disruption", "budgets"})) {
    Budget budget{.nodes = std::string(text(each, {"nodes"})), .reasons = {}};
    for (const Value& reason : array(each, {"reasons"}))
      if (reason.is_string()) budget.reasons.emplace_back(reason.get_string());
    facts.budgets.push_back(std::move(budget));
  }
  if (facts.budgets.empty()) facts.budgets.push_back({.nodes = "10%", .reasons = {}});
  facts.labels = read_labels(object(pool, {"spec", "template", "metadata", "labels"}));
  facts.labels[std::string(kNodePoolLabel)] = facts.name;
  facts.taints = read_taints(array(pool, {"spec", "template", "spec", "taints"}));
  facts.startup_taints = read_taints(array(pool, {"spec", "template", "spec", "startupTaints"}));
  facts.requirements = read_requirements(array(pool, {"spec", "template", "spec", "requirements"}));
  facts.termination_grace = parse_duration(text(pool, {"spec", "template", "spec", "terminationGracePeriod"}));
  facts.deleting = being_deleted(pool);
  return facts;
}

std::vector<NodePoolFacts> node_pools(const World& world) {
  std::vector<NodePoolFacts> pools;
  for (const ObjectPtr& each : world.cluster.api.list(world.kinds.node_pools))
    if (!being_deleted(*each)) pools.push_back(read_node_pool(each));
  std::ranges::stable_sort(pools, [](const NodePoolFacts& a, const NodePoolFacts& b) {
    return std::tuple(-a.weight, a.name) < std::tuple(-b.weight, b.name);
  });
  return pools;
}

int allowed_disruptions(const NodePoolFacts& pool, std::string_view reason, int total) {
  int allowed = total;
  for (const Budget& each : pool.budgets) {
    if (!each.reasons.empty() && std::ranges::find(each.reasons, reason) == each.reasons.end()) continue;
    int count = 0;
    std::from_chars(each.nodes.data(), each.nodes.data() + each.nodes.size(), count);
    if (each.nodes.ends_with('%')) count = (total * count + 99) / 100;  // rounded up, as PDBs are
    allowed = std::min(allowed, count);
  }
  return allowed;
}

namespace {

constexpr std::pair<std::string_view, std::string_view> kLabelsOfAll[] = {{"kubernetes.io/os", "linux"},
                                                                          {"kubernetes.io/arch", "amd64"}};

std::optional<std::string_view> label_of(const NodePoolFacts& pool, const Offering& offering, std::string_view key) {
  if (key == kZoneLabel) return offering.zone;
  if (key == kCapacityTypeLabel) return offering.capacity_type;
  for (const auto& [name, value] : kLabelsOfAll)
    if (key == name) return value;
  for (const Labels* labels : {&offering.type->labels, &pool.labels})
    if (const auto found = labels->find(key); found != labels->end()) return found->second;
  return std::nullopt;
}

}  // namespace

bool satisfies(const Requirements& requirements, const NodePoolFacts& pool, const Offering& offering) {
  return std::ranges::all_of(
      requirements, [&](const Requirement& each) { return satisfies(each, label_of(pool, offering, each.key)); });
}

Labels labels_of(const NodePoolFacts& pool, const Offering& offering) {
  Labels labels = pool.labels;
  for (const auto& [key, value] : offering.type->labels) labels[key] = value;
  labels[std::string(kZoneLabel)] = offering.zone;
  labels[std::string(kCapacityTypeLabel)] = offering.capacity_type;
  for (const auto& [name, value] : kLabelsOfAll) labels[std::string(name)] = value;
  return labels;
}

Resources believed_capacity(const World& world, const NodePoolFacts& pool, const Offering& offering) {
  Resources capacity = offering.type->capacity;
  if (offering.type->gpus > 0) capacity["nvidia.com/gpu"] = offering.type->gpus * 1000;
  const Labels labels = labels_of(pool, offering);
  for (const ObjectPtr& overlay : world.cluster.api.list(world.kinds.node_overlays)) {
    if (being_deleted(*overlay)) continue;
    if (!satisfies(read_requirements(array(*overlay, {"spec", "requirements"})), labels)) continue;
    for (const auto& [name, value] : read_resources(object(*overlay, {"spec", "capacity"}))) capacity[name] = value;
  }
  return capacity;
}

}  // namespace reprise::simulator
