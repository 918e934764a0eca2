#include "apps/kubectl-reprise/why/reading/karpenter_message.h"

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace reprise::plugin::why {
namespace {

struct RefusalPhrase {
  std::string_view text;
  RefusedFor why;
};
constexpr RefusalPhrase kRefusals[] = {
    {"exceed limits for nodepool", RefusedFor::Limit},
    {"limits have been exhausted", RefusedFor::Limit},
    {"no instance type has the required offering", RefusedFor::Offering},
    {"had a required offering", RefusedFor::InstanceType},
    {"no instance type", RefusedFor::InstanceType},
    {"filtered out all available instance types", RefusedFor::InstanceType},
    {"no nodepools found", RefusedFor::NoNodePool},
    {"incompatible volume requirements", RefusedFor::Volume},
    {"must be bound", RefusedFor::VolumeNotBound},
    {"failed to validate pvc", RefusedFor::Volume},
    {"unsatisfiable topology constraint", RefusedFor::Topology},
    {"incompatible requirements", RefusedFor::Requirements},
    {"did not tolerate taint", RefusedFor::Taint},
};

RefusedFor meaning_of_part(std::string_view part) {
  for (const RefusalPhrase& phrase : kRefusals) {
    if (part.find(phrase.text) != std::string_view::npos) return phrase.why;
  }
  return RefusedFor::Other;
}

// "... (NodePool=t4-spot)", or "requirements=..., karpenter.sh/nodepool In [t4-spot], ..."
std::string node_pool_in(std::string_view part) {
  for (const std::string_view key : {"NodePool=", "karpenter.sh/nodepool In [", "for nodepool: \""}) {
    const auto at = part.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = part.substr(at + key.size());
    return std::string(rest.substr(0, rest.find_first_of(",)] \"")));
  }
  return {};
}

// Marks a NodePool of another pool, or a plain one: every pod of a pool selects its label, and every NodePool of ours
// bears it.
constexpr std::string_view kPoolLabelsInWords[] = {"key reprise.dev/pool,", "label \"reprise.dev/pool\""};

// The text behind these words, up to that letter.
std::string_view behind(std::string_view part, std::string_view words, char end) {
  const auto at = part.find(words);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = part.substr(at + words.size());
  return rest.substr(0, rest.find(end));
}

// "example.com/rack", of: label "example.com/rack" does not have known values
std::string_view label_in(std::string_view part) {
  return behind(part, "label \"", '"');
}

// "dedicated=web:NoSchedule", of: did not tolerate taint (taint=dedicated=web:NoSchedule)
std::string_view taint_in(std::string_view part) {
  return behind(part, "(taint=", ')');
}

bool is_of_another(std::string_view part, std::string_view node_pool, const OwnNodePools& own) {
  for (const std::string_view words : kPoolLabelsInWords)
    if (part.find(words) != std::string_view::npos) return true;
  if (!node_pool.empty()) return !own.has_name(node_pool);
  if (const std::string_view label = label_in(part); !label.empty()) return own.bears(label);
  const std::string_view taint = taint_in(part);
  return !taint.empty() && !own.has_taint(taint);
}

// Splits the message by NodePools, but for their taints. Lists of requirements are parted by the same sign.
std::vector<std::string_view> parts_of(std::string_view message) {
  constexpr std::string_view between = "; ";
  std::vector<std::string_view> parts;
  while (!message.empty()) {
    auto end = message.find(between);
    const auto goes_on = [&] {
      const std::string_view next = message.substr(end + between.size());
      return next.starts_with("key ") || next.starts_with("label ");
    };
    while (end != std::string_view::npos && goes_on()) end = message.find(between, end + between.size());
    parts.push_back(message.substr(0, end));
    message = end == std::string_view::npos ? std::string_view() : message.substr(end + between.size());
  }
  return parts;
}

}  // namespace

Refusal read_refusal(std::string_view message, const OwnNodePools& own) {
  constexpr std::string_view opening = "Failed to schedule pod, ";
  if (message.starts_with(opening)) message.remove_prefix(opening.size());
  std::optional<Refusal> first;
  for (const std::string_view part : parts_of(message)) {
    std::string node_pool = node_pool_in(part);
    if (is_of_another(part, node_pool, own)) continue;
    Refusal refusal{.why = meaning_of_part(part), .node_pool = std::move(node_pool), .message = std::string(part)};
    // Chooses the same of two with equal weight, whatever their order.
    if (!first || std::tie(refusal.why, refusal.message) < std::tie(first->why, first->message))
      first = std::move(refusal);
  }
  if (first) return *std::move(first);
  return {
      .why = RefusedFor::Other, .node_pool = {}, .message = std::string(message), .only_of_others = !message.empty()};
}

}  // namespace reprise::plugin::why
