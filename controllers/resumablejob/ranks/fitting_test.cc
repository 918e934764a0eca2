// The API server takes the status, whatever others have written: crds/src/resumablejobs.yaml bounds each field.
#include "controllers/resumablejob/ranks/fitting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using controllers::testing::to_next_attempt;

std::string refusal(const std::string& reason, const std::string& more = {}) {
  return R"({"attempt":1,"index":0,"exitCode":86,"reason":")" + reason + R"(")" + more + "}";
}

TEST(Fitting, a_reason_is_a_word_as_the_status_and_events_take_it) {
  const std::string longest(128, 'a');
  for (const std::string& word : {std::string("SpotInterrupted"), std::string("a"), std::string("A1,b:c_"), longest})
    EXPECT_EQ(fitting_reason(word), word);
  for (const std::string& text : {std::string(), std::string("two words"), std::string("1st"), std::string("Ends:"),
                                  std::string("caf\xc3\xa9"), std::string("line\n"), longest + "a"})
    EXPECT_EQ(fitting_reason(text), "Other") << text;
}

TEST(Fitting, a_record_s_reason_that_is_no_word_reads_other) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 86, refusal("no room on the volume!", R"(,"message":"as I say")"));
  world.settle();
  ASSERT_TRUE(world.status().last_end);
  EXPECT_EQ(world.status().last_end->cause, api::AttemptEndCause::Refused);
  EXPECT_EQ(world.status().last_end->reason, "Other");
  EXPECT_EQ(world.status().last_end->message, "as I say");
  EXPECT_TRUE(std::ranges::any_of(world.announced_, [](const Announcement& said) { return said.reason == "Other"; }));
}

TEST(Fitting, a_pod_s_reason_that_is_no_word_reads_other) {
  JobWorld world = running_job();
  world.pods_.at("fit-1-0").conditions = {{"DisruptionTarget", "True", "my own words", ""}};
  world.settle();
  ASSERT_TRUE(world.status().attempt_end);
  EXPECT_EQ(world.status().attempt_end->reason, "Other");
  EXPECT_EQ(world.status().last_interruption->reason, "Other");
  EXPECT_EQ(world.status().interruptions.front().reason, "Other");
  EXPECT_EQ(world.state("Interrupted"), "True/Other");
}

TEST(Fitting, a_lost_peer_s_reason_that_is_no_word_reads_other) {
  JobWorld world = running_job(2);
  world.exit("fit-1-1", 1);
  world.settle();
  world.node_claims_.at("node-of-fit-1-0").conditions = {{"DisruptionReason", "True", "my own words", ""}};
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  ASSERT_TRUE(world.status().last_interruption);
  EXPECT_EQ(world.status().last_interruption->reason, "Other");
}

TEST(Fitting, further_reasons_of_interruptions_count_together) {
  JobWorld world = running_job();
  for (int i = 0; i < 30; ++i) world.job_.status.interruptions.push_back({"Reason" + std::to_string(i), 1});
  const auto interrupt = [&](const std::string& reason) {
    const std::string pod = "fit-" + std::to_string(world.status().attempt) + "-0";
    world.pods_.at(pod).conditions = {{"DisruptionTarget", "True", reason, ""}};
    to_next_attempt(world);
    world.schedule_all();
    world.settle();
  };
  const auto counted = [&](std::string_view reason) {
    const auto& all = world.status().interruptions;
    const auto found = std::ranges::find_if(all, [&](const auto& each) { return each.reason == reason; });
    return found == all.end() ? 0 : found->count;
  };
  for (const char* reason : {"New", "Newer", "Newest", "Reason7"}) interrupt(reason);
  EXPECT_EQ(world.status().interruptions.size(), 32U);
  EXPECT_EQ(counted("New"), 1);
  EXPECT_EQ(counted("Other"), 2);
  EXPECT_EQ(counted("Reason7"), 2);
  EXPECT_EQ(world.status().last_interruption->reason, "Reason7");
}

TEST(Fitting, a_full_list_of_an_earlier_version_gives_its_last_place_away) {
  JobWorld world = running_job();
  for (int i = 0; i < 32; ++i) world.job_.status.interruptions.push_back({"Reason" + std::to_string(i), 1});
  world.pods_.at("fit-1-0").conditions = {{"DisruptionTarget", "True", "New", ""}};
  world.settle();
  ASSERT_EQ(world.status().interruptions.size(), 32U);
  EXPECT_EQ(world.status().interruptions.back().reason, "Other");
  EXPECT_EQ(world.status().interruptions.back().count, 2);
}

TEST(Fitting, a_record_s_numbers_and_path_that_no_checkpoint_has_are_left_out) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 143, R"({"attempt":1,"index":0,"exitCode":143,"step":-3,"sizeBytes":1,"durable":true})");
  world.settle();
  EXPECT_FALSE(world.status().checkpoint);

  JobWorld other = running_job();
  other.exit("fit-1-0", 143,
             R"({"attempt":1,"index":0,"exitCode":143,"step":3,"sizeBytes":-1,"durable":true,"path":")" +
                 std::string(1025, 'a') + R"("})");
  other.settle();
  ASSERT_TRUE(other.status().checkpoint);
  EXPECT_EQ(other.status().checkpoint->step, 3);
  EXPECT_EQ(other.status().checkpoint->path, "");
  EXPECT_FALSE(other.status().checkpoint->size_bytes);
}

TEST(Fitting, a_lost_checkpoint_offers_no_step_below_zero) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 86, refusal("CheckpointLost", R"(,"step":-3)"));
  world.settle();
  ASSERT_TRUE(world.status().checkpoint_lost);
  EXPECT_FALSE(world.status().checkpoint_lost->offered_step);
}

TEST(Fitting, sentences_that_quote_others_are_cut) {
  const std::string endless(5000, 'a');
  JobWorld refused = running_job();
  refused.exit("fit-1-0", 86, refusal("CheckpointLost", R"(,"message":")" + endless + R"(")"));
  refused.settle();
  EXPECT_EQ(refused.status().last_end->message.size(), 4096U);
  EXPECT_EQ(refused.status().checkpoint_lost->message.size(), 4096U);
  EXPECT_EQ(refused.reconcile().status, refused.status()) << "and is not written again";

  JobWorld interrupted = running_job();
  interrupted.nodes_.at("node-of-fit-1-0").conditions.push_back({"PreemptionScheduled", "True", "", endless});
  interrupted.settle();
  EXPECT_EQ(interrupted.status().attempt_end->message.size(), 4096U);
}

TEST(Fitting, a_notice_of_centuries_is_a_count) {
  JobWorld world = running_job();
  world.delete_node_claim("node-of-fit-1-0");
  world.node_claims_.at("node-of-fit-1-0").meta.annotations["karpenter.sh/nodeclaim-termination-timestamp"] =
      "9999-12-31T23:59:59Z";
  world.settle();
  ASSERT_TRUE(world.status().last_interruption);
  EXPECT_EQ(world.status().last_interruption->notice_seconds, std::numeric_limits<std::int32_t>::max());
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
