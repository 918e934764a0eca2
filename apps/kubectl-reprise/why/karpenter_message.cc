#include "apps/kubectl-reprise/why/karpenter_message.h"

#include <utility>

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

// Every pod of a pool selects it, and every NodePool of ours bears its pool's label: this one is another's.
bool is_of_another_pool(std::string_view part) {
  return part.find("key reprise.dev/pool,") != std::string_view::npos;
}

}  // namespace

Refusal read_refusal(std::string_view message, const std::function<bool(std::string_view)>& is_own) {
  constexpr std::string_view opening = "Failed to schedule pod, ";
  if (message.starts_with(opening)) message.remove_prefix(opening.size());
  Refusal first{.why = RefusedFor::Other, .node_pool = {}, .message = std::string(message)};
  first.only_of_others = !message.empty();
  while (!message.empty()) {
    const auto end = message.find("; ");
    const std::string_view part = message.substr(0, end);
    message = end == std::string_view::npos ? std::string_view() : message.substr(end + 2);
    std::string node_pool = node_pool_in(part);
    const RefusedFor why = meaning_of_part(part);
    const bool of_another = is_of_another_pool(part) || (!node_pool.empty() && !is_own(node_pool));
    if (!of_another) first.only_of_others = false;
    if (why >= first.why || of_another) continue;
    first = {.why = why, .node_pool = std::move(node_pool), .message = std::string(part)};
  }
  return first;
}

}  // namespace reprise::plugin::why
