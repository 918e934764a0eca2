#include "controllers/placement/events_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::controllers::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kEvents =
    "TIME REASON OBJECT MESSAGE\n"
    "2026-11-21T10:00:00Z Launched gpu-abc NodeClaim launched in us-west-2a\n"
    "2026-11-21T10:20:00Z SpotInterrupted gpu-abc spot interruption warning (zone us-west-2a)\n"
    "2026-11-21T10:07:00Z Pulled trainer-0 image was present\n"
    "2026-11-21T10:10:00Z InsufficientCapacityError gpu-def no capacity in us-west-2b\n"
    "2026-11-21T10:30:00Z Registered gpu-xyz node is there, us-west-2a\n";

TEST(EventsTrace, launches_and_losses_become_ticks) {
  const auto trace = trace_from_events("e.txt", kEvents, "", 600);
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->zones.size(), 2U);
  EXPECT_EQ(trace->zones[0].name, "us-west-2a");
  EXPECT_THAT(trace->zones[0].available, ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(trace->zones[1].available, ElementsAre(kUnknown, 0, 0, 0));
}

TEST(EventsTrace, what_is_written_is_read_again) {
  const auto trace = trace_from_events("e.txt", kEvents, "", 600);
  ASSERT_TRUE(trace);
  const auto again = read_trace("t.csv", write_trace(*trace));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->zones[0].available, trace->zones[0].available);
  EXPECT_DOUBLE_EQ(again->tick, trace->tick);
}

TEST(EventsTrace, a_bad_line_is_named) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"", "e.txt:1: no Event tells of capacity"},
      {"yesterday Launched x us-west-2a\n", "e.txt:1: found 'yesterday', must be a time"},
      {"2026-11-21T10:00:00Z\n", "e.txt:1: no reason follows"},
      {"2026-11-21T10:00:00Z Launched gpu-abc\n", "e.txt:1: names no zone"}};
  for (const auto& [text, expected] : rows) {
    const auto trace = trace_from_events("e.txt", text, "", 600);
    ASSERT_FALSE(trace) << text;
    EXPECT_THAT(trace.error().message, HasSubstr(expected));
  }
  EXPECT_TRUE(trace_from_events("e.txt", "2026-11-21T10:00:00Z Launched gpu-abc\n", "us-west-2a", 600));
}

}  // namespace
}  // namespace reprise::controllers::placement
