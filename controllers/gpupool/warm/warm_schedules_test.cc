// More GPUs are kept ready while a schedule applies.
#include "controllers/gpupool/warm/warm_schedules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/limits/waiting_pods.h"
#include "controllers/gpupool/testing/warm_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Kept;

constexpr std::int64_t kHour = 3600;

kube::Time at(std::string_view text) {
  return kube::parse_time(text).value();
}
const kube::Time kFriday = at("2026-11-27T09:30:00Z");
const api::WarmSchedule kOfficeHours{"0 7 * * mon-fri", 10 * kHour, 2};

TEST(WarmSchedules, the_most_that_is_asked_for_is_kept_until_that_changes) {
  struct Case {
    const char* sentence;
    std::int32_t gpus;
    std::vector<api::WarmSchedule> schedules;
    WarmSpell spell;
  };
  const std::vector<Case> cases{
      {"no schedule", 3, {}, {3, std::nullopt}},
      {"one that applies", 1, {kOfficeHours}, {2, at("2026-11-27T17:00:00Z")}},
      {"one that does not yet", 1, {{"0 12 * * *", kHour, 2}}, {1, at("2026-11-27T12:00:00Z")}},
      {"one that never does", 1, {{"0 0 31 2 *", kHour, 2}}, {1, std::nullopt}},
      {"one that always does", 1, {{"* * * * *", 60, 2}}, {2, std::nullopt}},
      {"one of fewer than are kept anyway", 3, {kOfficeHours}, {3, std::nullopt}},
      {"more within it", 0, {kOfficeHours, {"0 12 * * *", kHour, 4}}, {2, at("2026-11-27T12:00:00Z")}},
      {"fewer within it", 0, {kOfficeHours, {"0 12 * * *", kHour, 1}}, {2, at("2026-11-27T17:00:00Z")}},
      {"fewer after it", 0, {kOfficeHours, {"0 9 * * *", 12 * kHour, 1}}, {2, at("2026-11-27T17:00:00Z")}},
      {"as many after it", 0, {kOfficeHours, {"0 16 * * *", 4 * kHour, 2}}, {2, at("2026-11-27T20:00:00Z")}},
      {"two that take turns for ever",
       0,
       {{"0 */2 * * *", kHour, 2}, {"0 1-23/2 * * *", kHour, 2}},
       {2, at("2026-12-01T13:00:00Z")}},
  };
  for (const Case& each : cases) {
    api::GpuPoolSpec spec;
    spec.warm_gpus = each.gpus;
    spec.warm_schedules = each.schedules;
    EXPECT_EQ(warm_spell(spec, kFriday), each.spell) << each.sentence;
  }
}

class InOfficeHours : public Kept {
 public:
  InOfficeHours() : Kept(1, [](auto& pool) { pool.spec.warm_schedules = {kOfficeHours}; }) {}
  std::vector<std::string> pass_at(std::string_view time) {
    seen_.now = at(time);
    auto done = pass();
    change_pool([&](auto& pool) { pool.status = plan_.status; });
    std::erase_if(seen_.warm_pods, [](const auto& pod) { return pod->meta.deletion_timestamp.has_value(); });
    return done;
  }
};

TEST(WarmSchedules, pods_come_and_go_at_their_times_and_nothing_is_written_between) {
  InOfficeHours pool;
  EXPECT_THAT(pool.pass_at("2026-11-27T06:59:59Z"), ElementsAre("+t4-warm-0"));
  EXPECT_EQ(pool.plan_.wake_at, at("2026-11-27T07:00:00Z"));
  EXPECT_THAT(pool.pass_at("2026-11-27T07:00:00Z"), ElementsAre("+t4-warm-1"));
  EXPECT_EQ(pool.plan_.wake_at, at("2026-11-27T17:00:00Z"));
  const api::GpuPoolStatus status = pool.plan_.status;
  for (const char* time : {"2026-11-27T07:00:01Z", "2026-11-27T12:00:00Z", "2026-11-27T16:59:59Z"}) {
    EXPECT_THAT(pool.pass_at(time), IsEmpty()) << time;
    EXPECT_EQ(pool.plan_.status, status) << time;
  }
  EXPECT_THAT(pool.pass_at("2026-11-27T17:00:00Z"), ElementsAre("-t4-warm-1"));
  EXPECT_EQ(pool.plan_.wake_at, at("2026-11-30T07:00:00Z")) << "on Monday";
}

TEST(WarmSchedules, the_status_says_how_many_are_wanted_and_until_when) {
  InOfficeHours pool;
  pool.pass_at("2026-11-27T12:00:00Z");
  EXPECT_EQ(pool.plan_.status.warm_gpus_wanted, 2);
  EXPECT_EQ(pool.plan_.status.warm_gpus_until, at("2026-11-27T17:00:00Z"));
  pool.change_pool([](auto& changed) { changed.spec.warm_schedules.clear(); });
  pool.pass_at("2026-11-27T12:00:01Z");
  EXPECT_EQ(pool.plan_.status.warm_gpus_wanted, 1);
  EXPECT_EQ(pool.plan_.status.warm_gpus_until, std::nullopt);
}

// Room is made for waiting pods only where the pool looks at them.
TEST(WarmSchedules, of_a_pool_that_keeps_nothing_otherwise_make_room_for_others) {
  Kept pool(0, [](auto& changed) { changed.spec.warm_schedules = {kOfficeHours}; });
  EXPECT_TRUE(looks_at_waiting_pods(*pool.seen_.pool));
  EXPECT_FALSE(looks_at_waiting_pods(*Kept(0).seen_.pool));
}

TEST(WarmSchedules, that_cannot_be_are_refused_by_the_field_s_name) {
  struct Case {
    const char* sentence;
    api::WarmSchedule schedule;
    std::string_view said;
  };
  const std::vector<Case> cases = {
      {"an hour that there is not",
       {"0 25 * * *", kHour, 1},
       "InvalidSpec: spec.warm.schedules[1].schedule: found 0 25 * * *, the hour is 25, must be 0 to 23"},
      {"more than may be rented",
       {"@daily", kHour, 99},
       "InvalidSpec: spec.warm.schedules[1].gpus: found 99, must be at most 4, which is what the pool may rent"},
  };
  for (const Case& each : cases) {
    InOfficeHours pool;
    pool.change_pool([](auto& changed) { changed.spec.capacity.front().max_gpus = 4; });
    EXPECT_THAT(pool.pass_at("2026-11-27T12:00:00Z"), ElementsAre("+t4-warm-0", "+t4-warm-1"));
    pool.change_pool([&](auto& changed) { changed.spec.warm_schedules.push_back(each.schedule); });
    EXPECT_THAT(pool.pass_at("2026-11-27T12:00:01Z"), IsEmpty()) << "what is there stays until it is mended";
    EXPECT_THAT(pool.said("Stalled"), HasSubstr(each.said)) << each.sentence;
    EXPECT_EQ(pool.plan_.status.warm_gpus_until, std::nullopt) << each.sentence;
  }
}

TEST(WarmSchedules, are_refused_where_nothing_can_be_kept_ready) {
  Kept pool(0, [](auto& changed) { changed.spec.warm_schedules = {kOfficeHours}; });
  pool.settings_.agent_image.clear();
  EXPECT_THAT(pool.pass(), IsEmpty());
  EXPECT_THAT(pool.said("Stalled"),
              HasSubstr("NotSupported: spec.warm.schedules: found 1, must be empty while the operator has no image"));
}

}  // namespace
}  // namespace reprise::controllers::gpupool
