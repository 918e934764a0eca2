// Schedules beside a scan of every minute.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "runtime/base/cron/cron.h"

namespace reprise::runtime {
namespace {

using std::chrono::days;
using std::chrono::minutes;
using std::chrono::seconds;

int up_to(int low, int high) {
  return *rc::gen::inRange(low, high + 1);
}

// A field by its text and by its meaning.
struct Part {
  int first, last, step;
};
struct Field {
  std::string text;
  std::vector<Part> parts;
  bool is_any = false;
  [[nodiscard]] bool has(int value) const {
    return std::ranges::any_of(parts, [&](const Part& each) {
      return value >= each.first && value <= each.last && (value - each.first) % each.step == 0;
    });
  }
};

Field any_field(int least, int most) {
  Field field;
  for (int left = up_to(1, 3); left > 0; --left) {
    if (!field.text.empty()) field.text += ",";
    Part part{.first = least, .last = most, .step = 1};
    const int shape = up_to(0, 3);
    if (shape == 0) {
      field.text += "*";
    } else {
      part.first = up_to(least, most);
      part.last = shape == 1 ? part.first : up_to(part.first, most);
      field.text += std::to_string(part.first) + (shape == 1 ? "" : "-" + std::to_string(part.last));
    }
    if (shape == 3 || (shape == 0 && up_to(0, 1) == 1)) {
      part.step = up_to(1, 40);
      field.text += "/" + std::to_string(part.step);
    }
    field.is_any = field.is_any || (shape == 0 && part.step == 1);
    field.parts.push_back(part);
  }
  return field;
}

struct Schedule {
  std::array<Field, 5> fields{any_field(0, 59), any_field(0, 23), any_field(1, 31), any_field(1, 12), any_field(0, 6)};
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Field& each : fields) text += (text.empty() ? "" : " ") + each.text;
    return text;
  }
  [[nodiscard]] bool matches(WallTime time) const {
    const auto day = std::chrono::floor<days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(std::chrono::floor<minutes>(time - day));
    const bool by_day = fields[2].has(static_cast<int>(unsigned{date.day()}));
    const bool by_weekday = fields[4].has(static_cast<int>(std::chrono::weekday(day).c_encoding()));
    const bool any = fields[2].is_any || fields[4].is_any;
    return fields[0].has(static_cast<int>(clock.minutes().count())) &&
           fields[1].has(static_cast<int>(clock.hours().count())) &&
           fields[3].has(static_cast<int>(unsigned{date.month()})) &&
           (any ? by_day && by_weekday : by_day || by_weekday);
  }
};

WallTime any_time() {
  return WallTime(seconds(*rc::gen::inRange<std::int64_t>(0, 4'102'444'800)));  // until 2100
}

// The first minute from `first` on for which `holds` is true.
std::optional<WallTime> scan(WallTime first, days ahead, const std::function<bool(WallTime)>& holds) {
  const auto begin = std::chrono::ceil<minutes>(first);
  for (auto time = begin; time < begin + ahead; time += minutes(1))
    if (holds(time)) return time;
  return std::nullopt;
}

RC_GTEST_PROP(CronProperty, the_next_match_is_what_a_scan_of_every_minute_finds, ()) {
  const Schedule schedule;
  const WallTime time = any_time();
  const auto cron = Cron::parse(schedule.text());
  RC_ASSERT(cron);
  constexpr days kScanned(40);
  const auto found = scan(time + seconds(1), kScanned, [&](WallTime each) { return schedule.matches(each); });
  const auto next = cron->next_after(time);
  RC_LOG() << schedule.text();
  if (found || (next && *next < time + kScanned)) RC_ASSERT(next == found);
  if (next) RC_ASSERT(schedule.matches(*next));
}

RC_GTEST_PROP(CronProperty, a_spell_changes_when_a_scan_of_every_minute_says_so, ()) {
  const Schedule schedule;
  const WallTime time = std::chrono::floor<minutes>(any_time());
  const minutes length(*rc::gen::oneOf(rc::gen::inRange(1, 120), rc::gen::inRange(1, 5000)));
  const auto cron = Cron::parse(schedule.text());
  RC_ASSERT(cron);
  auto active = [&, last = std::optional<WallTime>(), scanned = time - length](WallTime until) mutable {
    for (; scanned < until;) {
      scanned += minutes(1);
      if (schedule.matches(scanned)) last = scanned;
    }
    return last && *last + length > until;
  };
  const bool now = active(time);
  constexpr days kScanned(20);
  const auto change = scan(time + minutes(1), kScanned, [&](WallTime each) { return active(each) != now; });
  const Cron::Spell spell = cron->spell_at(time, length);
  RC_LOG() << schedule.text() << " of " << length.count() << " minutes";
  RC_ASSERT(spell.is_active == now);
  if (change) RC_ASSERT(spell.changes_at == change);
  if (!change && spell.changes_at) RC_ASSERT(*spell.changes_at > time + kScanned);
}

RC_GTEST_PROP(CronProperty, reading_any_text_ends_in_a_schedule_or_an_error, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::element(' ', '*', '/', '-', ',', '?', '0', '9', 'm', 'o', 'n'));
  const auto cron = Cron::parse(text);
  if (cron) static_cast<void>(cron->spell_at(any_time(), seconds(*rc::gen::inRange<std::int64_t>(0, 100'000'000))));
}

}  // namespace
}  // namespace reprise::runtime
