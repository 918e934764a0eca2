// Each law objects to what breaks it and to nothing else.
#include "simulator/invariants/laws.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "crds/embedded.h"
#include "simulator/cluster/event_loop.h"

namespace reprise::simulator {
namespace {

class Laws : public testing::Test {
 protected:
  // What the law says to these disks.
  std::vector<std::string> step(Invariant& law, const Disks& disks, const TrainingLog& training = {}) {
    std::vector<std::string> said;
    law.on_step(disks, training, [&](std::string what) { said.push_back(std::move(what)); });
    return said;
  }
  // How often a fresh resumes_newest() objects to that disk.
  std::size_t step_of(const Disk& disk) { return step(*resumes_newest(), {{"v", disk}}).size(); }
};

TrainerId trainer(std::int64_t attempt, int rank) {
  return {.pod_uid = "pod-" + std::to_string(attempt) + "-" + std::to_string(rank),
          .job_uid = "job",
          .attempt = attempt,
          .rank = rank};
}

TEST_F(Laws, ranks_of_one_attempt_may_write_together) {
  Disk disk;
  disk.writers = {trainer(1, 0), trainer(1, 1)};
  EXPECT_TRUE(step(*single_writer(), {{"v", disk}}).empty());
}

TEST_F(Laws, two_attempts_may_not_write_at_one_time) {
  Disk disk;
  disk.writers = {trainer(1, 0), trainer(2, 0)};
  EXPECT_EQ(step(*single_writer(), {{"v", disk}}).size(), 1U);
}

TEST_F(Laws, who_stands_still_or_has_not_beaten_since_does_not_write) {
  Disk disk;
  disk.writers = {trainer(1, 0), trainer(2, 0)};
  disk.standing_still = {trainer(1, 0)};
  EXPECT_TRUE(step(*single_writer(), {{"v", disk}}).empty());
  std::swap(disk.standing_still, disk.waking);
  EXPECT_TRUE(step(*single_writer(), {{"v", disk}}).empty());
  disk.waking.clear();
  EXPECT_EQ(step(*single_writer(), {{"v", disk}}).size(), 1U);
}

TEST_F(Laws, a_broken_law_is_told_once) {
  Disk disk;
  disk.writers = {trainer(1, 0), trainer(2, 0)};
  const auto law = single_writer();
  EXPECT_EQ(step(*law, {{"v", disk}}).size(), 1U);
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
}

TEST_F(Laws, all_ranks_load_one_step) {
  Disk disk;
  disk.attempts[1].loads = {{0, {trainer(1, 0), 100}}, {1, {trainer(1, 1), 100}}};
  EXPECT_TRUE(step(*one_resume_step(), {{"v", disk}}).empty());
  disk.attempts[1].loads[1].step = 50;
  EXPECT_EQ(step(*one_resume_step(), {{"v", disk}}).size(), 1U);
}

TEST_F(Laws, what_is_published_is_the_newest_complete_checkpoint) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  disk.checkpoints[20] = {.step = 20, .complete = true};
  disk.checkpoints[30] = {.step = 30, .complete = false};
  for (const std::int64_t step : {10, 20, 30}) {
    disk.attempts[1].resume = DiskResume{.job_uid = "job", .pod_uid = {}, .step = step};
    EXPECT_EQ(step_of(disk), step == 20 ? 0U : 1U) << "step " << step;
  }
  disk.attempts[1].resume->step.reset();
  EXPECT_EQ(step_of(disk), 1U) << "from the start";
  disk.attempts[1].resume->refusal = "the checkpoint is lost";
  EXPECT_EQ(step_of(disk), 0U);
}

TEST_F(Laws, a_deletion_names_the_uid_of_what_was_seen_and_uses_no_force) {
  const auto told = [](const char* body, runtime::Method method = runtime::Method::Delete) {
    std::vector<std::string> said;
    deletes_what_was_seen()->on_request(
        "operator", {.method = method, .path_and_query = "/api/v1/namespaces/team/pods/p", .body = body},
        [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  EXPECT_EQ(told(R"({"preconditions": {"uid": "u"}, "gracePeriodSeconds": 1})"), 0U);
  EXPECT_EQ(told(R"({"preconditions": {"uid": "u"}})"), 0U);
  EXPECT_EQ(told(R"({"gracePeriodSeconds": 1})"), 1U);
  EXPECT_EQ(told(""), 1U);
  EXPECT_EQ(told(R"({"preconditions": {"uid": "u"}, "gracePeriodSeconds": 0})"), 1U);
  EXPECT_EQ(told("{}", runtime::Method::Post), 0U);
}

TEST_F(Laws, the_newest_durable_checkpoint_never_gets_older) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  disk.checkpoints[20] = {.step = 20, .complete = true};
  const auto law = checkpoints_stay();
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.checkpoints.erase(10);
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty()) << "an older one may be pruned";
  disk.checkpoints[30] = {.step = 30, .complete = true, .unsynced_on = "machine"};
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.checkpoints.erase(30);
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty()) << "power loss takes what was not durable";
  Disk again = disk;
  again.checkpoints[20] = {.step = 20, .complete = false, .by = trainer(2, 0)};
  again.attempts[2].resume = DiskResume{.job_uid = "job", .pod_uid = "pod", .step = 10};
  EXPECT_TRUE(step(*law, {{"v", again}}).empty()) << "a later trainer saves that step anew";
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  again.checkpoints[20].by = trainer(1, 0);
  EXPECT_EQ(step(*law, {{"v", again}}).size(), 1U) << "an earlier one spoils it";
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.checkpoints.erase(20);
  EXPECT_EQ(step(*law, {{"v", disk}}).size(), 1U);
}

TEST_F(Laws, what_a_fault_took_is_not_held_against_anybody) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  const auto law = checkpoints_stay();
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.checkpoints.clear();
  EXPECT_TRUE(step(*law, {{"v", disk}}, {.finished = {}, .tampered = {"v"}}).empty());
}

