#include "runtime/kube/label_selector.h"

#include <algorithm>

namespace reprise::kube {
namespace {

bool matches_one(const LabelSelectorRequirement& requirement, const StringMap& labels) {
  const auto found = labels.find(requirement.key);
  const bool present = found != labels.end();
  const auto listed = [&] {
    return present && std::ranges::find(requirement.values, found->second) != requirement.values.end();
  };
  if (requirement.op == "In") return listed();
  if (requirement.op == "NotIn") return !listed();
  if (requirement.op == "Exists") return present;
  if (requirement.op == "DoesNotExist") return !present;
  return false;  // an operator nobody knows selects nothing
}

}  // namespace

bool LabelSelector::matches(const StringMap& labels) const {
  const bool equal = std::ranges::all_of(match_labels, [&](const auto& wanted) {
    const auto found = labels.find(wanted.first);
    return found != labels.end() && found->second == wanted.second;
  });
  return equal && std::ranges::all_of(match_expressions, [&](const auto& one) { return matches_one(one, labels); });
}

}  // namespace reprise::kube
