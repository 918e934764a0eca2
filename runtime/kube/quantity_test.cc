#include "runtime/kube/quantity.h"

#include <gtest/gtest.h>

namespace reprise::kube {
namespace {

TEST(Quantity, is_a_whole_number_however_the_api_server_shortens_it) {
  EXPECT_EQ(whole_number("16"), 16);
  EXPECT_EQ(whole_number("16k"), 16'000);
  EXPECT_EQ(whole_number("16Ki"), 16'384);
  EXPECT_EQ(whole_number("2M"), 2'000'000);
  EXPECT_EQ(whole_number("1Gi"), 1'073'741'824);
  EXPECT_EQ(whole_number("0"), 0);
}

TEST(Quantity, is_none_where_it_is_a_part_less_than_nothing_or_no_number) {
  for (const char* text : {"", "k", "0.5", "500m", "-1", "1 k", "1K", "9223372036854775808", "9223372036854775807k"})
    EXPECT_FALSE(whole_number(text)) << text;
}

}  // namespace
}  // namespace reprise::kube
