// Sets conditions as metav1.Condition asks: one per type, lastTransitionTime moves only when the status flips,
// observedGeneration with every write, messages cut to the schema's bound.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/kube/meta.h"

namespace reprise::kube {

class ConditionSetter {
 public:
  // A transition is a difference to `before`, so that a condition set twice in one pass has changed only if its last
  // state is another.
  ConditionSetter(std::vector<Condition>& conditions, std::vector<Condition> before, std::int64_t generation, Time now)
      : conditions_(conditions), before_(std::move(before)), generation_(generation), now_(now) {}
  ConditionSetter(std::vector<Condition>& conditions, std::int64_t generation, Time now)
      : ConditionSetter(conditions, conditions, generation, now) {}

  void set(std::string_view type, ConditionStatus status, std::string_view reason, std::string_view message);
  void set_true(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, ConditionStatus::True, reason, message);
  }
  void set_false(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, ConditionStatus::False, reason, message);
  }
  void set_unknown(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, ConditionStatus::Unknown, reason, message);
  }
  void remove(std::string_view type);
  // The conditions to which a transition is a difference.
  [[nodiscard]] const std::vector<Condition>& before() const { return before_; }

 private:
  std::vector<Condition>& conditions_;
  std::vector<Condition> before_;
  std::int64_t generation_;
  Time now_;
};

[[nodiscard]] const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type);
[[nodiscard]] bool is_true(const std::vector<Condition>& conditions, std::string_view type);

}  // namespace reprise::kube
