#include "runtime/base/cron/cron.h"

#include <algorithm>
#include <bit>

namespace reprise::runtime {
namespace {

using std::chrono::days;
using std::chrono::minutes;
using std::chrono::sys_days;

// Between two 29th of February lie at most eight years: 2096 and 2104.
constexpr int kMonthsAhead = 8 * 12;
constexpr days kAhead(8 * 366);

std::optional<int> first_from(std::uint64_t numbers, int least) {
  const std::uint64_t left = numbers >> least << least;
  return left == 0 ? std::nullopt : std::optional(std::countr_zero(left));
}

bool contains(std::uint64_t numbers, unsigned number) {
  return (numbers >> number & 1U) != 0;
}

}  // namespace

bool Cron::is_on(sys_days day) const {
  const std::chrono::year_month_day date(day);
  if (!contains(months_, unsigned{date.month()})) return false;
  const bool by_day = contains(days_, unsigned{date.day()});
  const bool by_weekday = contains(weekdays_, std::chrono::weekday(day).c_encoding());
  return any_day_ || any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
}

std::optional<sys_days> Cron::day_from(sys_days first) const {
  const std::chrono::year_month_day date(first);
  std::chrono::year_month month(date.year(), date.month());
  sys_days day = first;
  for (int ahead = 0; ahead <= kMonthsAhead; ++ahead, month += std::chrono::months(1), day = month / 1) {
    if (!contains(months_, unsigned{month.month()})) continue;
    for (const sys_days last = month / std::chrono::last; day <= last; day += days(1))
      if (is_on(day)) return day;
  }
  return std::nullopt;
}

std::optional<minutes> Cron::minute_from(minutes first) const {
  const int hour = static_cast<int>(first.count() / 60);
  if (contains(hours_, static_cast<unsigned>(hour))) {
    if (const auto minute = first_from(minutes_, static_cast<int>(first.count() % 60)))
      return minutes(hour * 60 + *minute);
  }
  const auto later = first_from(hours_, hour + 1);
  if (!later) return std::nullopt;
  return minutes(*later * 60 + std::countr_zero(minutes_));
}

minutes Cron::last_minute() const {
  return minutes((std::bit_width(hours_) - 1) * 60 + std::bit_width(minutes_) - 1);
}

minutes Cron::longest_gap_of_a_day() const {
  minutes longest(0);
  auto before = minute_from(minutes(0));
  while (before && *before < last_minute()) {
    const auto next = minute_from(*before + minutes(1));
    if (next) longest = std::max(longest, *next - *before);
    before = next;
  }
  return longest;
}

std::optional<WallTime> Cron::next_after(WallTime time) const {
  const auto first = std::chrono::floor<minutes>(time) + minutes(1);
  const sys_days today = std::chrono::floor<days>(first);
  if (const auto minute = minute_from(first - today); minute && is_on(today)) return today + *minute;
  const auto day = day_from(today + days(1));
  const auto minute = minute_from(minutes(0));
  return day && minute ? std::optional<WallTime>(*day + *minute) : std::nullopt;
}

// Days are alike: where no pause within one is too long, all of it is passed over.
std::optional<WallTime> Cron::end_of_spells(WallTime match, std::chrono::seconds length, WallTime horizon) const {
  std::optional<minutes> gap;
  while (match <= horizon) {
    const auto next = next_after(match);
    if (!next || *next - match > length) return match + length;
    match = *next;
    if (!gap) gap = longest_gap_of_a_day();
    if (*gap <= length) match = std::chrono::floor<days>(match) + last_minute();
  }
  return std::nullopt;
}

Cron::Spell Cron::spell_at(WallTime time, std::chrono::seconds length) const {
  length = std::clamp(length, std::chrono::seconds(1), std::chrono::seconds(kAhead));
  const auto match = next_after(time - length);
  if (!match || *match > time) return {.is_active = false, .changes_at = match};
  return {.is_active = true, .changes_at = end_of_spells(*match, length, time + kAhead)};
}

}  // namespace reprise::runtime
