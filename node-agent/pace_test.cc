#include "node-agent/pace.h"

#include <gtest/gtest.h>

namespace reprise::node_agent {
namespace {

using namespace std::chrono_literals;

TEST(Pace, waits_ever_longer_until_something_works) {
  Pace pace(1s, 8s);
  runtime::Instant now{1h};
  EXPECT_TRUE(pace.may_try(now));
  for (const auto wait : {1s, 2s, 4s, 8s, 8s}) {
    pace.failed(now);
    EXPECT_FALSE(pace.may_try(now + wait - 1ms));
    EXPECT_TRUE(pace.may_try(now + wait));
    now += wait;
  }
  pace.worked();
  EXPECT_TRUE(pace.may_try(now));
  pace.failed(now);
  EXPECT_TRUE(pace.may_try(now + 1s));
}

TEST(Pace, waits_as_long_as_it_is_told_but_no_longer_than_a_minute) {
  Pace pace(1s, 8s);
  const runtime::Instant now{1h};
  pace.failed(now, 20s);
  EXPECT_FALSE(pace.may_try(now + 19s));
  EXPECT_TRUE(pace.may_try(now + 20s));
  pace.failed(now, 7200s);
  EXPECT_TRUE(pace.may_try(now + 60s));
}

}  // namespace
}  // namespace reprise::node_agent
