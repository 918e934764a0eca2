#include "agent/core/progress/trainer_status.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <string>

#include "agent/json/json.h"

namespace reprise::agent {
namespace {

std::optional<std::int64_t> between(std::optional<std::int64_t> number, std::int64_t least, std::int64_t most) {
  return number && *number >= least && *number <= most ? number : std::nullopt;
}

// "120".
std::optional<std::int64_t> whole_in(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<ProgressNote> parse_trainer_status(std::string_view json) {
  constexpr std::int64_t most = std::int64_t{1} << 62U;
  const auto whole = parse_object(json);
  const auto* status = whole ? object_of(*whole, "trainerStatus") : nullptr;
  if (status == nullptr) return std::nullopt;
  ProgressNote note;
  if (const auto percentage = between(number_of(*status, "progressPercentage"), 0, 100))
    note.percentage = static_cast<std::int32_t>(*percentage);
  note.remaining_seconds = between(number_of(*status, "estimatedRemainingSeconds"), 0, most);
  const auto* metrics = status->if_contains("metrics");
  if (metrics == nullptr || !metrics->is_array()) return note;
  for (const auto& each : metrics->get_array()) {
    if (!each.is_object()) continue;
    const auto name = text_of(each.get_object(), "name");
    const auto value = whole_in(text_of(each.get_object(), "value").value_or(""));
    if (name == "current_step") note.step = between(value, 0, most);
    if (name == "total_steps") note.total_steps = between(value, 1, most);
  }
  // Transformers says this before the first step.
  if (!note.step && note.total_steps && note.percentage == 0) note.step = 0;
  return note;
}

}  // namespace reprise::agent
