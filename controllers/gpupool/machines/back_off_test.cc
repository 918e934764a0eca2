// Machines that never become useful are not rented in a loop: the next one waits, for longer each time, and the pool
// says so until one is useful.
#include "controllers/gpupool/machines/back_off.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/testing/drifting_pool.h"
#include "controllers/gpupool/testing/failing_pool.h"

namespace reprise::controllers::gpupool {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using testing::FailingPool;
using ::testing::HasSubstr;
using testing::reasons;
using testing::row;

TEST(BackOff, the_next_machine_waits_after_one_that_never_showed_its_gpus) {
  FailingPool pool;
  pool.launch("a").registers("a").pass();
  EXPECT_EQ(pool.limit(), "16");
  const Plan plan = pool.pass_after(minutes(10));
  EXPECT_EQ(reasons(plan), std::vector<std::string>{"InitializationDeadlineExceeded"});
  EXPECT_EQ(pool.limit(), "0");
  EXPECT_EQ(pool.limit("nodes"), "0");
  ASSERT_EQ(plan.actions.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<UpdateNodePool>(plan.actions[0])) << "nothing is rented in its place meanwhile";
  EXPECT_TRUE(std::holds_alternative<DeleteStuckNodeClaim>(plan.actions[1]));
}

TEST(BackOff, the_condition_stays_false_and_names_what_was_missing_until_a_machine_is_useful) {
  FailingPool pool;
  pool.launch("a").registers("a").pass();
  pool.pass_after(minutes(10));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(pool.state("CapacityAvailable"), "False/InitializationDeadlineExceeded") << i;
    EXPECT_THAT(pool.message("CapacityAvailable"),
                AllOf(HasSubstr("NodePool t4-spot"), HasSubstr("NodeClaim a"), HasSubstr("Node node-a"),
                      HasSubstr("ResourceNotRegistered"), HasSubstr("nvidia.com/gpu"), HasSubstr("0.20")));
    pool.is_gone("a").pass_after(hours(1));
  }
  pool.launch("b").pass();
  EXPECT_EQ(pool.state("CapacityAvailable"), "False/InitializationDeadlineExceeded");
  pool.after(minutes(1)).becomes_useful("b").pass();
  EXPECT_EQ(pool.state("CapacityAvailable"), "True/NoShortageSeen");
  EXPECT_EQ(pool.limit(), "16");
  EXPECT_EQ(pool.limit("nodes"), "-");
}

TEST(BackOff, the_pause_grows_with_each_machine_in_a_row_and_has_an_end) {
  FailingPool pool;
  std::vector<minutes> pauses;
  for (int i = 0; i < 7; ++i) {
    pool.fails("m" + std::to_string(i));
    pauses.push_back(std::chrono::duration_cast<minutes>(row(pool).next_time - pool.seen_.now));
    EXPECT_EQ(row(pool).tries, i + 1);
    pool.after(pauses.back() - seconds(1)).pass();
    EXPECT_EQ(pool.limit(), "0") << i;
    pool.pass_after(seconds(1));
    EXPECT_EQ(pool.limit(), "4") << "one machine to try";
    EXPECT_EQ(pool.limit("nodes"), "1");
  }
  EXPECT_EQ(pauses,
            (std::vector<minutes>{minutes(1), minutes(4), minutes(16), minutes(64), minutes(256), hours(6), hours(6)}));
  EXPECT_EQ(row(pool).spent, "1.40") << "seven times ten minutes at 1.20";
}

TEST(BackOff, one_machine_at_a_time_is_tried) {
  FailingPool pool;
  pool.fails("a");
  pool.pass_after(minutes(1));
  pool.launch("b").pass();
  EXPECT_EQ(pool.limit(), "4");
  EXPECT_EQ(pool.limit("nodes"), "1");
}

