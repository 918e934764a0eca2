#include "rehearsal/pace.h"

#include <gtest/gtest.h>

namespace reprise::rehearsal {
namespace {

using runtime::Duration;
using std::chrono::seconds;

TEST(OwnPace, gives_a_script_time_by_what_its_start_and_its_saves_take) {
  EXPECT_EQ(own_pace({}), Duration(seconds(2)));
  EXPECT_EQ(own_pace({.start = seconds(60)}), Duration(seconds(15)));
  EXPECT_EQ(own_pace({.start = seconds(3), .save = seconds(20)}), Duration(seconds(40)));
  EXPECT_EQ(own_pace({.in_vain = 2}), Duration(seconds(8)));
  EXPECT_EQ(own_pace({.start = seconds(30), .in_vain = 40}), Duration(seconds(120)));
}

}  // namespace
}  // namespace reprise::rehearsal
