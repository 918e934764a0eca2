// kstatus's view of a job in each of its states: `helm install --wait` returns while a job trains, and does not wait
// for one that needs a person.
#include "controllers/testing/kstatus.h"

#include <gtest/gtest.h>

#include <set>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::kstatus;
using controllers::testing::MakeJob;
using controllers::testing::running_job;

TEST(Kstatus, of_a_job_that_nobody_has_looked_at_is_in_progress) {
  JobWorld world(MakeJob("fit").get());
  world.job_.status.observed_generation = -1;  // the definition's default
  EXPECT_EQ(kstatus(world.job_), "InProgress");
}

TEST(Kstatus, of_a_job_is_in_progress_from_the_first_look_until_all_ranks_run_and_current_then) {
  JobWorld world(MakeJob("fit").parallelism(2).get());
  for (int look = 0; look < 5; ++look) {
    world.reconcile();
    EXPECT_EQ(kstatus(world.job_), "InProgress") << "look " << look;
  }
  world.settle();
  EXPECT_EQ(kstatus(world.job_), "InProgress") << "its pods wait for nodes";
  world.schedule_all();
  world.settle();
  EXPECT_EQ(kstatus(world.job_), "Current");
  world.now_ += std::chrono::hours(24 * 7);
  world.settle();
  EXPECT_EQ(kstatus(world.job_), "Current") << "a week of training";
}

TEST(Kstatus, of_an_interrupted_job_is_in_progress_until_it_runs_again) {
  JobWorld world = running_job(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(kstatus(world.job_), "InProgress");
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(kstatus(world.job_), "InProgress");
  world.schedule_all();
  world.settle();
  EXPECT_EQ(kstatus(world.job_), "Current");
}

TEST(Kstatus, of_a_job_whose_spec_was_changed_is_in_progress_until_that_was_seen) {
  JobWorld world = running_job();
  ++world.job_.meta.generation;
  EXPECT_EQ(kstatus(world.job_), "InProgress");
  world.settle();
  EXPECT_EQ(kstatus(world.job_), "Current");
}

TEST(Kstatus, of_a_finished_job_is_current_when_complete_and_failed_when_failed) {
  JobWorld complete = running_job();
  complete.exit_all(0);
  complete.settle();
  EXPECT_EQ(complete.state("Complete").substr(0, 4), "True");
  EXPECT_EQ(kstatus(complete.job_), "Current");
  JobWorld fails = running_job(1, [](auto& job) { job.spec.backoff_limit = 0; });
  fails.exit_all(1);
  fails.settle();
  EXPECT_EQ(fails.state("Failed").substr(0, 4), "True");
  EXPECT_EQ(kstatus(fails.job_), "Failed");
}

TEST(Kstatus, of_a_suspended_job_is_current) {
  JobWorld world = running_job();
  world.job_.spec.suspend = true;
  ++world.job_.meta.generation;
  world.settle();
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(kstatus(world.job_), "Current");
}

TEST(Kstatus, of_a_job_that_needs_a_person_is_failed_until_it_goes_on) {
  JobWorld world(MakeJob("fit").get());
  const auto pool = world.pool_;
  world.pool_ = nullptr;
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/PoolNotFound");
  EXPECT_EQ(kstatus(world.job_), "Failed");
  world.pool_ = pool;
  world.settle();
  world.schedule_all();
  world.settle();
  EXPECT_EQ(kstatus(world.job_), "Current");
}

TEST(Kstatus, of_a_job_that_is_being_deleted_is_terminating) {
  JobWorld world = running_job();
  world.job_.meta.deletion_timestamp = world.now_;
  EXPECT_EQ(kstatus(world.job_), "Terminating");
}

// A client that waits for a condition finds it from the first look on: absent would be unknown.
TEST(Conditions, are_all_there_after_the_first_look_with_the_generation_that_was_looked_at) {
  JobWorld world(MakeJob("fit").get());
  world.reconcile();
  std::set<std::string, std::less<>> there;
  for (const kube::Condition& each : world.status().conditions) {
    there.emplace(std::string_view(each.type));
    EXPECT_EQ(each.observed_generation, world.job_.meta.generation) << each.type;
  }
  for (const char* type :
       {"PodsReady", "CheckpointReady", "Interrupted", "Suspended", "Complete", "Failed", "Stalled"}) {
    EXPECT_TRUE(there.contains(type)) << type;
  }
  EXPECT_EQ(world.status().observed_generation, world.job_.meta.generation);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
