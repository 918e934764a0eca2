#include "apps/reprise-operator/feature_gates.h"

#include <algorithm>
#include <array>
#include <set>

#include "apps/common/flags.h"

namespace reprise::apps {
namespace {

constexpr std::array kGates{
    FeatureGate{"Kueue", FeatureStage::Alpha, &FeatureGates::kueue},
    FeatureGate{"KueuePriorityBoost", FeatureStage::Alpha, &FeatureGates::kueue_priority_boost, "Kueue"}};

std::string_view name_of(FeatureStage stage) {
  switch (stage) {
    case FeatureStage::Alpha:
      return "ALPHA";
    case FeatureStage::Beta:
      return "BETA";
  }
  return {};
}

std::string names() {
  std::string all;
  for (const FeatureGate& gate : kGates) all.append(all.empty() ? "" : ", ").append(gate.name);
  return all;
}

}  // namespace

std::span<const FeatureGate> known_feature_gates() {
  return kGates;
}

std::string describe_feature_gates() {
  std::string text;
  for (const FeatureGate& gate : kGates) {
    text.append(text.empty() ? "" : "\n").append(gate.name).append("=true|false (").append(name_of(gate.stage));
    text.append(" - default=").append(FeatureGates{}.*gate.value ? "true)" : "false)");
  }
  return text;
}

std::expected<FeatureGates, std::string> parse_feature_gates(std::string_view text) {
  FeatureGates gates;
  std::set<std::string_view> given;
  for (const std::string& part : flags::split(std::string(text))) {
    const std::size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    const auto gate = std::ranges::find(kGates, name, &FeatureGate::name);
    if (gate == kGates.end()) return std::unexpected("feature gate " + name + " is not known; there is " + names());
    if (value != "true" && value != "false")
      return std::unexpected("feature gate " + name + " is " + (value.empty() ? "given no value" : value) +
                             "; allowed is true or false");
    if (!given.insert(gate->name).second) return std::unexpected("feature gate " + name + " is given twice");
    gates.*(gate->value) = value == "true";
  }
  for (const FeatureGate& gate : kGates) {
    const auto needed = std::ranges::find(kGates, gate.needs, &FeatureGate::name);
    if (gates.*(gate.value) && needed != kGates.end() && !(gates.*(needed->value)))
      return std::unexpected("feature gate " + std::string(gate.name) + " needs " + std::string(gate.needs) + "=true");
  }
  return gates;
}

std::string to_text(const FeatureGates& gates) {
  std::string text;
  for (const FeatureGate& gate : kGates)
    text.append(text.empty() ? "" : ",").append(gate.name).append(gates.*gate.value ? "=true" : "=false");
  return text;
}

}  // namespace reprise::apps
