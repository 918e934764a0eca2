// Exit 0: when it is believed that the training has finished, and by whom.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;

TEST(FinishedEnd, of_a_finished_rank_is_remembered_when_its_pod_goes_before_its_peers_end) {
  JobWorld world = running_job(2);
  world.exit("fit-1-0", 0);
  world.settle();
  EXPECT_EQ(world.status().members[0].proof, api::EndProof::KubeletReport);
  world.pods_.erase("fit-1-0");
  world.forget_deleted_pods();
  world.settle();
  world.exit("fit-1-1", 0);
  world.settle();
  EXPECT_EQ(world.state("Complete"), "True/Completed");
}

TEST(FinishedEnd, with_0_after_a_notice_is_a_stop_whatever_the_record_says_and_the_record_is_not_trusted_later) {
  JobWorld world = running_job();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(0, R"({"attempt":1,"index":0,"exitCode":0,"finished":true,"asked":false})");
  world.settle();
  EXPECT_EQ(world.state("Complete"), "False/NotFinished");
  EXPECT_EQ(world.status().attempt, 2);
}

// A preStop hook has the trainer save and exit 0 before its agent is asked to stop: the record on the volume says
// finished.
TEST(FinishedEnd, that_nobody_saw_of_an_interrupted_attempt_is_not_trusted_to_be_the_end_of_the_training) {
  JobWorld world = running_job();
  world.force_remove("fit-1-0");
  world.forget_deleted_pods();
  world.remove_node_claim("node-of-fit-1-0");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(FinishedEnd, of_a_gang_is_not_trusted_where_that_of_one_rank_was_not_seen) {
  JobWorld world = running_job(2);
  world.exit("fit-1-0", 0, R"({"attempt":1,"index":0,"exitCode":0,"finished":true,"asked":false})");
  world.settle();
  world.force_remove("fit-1-1");
  world.forget_deleted_pods();
  world.remove_node_claim("node-of-fit-1-1");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
}

TEST(FinishedEnd, with_0_after_a_mere_request_to_save_is_run_again_and_counts_as_nothing) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 0,
             R"({"attempt":1,"index":0,"exitCode":0,"finished":false,"asked":true,"step":5,"durable":true})");
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  EXPECT_EQ(world.status().interruption_count, 0);
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.state("Complete"), "False/NotFinished");
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
