#include "simulator/actors/support/conditions.h"

#include "runtime/kube/time.h"

namespace reprise::simulator {
namespace {

const Value* find_condition(const Value& object, std::string_view type) {
  for (const Value& each : array(object, {"status", "conditions"}))
    if (text(each, {"type"}) == type) return &each;
  return nullptr;
}

Value make_condition(const Condition& condition, std::string_view since) {
  JsonObject made{{"type", condition.type}, {"status", condition.status}, {"lastTransitionTime", since}};
  if (!condition.reason.empty()) made["reason"] = condition.reason;
  if (!condition.message.empty()) made["message"] = condition.message;
  return made;
}

}  // namespace

void set_condition(Value& object, const Condition& condition, std::string_view now) {
  Value* conditions = find(object, {"status", "conditions"});
  if (conditions == nullptr || !conditions->is_array()) {
    set(object, {"status", "conditions"}, JsonArray{});
    conditions = find(object, {"status", "conditions"});
  }
  for (Value& each : conditions->as_array()) {
    if (text(each, {"type"}) != condition.type) continue;
    const bool same = text(each, {"status"}) == condition.status;
    const std::string since(same ? text(each, {"lastTransitionTime"}) : now);
    each = make_condition(condition, since);
    return;
  }
  conditions->as_array().push_back(make_condition(condition, now));
}

std::string_view condition_status(const Value& object, std::string_view type) {
  const Value* found = find_condition(object, type);
  return found == nullptr ? std::string_view{} : text(*found, {"status"});
}

std::string_view condition_reason(const Value& object, std::string_view type) {
  const Value* found = find_condition(object, type);
  return found == nullptr ? std::string_view{} : text(*found, {"reason"});
}

std::string_view condition_message(const Value& object, std::string_view type) {
  const Value* found = find_condition(object, type);
  return found == nullptr ? std::string_view{} : text(*found, {"message"});
}

bool is_true(const Value& object, std::string_view type) {
  return condition_status(object, type) == "True";
}

std::string time_text(const EventLoop& loop) {
  return kube::format_time(loop.wall());
}

std::string time_text(const EventLoop& loop, Duration at) {
  return kube::format_time(loop.wall() + (at - loop.now()));
}

Duration loop_time(const EventLoop& loop, std::string_view text, Duration otherwise) {
  const auto time = kube::parse_time(text);
  if (!time) return otherwise;
  return loop.now() + std::chrono::duration_cast<Duration>(*time - loop.wall());
}

}  // namespace reprise::simulator
