#include "runtime/leader/lease_timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(LeaseTiming, leaves_a_thirtieth_for_clocks_that_differ) {
  EXPECT_EQ(LeaseTiming{}.margin(), milliseconds(500));
  EXPECT_EQ((LeaseTiming{seconds(3), seconds(2), seconds(1)}).margin(), milliseconds(500));
  EXPECT_EQ((LeaseTiming{seconds(150), seconds(107), seconds(26)}).margin(), seconds(5));
}

TEST(LeaseTiming, that_keeps_a_lease_passes) {
  for (const LeaseTiming& timing : {LeaseTiming{}, LeaseTiming{seconds(137), seconds(107), seconds(26)},
                                    LeaseTiming{seconds(600), seconds(579), milliseconds(100)},
                                    LeaseTiming{seconds(3), milliseconds(1'500), milliseconds(500)}})
    EXPECT_TRUE(check(timing)) << timing.lease_duration.count();
}

TEST(LeaseTiming, that_cannot_keep_a_lease_is_rejected_with_what_is_allowed) {
  struct Row {
    LeaseTiming timing;
    const char* says;
  };
  for (const Row& row : {
           Row{{seconds(15), seconds(10), milliseconds(99)}, "retry period: found 0.099s, must be at least 0.100s"},
           Row{{seconds(15), seconds(10), milliseconds(-1)}, "retry period: found"},
           Row{{seconds(15), seconds(2), milliseconds(2'000)},
               "renew deadline: found 2s, must be more than 1.2 retry periods of 2s"},
           Row{{seconds(601), seconds(10), milliseconds(2'000)}, "lease duration: found 601s, must be at most 600s"},
           Row{{milliseconds(15'500), seconds(10), milliseconds(2'000)},
               "lease duration: found 15.500s, must be whole seconds"},
           Row{{seconds(10), seconds(10), milliseconds(2'000)},
               "must be more than the renew deadline of 10s and 0.500s"},
           Row{{seconds(60), seconds(58), milliseconds(2'000)}, "must be more than the renew deadline of 58s and 2s"},
       }) {
    const auto outcome = check(row.timing);
    ASSERT_FALSE(outcome) << row.says;
    EXPECT_EQ(outcome.error().error_class, ErrorClass::Invalid);
    EXPECT_THAT(outcome.error().message, ::testing::HasSubstr(row.says));
  }
}

}  // namespace
}  // namespace reprise::runtime
