#include "runtime/kube/time.h"

#include <algorithm>

namespace reprise::kube {

namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_days;

// Takes exactly `digits` digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

// ".123456789": microseconds; finer digits are cut off.
std::optional<microseconds> take_fraction(std::string_view& text) {
  if (!take(text, '.')) return microseconds{0};
  std::int64_t value = 0;
  std::size_t digits = 0;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    if (digits < 6) value = value * 10 + (text.front() - '0');
    ++digits;
    text.remove_prefix(1);
  }
  if (digits == 0) return std::nullopt;
  for (std::size_t i = digits; i < 6; ++i) value *= 10;
  return microseconds{value};
}

// "Z" or "+01:00": the offset to be subtracted.
std::optional<seconds> take_offset(std::string_view& text) {
  if (take(text, 'Z')) return seconds{0};
  const bool east = !text.empty() && text.front() == '+';
  if (!east && (text.empty() || text.front() != '-')) return std::nullopt;
  text.remove_prefix(1);
  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  const seconds offset = hours{*hour} + minutes{*minute};
  return east ? offset : -offset;
}

void put_number(std::string& text, std::size_t at, std::size_t digits, std::int64_t value) {
  for (std::size_t i = at + digits; i-- > at; value /= 10) text[i] = static_cast<char>('0' + value % 10);
}

std::string format_whole(std::chrono::sys_seconds time) {
  // Four digits of year are all that RFC 3339 has.
  constexpr std::chrono::sys_seconds kFirst = sys_days{std::chrono::year{0} / 1 / 1};
  constexpr std::chrono::sys_seconds kLast = sys_days{std::chrono::year{9999} / 12 / 31} + hours{24} - seconds{1};
  const auto whole = std::clamp(time, kFirst, kLast);
  const auto day = std::chrono::floor<days>(whole);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{whole - day};
  std::string text = "0000-00-00T00:00:00";
  put_number(text, 0, 4, static_cast<int>(date.year()));
  put_number(text, 5, 2, static_cast<unsigned>(date.month()));
  put_number(text, 8, 2, static_cast<unsigned>(date.day()));
  put_number(text, 11, 2, clock.hours().count());
  put_number(text, 14, 2, clock.minutes().count());
  put_number(text, 17, 2, clock.seconds().count());
  return text;
}

}  // namespace

std::optional<Time> parse_time(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day || !take(text, 'T')) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;

  const auto hour = take_number(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || *minute > 59 || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second || *second > 59) return std::nullopt;
  const auto fraction = take_fraction(text);
  if (!fraction) return std::nullopt;
  const auto offset = take_offset(text);
  if (!offset || !text.empty()) return std::nullopt;
  return Time{sys_days{date}} + hours{*hour} + minutes{*minute} + seconds{*second} + *fraction - *offset;
}

std::string format_time(Time time) {
  return format_whole(std::chrono::floor<seconds>(time)) + "Z";
}

std::string format_micro_time(Time time) {
  const auto whole = std::chrono::floor<seconds>(time);
  std::string fraction = ".000000Z";
  put_number(fraction, 1, 6, (time - whole).count());
  return format_whole(whole) + fraction;
}

}  // namespace reprise::kube
