#include "protocol/live_report.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "protocol/agent_protocol.h"
#include "runtime/kube/internal/archive.h"

namespace reprise::protocol {
namespace {

using kube::internal::Field;

constexpr kube::internal::EnumName<RankActivity> kActivities[] = {
    {RankActivity::Restoring, "Restoring"}, {RankActivity::WaitingForPeer, "WaitingForPeer"},
    {RankActivity::Training, "Training"},   {RankActivity::Saving, "Saving"},
    {RankActivity::Stopping, "Stopping"},
};

// Checks that a number lies between two bounds; the error says them.
void within(const Field& field, std::int64_t least, std::int64_t most) {
  const auto found = field.int64();
  if (!found || (*found >= least && *found <= most)) return;
  field.fail("must be between " + std::to_string(least) + " and " + std::to_string(most) + ", found " +
             std::to_string(*found));
}

void short_text(const Field& field, std::size_t most) {
  const auto found = field.view();
  if (found && found->size() > most) field.fail("must have at most " + std::to_string(most) + " bytes");
}

// "2.5": digits, at most one point between them.
bool is_rate(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() > 20 || !is_digit(text.front()) || !is_digit(text.back())) return false;
  return std::ranges::all_of(text, [&](char c) { return is_digit(c) || c == '.'; }) &&
         std::ranges::count(text, '.') <= 1;
}

void check(const Field& object) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::string_view key : {"attempt", "index", "activity"}) {
    if (!object[key].present()) object[key].fail("must be set");
  }
  within(object["attempt"], 1, std::numeric_limits<std::int32_t>::max());
  within(object["index"], 0, std::numeric_limits<std::int32_t>::max());
  within(object["activitySeconds"], 0, kMaxReportedSeconds);
  short_text(object["message"], kMaxReportedText);
  for (const std::string_view key : {"resumedFromStep", "unproven", "unprovenStep"}) within(object[key], 0, most);
  if (const Field checkpoint = object["checkpoint"]; checkpoint.present()) {
    if (!checkpoint["step"].present()) checkpoint["step"].fail("must be set");
    within(checkpoint["step"], 0, most);
    within(checkpoint["sizeBytes"], 0, most);
    within(checkpoint["saveSeconds"], 0, kMaxReportedSeconds);
    within(checkpoint["ageSeconds"], 0, kMaxReportedSeconds);
    short_text(checkpoint["path"], kMaxReportedText);
    short_text(checkpoint["commonName"], kMaxReportedFormat);
    short_text(checkpoint["format"], kMaxReportedFormat);
  }
  if (const Field volume = object["volume"]; volume.present()) {
    short_text(volume["type"], kMaxReportedType);
    short_text(volume["durability"], kMaxReportedType);
  }
  if (const Field room = object["room"]; room.present()) {
    if (!room["freeBytes"].present()) room["freeBytes"].fail("must be set");
    for (const std::string_view key : {"freeBytes", "saveBytes", "neededBytes", "generations", "keepDeletes",
                                       "keepFreesBytes", "tornBytes", "quarantineBytes", "unprovenBytes"})
      within(room[key], 0, most);
    within(room["keep"], 1, kMaxReportedKeep);
  }
  if (const Field progress = object["progress"]; progress.present()) {
    within(progress["step"], 0, most);
    within(progress["totalSteps"], 1, most);
    within(progress["percentage"], 0, 100);
    within(progress["remainingSeconds"], 0, kMaxReportedSeconds);
    within(progress["ageSeconds"], 0, kMaxReportedSeconds);
    within(progress["trainedSeconds"], 0, kMaxReportedSeconds);
    const auto rate = progress["stepsPerSecond"].view();
    if (rate && !rate->empty() && !is_rate(*rate)) {
      progress["stepsPerSecond"].fail("must be a decimal number of at most 20 characters, like \"2.5\"");
    }
  }
}

}  // namespace

constexpr const auto& names_of(RankActivity) {
  return kActivities;
}

std::string_view name(RankActivity activity) {
  for (const auto& each : kActivities) {
    if (each.value == activity) return each.text;
  }
  return {};
}

std::expected<LiveReport, kube::DecodeError> decode_live_report(std::string_view json) {
  return kube::internal::decode_with(json, [](const Field& object) {
    check(object);
    return kube::internal::In::read<LiveReport>(object);
  });
}

std::string encode_live_report(const LiveReport& report) {
  return kube::internal::to_text(kube::internal::Out::write(report, kube::internal::Absent::LeaveOut));
}

}  // namespace reprise::protocol
