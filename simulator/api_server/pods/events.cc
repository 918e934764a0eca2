#include "simulator/api_server/pods/events.h"

#include <boost/json/serialize.hpp>

#include "simulator/api_server/names.h"

namespace reprise::simulator {
namespace {

constexpr std::size_t max_note = 1024, max_word = 128;

void require(const Value& event, std::string_view field, std::string_view shown, std::vector<Cause>& wrong) {
  const std::string_view value = text(event, {field});
  if (value.empty()) wrong.push_back(required(std::string(shown), ""));
  if (value.size() > max_word)
    wrong.push_back(invalid_value(std::string(shown), "\"\"", "can have at most 128 characters"));
}

}  // namespace

std::vector<Cause> wrong_event(const Value& event) {
  std::vector<Cause> wrong;
  const std::string_view type = text(event, {"type"});
  const bool typed = type == "Normal" || type == "Warning";
  if (!typed)
    wrong.push_back(
        invalid_value("type", boost::json::serialize(Value(type)), "has invalid value: " + std::string(type)));
  if (text(event, {"eventTime"}).empty()) {
    // Such an event is checked as one of the old form.
    wrong.insert(wrong.begin(), required("eventTime", ""));
    return wrong;
  }
  require(event, "reportingComponent", "reportingController", wrong);
  if (auto why = wrong_qualified_name(text(event, {"reportingComponent"})); !why.empty()) {
    wrong.push_back(
        invalid_value("reportingController", boost::json::serialize(Value(text(event, {"reportingComponent"}))), why));
  }
  require(event, "reportingInstance", "reportingInstance", wrong);
  require(event, "action", "action", wrong);
  require(event, "reason", "reason", wrong);
  if (const auto note = text(event, {"message"}); note.size() > max_note)
    wrong.push_back(invalid_value("message", "\"\"", "can have at most 1024 characters"));
  return wrong;
}

}  // namespace reprise::simulator
