// Sets conditions as metav1.Condition asks: one per type, lastTransitionTime moves only when the status flips,
// observedGeneration with every write, messages cut to the schema's bound.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/meta.h"

namespace reprise::controllers {

class ConditionSetter {
 public:
  // A transition is a difference to `before`, so that a condition set twice in one pass has changed only if its last
  // state is another.
  ConditionSetter(std::vector<api::Condition>& conditions, std::vector<api::Condition> before, std::int64_t generation,
                  api::Time now)
      : conditions_(conditions), before_(std::move(before)), generation_(generation), now_(now) {}
  ConditionSetter(std::vector<api::Condition>& conditions, std::int64_t generation, api::Time now)
      : ConditionSetter(conditions, conditions, generation, now) {}

  void set(std::string_view type, api::ConditionStatus status, std::string_view reason, std::string_view message);
  void set_true(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, api::ConditionStatus::True, reason, message);
  }
  void set_false(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, api::ConditionStatus::False, reason, message);
  }
  void set_unknown(std::string_view type, std::string_view reason, std::string_view message) {
    set(type, api::ConditionStatus::Unknown, reason, message);
  }
  void remove(std::string_view type);

 private:
  std::vector<api::Condition>& conditions_;
  std::vector<api::Condition> before_;
  std::int64_t generation_;
  api::Time now_;
};

[[nodiscard]] const api::Condition* find_condition(const std::vector<api::Condition>& conditions,
                                                   std::string_view type);
[[nodiscard]] bool is_true(const std::vector<api::Condition>& conditions, std::string_view type);

}  // namespace reprise::controllers
