#include "runtime/events/internal/event_series.h"

#include <gtest/gtest.h>

namespace reprise::runtime {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

struct EventSeriesTest : ::testing::Test {
  // Notes an occurrence and carries out its writes at once; returns their number.
  int happen(const std::string& key = "k", const std::string& uid = "u", const std::string& reason = "Interrupted") {
    EventRecord event;
    event.reason = reason;
    event.regarding_uid = uid;
    event.namespace_ = "n";
    switch (series.note(key, event, now)) {
      case EventVerdict::Create:
        return 1 + (series.written(key, "e", 1, now) ? write(key) : 0);
      case EventVerdict::Update:
        return write(key);
      case EventVerdict::Counted:
        return 0;
      case EventVerdict::Limited:
        ++limited;
        return 0;
    }
    return 0;
  }
  int write(const std::string& key) {
    last_count = series.to_update(key)->count;
    return 1 + (series.written(key, "e", last_count, now) ? write(key) : 0);
  }

  EventSeries series{SeriesPolicy{.most_series = 50, .most_objects = 50}};
  Instant now{hours(1)};
  int limited = 0;
  std::int32_t last_count = 0;
};

TEST_F(EventSeriesTest, is_written_at_1_2_3_5_and_10_however_fast_it_repeats) {
  std::vector<int> written_at;
  for (int i = 1; i <= 100'000; ++i) {
    if (happen() > 0) written_at.push_back(i);
  }
  EXPECT_EQ(written_at, (std::vector<int>{1, 2, 3, 5, 10}));
}

TEST_F(EventSeriesTest, a_loop_that_never_ends_writes_once_in_six_minutes) {
  int writes = 0;
  for (int second = 0; second < 3600; ++second) {
    writes += happen();
    for (const auto& key : series.sweep(now)) writes += write(key);
    now += seconds(1);
  }
  EXPECT_LE(writes, 5 + 10);
  EXPECT_GE(writes, 5 + 9);
}

TEST_F(EventSeriesTest, counts_that_came_while_a_write_was_under_way_are_written_after_it) {
  EXPECT_EQ(series.note("k", {}, now), EventVerdict::Create);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(series.note("k", {}, now), EventVerdict::Counted);
  EXPECT_TRUE(series.written("k", "e", 1, now));
  EXPECT_EQ(series.to_update("k")->count, 4);
  EXPECT_EQ(series.to_update("k")->name, "e");
  EXPECT_FALSE(series.written("k", "e", 4, now));
}

TEST_F(EventSeriesTest, ends_after_six_minutes_of_silence_with_its_last_count_written) {
  for (int i = 0; i < 9; ++i) happen();
  EXPECT_EQ(last_count, 5);
  now += minutes(6) - seconds(1);
  EXPECT_TRUE(series.sweep(now).empty());
  now += seconds(1);
  ASSERT_EQ(series.sweep(now).size(), 1U);
  EXPECT_EQ(series.to_update("k")->count, 9);
  EXPECT_FALSE(series.written("k", "e", 9, now));
  EXPECT_TRUE(series.empty());
}

TEST_F(EventSeriesTest, one_of_which_all_is_written_ends_without_a_write) {
  happen();
  now += minutes(6);
  EXPECT_TRUE(series.sweep(now).empty());
  EXPECT_TRUE(series.empty());
}

TEST_F(EventSeriesTest, after_its_end_the_next_occurrence_is_a_new_event) {
  happen();
  now += minutes(7);
  EXPECT_EQ(series.note("k", {}, now), EventVerdict::Create);
}

TEST_F(EventSeriesTest, a_repeat_after_the_end_and_before_the_last_write_loses_no_count) {
  for (int i = 0; i < 9; ++i) happen();
  EXPECT_EQ(last_count, 5);
  now += minutes(6) + seconds(30);  // the sweep has not come yet
  EXPECT_EQ(happen(), 1);
  EXPECT_EQ(last_count, 10);
}

TEST_F(EventSeriesTest, a_repeat_during_the_last_write_joins_and_goes_on_with_the_series) {
  for (int i = 0; i < 9; ++i) happen();
  now += minutes(6);
  ASSERT_EQ(series.sweep(now).size(), 1U);
  EXPECT_EQ(happen(), 0);
  EXPECT_TRUE(series.written("k", "e", 9, now));
  EXPECT_FALSE(series.written("k", "e", 10, now));
  now += seconds(1);
  EXPECT_EQ(series.note("k", {}, now), EventVerdict::Counted);
  now += minutes(6);
  ASSERT_EQ(series.sweep(now).size(), 1U);
  EXPECT_FALSE(series.written("k", "e", 11, now));
  EXPECT_TRUE(series.empty());
}

TEST_F(EventSeriesTest, what_a_series_that_made_room_had_not_written_is_told_once) {
  for (int i = 0; i < 9; ++i) happen("old");
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(series.take_displaced(), 0);
    now += seconds(1);
    happen("k" + std::to_string(i), "u" + std::to_string(i));
  }
  EXPECT_FALSE(series.to_create("old"));
  EXPECT_EQ(series.take_displaced(), 4);
  EXPECT_EQ(series.take_displaced(), 0);
}

