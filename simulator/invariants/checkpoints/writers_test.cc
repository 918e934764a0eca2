// The invariants about writers of a volume, and about the proofs that a writer has ended, object to violations and to
// nothing else.
#include "simulator/invariants/invariants.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using testing::trainer;

class WriterInvariants : public testing::InvariantBench {};

TEST_F(WriterInvariants, ranks_of_one_attempt_may_write_together) {
  Disk disk;
  disk.writers = {trainer(1, 0), trainer(1, 1)};
  EXPECT_TRUE(step(*single_writer(), {{"v", disk}}).empty());
}

TEST_F(WriterInvariants, two_attempts_may_not_write_at_one_time) {
  Disk disk;
  disk.writers = {trainer(1, 0), trainer(2, 0)};
  EXPECT_EQ(step(*single_writer(), {{"v", disk}}).size(), 1U);
}

TEST_F(WriterInvariants, who_stands_still_or_has_had_no_heartbeat_since_does_not_write) {
  Disk disk;
  disk.writers = {trainer(1, 0), trainer(2, 0)};
  disk.standing_still = {trainer(1, 0)};
  EXPECT_TRUE(step(*single_writer(), {{"v", disk}}).empty());
  std::swap(disk.standing_still, disk.waking);
  EXPECT_TRUE(step(*single_writer(), {{"v", disk}}).empty());
  disk.waking.clear();
  EXPECT_EQ(step(*single_writer(), {{"v", disk}}).size(), 1U);
}

TEST_F(WriterInvariants, a_broken_invariant_is_reported_once) {
  Disk disk;
  disk.writers = {trainer(1, 0), trainer(2, 0)};
  const auto invariant = single_writer();
  EXPECT_EQ(step(*invariant, {{"v", disk}}).size(), 1U);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
}

