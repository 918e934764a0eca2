#include "rehearsal/report/picture/axis.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace reprise::rehearsal {
namespace {

constexpr std::int64_t kSecond = 1000, kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;
constexpr std::array<std::int64_t, 27> kSteps = {1,           10,           100,          kSecond,      2 * kSecond,
                                                 5 * kSecond, 10 * kSecond, 15 * kSecond, 30 * kSecond, kMinute,
                                                 2 * kMinute, 5 * kMinute,  10 * kMinute, 15 * kMinute, 30 * kMinute,
                                                 kHour,       2 * kHour,    3 * kHour,    6 * kHour,    12 * kHour,
                                                 kDay,        2 * kDay,     5 * kDay,     10 * kDay,    30 * kDay,
                                                 100 * kDay,  1000 * kDay};

// The smallest round step that is a multiple of `base` and fits.
std::int64_t step_for(std::int64_t length, int most, std::int64_t base) {
  for (const std::int64_t step : kSteps)
    if (step % base == 0 && length / step <= most) return step;
  std::int64_t step = kSteps.back();
  while (length / step > most) step *= 10;
  return step;
}

enum class Style { Milliseconds, Seconds, MinutesSeconds, Minutes, HoursMinutes, Hours, Days };

Style style_for(std::int64_t length, std::int64_t step) {
  if (step < kSecond) return Style::Milliseconds;
  if (step < kMinute) return length <= 2 * kMinute ? Style::Seconds : Style::MinutesSeconds;
  if (step < kHour) return length <= 2 * kHour ? Style::Minutes : Style::HoursMinutes;
  return step < kDay ? Style::Hours : Style::Days;
}

std::string label(std::int64_t at, Style style) {
  if (at == 0) return "0";
  switch (style) {
    case Style::Milliseconds:
      return fmt::format("{} ms", at);
    case Style::Seconds:
      return fmt::format("{} s", at / kSecond);
    case Style::MinutesSeconds:
      return fmt::format("{}:{:02}", at / kMinute, at % kMinute / kSecond);
    case Style::Minutes:
      return fmt::format("{} min", at / kMinute);
    case Style::HoursMinutes:
      return fmt::format("{}:{:02}", at / kHour, at % kHour / kMinute);
    case Style::Hours:
      return fmt::format("{} h", at / kHour);
    case Style::Days:
      return fmt::format("{} d", at / kDay);
  }
  return {};
}

}  // namespace

Axis axis_of(runtime::Duration length, int most, int most_major) {
  Axis axis;
  const std::int64_t end = length.count() > 0 ? length.count() : 0;
  const std::int64_t step = step_for(end, most, 1);
  const std::int64_t major = step_for(end, most_major, step);
  const Style style = style_for(end, step);
  if (style == Style::MinutesSeconds) axis.unit = "min:s";
  if (style == Style::HoursMinutes) axis.unit = "h:mm";
  for (std::int64_t at = 0; at <= end; at += step)
    axis.ticks.push_back({.at = runtime::Duration(at), .label = label(at, style), .major = at % major == 0});
  return axis;
}

}  // namespace reprise::rehearsal
