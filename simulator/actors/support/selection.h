// Decides where pods may run: labels, requirements on labels, taints and tolerations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/base/json.h"

namespace reprise::simulator {

using Labels = std::map<std::string, std::string, std::less<>>;
[[nodiscard]] Labels read_labels(const JsonObject& labels);
[[nodiscard]] Value write_labels(const Labels& labels);

// A requirement on one label: In, NotIn, Exists, DoesNotExist, Gt, Lt.
struct Requirement {
  std::string key, op;
  std::vector<std::string> values;
};
using Requirements = std::vector<Requirement>;
[[nodiscard]] Requirements read_requirements(const JsonArray& requirements);
// `value`: empty when the label is missing.
[[nodiscard]] bool satisfies(const Requirement& requirement, std::optional<std::string_view> value);
[[nodiscard]] bool satisfies(const Requirements& requirements, const Labels& labels);

struct Taint {
  std::string key, value, effect;  // NoSchedule | PreferNoSchedule | NoExecute
};
using Taints = std::vector<Taint>;
[[nodiscard]] Taints read_taints(const JsonArray& taints);
[[nodiscard]] Value write_taints(const Taints& taints);

struct Toleration {
  std::string key, op, value, effect;
  std::optional<std::int64_t> seconds;
};
using Tolerations = std::vector<Toleration>;
[[nodiscard]] Tolerations read_tolerations(const JsonArray& tolerations);
[[nodiscard]] bool tolerates(const Toleration& toleration, const Taint& taint);
[[nodiscard]] bool tolerates(const Tolerations& tolerations, const Taint& taint);
// The first taint that keeps a pod off (NoSchedule, NoExecute); nullptr: none.
[[nodiscard]] const Taint* untolerated(const Tolerations& tolerations, const Taints& taints);

// spec.taints of a Node object.
[[nodiscard]] bool has_taint(const Value& node, std::string_view key, std::string_view effect = {});
void add_taint(Value& node, const Taint& taint, std::string_view now);
void remove_taint(Value& node, std::string_view key);

}  // namespace reprise::simulator
