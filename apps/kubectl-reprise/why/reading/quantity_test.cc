#include "apps/kubectl-reprise/why/reading/quantity.h"

#include <gtest/gtest.h>

namespace reprise::plugin::why {

TEST(Quantity, each_way_to_write_one_is_read) {
  EXPECT_DOUBLE_EQ(parse_quantity("4"), 4);
  EXPECT_DOUBLE_EQ(parse_quantity("500m"), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("1.5k"), 1500);
  EXPECT_DOUBLE_EQ(parse_quantity("16Gi"), 16.0 * 1024 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(parse_quantity("1e3"), 1000);
  EXPECT_DOUBLE_EQ(parse_quantity("2E"), 2e18);
  EXPECT_DOUBLE_EQ(parse_quantity("much"), 0);
}

}  // namespace reprise::plugin::why
