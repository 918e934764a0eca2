// metav1.LabelSelector.
#pragma once

#include <string>
#include <vector>

#include "runtime/kube/memory/string_map.h"

namespace reprise::kube {

struct LabelSelectorRequirement {
  std::string key;
  std::string op;  // In | NotIn | Exists | DoesNotExist
  std::vector<std::string> values;
  static void fields(auto& self, auto& field) {
    field("key", self.key);
    field("operator", self.op);
    field("values", self.values);
  }
  bool operator==(const LabelSelectorRequirement&) const = default;
};

struct LabelSelector {
  StringMap match_labels;
  std::vector<LabelSelectorRequirement> match_expressions;
  // An empty selector matches everything, as metav1.LabelSelector does.
  [[nodiscard]] bool matches(const StringMap& labels) const;
  static void fields(auto& self, auto& field) {
    field("matchLabels", self.match_labels);
    field("matchExpressions", self.match_expressions);
  }
  bool operator==(const LabelSelector&) const = default;
};

}  // namespace reprise::kube