TEST(BackOff, useful_machines_stay_and_count_beside_the_one_that_is_tried) {
  FailingPool pool;
  pool.launch("old").pass();
  pool.after(minutes(2)).becomes_useful("old").pass();
  pool.after(hours(1));
  EXPECT_EQ(reasons(pool.fails("a")), std::vector<std::string>{"InitializationDeadlineExceeded"});
  EXPECT_EQ(pool.limit(), "0") << "Karpenter ends nothing for a limit";
  pool.pass_after(minutes(1));
  EXPECT_EQ(pool.limit(), "8");
  EXPECT_EQ(pool.limit("nodes"), "2");
  EXPECT_EQ(row(pool).tries, 1) << "one that was useful before is no sign";
}

TEST(BackOff, of_shared_gpus_says_that_they_are_not_shared) {
  FailingPool pool([](api::GpuPool& p) {
    p.spec.sharing = {.mode = api::SharingMode::TimeSlicing, .replicas = 4, .mig_devices = {}, .external = {}};
    p.status.resource_name = "nvidia.com/gpu.shared";
  });
  pool.launch("a").registers("a").pass();
  pool.pass_after(minutes(10));
  EXPECT_EQ(pool.limit("nvidia.com/gpu.shared"), "0");
  EXPECT_EQ(row(pool).reason, "ResourceNotRegistered");
}

TEST(BackOff, is_of_one_capacity_type) {
  FailingPool pool;
  pool.fails("a");
  EXPECT_EQ(pool.limit("nvidia.com/gpu", "on-demand"), "16");
  EXPECT_EQ(pool.limit("nodes", "on-demand"), "-");
  EXPECT_EQ(pool.state("Stalled"), "False/Progressing");
}

TEST(BackOff, machines_that_start_together_are_one_try) {
  FailingPool pool;
  pool.launch("a").launch("b").pass();
  pool.after(seconds(30)).launch("c").pass();
  pool.pass_after(seconds(570));
  EXPECT_EQ(row(pool).tries, 1);
  EXPECT_EQ(row(pool).machines, 2);
  const kube::Time next = row(pool).next_time;
  pool.pass_after(seconds(30));
  EXPECT_EQ(row(pool).machines, 3);
  EXPECT_EQ(row(pool).tries, 1);
  EXPECT_EQ(row(pool).next_time, next);
}

TEST(BackOff, counts_what_karpenter_has_ended_and_says_so) {
  FailingPool pool;
  pool.launch("a").pass();
  pool.after(minutes(9)).is_deleted("a");
  const Plan plan = pool.pass();
  ASSERT_EQ(reasons(plan), std::vector<std::string>{"MachineNeverUseful"});
  EXPECT_THAT(plan.announcements[0].note, AllOf(HasSubstr("NodeClaim a"), HasSubstr("Node not registered")));
  EXPECT_EQ(row(pool).machines, 1);
  EXPECT_EQ(pool.limit(), "0");
  EXPECT_TRUE(reasons(pool.pass()).empty()) << "once";
  EXPECT_TRUE(reasons(pool.is_gone("a").pass()).empty());
  EXPECT_EQ(row(pool).machines, 1);
}

TEST(BackOff, counts_what_went_while_nobody_looked) {
  FailingPool pool;
  pool.launch("a").pass();
  pool.after(minutes(16)).is_gone("a");
  EXPECT_EQ(reasons(pool.pass()), std::vector<std::string>{"MachineNeverUseful"});
  EXPECT_EQ(row(pool).tries, 1);
  FailingPool later;
  later.launch("a").pass();
  later.after(hours(5)).is_gone("a").pass();
  EXPECT_TRUE(later.seen_.pool->status.startup.back_off.empty()) << "it may have been useful for hours";
}

TEST(BackOff, what_is_not_to_be_seen_for_a_while_has_not_failed) {
  FailingPool pool;
  pool.launch("a").pass();
  pool.seen_.missing_kinds = "nodeclaims.karpenter.sh (v1)";
  pool.seen_.node_claims.clear();
  pool.pass_after(minutes(1));
  pool.seen_.missing_kinds.clear();
  pool.after(minutes(1)).becomes_useful("a").pass();
  EXPECT_TRUE(pool.seen_.pool->status.startup.back_off.empty());
  EXPECT_TRUE(pool.seen_.pool->status.startup.starting.empty());
}

