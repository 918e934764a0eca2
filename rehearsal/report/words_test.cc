#include "rehearsal/report/words.h"

#include <gtest/gtest.h>

#include "rehearsal/report/columns.h"
#include "rehearsal/report/escape.h"

namespace reprise::rehearsal {
namespace {

using runtime::Duration;

TEST(Words, a_duration_is_written_in_its_two_largest_units) {
  struct Row {
    std::int64_t milliseconds;
    const char* want;
  };
  for (const auto& [milliseconds, want] : std::initializer_list<Row>{{0, "0 s"},
                                                                     {1, "1 ms"},
                                                                     {999, "999 ms"},
                                                                     {1'000, "1 s"},
                                                                     {4'250, "4.2 s"},
                                                                     {9'999, "9.9 s"},
                                                                     {12'900, "12 s"},
                                                                     {60'000, "1 min"},
                                                                     {185'000, "3 min 05 s"},
                                                                     {3'600'000, "1 h"},
                                                                     {27'720'000, "7 h 42 min"},
                                                                     {172'800'000, "2 d"},
                                                                     {273'600'000, "3 d 4 h"},
                                                                     {-1'000, "-1 s"}})
    EXPECT_EQ(duration_text(Duration(milliseconds)), want) << milliseconds;
}

TEST(Words, a_moment_is_written_in_hours_minutes_and_seconds) {
  EXPECT_EQ(clock_text(Duration(0)), "0:00:00");
  EXPECT_EQ(clock_text(Duration(27'725'999)), "7:42:05");
  EXPECT_EQ(clock_text(Duration(360'000'000)), "100:00:00");
}

TEST(Words, counts_have_groups_of_three_and_the_right_number) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1'000), "1,000");
  EXPECT_EQ(count_text(-1'234'567), "-1,234,567");
  EXPECT_EQ(count_text(1, "step", "steps"), "1 step");
  EXPECT_EQ(count_text(0, "step", "steps"), "0 steps");
}

TEST(Words, money_has_cents_and_below_a_dollar_tenths_of_them) {
  EXPECT_EQ(money_text(12.344), "$12.34");
  EXPECT_EQ(money_text(0.0456), "$0.046");
  EXPECT_EQ(money_text(0), "$0.00");
  EXPECT_EQ(money_text(-2), "-$2.00");
}

TEST(Words, a_ready_node_is_not_called_spot_capacity) {
  EXPECT_EQ(words_of(ReportSpan::State::Available, ReportLane::Kind::Zone), "spot available");
  EXPECT_EQ(words_of(ReportSpan::State::Available, ReportLane::Kind::Node), "node ready");
}

TEST(Escape, markup_becomes_text) {
  EXPECT_EQ(html_escaped("<a href=\"x\" b='y'>&</a>"), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
}

TEST(Escape, text_of_people_stays_as_it_is) {
  for (const char* text : {"plain", "Zürich, 東京, 🚀", "a b"}) EXPECT_EQ(printable(text), text);
}

TEST(Escape, control_characters_and_broken_encoding_are_replaced_byte_by_byte) {
  const std::string mark = "\xEF\xBF\xBD";
  struct Row {
    std::string from, want;
  };
  for (const auto& [from, want] :
       std::initializer_list<Row>{{"\x1b[31mred", mark + "[31mred"},
                                  {std::string("a\0b", 3), "a" + mark + "b"},
                                  {"line\nline\r", "line" + mark + "line" + mark},
                                  {"a\tb", "a b"},
                                  {"\x7f", mark},
                                  {"\xff\xfe", mark + mark},
                                  {"cut \xE6\x9D", "cut " + mark + mark},
                                  {"overlong \xC0\xAF", "overlong " + mark + mark},
                                  {"surrogate \xED\xA0\x80", "surrogate " + mark + mark + mark},
                                  {"C1 \xC2\x9B", "C1 " + mark + mark},
                                  {"turned round \xE2\x80\xAE", "turned round " + mark + mark + mark},
                                  {"beyond \xF4\x90\x80\x80", "beyond " + mark + mark + mark + mark}})
    EXPECT_EQ(printable(from), want);
}

TEST(Columns, are_as_wide_as_what_stands_in_them) {
  Columns columns({.gap = 2, .indent = 1});
  columns.row({"a", "", "1"});
  columns.row({"größer", "", "22", "x"});
  EXPECT_EQ(columns.text(), " a       1\n größer  22  x\n");
}

TEST(Columns, what_does_not_fit_says_so) {
  EXPECT_EQ(clipped("größer", 6), "größer");
  EXPECT_EQ(clipped("größer", 4), "grö…");
  EXPECT_EQ(clipped("größer", 1), "…");
  EXPECT_EQ(clipped("größer", 0), "");
  EXPECT_EQ(fitted("ö", 3), "ö  ");
  EXPECT_EQ(width_of("grö…"), 4U);
}

}  // namespace
}  // namespace reprise::rehearsal
