#include "controllers/prices/money.h"

#include <gtest/gtest.h>

namespace reprise::controllers::prices {
namespace {

TEST(Money, reads_decimals_exactly) {
  EXPECT_EQ(parse_usd("12.50"), 12'500'000);
  EXPECT_EQ(parse_usd("0.1578"), 157'800);
  EXPECT_EQ(parse_usd("3"), 3'000'000);
  EXPECT_EQ(parse_usd("0.52600000000001"), 526'000) << "a label may carry a float's tail";
}

TEST(Money, rejects_what_is_not_an_amount) {
  for (const char* text : {"", ".", "1.", "-1", "1e3", "1,5", "NaN", "12345678901234"})
    EXPECT_FALSE(parse_usd(text)) << text;
}

TEST(Money, shows_two_to_four_decimals) {
  EXPECT_EQ(format_usd(12'500'000), "12.50");
  EXPECT_EQ(format_usd(157'800), "0.1578");
  EXPECT_EQ(format_usd(0), "0.00");
  EXPECT_EQ(format_usd(999'999'960), "1000.00");
}

TEST(Money, adds_up_to_no_more_than_a_status_can_say) {
  const MicroUsd most = *parse_usd("9999999999");
  EXPECT_EQ(sum(sum(most, most), most), kMostUsd);
  EXPECT_EQ(format_usd(kMostUsd), "9999999999.9999");
  EXPECT_EQ(format_usd(kMostUsd + 1'000'000), "9999999999.9999");
  EXPECT_FALSE(parse_usd("99999999999"));
}

TEST(Money, runs_up_by_the_second_and_never_backwards_or_beyond_what_a_status_can_say) {
  EXPECT_EQ(over(3'600'000, std::chrono::seconds(90)), 90'000);
  EXPECT_EQ(over(100'000, std::chrono::seconds(1)), 28) << "to the nearest";
  EXPECT_EQ(over(3'600'000, std::chrono::seconds(-90)), 0);
  EXPECT_EQ(over(kMostUsd, std::chrono::hours(24 * 365)), kMostUsd);
}

}  // namespace
}  // namespace reprise::controllers::prices
