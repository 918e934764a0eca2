#include "runtime/kube/conditions.h"

#include <algorithm>

#include "runtime/base/utf8_cut.h"

namespace reprise::kube {
namespace {
constexpr std::size_t kMaxMessage = 2048;
}

void ConditionSetter::set(std::string_view type, ConditionStatus status, std::string_view reason,
                          std::string_view message) {
  auto found = std::ranges::find_if(conditions_, [&](const Condition& c) { return c.type == type; });
  if (found == conditions_.end()) {
    conditions_.push_back(
        Condition{.type = std::string(type), .last_transition_time = now_, .reason = {}, .message = {}});
    found = std::prev(conditions_.end());
  }
  found->status = status;
  const Condition* before = find_condition(before_, type);
  found->last_transition_time = before != nullptr && before->status == status ? before->last_transition_time : now_;
  found->observed_generation = generation_;
  found->reason = reason;
  found->message = runtime::utf8_cut(message, kMaxMessage);  // a message that reads back differently would be written
                                                             // for ever
}

void ConditionSetter::remove(std::string_view type) {
  std::erase_if(conditions_, [&](const Condition& c) { return c.type == type; });
}

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find_if(conditions, [&](const Condition& c) { return c.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool is_true(const std::vector<Condition>& conditions, std::string_view type) {
  const Condition* condition = find_condition(conditions, type);
  return condition != nullptr && condition->status == ConditionStatus::True;
}

}  // namespace reprise::kube