TEST_F(EventSeriesTest, one_object_gets_25_new_events_of_a_reason_and_then_one_in_five_minutes) {
  for (int i = 0; i < 1000; ++i) happen("note " + std::to_string(i));
  EXPECT_EQ(limited, 975);
  EXPECT_EQ(happen("of another object", "other"), 1);
  now += minutes(5);
  EXPECT_EQ(happen("later"), 1);
  EXPECT_EQ(happen("at once"), 0);
}

TEST_F(EventSeriesTest, what_happens_often_does_not_drown_what_happens_once) {
  for (int i = 0; i < 1000; ++i) happen("note " + std::to_string(i));
  EXPECT_EQ(happen("the end", "u", "Complete"), 1);
}

TEST_F(EventSeriesTest, a_vanished_event_begins_anew) {
  happen();
  happen();
  EXPECT_TRUE(series.vanished("k", WallTime{seconds(7)}, now));
  EXPECT_EQ(series.to_create("k")->time, WallTime{seconds(7)});
  EXPECT_FALSE(series.written("k", "e2", 1, now));
  EXPECT_EQ(happen(), 1);
  EXPECT_EQ(last_count, 2);
}

TEST_F(EventSeriesTest, one_whose_event_vanishes_each_time_is_bounded_as_new_events_are) {
  happen();
  for (int i = 1; i < 25; ++i) EXPECT_TRUE(series.vanished("k", {}, now)) << i;
  EXPECT_FALSE(series.vanished("k", {}, now));
  now += minutes(5);
  EXPECT_TRUE(series.vanished("k", {}, now));
  EXPECT_FALSE(series.vanished("k", {}, now));
}

TEST_F(EventSeriesTest, what_found_no_room_has_spent_nothing) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(series.note("k", {}, now), EventVerdict::Create);
    EXPECT_EQ(series.turn_away("k"), 1);
  }
  EXPECT_EQ(series.turn_away("k"), 0);
}

TEST_F(EventSeriesTest, giving_up_tells_how_many_occurrences_nobody_will_read_of) {
  EXPECT_EQ(series.note("k", {}, now), EventVerdict::Create);
  EXPECT_EQ(series.note("k", {}, now), EventVerdict::Counted);
  EXPECT_EQ(series.forget("k"), 2);
  EXPECT_EQ(series.forget("k"), 0);
  EXPECT_FALSE(series.to_create("k"));
}

TEST_F(EventSeriesTest, what_is_put_off_is_written_later) {
  happen();
  EventRecord event;
  EXPECT_EQ(series.note("k", event, now), EventVerdict::Update);
  series.put_off("k");
  EXPECT_EQ(series.unwritten(), std::vector<std::string>{"k"});
  EXPECT_TRUE(series.unwritten().empty());
}

TEST_F(EventSeriesTest, memory_is_bounded_in_series_and_in_objects) {
  for (int i = 0; i < 1000; ++i) {
    now += seconds(1);
    happen("k" + std::to_string(i), "u" + std::to_string(i));
  }
  int known = 0;
  for (int i = 0; i < 1000; ++i) known += series.to_create("k" + std::to_string(i)) ? 1 : 0;
  EXPECT_LE(known, 50);
  EXPECT_GT(known, 40);
  EXPECT_TRUE(series.to_create("k999"));
}

TEST_F(EventSeriesTest, room_is_made_for_many_at_once_by_the_oldest_that_are_not_being_written) {
  EXPECT_EQ(series.note("being written", {}, now), EventVerdict::Create);
  for (int i = 0; i < 50; ++i) {
    now += seconds(1);
    happen("k" + std::to_string(i), "u" + std::to_string(i));
  }
  EXPECT_TRUE(series.to_create("being written"));
  int known = 0;
  for (int i = 0; i < 50; ++i) known += series.to_create("k" + std::to_string(i)) ? 1 : 0;
  EXPECT_EQ(known, 43);
  EXPECT_FALSE(series.to_create("k6"));
  EXPECT_TRUE(series.to_create("k7"));
}

TEST_F(EventSeriesTest, what_objects_have_had_is_forgotten_of_many_at_once_the_oldest_first) {
  series = EventSeries{SeriesPolicy{.most_series = 5000, .most_objects = 50}};
  for (int object = 0; object <= 50; ++object) {
    now += seconds(1);
    for (int i = 0; i < 25; ++i) happen(std::to_string(object) + "-" + std::to_string(i), "u" + std::to_string(object));
  }
  EXPECT_EQ(limited, 0);
  for (int object = 8; object <= 50; ++object) happen("more" + std::to_string(object), "u" + std::to_string(object));
  EXPECT_EQ(limited, 43);
  for (int object = 0; object < 8; ++object) happen("more" + std::to_string(object), "u" + std::to_string(object));
  EXPECT_EQ(limited, 43);
}

}  // namespace
}  // namespace reprise::runtime