TEST(BackOff, goes_on_with_a_node_pool_that_is_made_anew) {
  FailingPool pool;
  pool.fails("a");
  pool.seen_.node_pools.clear();
  pool.pass();
  EXPECT_EQ(pool.limit(), "0");
  EXPECT_EQ(row(pool).tries, 1);
}

TEST(BackOff, what_the_cloud_never_launched_costs_nothing_and_counts_nothing) {
  FailingPool pool;
  pool.launch("a");
  auto claim = std::make_shared<api::NodeClaim>(*pool.seen_.node_claims.front());
  claim->provider_id = "";
  claim->conditions = {{"Launched", "Unknown", "InsufficientCapacity", ""}};
  pool.seen_.node_claims = {claim};
  pool.pass();
  pool.seen_.node_claims.clear();
  pool.pass_after(seconds(5));
  EXPECT_TRUE(pool.seen_.pool->status.startup.back_off.empty());
  EXPECT_EQ(pool.limit(), "16");
}

TEST(BackOff, stalls_the_pool_when_each_capacity_type_has_failed_again_and_again) {
  FailingPool pool([](api::GpuPool& p) { p.spec.capacity.pop_back(); });
  for (int i = 0; i < 3; ++i) {
    pool.fails("m" + std::to_string(i));
    EXPECT_EQ(pool.state("Stalled"), "False/Progressing");
    pool.pass_after(std::chrono::duration_cast<seconds>(row(pool).next_time - pool.seen_.now));
  }
  pool.fails("m3");
  EXPECT_EQ(pool.state("Stalled"), "True/InitializationDeadlineExceeded");
  EXPECT_EQ(pool.state("Ready"), "False/InitializationDeadlineExceeded");
  EXPECT_EQ(pool.state("CapacityAvailable"), "False/InitializationDeadlineExceeded");
  pool.pass_after(hours(7));
  EXPECT_EQ(pool.limit(), "4") << "one is tried all the same";
  pool.launch("good").pass();
  pool.after(minutes(2)).becomes_useful("good").pass();
  EXPECT_EQ(pool.state("Stalled"), "False/Progressing");
  pool.pass();
  EXPECT_EQ(pool.state("Ready"), "True/Ready");
}

TEST(BackOff, ends_when_a_person_edits_the_pool_or_asks_for_another_try) {
  FailingPool pool;
  pool.fails("a");
  pool.edit([](api::GpuPool& p) { ++p.meta.generation; });
  pool.pass();
  EXPECT_EQ(pool.limit(), "16");
  EXPECT_EQ(pool.state("CapacityAvailable"), "True/NoShortageSeen");
  pool.fails("b");
  EXPECT_EQ(pool.limit(), "0");
  pool.edit([](api::GpuPool& p) { p.meta.annotations["reprise.dev/retry"] = "1"; });
  pool.pass();
  EXPECT_EQ(pool.limit(), "16");
  pool.fails("c");
  pool.pass();
  EXPECT_EQ(pool.limit(), "0") << "one annotation ends one pause";
  EXPECT_EQ(row(pool).tries, 1);
}

TEST(BackOff, is_the_same_after_a_restart_and_writes_nothing_while_nothing_happens) {
  FailingPool pool;
  pool.fails("a");
  const api::GpuPoolStatus before = pool.seen_.pool->status;
  for (int i = 0; i < 5; ++i) {
    const Plan plan = pool.pass_after(seconds(5));
    EXPECT_EQ(plan.status, before);
    EXPECT_TRUE(plan.actions.empty());
    EXPECT_EQ(plan.wake_at, row(pool).next_time);
  }
}

