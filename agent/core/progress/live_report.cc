#include "agent/core/progress/live_report.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "agent/core/record/time_text.h"
#include "agent/core/record/utf8.h"
#include "agent/core/record/volume_text.h"
#include "agent/core/restore/common_name.h"
#include "agent/core/space/room_text.h"
#include "agent/json/json.h"
#include "protocol/agent_protocol.h"

namespace reprise::agent {
namespace {

std::string_view name_of(Activity activity) {
  switch (activity) {
    case Activity::Restoring:
      return "Restoring";
    case Activity::WaitingForPeer:
      return "WaitingForPeer";
    case Activity::Training:
      return "Training";
    case Activity::Saving:
      return "Saving";
    case Activity::Stopping:
      return "Stopping";
  }
  return "Training";
}

std::int64_t seconds_of(std::chrono::milliseconds duration) {
  return std::clamp<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(duration).count(), 0,
                                  protocol::kMaxReportedSeconds);
}

std::string utf8_within(const std::string& bytes, std::size_t most) {
  std::string text = as_utf8(bytes);
  cut(text, most);
  return text;
}

// "2.5".
std::string rate_of(double rate) {
  std::array<char, 40> digits{};
  const int precision = rate < 1 ? 6 : 2;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), std::min(rate, 1e9),
                                 std::chars_format::fixed, precision);
  std::string text(digits.data(), end.ptr);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// A file system's time may be anything.
bool has_a_year(runtime::WallTime time) {
  return time >= runtime::WallTime{} && time < std::chrono::sys_days(std::chrono::year(9999) / 1 / 1);
}

boost::json::object encode(const LiveCheckpoint& made) {
  boost::json::object object{{"step", std::max<std::int64_t>(made.checkpoint.step, 0)},
                             {"path", utf8_within(made.checkpoint.name, protocol::kMaxReportedText)}};
  if (std::string name = told_in_common(made.checkpoint.name); !name.empty()) object["commonName"] = std::move(name);
  if (!made.checkpoint.format.empty())
    object["format"] = utf8_within(made.checkpoint.format, protocol::kMaxReportedFormat);
  if (made.size_bytes && *made.size_bytes >= 0) object["sizeBytes"] = *made.size_bytes;
  if (has_a_year(made.checkpoint.time)) object["time"] = time_text(made.checkpoint.time);
  if (made.structure_only) object["structureOnly"] = true;
  if (made.save) object["saveSeconds"] = seconds_of(*made.save);
  object["ageSeconds"] = seconds_of(made.age);
  if (made.was_before) object["before"] = true;
  return object;
}

boost::json::object encode(const Progress::State& state) {
  boost::json::object object;
  const auto& note = state.note;
  if (note.step && *note.step >= 0) object["step"] = *note.step;
  if (note.total_steps && *note.total_steps >= 1) object["totalSteps"] = *note.total_steps;
  if (note.percentage) object["percentage"] = std::clamp(*note.percentage, 0, 100);
  if (note.remaining_seconds)
    object["remainingSeconds"] = std::clamp<std::int64_t>(*note.remaining_seconds, 0, protocol::kMaxReportedSeconds);
  if (note.steps_per_second && std::isfinite(*note.steps_per_second) && *note.steps_per_second > 0)
    object["stepsPerSecond"] = rate_of(*note.steps_per_second);
  object["ageSeconds"] = seconds_of(state.age);
  if (state.trained) object["trainedSeconds"] = seconds_of(*state.trained);
  return object;
}

}  // namespace

std::string encode_live_report(const LiveReport& report) {
  boost::json::object object{{"attempt", report.attempt},
                             {"index", report.index},
                             {"activity", name_of(report.activity)},
                             {"activitySeconds", seconds_of(report.activity_age)}};
  if (!report.message.empty()) object["message"] = utf8_within(report.message, protocol::kMaxReportedText);
  if (report.checkpoint) object["checkpoint"] = encode(*report.checkpoint);
  if (report.progress) object["progress"] = encode(*report.progress);
  if (report.volume) object["volume"] = encode_volume(*report.volume);
  if (report.room) object["room"] = encode_room(*report.room);
  if (report.resumed_from && *report.resumed_from >= 0) object["resumedFromStep"] = *report.resumed_from;
  if (report.unproven > 0) object["unproven"] = report.unproven;
  if (report.unproven_step && *report.unproven_step >= 0) object["unprovenStep"] = *report.unproven_step;
  return to_text(object);
}

}  // namespace reprise::agent
