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

TEST_F(Laws, a_look_may_read_the_files_of_a_few_attempts_and_no_more) {
  Disk disk;
  disk.longest_look = 400;
  EXPECT_TRUE(step(*looks_are_short(), {{"v", disk}}).empty());
  disk.longest_look = 401;
  EXPECT_EQ(step(*looks_are_short(), {{"v", disk}}).size(), 1U);
}

TEST_F(Laws, a_trainer_keeps_what_it_saves_with_while_the_save_can_be_complete_in_time) {
  const auto robbed = [](int needed, int left) {
    return SaveRobbed{.by = trainer(1, 0),
                      .needed = runtime::Duration{needed * 1'000},
                      .left = runtime::Duration{left * 1'000},
                      .grace = runtime::Duration{60'000}};
  };
  EXPECT_EQ(step(*stop_lets_save(), {}, {.robbed = {robbed(5, 60), robbed(60, 60), robbed(2, 10)}}).size(), 1U);
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

TEST_F(ObjectLaws, a_claim_has_pods_of_one_job) {
  const auto pod = [](const char* name, const char* job_uid, const char* claim) {
    return boost::json::parse(R"({"metadata": {"namespace": "default", "name": ")" + std::string(name) +
                              R"(", "labels": {"reprise.dev/attempt": "1", "reprise.dev/job-uid": ")" + job_uid +
                              R"("}}, "spec": {"containers": [{"name": "c", "image": "i"}], "volumes": [{"name": "v",
            "persistentVolumeClaim": {"claimName": ")" +
                              claim + R"("}}]}})");
  };
  const ResourceId pods = api.resource("", "pods");
  ASSERT_TRUE(api.create(pods, pod("a-1-0", "a", "data")));
  const auto law = one_job_per_claim(api);
  const auto objections = [&](const char* job_uid, const char* claim) {
    return told(*law, {.resource = pods,
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

// "ckpt-26-27": to the agent, and so to the job, this is step 27.
TEST_F(ObjectLaws, what_a_job_was_known_to_have_saved_is_known_by_its_directory) {
  const auto law = loses_nothing_unsaid(api);
  Disk disk;
  const auto look = [&] {
    std::vector<std::string> said;
    law->on_step({{"v", disk}}, {}, [&](std::string what) { said.push_back(std::move(what)); });
    return said.size();
  };
  disk.checkpoints[26] = {.step = 26, .complete = true, .name = "ckpt-26-27"};
  disk.checkpoints[40] = {.step = 40, .complete = true, .name = "ckpt-40-10"};
  EXPECT_EQ(look(), 0U);
  const auto known = [](const char* attempt, const char* checkpoint, const char* conditions = "[]") {
    return std::string(R"({"metadata": {"name": "j", "uid": "job"}, "status": {"attempt": )") + attempt +
           R"(, "checkpoint": )" + checkpoint + R"(, "conditions": )" + conditions + "}}";
  };
  EXPECT_TRUE(told(*law, job_change("{}", known("2", R"({"step": 27, "path": "ckpt-26-27"})").c_str())).empty());
  disk.attempts[2].loads = {{0, {trainer(2, 0), 26}}};
  EXPECT_EQ(look(), 0U);
  EXPECT_TRUE(told(*law, job_change("{}", known("3", R"({"step": 10, "path": "ckpt-40-10"})").c_str())).empty());
  disk.checkpoints.erase(40);
  disk.attempts[3].loads = {{0, {trainer(3, 0), 26}}};
  EXPECT_EQ(look(), 1U) << "its number is higher than the one that is known, and it is the older";
  const char* said = R"([{"type": "CheckpointReady", "status": "True", "reason": "OutOfOrder"}])";
  EXPECT_TRUE(told(*law, job_change("{}", known("4", R"({"step": 10, "path": "ckpt-40-10"})", said).c_str())).empty());
  disk.attempts[4].loads = {{0, {trainer(4, 0), 26}}};
  EXPECT_EQ(look(), 0U) << "that the newest cannot be told for certain has been said";
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

DiskCheckpoint durable(std::int64_t step) {
  DiskCheckpoint checkpoint;
  checkpoint.step = step;
  checkpoint.complete = true;
  return checkpoint;
}

TEST_F(Laws, a_checkpoint_does_not_go_before_an_older_one_unless_that_is_resumed_from) {
  Disk disk;
  for (const std::int64_t step : {60, 120, 180}) disk.checkpoints[step] = durable(step);
  const auto law = oldest_go_first();
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.checkpoints.erase(60);
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.checkpoints[240] = durable(240);
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.fence_attempt = 1;
  disk.attempts[1].resume = DiskResume{.job_uid = "job", .pod_uid = {}, .step = 120};
  disk.checkpoints.erase(180);
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty()) << "120 is resumed from";
  disk.attempts[1].resume.reset();
  disk.checkpoints[300] = durable(300);
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.checkpoints.erase(240);
  EXPECT_EQ(step(*law, {{"v", disk}}).size(), 1U);
}

TEST_F(Laws, what_others_put_on_a_volume_may_not_go_unless_a_fault_took_it) {
  Disk disk;
  disk.data = {{"imagenet-2012", {}}, {"shards-12", {}}};
  const auto law = data_stays();
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.data.erase("shards-12");
  EXPECT_EQ(step(*law, {{"v", disk}}).size(), 1U);
  EXPECT_TRUE(step(*law, {{"v", {}}}, {.finished = {}, .tampered = {"v"}}).empty());
}

}  // namespace
}  // namespace reprise::simulator
