// Schedules in cron's notation, in UTC, as CronJobs and Karpenter's disruption budgets have them.
//
// Five fields: minute, hour, day of the month, month, day of the week. Each is a list of *, numbers and ranges, with
// steps ("*/15", "9-17/2"; "5/15" begins at 5). Months are 1 to 12 or jan to dec, days of the week 0 to 7 or sun to
// sat, where 0 and 7 are Sunday. Where both kinds of days are restricted, one of them is enough. Or @hourly, @daily,
// @midnight, @weekly, @monthly, @yearly, @annually.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/clock.h"

namespace reprise::runtime {

class Cron {
 public:
  // The error: "the hour is 25, must be 0 to 23". Callers put the place of the whole text in front of it.
  [[nodiscard]] static std::expected<Cron, std::string> parse(std::string_view text);

  // The first match after `time`, a whole minute. Empty: the date does not exist.
  [[nodiscard]] std::optional<WallTime> next_after(WallTime time) const;

  // State at a time of spells of one length that begin at each match. Spells may overlap; the end of a spell is not
  // part of it.
  struct Spell {
    bool is_active = false;
    std::optional<WallTime> changes_at;  // begins or ends; nothing: not within eight years
    bool operator==(const Spell&) const = default;
  };
  // `length`: above zero; more than eight years counts as eight years.
  [[nodiscard]] Spell spell_at(WallTime time, std::chrono::seconds length) const;

 private:
  using Numbers = std::uint64_t;  // bit n: the number n is meant
  Cron() = default;
  [[nodiscard]] bool is_on(std::chrono::sys_days day) const;
  [[nodiscard]] std::optional<std::chrono::sys_days> day_from(std::chrono::sys_days first) const;
  [[nodiscard]] std::optional<std::chrono::minutes> minute_from(std::chrono::minutes first) const;
  [[nodiscard]] std::chrono::minutes last_minute() const;
  [[nodiscard]] std::chrono::minutes longest_gap_of_a_day() const;
  [[nodiscard]] std::optional<WallTime> end_of_spells(WallTime match, std::chrono::seconds length,
                                                      WallTime horizon) const;

  Numbers minutes_ = 0, hours_ = 0, days_ = 0, months_ = 0, weekdays_ = 0;
  bool any_day_ = false, any_weekday_ = false;  // not restricted
};

}  // namespace reprise::runtime
