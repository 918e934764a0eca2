// Schedules in cron's notation: their matches, and the state of spells that begin there.
#include "runtime/base/cron/cron.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace reprise::runtime {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

// "2026-11-27 09:30", a Friday.
WallTime at(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
  return std::chrono::sys_days(std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day)) +
         hours(hour) + minutes(minute);
}
const WallTime kFriday = at(2026, 11, 27, 9, 30);

std::optional<WallTime> next(std::string_view text, WallTime time = kFriday) {
  const auto cron = Cron::parse(text);
  EXPECT_TRUE(cron) << text << ": " << cron.error();
  return cron ? cron->next_after(time) : std::nullopt;
}

TEST(Cron, matches_what_its_notation_says) {
  struct Case {
    const char* sentence;
    const char* text;
    WallTime next;
  };
  const std::vector<Case> cases{
      {"every minute", "* * * * *", at(2026, 11, 27, 9, 31)},
      {"a question mark is a star", "? ? ? ? ?", at(2026, 11, 27, 9, 31)},
      {"a number", "45 * * * *", at(2026, 11, 27, 9, 45)},
      {"what matches now matches again", "30 9 * * *", at(2026, 11, 28, 9, 30)},
      {"a list", "10,20,40 * * * *", at(2026, 11, 27, 9, 40)},
      {"a range", "0 10-12 * * *", at(2026, 11, 27, 10)},
      {"steps of all", "*/20 * * * *", at(2026, 11, 27, 9, 40)},
      {"steps of a range", "0 8-18/4 * * *", at(2026, 11, 27, 12)},
      {"steps from a number on", "5/15 * * * *", at(2026, 11, 27, 9, 35)},
      {"a step beyond the end", "*/90 * * * *", at(2026, 11, 27, 10)},
      {"working days", "0 7 * * mon-fri", at(2026, 11, 30, 7)},
      {"names in any case", "0 7 * JAN Mon", at(2027, 1, 4, 7)},
      {"Sunday is 0", "0 0 * * 0", at(2026, 11, 29)},
      {"Sunday is 7", "0 0 * * 7", at(2026, 11, 29)},
      {"a week ends with Sunday", "0 0 * * sat-sun", at(2026, 11, 28)},
      {"steps of weekdays end with Saturday", "0 0 * * 5/2", at(2026, 12, 4)},
      {"a month", "0 0 1 mar *", at(2027, 3, 1)},
      {"a day that not each month has", "0 0 31 * *", at(2026, 12, 31)},
      {"a day of leap years", "0 0 29 2 *", at(2028, 2, 29)},
      {"one of the days is enough where both are restricted", "0 0 13 * fri", at(2026, 12, 4)},
      {"steps of all restrict", "0 0 */31 * fri", at(2026, 12, 1)},
      {"both kinds of days where one is not restricted", "0 0 13 * *", at(2026, 12, 13)},
      {"spaces more than one", " 0  12 * * * ", at(2026, 11, 27, 12)},
      {"hourly", "@hourly", at(2026, 11, 27, 10)},
      {"daily", "@daily", at(2026, 11, 28)},
      {"at midnight", "@midnight", at(2026, 11, 28)},
      {"weekly", "@weekly", at(2026, 11, 29)},
      {"monthly", "@monthly", at(2026, 12, 1)},
      {"yearly", "@yearly", at(2027, 1, 1)},
      {"annually", "@annually", at(2027, 1, 1)},
  };
  for (const Case& each : cases) EXPECT_EQ(next(each.text), each.next) << each.sentence;
}

TEST(Cron, finds_leap_days_across_a_century_without_one) {
  EXPECT_EQ(next("0 0 29 2 *", at(2096, 2, 29)), at(2104, 2, 29));
}

TEST(Cron, of_a_date_that_does_not_exist_has_no_match) {
  EXPECT_EQ(next("0 0 31 2 *"), std::nullopt);
  EXPECT_EQ(next("0 0 30,31 feb *"), std::nullopt);
}

TEST(Cron, matches_whole_minutes_after_a_time_within_one) {
  EXPECT_EQ(next("* * * * *", kFriday + seconds(1)), kFriday + minutes(1));
  EXPECT_EQ(next("* * * * *", kFriday - std::chrono::microseconds(1)), kFriday);
}

