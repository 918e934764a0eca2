#include "agent/core/record/time_text.h"

#include <array>
#include <cstdio>

namespace reprise::agent {

using std::chrono::sys_days;

std::string time_text(runtime::WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

std::optional<runtime::WallTime> parse_time_text(std::string_view text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  char zone = 0;
  const std::string copy(text);
  if (copy.size() != 20 || std::sscanf(copy.c_str(), "%4d-%2u-%2uT%2d:%2d:%2d%c", &year, &month, &day, &hour, &minute,
                                       &second, &zone) != 7) {
    return std::nullopt;
  }
  const auto date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
  if (!date.ok() || zone != 'Z') return std::nullopt;
  return sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
}

}  // namespace reprise::agent
