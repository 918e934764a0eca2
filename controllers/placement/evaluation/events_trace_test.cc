#include "controllers/placement/evaluation/events_trace.h"

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
  const auto trace = trace_from_events("e.txt", kEvents, {}, 600);
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->zones.size(), 2U);
  EXPECT_EQ(trace->zones[0].name, "us-west-2a");
  EXPECT_THAT(trace->zones[0].available, ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(trace->zones[1].available, ElementsAre(kUnknown, 0, 0, 0));
}

TEST(EventsTrace, what_is_written_is_read_again) {
  const auto trace = trace_from_events("e.txt", kEvents, {}, 600);
  ASSERT_TRUE(trace);
  const auto again = read_trace("t.csv", write_trace(*trace));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->zones[0].available, trace->zones[0].available);
  EXPECT_DOUBLE_EQ(again->tick, trace->tick);
}

TEST(EventsTrace, a_time_that_is_not_told_is_taken_from_the_column_beside_it) {
  const auto trace = trace_from_events("e.txt",
                                       "TIME ELSE REASON OBJECT MESSAGE\n"
                                       "<none> 2026-11-21T09:00:00.123456Z Scheduled trainer-0 assigned\n"
                                       "<none> <none> Killing trainer-0 stopping\n"
                                       "<none> 2026-11-21T10:00:00.5Z Launched gpu-a us-west-2a\n"
                                       "2026-11-21T10:20:00Z <none> SpotInterrupted gpu-a us-west-2a\n",
                                       {}, 600);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_THAT(trace->zones[0].available, ElementsAre(1, 0));
  const auto timeless = trace_from_events("e.txt", "<none> <none> Launched gpu-a us-west-2a\n", {}, 600);
  ASSERT_FALSE(timeless);
  EXPECT_THAT(timeless.error().message, HasSubstr("e.txt:1: tells of capacity but has no time"));
}

TEST(EventsTrace, where_an_object_is_may_be_told_by_another_line_or_by_a_list) {
  const std::string events =
      "2026-11-21T10:00:00Z Launched gpu-a us-west-2a\n"
      "2026-11-21T10:20:00Z SpotInterrupted gpu-a warning\n"
      "2026-11-21T10:30:00Z Registered gpu-b node is there\n"
      "2026-11-21T10:40:00Z NodeReady steady-1 node is there\n";
  const auto alone = trace_from_events("e.txt", events, {}, 600);
  ASSERT_FALSE(alone);
  EXPECT_THAT(alone.error().message, HasSubstr("e.txt:3: names no zone; give --objects with the zone of gpu-b"));
  const auto objects =
      read_event_objects("o.txt",
                         "NAME ZONE CAPACITY\ngpu-b us-west-2b spot\n"
                         "KIND/NAME ZONE CAPACITY\nsteady-1 us-west-2b on-demand\ngone <none> <none>\n");
  ASSERT_TRUE(objects) << objects.error().message;
  EXPECT_FALSE(objects->contains("NAME"));
  const auto trace = trace_from_events("e.txt", events, {.objects = *objects, .otherwise = ""}, 600);
  ASSERT_TRUE(trace) << trace.error().message;
  ASSERT_EQ(trace->zones.size(), 2U);
  EXPECT_THAT(trace->zones[0].available, ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(trace->zones[1].available, ElementsAre(kUnknown, kUnknown, kUnknown, 1));
  const auto bad = read_event_objects("o.txt", "NAME ZONE\ngpu-b\n");
  ASSERT_FALSE(bad);
  EXPECT_THAT(bad.error().message, HasSubstr("o.txt:2: found 1 words, must be NAME ZONE CAPACITY"));
}

TEST(EventsTrace, a_condition_that_ceased_to_hold_does_not_tell_that_spot_is_up) {
  const auto trace = trace_from_events(
      "e.txt",
      "2026-11-21T10:00:00Z Launched gpu-a Status condition transitioned, Type: Launched, Status: Unknown -> True "
      "us-west-2a\n"
      "2026-11-21T10:10:00Z SpotInterrupted gpu-a warning\n"
      "2026-11-21T10:20:00Z Ready gpu-a Status condition transitioned, Type: Ready, Status: True -> False\n"
      "2026-11-21T10:30:00Z InsufficientCapacityError gpu-a none\n",
      {}, 600);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_THAT(trace->zones[0].available, ElementsAre(1, 0, 0, 0));
}

TEST(EventsTrace, many_zones_over_a_long_time_are_refused_before_they_fill_the_memory) {
  std::string events = "2026-01-01T00:00:00Z Launched a us-west-2a\n";
  for (int i = 0; i < 500; ++i)
    events += "2026-01-11T00:00:00Z Launched a" + std::to_string(i) + " us-west-" + std::to_string(i) + "b\n";
  const auto trace = trace_from_events("e.txt", events, {}, 1);
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().message, HasSubstr("span more than"));
}

TEST(EventsTrace, a_bad_line_is_named) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"", "e.txt:1: no Event tells of capacity"},
      {"yesterday Launched x us-west-2a\n", "e.txt:1: found 'yesterday', must be a time"},
      {"2026-11-21T10:00:00Z\n", "e.txt:1: no reason follows"},
      {"2026-11-21T10:00:00Z Launched gpu-abc\n", "e.txt:1: names no zone"}};
  for (const auto& [text, expected] : rows) {
    const auto trace = trace_from_events("e.txt", text, {}, 600);
    ASSERT_FALSE(trace) << text;
    EXPECT_THAT(trace.error().message, HasSubstr(expected));
  }
  EXPECT_TRUE(trace_from_events("e.txt", "2026-11-21T10:00:00Z Launched gpu-abc\n",
                                {.objects = {}, .otherwise = "us-west-2a"}, 600));
}

}  // namespace
}  // namespace reprise::controllers::placement
