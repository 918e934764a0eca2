#include "runtime/http/retry_after.h"

#include <gtest/gtest.h>

#include <string>

namespace reprise::runtime {
namespace {

using std::chrono::seconds;

TEST(RetryAfter, is_a_number_of_seconds) {
  EXPECT_EQ(parse_retry_after(" 17\r\n"), seconds(17));
  EXPECT_EQ(parse_retry_after("0"), seconds(0));
}

TEST(RetryAfter, whatever_number_the_header_holds_the_wait_is_a_minute_at_most) {
  std::string digits;
  for (int length = 1; length <= 400; ++length) {
    digits += '9';
    EXPECT_EQ(parse_retry_after(digits), length == 1 ? seconds(9) : longest_retry_after) << digits;
  }
}

TEST(RetryAfter, a_date_a_negative_number_and_nonsense_are_no_wait) {
  for (const char* text : {"", " ", "soon", "-5", "-99999999999999999999", "Fri, 31 Dec 1999 23:59:59 GMT"}) {
    EXPECT_EQ(parse_retry_after(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace reprise::runtime