class ObjectLaws : public testing::Test {
 protected:
  ObjectLaws() { EXPECT_TRUE(api.add_custom_resource(crds::resumable_jobs())); }

  [[nodiscard]] ObjectChange job_change(const char* before, const char* now) const {
    return {.resource = api.resource("reprise.dev", "resumablejobs"),
            .change = Change::Modified,
            .object = std::make_shared<const Value>(boost::json::parse(now)),
            .before = std::make_shared<const Value>(boost::json::parse(before))};
  }
  static std::vector<std::string> told(Invariant& law, const ObjectChange& change) {
    std::vector<std::string> said;
    law.on_change(change, [&](std::string what) { said.push_back(std::move(what)); });
    return said;
  }

  EventLoop loop;
  runtime::SeededRandom random{1};
  ApiServer api{loop, random};
};

constexpr const char* complete =
    R"({"metadata": {"name": "j", "uid": "job"}, "spec": {"parallelism": 2},
        "status": {"attempt": 1, "conditions": [{"type": "Complete", "status": "True"}]}})";

TEST_F(ObjectLaws, counters_never_go_down) {
  const auto law = counters_grow(api);
  const char* two =
      R"({"metadata": {"name": "j"}, "status": {"attempt": 2, "interruptions": [{"count": 2}, {"count": 1}]}})";
  const char* one = R"({"metadata": {"name": "j"}, "status": {"attempt": 2, "interruptions": [{"count": 2}]}})";
  EXPECT_TRUE(told(*law, job_change(one, two)).empty());
  EXPECT_EQ(told(*law, job_change(two, one)).size(), 1U);
  const char* other = R"({"metadata": {"name": "j"}, "status": {"interruptions": [{"reason": "a", "count": 1}]}})";
  const char* instead = R"({"metadata": {"name": "j"}, "status": {"interruptions": [{"reason": "b", "count": 2}]}})";
  EXPECT_EQ(told(*law, job_change(other, instead)).size(), 1U) << "one may not fall because another rises";
}

TEST_F(ObjectLaws, complete_is_never_taken_back_and_no_attempt_follows) {
  const auto law = terminal_stays(api);
  EXPECT_TRUE(told(*law, job_change(complete, complete)).empty());
  const char* undone = R"({"metadata": {"name": "j"}, "status": {"attempt": 2}})";
  EXPECT_EQ(told(*law, job_change(complete, undone)).size(), 2U);
}

