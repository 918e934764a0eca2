// --feature-gates: features that are new enough to be asked for, in Kubernetes' own words.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

namespace reprise::apps {

enum class FeatureStage { Alpha, Beta };

struct FeatureGates {
  bool kueue = false;                 // jobs that name a LocalQueue of Kueue wait until it admits them
  bool kueue_priority_boost = false;  // Kueue is told the cost of preempting such a job
  bool operator==(const FeatureGates&) const = default;
};

struct FeatureGate {
  std::string_view name;
  FeatureStage stage;
  bool FeatureGates::*value;
  std::string_view needs = {};  // another gate, without which it cannot be on
};
// All gates.
[[nodiscard]] std::span<const FeatureGate> known_feature_gates();
// "Kueue=true|false (ALPHA - default=false)", a line each.
[[nodiscard]] std::string describe_feature_gates();

// "Kueue=true"; several are separated by commas, empty is none. The error says what is wrong and what is allowed.
[[nodiscard]] std::expected<FeatureGates, std::string> parse_feature_gates(std::string_view text);
// The text that would give these gates, every gate named.
[[nodiscard]] std::string to_text(const FeatureGates& gates);

}  // namespace reprise::apps
