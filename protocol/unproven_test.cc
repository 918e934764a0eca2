#include "protocol/unproven.h"

#include <gtest/gtest.h>

#include <limits>

namespace reprise::protocol {
namespace {

TEST(Unproven, explains_an_older_step_only_where_it_reaches_up_to_the_expected_one) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(was_put_aside(40, 30, 40));
  EXPECT_TRUE(was_put_aside(40, 0, 50));
  EXPECT_TRUE(was_put_aside(most, 0, most));
  EXPECT_FALSE(was_put_aside(40, 30, 39)) << "the expected one is gone, whatever became of older ones";
  EXPECT_FALSE(was_put_aside(40, 30, 20)) << "lower than what is resumed from";
  EXPECT_FALSE(was_put_aside(40, 40, 50)) << "what was expected is resumed from";
  EXPECT_FALSE(was_put_aside(40, 45, 50));
  EXPECT_FALSE(was_put_aside(40, std::nullopt, 40)) << "nothing is resumed from";
  EXPECT_FALSE(was_put_aside(40, 30, std::nullopt));
  EXPECT_FALSE(was_put_aside(40, -1, 40));
  EXPECT_FALSE(was_put_aside(40, 30, -40));
}

}  // namespace
}  // namespace reprise::protocol
