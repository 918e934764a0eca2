// The cost of a preemption, as Kueue is told of it, and how seldom.
#include "controllers/resumablejob/kueue/priority_boost.h"

#include <gtest/gtest.h>

#include "controllers/common/unsaved.h"
#include "controllers/testing/job_world.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::admitted_job;
using controllers::testing::holds_quota;
using controllers::testing::JobWorld;
using controllers::testing::queued_job;
using controllers::testing::running_job;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(PriorityBoost, grows_with_what_no_checkpoint_holds) {
  struct Row {
    const char* sentence;
    seconds unsaved;
    std::int32_t boost;
    std::optional<seconds> next;
  };
  const Row rows[] = {
      {"a clock that was set back", seconds(-30), 0, minutes(15)},
      {"just saved", seconds(0), 0, minutes(15)},
      {"a trainer that saves each ten minutes", minutes(11), 0, minutes(15)},
      {"one second below the first level", minutes(15) - seconds(1), 0, minutes(15)},
      {"the first level", minutes(15), 1, hours(1)},
      {"most of an hour", minutes(59), 1, hours(1)},
      {"the second level", hours(1), 2, hours(4)},
      {"the third level", hours(4), 3, std::nullopt},
      {"a trainer that never saves", hours(24 * 30), 3, std::nullopt},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(priority_boost(row.unsaved), row.boost) << row.sentence;
    EXPECT_EQ(next_boost_after(row.unsaved), row.next) << row.sentence;
  }
}

const kube::Time kNoon = *kube::parse_time("2026-11-21T12:00:00Z");

// Its second attempt was made at noon, its ranks were ready a minute later, and one has reported since.
api::ResumableJobStatus training() {
  api::ResumableJobStatus status;
  status.members.emplace_back();
  status.attempt_start_time = kNoon;
  status.progress.emplace();
  status.progress->activity = "Training";
  status.progress->last_updated_time = kNoon + minutes(2);
  kube::Condition ready;
  ready.type = "PodsReady";
  ready.status = kube::ConditionStatus::True;
  ready.last_transition_time = kNoon + minutes(1);
  status.conditions = {ready};
  return status;
}

TEST(PriorityBoost, counts_what_was_trained_since_the_newest_checkpoint) {
  struct Row {
    const char* sentence;
    void (*change)(api::ResumableJobStatus&);
    std::optional<kube::Time> since;
  };
  const auto saved = [](api::ResumableJobStatus& status, kube::Time at) {
    status.progress->checkpoint.emplace();
    status.progress->checkpoint->time = at;
  };
  static const auto save = saved;
  const Row rows[] = {
      {"no checkpoint yet: since the ranks were ready", [](auto&) {}, kNoon + minutes(1)},
      {"a checkpoint of this attempt", [](auto& status) { save(status, kNoon + minutes(20)); }, kNoon + minutes(20)},
      {"one of an earlier attempt: the time in the queue is no training",
       [](auto& status) { save(status, kNoon - hours(9)); }, kNoon + minutes(1)},
      {"no rank is there", [](auto& status) { status.members.clear(); }, std::nullopt},
      {"the ranks are not ready", [](auto& status) { status.conditions[0].status = kube::ConditionStatus::False; },
       std::nullopt},
      {"the attempt is being ended", [](auto& status) { status.attempt_end.emplace(); }, std::nullopt},
      {"nobody reports", [](auto& status) { status.progress.reset(); }, std::nullopt},
      {"the last report was one of an earlier attempt",
       [](auto& status) { status.progress->last_updated_time = kNoon - minutes(1); }, std::nullopt},
  };
  for (const Row& row : rows) {
    api::ResumableJobStatus status = training();
    row.change(status);
    EXPECT_EQ(unsaved_since(status), row.since) << row.sentence;
  }
}

// A record that is written when a rank ends does not report what the others, or the next attempt, save.
TEST(PriorityBoost, counts_nothing_where_only_records_tell_of_checkpoints) {
  const std::string saved = R"({"attempt":1,"index":0,"step":120,"path":"step-120","durable":true,)";
  JobWorld again = running_job();
  again.delete_node_claim("node-of-fit-1-0");
  again.settle();
  again.stop_deleted(143, saved + R"("exitCode":143,"asked":true,"saved":true})");
  again.settle();
  again.schedule_all();
  again.settle();
  ASSERT_EQ(again.state("PodsReady"), "True/Recovered");
  ASSERT_EQ(again.status().progress->checkpoint->step, 120);
  EXPECT_FALSE(unsaved_since(again.status()));

  JobWorld other = running_job(2);
  other.now_ += minutes(1);
  other.exit("fit-1-0", 0, saved + R"("exitCode":0,"finished":true})");
  other.settle();
  ASSERT_EQ(other.status().progress->checkpoint->step, 120);
  ASSERT_EQ(other.state("PodsReady"), "True/Started");
  EXPECT_FALSE(unsaved_since(other.status()));
}