TEST(Cron, what_cannot_be_read_is_named_with_what_is_allowed) {
  struct Case {
    const char* text;
    const char* said;
  };
  const std::vector<Case> cases{
      {"", "it has 0 fields, must have five"},
      {"0 7 * *",
       "it has 4 fields, must have five (minute, hour, day of the month, month, day of the week) or be @hourly"},
      {"0 0 7 * * *", "it has 6 fields"},
      {"@noon", "it has 1 fields"},
      {"60 * * * *", "the minute is 60, must be 0 to 59"},
      {"* 24 * * *", "the hour is 24, must be 0 to 23"},
      {"* * 0 * *", "the day of the month is 0, must be 1 to 31"},
      {"* * * 13 *", "the month is 13, must be 1 to 12 or jan to dec"},
      {"* * * * 8", "the day of the week is 8, must be 0 to 7 or sun to sat"},
      {"* * * * monday", "the day of the week is monday, must be"},
      {"* * * * jan", "the day of the week is jan, must be"},
      {"-1 * * * *", "the minute is -1, must be"},
      {"+1 * * * *", "the minute is +1, must be"},
      {"99999999999999999999 * * * *", "the minute is 99999999999999999999, must be"},
      {"1-2-3 * * * *", "the minute is 1-2-3, must be"},
      {"*-5 * * * *", "the minute is *-5, must be"},
      {"1,,2 * * * *", "the minute is empty, must be"},
      {"1, * * * *", "the minute is empty, must be"},
      {"*/0 * * * *", "the minute is */0, must have a number from 1 on after /"},
      {"*/ * * * *", "the minute is */, must have a number from 1 on after /"},
      {"*/2/3 * * * *", "the minute is */2/3, must have a number from 1 on after /"},
      {"0 17-9 * * *", "the hour is 17-9, which ends before it begins; write 17-23,0-9"},
      {"0 0 * * fri-tue", "the day of the week is fri-tue, which ends before it begins; write fri-6,0-tue"},
  };
  for (const Case& each : cases) {
    const auto cron = Cron::parse(each.text);
    ASSERT_FALSE(cron) << each.text;
    EXPECT_THAT(cron.error(), HasSubstr(each.said)) << each.text;
  }
  EXPECT_TRUE(Cron::parse("0 17-23,0-9 * * fri-6,0-tue")) << "what is told is taken";
}

TEST(Cron, a_spell_begins_at_a_match_and_ends_by_its_length) {
  struct Case {
    const char* sentence;
    const char* text;
    seconds length;
    Cron::Spell spell;
  };
  constexpr hours kDay(24);
  const std::vector<Case> cases{
      {"one that goes on", "0 7 * * mon-fri", hours(10), {true, at(2026, 11, 27, 17)}},
      {"one that is over", "0 7 * * mon-fri", hours(2), {false, at(2026, 11, 30, 7)}},
      {"one that begins now", "30 9 * * *", hours(1), {true, at(2026, 11, 27, 10, 30)}},
      {"one that ends now", "30 8 * * *", hours(1), {false, at(2026, 11, 28, 8, 30)}},
      {"shorter than a minute", "30 9 * * *", seconds(10), {true, kFriday + seconds(10)}},
      {"over midnight", "0 22 * * *", hours(12), {true, at(2026, 11, 27, 10)}},
      {"over a year's end", "0 0 1 11 *", 90 * kDay, {true, at(2027, 1, 30)}},
      {"those that meet are one", "0 9,10,11 * * *", hours(1), {true, at(2026, 11, 27, 12)}},
      {"those that overlap are one", "0 8-16 * * *", hours(3), {true, at(2026, 11, 27, 19)}},
      {"of some days that are one", "0 0 * * mon-fri", kDay, {true, at(2026, 11, 28)}},
      {"every minute but those of the last hour", "* 0-22 * * *", minutes(1), {true, at(2026, 11, 27, 23)}},
      {"every minute but those of an hour", "* 0-11,13-23 * * *", minutes(1), {true, at(2026, 11, 27, 12)}},
      {"all the time, by minutes", "* * * * *", minutes(1), {true, std::nullopt}},
      {"all the time, by days", "@daily", kDay, {true, std::nullopt}},
      {"all years but for a day of leap years", "@yearly", 365 * kDay, {true, at(2028, 12, 31)}},
      {"never", "0 0 31 2 *", 365 * kDay, {false, std::nullopt}},
      {"of no length", "0 7 * * *", seconds(-5), {false, at(2026, 11, 28, 7)}},
      {"of a length beyond all bounds", "@yearly", seconds::max(), {true, std::nullopt}},
  };
  for (const Case& each : cases) {
    const auto cron = Cron::parse(each.text);
    ASSERT_TRUE(cron) << each.text;
    EXPECT_EQ(cron->spell_at(kFriday, each.length), each.spell) << each.sentence;
  }
}

}  // namespace
}  // namespace reprise::runtime