TEST_F(WriterInvariants, a_trainer_that_can_see_a_later_fence_of_its_job_ends_within_some_heartbeats) {
  Disk disk;
  disk.writers = {trainer(1, 0)};
  disk.fence_job_uid = "job";
  disk.fence_attempt = 2;
  disk.attempts[1].heartbeats[0].period = Duration{10'000};
  const auto invariant = fenced_trainers_end(loop);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  loop.run_until(loop.now() + Duration{40'000});
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.standing_still = {trainer(1, 0)};
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  loop.run_until(loop.now() + Duration{1'000});
  disk.standing_still.clear();
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty()) << "it begins anew";
  loop.run_until(loop.now() + Duration{41'000});
  EXPECT_EQ(step(*invariant, {{"v", disk}}).size(), 1U);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty()) << "it is reported once";
}

TEST_F(WriterInvariants, a_trainer_goes_on_before_its_own_fence_and_that_of_another_job) {
  Disk disk;
  disk.writers = {trainer(2, 0)};
  disk.fence_attempt = 2;
  for (const char* job : {"job", "another"}) {
    disk.fence_job_uid = job;
    const auto invariant = fenced_trainers_end(loop);
    EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
    loop.run_until(loop.now() + Duration{600'000});
    EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty()) << job;
  }
}

TEST_F(WriterInvariants, a_look_may_read_the_files_of_a_few_attempts_and_no_more) {
  Disk disk;
  disk.longest_look = 400;
  EXPECT_TRUE(step(*looks_are_short(), {{"v", disk}}).empty());
  disk.longest_look = 401;
  EXPECT_EQ(step(*looks_are_short(), {{"v", disk}}).size(), 1U);
}

TEST_F(WriterInvariants, all_ranks_load_one_step) {
  Disk disk;
  disk.attempts[1].loads = {{0, {trainer(1, 0), 100}}, {1, {trainer(1, 1), 100}}};
  EXPECT_TRUE(step(*one_resume_step(), {{"v", disk}}).empty());
  disk.attempts[1].loads[1].step = 50;
  EXPECT_EQ(step(*one_resume_step(), {{"v", disk}}).size(), 1U);
}

TEST_F(WriterInvariants, a_person_s_word_holds_for_the_attempt_that_it_names) {
  for (const auto& [confirmation, allowed] : {std::pair{"node/1", true},
                                              {"other/7, node/1", true},
                                              {"pod-1-0", true},
                                              {"node/2", false},
                                              {"node/11", false},
                                              {"", false}}) {
    const auto invariant = proven_before_next(api);
    const std::string job =
        R"({"metadata": {"name": "j", "uid": "job", "annotations": {"reprise.dev/confirm-ended": ")" +
        std::string(confirmation) + "\"}}}";
    EXPECT_TRUE(reported(*invariant, job_change("{}", job.c_str())).empty());
    ObjectChange pod = job_change("{}", R"({"metadata": {"name": "p", "labels": {"reprise.dev/job-uid": "job",
                                                                                 "reprise.dev/attempt": "2"}}})");
    pod.resource = api.resource("", "pods");
    pod.change = Change::Added;
    EXPECT_TRUE(reported(*invariant, pod).empty());
    Disk disk;
    disk.writers = {trainer(1, 0)};
    std::vector<std::string> said;
    invariant->on_step({{"v", disk}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
    EXPECT_EQ(said.empty(), allowed) << confirmation;
  }
}

TEST_F(WriterInvariants, a_pod_of_the_next_attempt_waits_for_every_writer_of_the_last) {
  const auto invariant = proven_before_next(api);
  const auto objections = [&](const char* labels, const Disk& disk) {
    const std::string pod = R"({"metadata": {"name": "p", "labels": )" + std::string(labels) + "}}";
    EXPECT_TRUE(reported(*invariant, {.resource = api.resource("", "pods"),
                                      .change = Change::Added,
                                      .object = std::make_shared<const Value>(boost::json::parse(pod)),
                                      .before = nullptr})
                    .empty());
    std::vector<std::string> said;
    invariant->on_step({{"v", disk}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  const char* second = R"({"reprise.dev/job-uid": "job", "reprise.dev/attempt": "2"})";
  Disk disk;
  EXPECT_EQ(objections(second, disk), 0U);
  disk.writers = {trainer(2, 1)};
  EXPECT_EQ(objections(second, disk), 0U) << "a peer";
  disk.writers = {trainer(1, 0)};
  EXPECT_EQ(objections(second, disk), 1U);
  EXPECT_EQ(objections(R"({"reprise.dev/job-uid": "other", "reprise.dev/attempt": "2"})", disk), 0U);
  EXPECT_EQ(objections(R"({"reprise.dev/job-uid": "job", "reprise.dev/standby": "1"})", disk), 0U);
}

TEST_F(WriterInvariants, a_claim_has_pods_of_one_job) {
  const auto pod = [](const char* name, const char* job_uid, const char* claim) {
    return boost::json::parse(R"({"metadata": {"namespace": "default", "name": ")" + std::string(name) +
                              R"(", "labels": {"reprise.dev/attempt": "1", "reprise.dev/job-uid": ")" + job_uid +
                              R"("}}, "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "v",
            "persistentVolumeClaim": {"claimName": ")" +
                              claim + R"("}}]}})");
  };
  const ResourceId pods = api.resource("", "pods");
  ASSERT_TRUE(api.create(pods, pod("a-1-0", "a", "data")));
  const auto invariant = one_job_per_claim(api);
  const auto objections = [&](const char* job_uid, const char* claim) {
    return reported(*invariant, {.resource = pods,
                                 .change = Change::Added,
                                 .object = std::make_shared<const Value>(pod("p", job_uid, claim)),
                                 .before = nullptr})
        .size();
  };
  EXPECT_EQ(objections("a", "data"), 0U);
  EXPECT_EQ(objections("b", "other"), 0U);
  EXPECT_EQ(objections("b", "data"), 1U);
  ASSERT_TRUE(api.update(
      {pods, "default", "a-1-0"},
      [](Value& object) {
        set(object, {"status", "phase"}, "Succeeded");
      },
      "status"));
  EXPECT_EQ(objections("b", "data"), 0U);
}

}  // namespace
}  // namespace reprise::simulator