TEST_F(ObjectLaws, complete_is_said_only_when_all_ranks_of_one_attempt_have_finished) {
  TrainingLog training;
  training.finished = {trainer(1, 0), trainer(2, 1)};
  EXPECT_EQ(told(*complete_is_true(api, training), job_change("{}", complete)).size(), 1U);
  training.finished.insert(trainer(2, 0));
  EXPECT_TRUE(told(*complete_is_true(api, training), job_change("{}", complete)).empty());
}

TEST_F(ObjectLaws, the_claim_of_a_job_that_has_not_ended_is_not_deleted) {
  const auto law = claims_stay(api);
  const char* running = R"({"metadata": {"name": "j", "uid": "job"}, "status": {"checkpoint": {"claimUID": "claim"}}})";
  EXPECT_TRUE(told(*law, job_change("{}", running)).empty());
  ObjectChange removal = job_change(R"({"metadata": {"name": "c", "uid": "claim"}})",
                                    R"({"metadata": {"name": "c", "uid": "claim", "deletionTimestamp": "now"}})");
  removal.resource = api.resource("", "persistentvolumeclaims");
  EXPECT_EQ(told(*law, removal).size(), 1U);
  EXPECT_TRUE(told(*law, job_change(running, complete)).empty());
  EXPECT_TRUE(told(*law, removal).empty()) << "the job has ended";
}

TEST_F(ObjectLaws, what_a_job_s_trainers_mount_is_not_deleted_whatever_its_status_says) {
  const auto law = claims_stay(api);
  EXPECT_TRUE(told(*law, job_change("{}", R"({"metadata": {"name": "j", "uid": "job"}})")).empty());
  ObjectChange pod = job_change("{}", R"({"metadata": {"name": "p", "labels": {"reprise.dev/job-uid": "job"}},
                                          "spec": {"volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]}})");
  pod.resource = api.resource("", "pods");
  EXPECT_TRUE(told(*law, pod).empty());
  for (const char* name : {"c", "d"}) {
    const std::string gone = R"({"metadata": {"uid": "claim", "name": ")" + std::string(name) + "\"}}";
    ObjectChange removal = job_change(gone.c_str(), gone.c_str());
    removal.resource = api.resource("", "persistentvolumeclaims");
    removal.change = Change::Deleted;
    EXPECT_EQ(told(*law, removal).size(), std::string(name) == "c" ? 1U : 0U) << name;
  }
}

TEST_F(ObjectLaws, what_an_attempt_resumes_from_stays_until_every_rank_has_loaded_it) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  disk.attempts[2].resume = DiskResume{.job_uid = "job", .pod_uid = "pod", .step = 10};
  disk.attempts[2].loads[0] = {.by = trainer(2, 0), .step = 10};
  const auto told_of = [](Invariant& law, const Disk& now) {
    std::vector<std::string> said;
    law.on_step({{"v", now}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  const auto law = resume_point_stays(api);
  EXPECT_TRUE(told(*law, job_change("{}", R"({"metadata": {"uid": "job"}, "spec": {"parallelism": 2}})")).empty());
  EXPECT_EQ(told_of(*law, disk), 0U);
  Disk all_loaded = disk;
  all_loaded.attempts[2].loads[1] = {.by = trainer(2, 1), .step = 10};
  all_loaded.checkpoints.erase(10);
  EXPECT_EQ(told_of(*law, all_loaded), 0U);
  disk.checkpoints.erase(10);
  EXPECT_EQ(told_of(*law, disk), 1U);
  EXPECT_EQ(told_of(*law, disk), 0U) << "once for an attempt";
}

TEST_F(ObjectLaws, a_person_s_word_holds_for_the_attempt_that_it_names) {
  for (const auto& [word, allowed] : {std::pair{"node/1", true},
                                      {"other/7, node/1", true},
                                      {"pod-1-0", true},
                                      {"node/2", false},
                                      {"node/11", false},
                                      {"", false}}) {
    const auto law = proven_before_next(api);
    const std::string job =
        R"({"metadata": {"name": "j", "uid": "job", "annotations": {"reprise.dev/confirm-ended": ")" +
        std::string(word) + "\"}}}";
    EXPECT_TRUE(told(*law, job_change("{}", job.c_str())).empty());
    ObjectChange pod = job_change("{}", R"({"metadata": {"name": "p", "labels": {"reprise.dev/job-uid": "job",
                                                                                 "reprise.dev/attempt": "2"}}})");
    pod.resource = api.resource("", "pods");
    pod.change = Change::Added;
    EXPECT_TRUE(told(*law, pod).empty());
    Disk disk;
    disk.writers = {trainer(1, 0)};
    std::vector<std::string> said;
    law->on_step({{"v", disk}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
    EXPECT_EQ(said.empty(), allowed) << word;
  }
}

