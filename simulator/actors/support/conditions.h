// status.conditions of objects, and times as objects carry them.
#pragma once

#include <string>
#include <string_view>

#include "simulator/base/json.h"
#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {

struct Condition {
  std::string_view type, status, reason = {}, message = {};
};

// Adds or changes; lastTransitionTime is `now` when the status differs.
void set_condition(Value& object, const Condition& condition, std::string_view now);
// "True", "False", "Unknown"; empty when there is none.
[[nodiscard]] std::string_view condition_status(const Value& object, std::string_view type);
[[nodiscard]] std::string_view condition_reason(const Value& object, std::string_view type);
[[nodiscard]] std::string_view condition_message(const Value& object, std::string_view type);
[[nodiscard]] bool is_true(const Value& object, std::string_view type);

// metav1.Time.
[[nodiscard]] std::string time_text(const EventLoop& loop);
[[nodiscard]] std::string time_text(const EventLoop& loop, Duration at);
// The loop's time of a metav1.Time; `otherwise` when it is none.
[[nodiscard]] Duration loop_time(const EventLoop& loop, std::string_view text, Duration otherwise);

}  // namespace reprise::simulator
