#include "apps/kubectl-reprise/why/karpenter_message.h"

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
    {"failed to validate pvc", RefusedFor::Volume},
    {"unsatisfiable topology constraint", RefusedFor::Topology},
    {"incompatible requirements", RefusedFor::Requirements},
    {"did not tolerate taint", RefusedFor::Taint},
};

RefusedFor refused_for(std::string_view part) {
  for (const RefusalPhrase& phrase : kRefusals) {
    if (part.find(phrase.text) != std::string_view::npos) return phrase.why;
  }
  return RefusedFor::Other;
}

// "... (NodePool=t4-spot)"
std::string node_pool_in(std::string_view part) {
  constexpr std::string_view key = "NodePool=";
  const auto at = part.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = part.substr(at + key.size());
  return std::string(rest.substr(0, rest.find_first_of(",) ")));
}

}  // namespace

Refusal read_refusal(std::string_view message) {
  Refusal first{.why = RefusedFor::Other, .node_pool = {}, .message = std::string(message)};
  for (std::string_view rest = message; !rest.empty();) {
    const auto end = rest.find("; ");
    const std::string_view part = rest.substr(0, end);
    if (const RefusedFor why = refused_for(part); why < first.why) {
      first.why = why;
      first.node_pool = node_pool_in(part);
    }
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
  }
  return first;
}

}  // namespace reprise::plugin::why