TEST_F(ObjectLaws, a_pod_of_the_next_attempt_waits_for_every_writer_of_the_last) {
  const auto law = proven_before_next(api);
  const auto objections = [&](const char* labels, const Disk& disk) {
    const std::string pod = R"({"metadata": {"name": "p", "labels": )" + std::string(labels) + "}}";
    EXPECT_TRUE(told(*law, {.resource = api.resource("", "pods"),
                            .change = Change::Added,
                            .object = std::make_shared<const Value>(boost::json::parse(pod)),
                            .before = nullptr})
                    .empty());
    std::vector<std::string> said;
    law->on_step({{"v", disk}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
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

TEST_F(ObjectLaws, no_trainer_starts_before_what_its_job_was_known_to_have_saved) {
  const auto law = loses_nothing_unsaid(api);
  const auto load = [&](std::int64_t step) {
    Disk disk;
    disk.attempts[2].loads = {{0, {trainer(2, 0), step}}};
    std::vector<std::string> said;
    law->on_step({{"v", disk}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  EXPECT_EQ(load(-1), 0U) << "nothing was known";
  const char* known =
      R"({"metadata": {"name": "j", "uid": "job"}, "status": {"attempt": 2, "checkpoint": {"step": 20}}})";
  EXPECT_TRUE(told(*law, job_change("{}", known)).empty());
  EXPECT_EQ(load(30), 0U);
  EXPECT_EQ(load(20), 0U);
  EXPECT_EQ(load(-1), 1U);
}

TEST_F(ObjectLaws, whoever_writes_holds_the_lease) {
  const auto law = writer_holds_lease(api);
  const auto objections = [&](const char* who, runtime::Method method,
                              const char* path = "/api/v1/namespaces/team/pods") {
    std::vector<std::string> said;
    law->on_request(who, {.method = method, .path_and_query = path},
                    [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  EXPECT_EQ(objections("a", runtime::Method::Post), 1U) << "nobody holds it";
  ASSERT_TRUE(api.create(api.resource("", "namespaces"), boost::json::parse(R"({"apiVersion": "v1", "kind": "Namespace",
                                                "metadata": {"name": "reprise-system"}})")));
  ASSERT_TRUE(api.create(api.resource("coordination.k8s.io", "leases"),
                         boost::json::parse(R"({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
                             "metadata": {"name": "reprise-operator", "namespace": "reprise-system"},
                             "spec": {"holderIdentity": "a"}})")));
  EXPECT_EQ(objections("a", runtime::Method::Post), 0U);
  EXPECT_EQ(objections("b", runtime::Method::Patch), 1U);
  EXPECT_EQ(objections("b", runtime::Method::Get), 0U);
  EXPECT_EQ(objections("b", runtime::Method::Patch,
                       "/apis/coordination.k8s.io/v1/namespaces/reprise-system/leases/reprise-operator"),
            0U);
}

TEST(Conditions, the_status_of_a_condition_is_found_by_its_type) {
  const Value job = boost::json::parse(
      R"({"status": {"conditions": [{"type": "Complete", "status": "False"}, {"type": "Failed", "status": "True"}]}})");
  EXPECT_EQ(condition(job, "Complete"), "False");
  EXPECT_EQ(condition(job, "Stalled"), "");
  EXPECT_TRUE(has_ended(job));
}

}  // namespace
}  // namespace reprise::simulator
