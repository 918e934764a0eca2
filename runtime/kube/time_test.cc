#include "runtime/kube/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace reprise::kube {
namespace {

Time at(std::int64_t microseconds) {
  return Time{std::chrono::microseconds{microseconds}};
}

TEST(Time, reads_what_the_api_server_writes) {
  EXPECT_EQ(parse_time("1970-01-01T00:00:00Z"), at(0));
  EXPECT_EQ(parse_time("2026-11-21T09:00:00Z"), at(1795251600000000));
  EXPECT_EQ(parse_time("2026-11-21T09:00:00.123456Z"), at(1795251600123456));
  EXPECT_EQ(parse_time("2024-02-29T23:59:59Z"), at(1709251199000000));
}

TEST(Time, reads_offsets_and_cuts_what_is_finer_than_a_microsecond) {
  EXPECT_EQ(parse_time("2026-11-21T10:30:00+01:30"), at(1795251600000000));
  EXPECT_EQ(parse_time("2026-11-21T04:00:00-05:00"), at(1795251600000000));
  EXPECT_EQ(parse_time("1970-01-01T00:00:00.5Z"), at(500000));
  EXPECT_EQ(parse_time("1970-01-01T00:00:00.123456789Z"), at(123456));
}

TEST(Time, rejects_what_is_not_a_time) {
  for (const char* const text :
       {"", "2026", "2026-11-21", "2026-11-21T09:00:00", "2026-11-21 09:00:00Z", "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z", "2026-00-10T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T09:60:00Z",
        "2026-11-21T09:00:60Z", "2026-11-21T09:00:00.Z", "2026-11-21T09:00:00Zx", "2026-11-21T09:00:00+1:00",
        "2026-11-21T09:00:00+24:00", "+026-11-21T09:00:00Z", "2026-1-21T09:00:00Z", "2026-11-21T09:00:00+01"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(Time, stays_within_the_years_that_have_a_notation) {
  EXPECT_EQ(format_time(Time::max()), "9999-12-31T23:59:59Z");
  EXPECT_EQ(format_time(Time::min()), "0000-01-01T00:00:00Z");
  EXPECT_EQ(format_micro_time(at(-1)), "1969-12-31T23:59:59.999999Z");
}

constexpr std::int64_t kFirst = -62167219200;  // year 0
constexpr std::int64_t kLast = 253402300799;   // year 9999

RC_GTEST_PROP(Time, comes_back_from_its_own_notation, ()) {
  const auto whole = *rc::gen::inRange<std::int64_t>(kFirst, kLast);
  const auto fraction = *rc::gen::inRange<std::int64_t>(0, 1000000);
  RC_ASSERT(parse_time(format_time(at(whole * 1000000))) == at(whole * 1000000));
  RC_ASSERT(parse_time(format_micro_time(at(whole * 1000000 + fraction))) == at(whole * 1000000 + fraction));
}

TEST(Time, no_sum_of_a_time_and_a_length_of_others_overflows) {
  for (const std::int64_t count :
       {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    const Time then = at(kLast * 1000000) + 3 * bounded_seconds(count);
    EXPECT_EQ(then > at(kLast * 1000000), count > 0);
  }
  EXPECT_EQ(bounded_seconds(315360000), std::chrono::seconds(315360000));
}

RC_GTEST_PROP(Time, reading_any_text_ends_in_a_value_or_nothing, (const std::string& text)) {
  const auto time = parse_time(text);
  if (time) RC_ASSERT(parse_time(format_micro_time(*time)) == time);
}

}  // namespace
}  // namespace reprise::kube