// The gate is on, and the rank has just reported for the first time.
JobWorld boosted_job() {
  JobWorld world = admitted_job();
  world.kueue_.boosts = true;
  world.report("fit-1-0", {.attempt = 1, .activity = protocol::RankActivity::Training});
  world.settle();
  return world;
}

void saves(JobWorld& world, std::int64_t step) {
  world.report("fit-1-0", {.attempt = 1,
                           .activity = protocol::RankActivity::Training,
                           .checkpoint = protocol::ReportedCheckpoint{.step = step, .path = {}, .age_seconds = 0}});
}

std::string boost(const JobWorld& world) {
  return std::string(world.kueue_.workload->meta.annotation(kPriorityBoostAnnotation));
}

TEST(PriorityBoost, is_written_when_much_would_be_lost_and_taken_back_when_it_is_saved) {
  JobWorld world = boosted_job();
  EXPECT_EQ(boost(world), "");
  EXPECT_EQ(world.reconcile().wake_at, world.now_ + minutes(15)) << "nothing else may happen by then";
  world.now_ += minutes(15);
  world.settle();
  EXPECT_EQ(boost(world), "1");
  world.now_ += minutes(45);
  world.settle();
  EXPECT_EQ(boost(world), "2");
  saves(world, 100);
  world.now_ += minutes(6);
  saves(world, 101);
  world.settle();
  EXPECT_EQ(boost(world), "") << "as a Workload without one has it";
}

TEST(PriorityBoost, is_not_written_more_often_than_once_in_five_minutes) {
  JobWorld world = boosted_job();
  world.now_ += minutes(15);
  world.settle();
  ASSERT_EQ(boost(world), "1");
  world.now_ += minutes(1);
  saves(world, 100);
  world.settle();
  EXPECT_EQ(boost(world), "1");
  EXPECT_EQ(world.reconcile().wake_at, world.now_ + minutes(4));
  world.now_ += minutes(4);
  world.settle();
  EXPECT_EQ(boost(world), "");
}

TEST(PriorityBoost, of_a_job_that_is_evicted_goes_before_its_quota) {
  JobWorld world = boosted_job();
  world.now_ += minutes(15);
  world.settle();
  ASSERT_EQ(boost(world), "1");
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  EXPECT_EQ(boost(world), "") << "it would come before its equals in the queue";
  EXPECT_TRUE(holds_quota(world));
}

TEST(PriorityBoost, that_nobody_can_take_back_keeps_no_quota) {
  JobWorld world = boosted_job();
  world.now_ += minutes(15);
  world.settle();
  world.evict("Preempted", "Preempted to accommodate a workload");
  world.settle();
  world.change_workload([](api::Workload& workload) {  // as if the API server had denied it
    workload.meta.annotations[std::string(kPriorityBoostAnnotation)] = "1";
  });
  world.stop_deleted(143);
  const kube::Time at = world.now_;
  world.settle();
  EXPECT_FALSE(holds_quota(world));
  EXPECT_EQ(boost(world), "1") << "it was just asked for";
  EXPECT_EQ(world.reconcile().wake_at, at + kBoostStands);
  world.now_ += kBoostStands;
  world.settle();
  EXPECT_EQ(boost(world), "");
}

TEST(PriorityBoost, is_nothing_while_the_job_waits_or_when_it_has_ended) {
  JobWorld waiting = queued_job();
  waiting.kueue_.boosts = true;
  waiting.settle();
  waiting.now_ += hours(5);
  waiting.settle();
  EXPECT_EQ(boost(waiting), "");
  JobWorld ended = boosted_job();
  ended.now_ += minutes(15);
  ended.exit_all(0);
  ended.settle();
  EXPECT_EQ(boost(ended), "");
}

TEST(PriorityBoost, of_an_interrupted_job_goes_with_what_was_lost) {
  JobWorld world = boosted_job();
  world.now_ += minutes(15);
  world.settle();
  ASSERT_EQ(boost(world), "1");
  world.force_remove("fit-1-0");
  world.remove_node_claim("node-of-fit-1-0");
  world.now_ += minutes(5);
  world.settle();
  EXPECT_EQ(boost(world), "");
}

TEST(PriorityBoost, is_not_written_without_the_feature_gate) {
  JobWorld world = boosted_job();
  world.kueue_.boosts = false;
  world.now_ += hours(5);
  world.settle();
  EXPECT_EQ(boost(world), "");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
