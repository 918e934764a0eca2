#include "apps/kubectl-reprise/why/phases/phases.h"

#include <algorithm>

#include "api/labels.h"

namespace reprise::plugin::why {

ObjectRef ref(std::string_view kind, const Meta& meta) {
  return {.kind = std::string(kind), .namespace_ = meta.namespace_, .name = meta.name};
}

std::vector<const Pod*> ranks_of_attempt(const Inquiry& inquiry) {
  std::vector<const Pod*> ranks;
  if (!inquiry.seen.job) return ranks;
  const std::string attempt = std::to_string(inquiry.seen.job->attempt);
  for (const Pod& pod : inquiry.seen.pods) {
    if (pod.meta.label(api::kJobUidLabel) != inquiry.seen.job->meta.uid) continue;
    if (pod.meta.label(api::kAttemptLabel) == attempt) ranks.push_back(&pod);
  }
  // finetune-1-10 comes after finetune-1-9.
  std::ranges::sort(ranks, {}, [](const Pod* pod) { return std::pair(pod->meta.name.size(), pod->meta.name); });
  return ranks;
}

const Pod* pod_without_node(const Inquiry& inquiry) {
  for (const Pod* pod : ranks_of_attempt(inquiry)) {
    if (pod->node_name.empty() && !pod->meta.deleted && (pod->phase.empty() || pod->phase == "Pending")) return pod;
  }
  return nullptr;
}

const Node* node_of(const Inquiry& inquiry, std::string_view name) {
  const auto found = std::ranges::find_if(inquiry.seen.nodes, [&](const Node& node) { return node.meta.name == name; });
  return found == inquiry.seen.nodes.end() ? nullptr : &*found;
}

const Event* newest_event(const Inquiry& inquiry, const ObjectRef& about,
                          const std::vector<std::string_view>& reasons) {
  const Event* newest = nullptr;
  for (const Event& event : inquiry.seen.events) {
    const bool matches = event.about.kind == about.kind && event.about.name == about.name;
    if (!matches || inquiry.since(event.last) > kNews) continue;
    if (!reasons.empty() && std::ranges::find(reasons, event.reason) == reasons.end()) continue;
    if (newest == nullptr || event.last >= newest->last) newest = &event;
  }
  return newest;
}

bool is_own_node_pool(const Inquiry& inquiry, std::string_view name) {
  // When the pool may not be read its name decides: the NodePools are called <pool>-<type>.
  if (!inquiry.seen.pool) return name.starts_with(pool_name(inquiry) + "-");
  return std::ranges::any_of(inquiry.seen.pool->node_pools, [&](const auto& own) { return own.name == name; });
}

namespace {

std::string taint_text(std::string_view key, std::string_view value, std::string_view effect) {
  return std::string(key) + (value.empty() ? "" : "=") + std::string(value) + ":" + std::string(effect);
}

OwnNodePools own_node_pools(const Inquiry& inquiry) {
  const auto some = [&inquiry](const auto& has) {
    return std::ranges::any_of(inquiry.seen.node_pools, [&](const NodePool& each) {
      return is_own_node_pool(inquiry, each.meta.name) && has(each);
    });
  };
  const auto bears = [some](std::string_view label) {
    return some([&](const NodePool& each) { return std::ranges::find(each.labels, label) != each.labels.end(); });
  };
  const auto has_taint = [some](std::string_view text) {
    if (!some([](const NodePool&) { return true; })) return true;
    return some([&](const NodePool& each) {
      return std::ranges::any_of(
          each.taints, [&](const Taint& taint) { return taint_text(taint.key, taint.value, taint.effect) == text; });
    });
  };
  return {.has_name =
              [&inquiry](std::string_view name) { return is_own_node_pool(inquiry, name) && may_use(inquiry, name); },
          .bears = bears,
          .has_taint = has_taint};
}

}  // namespace

std::optional<Refusal> refusal_for(const Inquiry& inquiry, const Pod& pod) {
  const Event* newest = nullptr;
  for (const Event& event : inquiry.seen.events) {
    if (event.about.kind != "Pod" || event.about.name != pod.meta.name || event.source != "karpenter") continue;
    if (inquiry.since(event.last) > kNews) continue;
    if (newest == nullptr || event.last >= newest->last) newest = &event;
  }
  if (newest == nullptr || newest->reason != "FailedScheduling") return std::nullopt;
  return read_refusal(newest->message, own_node_pools(inquiry));
}

std::vector<const NodeClaim*> coming_node_claims(const Inquiry& inquiry) {
  std::vector<const NodeClaim*> coming;
  if (!inquiry.seen.pool) return coming;
  for (const NodeClaim& claim : inquiry.seen.node_claims) {
    const bool own = is_own_node_pool(inquiry, claim.meta.label("karpenter.sh/nodepool"));
    if (!own || claim.meta.deleted || with_status(claim.conditions, "Initialized", "True") != nullptr) continue;
    coming.push_back(&claim);
  }
  std::ranges::sort(coming, {}, [](const NodeClaim* claim) { return claim->meta.created; });
  return coming;
}

std::string pool_name(const Inquiry& inquiry) {
  if (inquiry.seen.pool) return inquiry.seen.pool->meta.name;
  return inquiry.seen.job ? inquiry.seen.job->pool_name : std::string();
}

std::string describe(const ObjectRef& object) {
  std::string kind = object.kind;
  std::ranges::transform(kind, kind.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return "kubectl describe " + kind + " " + object.name + (object.namespace_.empty() ? "" : " -n " + object.namespace_);
}

}  // namespace reprise::plugin::why
