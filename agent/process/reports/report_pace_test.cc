// When the next report may be tried.
#include "agent/process/reports/report_pace.h"

#include <gtest/gtest.h>

namespace reprise::agent {
namespace {

using namespace std::chrono_literals;

const runtime::Instant kThen{1h};

TEST(report_pace, waits_ever_longer_after_failures_and_not_at_all_after_a_success) {
  ReportPace pace(10s);
  auto now = kThen;
  for (const auto wait : {10s, 20s, 40s, 80s, 160s, 300s, 300s}) {
    pace.answered({.status = 500}, now);
    EXPECT_FALSE(pace.may_send(now + wait - 1ms));
    EXPECT_TRUE(pace.may_send(now + wait));
    now += wait;
  }
  pace.answered({.status = 204}, now);
  EXPECT_TRUE(pace.may_send(now));
  pace.answered({}, now);
  EXPECT_TRUE(pace.may_send(now + 10s));
}

TEST(report_pace, waits_as_long_as_it_is_told_but_no_longer_than_a_minute) {
  ReportPace pace(10s);
  pace.answered({.status = 429, .retry_after = 3s}, kThen);
  EXPECT_FALSE(pace.may_send(kThen + 2s));
  EXPECT_TRUE(pace.may_send(kThen + 3s));
  pace.answered({.status = 503, .retry_after = 7200s}, kThen);
  EXPECT_FALSE(pace.may_send(kThen + 59s));
  EXPECT_TRUE(pace.may_send(kThen + 60s));
  pace.answered({.status = 503}, kThen);
  EXPECT_FALSE(pace.may_send(kThen + 9s));
}

TEST(report_pace, of_many_ranks_is_slowed_down_by_the_operator_that_takes_their_reports) {
  ReportPace pace(10s);
  pace.answered({.status = 204, .retry_after = 30s}, kThen);
  EXPECT_FALSE(pace.may_send(kThen + 29s));
  EXPECT_TRUE(pace.may_send(kThen + 30s));
  pace.answered({.status = 204, .retry_after = 10s}, kThen);
  EXPECT_TRUE(pace.may_send(kThen + 1s)) << "news need not wait for what is the usual time";
  pace.answered({.status = 204, .retry_after = 7200s}, kThen);
  EXPECT_TRUE(pace.may_send(kThen + 60s));
}

}  // namespace
}  // namespace reprise::agent