TEST(BackOff, a_clock_that_was_ahead_holds_no_pool_for_longer_than_the_pause) {
  FailingPool pool;
  pool.fails("a");
  pool.edit([](api::GpuPool& p) {
    for (api::NodePoolBackOff& each : p.status.startup.back_off) each.next_time += hours(100);
  });
  pool.pass();
  EXPECT_EQ(pool.limit(), "4");
}

TEST(BackOff, a_machine_that_could_not_be_deleted_is_counted_once_and_may_still_become_useful) {
  FailingPool pool;
  pool.launch("a").pass();
  pool.pass_after(minutes(10));
  auto claim = std::make_shared<api::NodeClaim>(*pool.seen_.node_claims.front());
  claim->meta.deletion_timestamp.reset();
  pool.seen_.node_claims = {claim};
  pool.pass_after(minutes(1));
  EXPECT_EQ(row(pool).machines, 1);
  auto useful = std::make_shared<api::NodeClaim>(*claim);
  useful->conditions = {{"Launched", "True", "", ""}, {"Initialized", "True", "", ""}};
  pool.seen_.node_claims = {useful};
  pool.pass_after(seconds(1));
  EXPECT_TRUE(pool.seen_.pool->status.startup.back_off.empty());
  EXPECT_TRUE(pool.seen_.pool->status.startup.starting.empty());
}

TEST(BackOff, a_machine_is_counted_and_paid_for_from_its_launch_on) {
  FailingPool pool;
  pool.launch("a").launch("b", "on-demand").pass();
  const api::GpuPoolStatus& status = pool.seen_.pool->status;
  EXPECT_EQ(status.gpus, "0/8");
  EXPECT_EQ(status.cost.per_hour, "4.80");
  EXPECT_EQ(status.cost.idle_per_hour, "4.80");
  EXPECT_EQ(status.capacity[0].gpus, 4);
  EXPECT_EQ(status.capacity[0].nodes, 0);
  pool.is_deleted("a").pass();
  EXPECT_EQ(pool.seen_.pool->status.cost.per_hour, "3.60");
}

TEST(BackOff, no_node_that_works_is_given_back_for_one_that_may_not_come) {
  testing::Drifting pool;
  ASSERT_EQ(reasons(decide(pool.seen_)), std::vector<std::string>{"RollingDriftedNode"});
  auto failing = std::make_shared<api::GpuPool>(*pool.seen_.pool);
  failing->status.startup.back_off = {{.node_pool = "t4-spot",
                                       .tries = 1,
                                       .machines = 1,
                                       .last_time = pool.seen_.now,
                                       .next_time = pool.seen_.now,
                                       .spent = "0.10",
                                       .reason = "NodeNotFound",
                                       .message = "NodeClaim x",
                                       .generation = failing->meta.generation,
                                       .retry = ""}};
  pool.seen_.pool = std::move(failing);
  for (const Action& action : decide(pool.seen_).actions) {
    const auto* update = std::get_if<UpdateNodePool>(&action);
    ASSERT_NE(update, nullptr);
    auto made = std::make_shared<api::NodePool>(update->wanted);
    made->conditions = {{"Ready", "True", "Ready", ""}};
    pool.seen_.node_pools[made->meta.name] = std::move(made);
  }
  const Plan plan = decide(pool.seen_);
  EXPECT_EQ(plan.status.startup.back_off.size(), 1U);
  EXPECT_TRUE(is_true(plan.status.conditions, "Ready"));
  EXPECT_TRUE(reasons(plan).empty());
}

TEST(BackOff, remembers_a_bounded_number_of_machines) {
  FailingPool pool;
  for (int i = 0; i < 100; ++i) pool.launch("m" + std::to_string(i));
  pool.pass();
  EXPECT_EQ(pool.seen_.pool->status.startup.starting.size(), 32U);
  pool.pass_after(minutes(10));
  EXPECT_LE(pool.seen_.pool->status.startup.starting.size(), 32U);
  EXPECT_EQ(row(pool).tries, 1);
  EXPECT_LE(row(pool).message.size(), 1024U);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
