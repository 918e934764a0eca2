// The invariants about deletions from a volume object to violations and to nothing else.
#include "simulator/invariants/invariants.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using testing::kCompleteJob;
using testing::trainer;

class CheckpointInvariants : public testing::InvariantBench {};

TEST_F(CheckpointInvariants, the_newest_durable_checkpoint_never_gets_older) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  disk.checkpoints[20] = {.step = 20, .complete = true};
  const auto invariant = checkpoints_stay();
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.checkpoints.erase(10);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty()) << "an older one may be pruned";
  disk.checkpoints[30] = {.step = 30, .complete = true, .unsynced_on = "machine"};
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.checkpoints.erase(30);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty()) << "power loss takes what was not durable";
  Disk again = disk;
  again.checkpoints[20] = {.step = 20, .complete = false, .by = trainer(2, 0)};
  again.attempts[2].resume = DiskResume{.job_uid = "job", .pod_uid = "pod", .step = 10};
  EXPECT_TRUE(step(*invariant, {{"v", again}}).empty()) << "a later trainer saves that step anew";
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  again.checkpoints[20].by = trainer(1, 0);
  EXPECT_EQ(step(*invariant, {{"v", again}}).size(), 1U) << "an earlier one spoils it";
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.checkpoints.erase(20);
  EXPECT_EQ(step(*invariant, {{"v", disk}}).size(), 1U);
}

TEST_F(CheckpointInvariants, only_what_was_never_proven_may_be_put_aside_for_want_of_a_proof) {
  const auto objections = [&](bool listed) {
    Disk disk;
    for (const std::int64_t at : {10, 20}) disk.checkpoints[at] = {.step = at, .complete = true};
    const auto invariant = checkpoints_stay();
    EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
    disk.checkpoints[20].quarantined = disk.checkpoints[20].unproven = true;
    disk.checkpoints[20].listed = listed;
    return step(*invariant, {{"v", disk}}).size();
  };
  EXPECT_EQ(objections(false), 0U);
  EXPECT_EQ(objections(true), 1U);
}

TEST_F(CheckpointInvariants, what_a_fault_took_is_not_held_against_anybody) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  const auto invariant = checkpoints_stay();
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.checkpoints.clear();
  EXPECT_TRUE(step(*invariant, {{"v", disk}}, {.finished = {}, .tampered = {"v"}}).empty());
}

DiskCheckpoint durable(std::int64_t step) {
  DiskCheckpoint checkpoint;
  checkpoint.step = step;
  checkpoint.complete = true;
  return checkpoint;
}

TEST_F(CheckpointInvariants, a_checkpoint_does_not_go_before_an_older_one_unless_that_is_resumed_from) {
  Disk disk;
  for (const std::int64_t step : {60, 120, 180}) disk.checkpoints[step] = durable(step);
  const auto invariant = oldest_go_first();
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.checkpoints.erase(60);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.checkpoints[240] = durable(240);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.fence_attempt = 1;
  disk.attempts[1].resume = DiskResume{.job_uid = "job", .pod_uid = {}, .step = 120};
  disk.checkpoints.erase(180);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty()) << "120 is resumed from";
  disk.attempts[1].resume.reset();
  disk.checkpoints[300] = durable(300);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.checkpoints.erase(240);
  EXPECT_EQ(step(*invariant, {{"v", disk}}).size(), 1U);
}

// Times in seconds.
Disk with_unlisted(int completed, int agent_ended) {
  Disk disk;
  for (const std::int64_t step : {60, 120, 180}) {
    disk.checkpoints[step] = durable(step);
    disk.checkpoints[step].by = trainer(1, 0);
    disk.checkpoints[step].time = std::chrono::seconds(completed);
  }
  disk.texts = {{".reprise/made/1.json", R"({"name": "step-120"})"},
                {".reprise/made/2.json", R"({"name": "step-180"})"}};
  disk.fence_job_uid = "job";
  disk.fence_attempt = 1;
  disk.attempts[1].heartbeats[0] = {.job_uid = "job", .until = std::chrono::seconds(agent_ended)};
  return disk;
}

TEST_F(CheckpointInvariants, only_what_no_agent_can_have_seen_stays_while_newer_ones_go) {
  const auto objections = [](Disk disk) {
    const auto invariant = oldest_go_first();
    EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
    disk.checkpoints.erase(120);
    return step(*invariant, {{"v", disk}}).size();
  };
  EXPECT_EQ(objections(with_unlisted(10, 11)), 0U);
  EXPECT_EQ(objections(with_unlisted(10, 20)), 1U) << "its agent had the time";
  Disk listed = with_unlisted(10, 11);
  listed.texts[".reprise/made/3.json"] = R"({"name": "step-60"})";
  EXPECT_EQ(objections(listed), 1U);
  Disk slow = with_unlisted(10, 20);
  slow.traits.call = std::chrono::seconds(1);
  EXPECT_EQ(objections(slow), 0U);
  Disk running = with_unlisted(10, 11);
  running.attempts[1].heartbeats[0].until.reset();
  EXPECT_EQ(objections(running), 1U);
}

TEST_F(CheckpointInvariants, a_volume_holds_few_checkpoints_of_its_job) {
  Disk disk;
  disk.fence_job_uid = "job";
  disk.fence_attempt = 3;
  disk.writers.insert(trainer(3, 0));
  for (const std::int64_t step : {10, 20, 30, 40}) {
    disk.checkpoints[step] = durable(step);
    disk.checkpoints[step].by = trainer(1, 0);
  }
  const auto objections = [&](const Disk& now, std::chrono::seconds after) {
    const auto invariant = checkpoints_are_few(api, loop);
    (void)reported(*invariant,
                   job_change("{}", R"({"metadata": {"uid": "job"}, "spec": {"checkpoint": {"keep": 2}}})"));
    auto said = step(*invariant, {{"v", now}}).size();
    loop.run_until(loop.now() + after);
    return said + step(*invariant, {{"v", now}}).size();
  };
  using std::chrono::seconds;
  EXPECT_EQ(objections(disk, seconds(1'000)), 0U);
  Disk torn = disk;
  torn.checkpoints[50] = {.step = 50, .by = trainer(2, 0)};
  EXPECT_EQ(objections(torn, seconds(1'000)), 0U) << "no attempt has completed one since";
  torn.checkpoints[40].by = trainer(3, 0);
  EXPECT_EQ(objections(torn, seconds(59)), 0U);
  EXPECT_EQ(objections(torn, seconds(61)), 1U);
  torn.traits.moves = false;
  EXPECT_EQ(objections(torn, seconds(1'000)), 0U) << "it might be what is being written";
  torn.checkpoints[60] = {.step = 60, .by = trainer(1, 0)};
  EXPECT_EQ(objections(torn, seconds(1'000)), 1U) << "a later attempt has left one too";
  disk.checkpoints[50] = durable(50);
  disk.checkpoints[50].by = trainer(3, 0);
  EXPECT_EQ(objections(disk, seconds(61)), 1U);
  disk.traits.call = seconds(2);
  EXPECT_EQ(objections(disk, seconds(100)), 0U);
  EXPECT_EQ(objections(disk, seconds(1'000)), 1U);
}

// No checkpoint is deleted because of one that was never proven; all of these may go once a newer one was proven.
TEST_F(CheckpointInvariants, what_lost_its_bytes_counts_like_the_others_as_soon_as_a_newer_one_is_durable) {
  Disk disk;
  disk.fence_job_uid = "job";
  disk.fence_attempt = 3;
  disk.writers.insert(trainer(3, 0));
  for (const std::int64_t step : {10, 20, 30, 40, 50}) {
    disk.checkpoints[step] = durable(step);
    disk.checkpoints[step].by = trainer(3, 0);
    disk.checkpoints[step].hollow = step > 20;
  }
  const auto objections = [&] {
    const auto invariant = checkpoints_are_few(api, loop);
    (void)reported(*invariant,
                   job_change("{}", R"({"metadata": {"uid": "job"}, "spec": {"checkpoint": {"keep": 2}}})"));
    EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
    loop.run_until(loop.now() + Duration{61'000});
    return step(*invariant, {{"v", disk}}).size();
  };
  EXPECT_EQ(objections(), 0U);
  disk.checkpoints[50].hollow = false;
  EXPECT_EQ(objections(), 1U);
}

TEST_F(CheckpointInvariants, saves_that_follow_each_other_faster_than_looks_are_not_too_many) {
  Disk disk;
  disk.fence_job_uid = "job";
  disk.fence_attempt = 1;
  disk.writers.insert(trainer(1, 0));
  const auto invariant = checkpoints_are_few(api, loop);
  (void)reported(*invariant, job_change("{}", R"({"metadata": {"uid": "job"}, "spec": {"checkpoint": {"keep": 2}}})"));
  const auto saves = [&](std::int64_t number, bool one_goes) {
    disk.checkpoints[number] = durable(number);
    disk.checkpoints[number].by = trainer(1, 0);
    disk.checkpoints[number].time = loop.now();
    if (one_goes) disk.checkpoints.erase(disk.checkpoints.begin());
    const auto said = step(*invariant, {{"v", disk}}).size();
    loop.run_until(loop.now() + Duration{30'000});
    return said;
  };
  for (std::int64_t number = 1; number <= 20; ++number) EXPECT_EQ(saves(number, number > 5), 0U) << number;
  std::size_t said = 0;
  for (std::int64_t number = 21; number <= 30; ++number) said += saves(number, false);
  EXPECT_EQ(said, 1U) << "nothing goes any more";
}

TEST_F(CheckpointInvariants, what_is_torn_is_left_alone_where_nothing_is_complete) {
  Disk disk;
  disk.fence_job_uid = "job";
  disk.fence_attempt = 9;
  disk.writers.insert(trainer(9, 0));
  for (const std::int64_t step : {10, 20, 30, 40, 50}) disk.checkpoints[step] = {.step = step, .by = trainer(2, 0)};
  const auto objections = [&](const char* format) {
    const auto invariant = checkpoints_are_few(api, loop);
    const std::string checkpoint = std::string(R"({"keep": 2, "format": ")") + format + R"("})";
    const std::string job = R"({"metadata": {"uid": "job"}, "spec": {"checkpoint": )" + checkpoint + "}}";
    (void)reported(*invariant, job_change("{}", job.c_str()));
    EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
    loop.run_until(loop.now() + Duration{61'000});
    return step(*invariant, {{"v", disk}}).size();
  };
  EXPECT_EQ(objections("Auto"), 0U);
  EXPECT_EQ(objections("Marker"), 0U);
  disk.checkpoints[5] = {.step = 5, .complete = true, .by = trainer(3, 0)};
  EXPECT_EQ(objections("Auto"), 1U);
}

TEST_F(CheckpointInvariants, what_others_put_on_a_volume_may_not_go_unless_a_fault_took_it) {
  Disk disk;
  disk.data = {{"imagenet-2012", {}}, {"shards-12", {}}};
  const auto invariant = data_stays();
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.data.erase("shards-12");
  EXPECT_EQ(step(*invariant, {{"v", disk}}).size(), 1U);
  EXPECT_TRUE(step(*invariant, {{"v", {}}}, {.finished = {}, .tampered = {"v"}}).empty());
}

TEST_F(CheckpointInvariants, files_beside_checkpoints_may_not_go_either) {
  Disk disk;
  disk.beside = {{"data/train.parquet", {.text = "PAR1"}}, {"wandb/run.yaml", {}}};
  const auto invariant = data_stays();
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.beside["wandb/more.yaml"];
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.beside.erase("data/train.parquet");
  EXPECT_EQ(step(*invariant, {{"v", disk}}).size(), 1U);
}

TEST_F(CheckpointInvariants, what_is_deleted_leaves_as_many_newer_ones_as_the_job_wants) {
  const auto objections = [&](const char* job, const std::set<std::int64_t>& torn, bool rotated) {
    const auto invariant = keeps_enough(api);
    (void)reported(*invariant, job_change("{}", job));
    Disk disk;
    for (const std::int64_t at : {10, 20, 30}) {
      disk.checkpoints[at] = durable(at);
      disk.checkpoints[at].by = trainer(1, 0);
      disk.checkpoints[at].complete = !torn.contains(at);
    }
    auto said = step(*invariant, {{"v", disk}}).size();
    disk.checkpoints.erase(10);
    if (rotated) disk.rotated.insert(10);
    return said + step(*invariant, {{"v", disk}}).size();
  };
  const char* two = R"({"metadata": {"uid": "job"}, "spec": {"checkpoint": {"keep": 2}}})";
  EXPECT_EQ(objections(two, {}, false), 0U);
  EXPECT_EQ(objections(two, {20}, false), 1U);
  const char* unsaid = R"({"metadata": {"uid": "job"}, "spec": {"checkpoint": {"path": "/checkpoints"}}})";
  EXPECT_EQ(objections(unsaid, {}, false), 1U) << "its trainer or library may, the agent may not";
  EXPECT_EQ(objections(unsaid, {}, true), 0U);
}

TEST_F(CheckpointInvariants, a_trainer_may_delete_the_newest_durable_one_of_its_own) {
  const auto invariant = checkpoints_stay();
  Disk disk;
  disk.checkpoints[10] = durable(10);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
  disk.checkpoints.clear();
  disk.rotated.insert(10);
  EXPECT_TRUE(step(*invariant, {{"v", disk}}).empty());
}

TEST_F(CheckpointInvariants, the_claim_of_a_job_that_has_not_ended_is_not_deleted) {
  const auto invariant = claims_stay(api);
  const char* running = R"({"metadata": {"name": "j", "uid": "job"}, "status": {"checkpoint": {"claimUID": "claim"}}})";
  EXPECT_TRUE(reported(*invariant, job_change("{}", running)).empty());
  ObjectChange removal = job_change(R"({"metadata": {"name": "c", "uid": "claim"}})",
                                    R"({"metadata": {"name": "c", "uid": "claim", "deletionTimestamp": "now"}})");
  removal.resource = api.resource("", "persistentvolumeclaims");
  EXPECT_EQ(reported(*invariant, removal).size(), 1U);
  EXPECT_TRUE(reported(*invariant, job_change(running, kCompleteJob)).empty());
  EXPECT_TRUE(reported(*invariant, removal).empty()) << "the job has ended";
}

TEST_F(CheckpointInvariants, what_a_job_s_trainers_mount_is_not_deleted_whatever_its_status_says) {
  const auto invariant = claims_stay(api);
  EXPECT_TRUE(reported(*invariant, job_change("{}", R"({"metadata": {"name": "j", "uid": "job"}})")).empty());
  ObjectChange pod = job_change("{}", R"({"metadata": {"name": "p", "labels": {"reprise.dev/job-uid": "job"}},
                                          "spec": {"volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]}})");
  pod.resource = api.resource("", "pods");
  EXPECT_TRUE(reported(*invariant, pod).empty());
  for (const char* name : {"c", "d"}) {
    const std::string gone = R"({"metadata": {"uid": "claim", "name": ")" + std::string(name) + "\"}}";
    ObjectChange removal = job_change(gone.c_str(), gone.c_str());
    removal.resource = api.resource("", "persistentvolumeclaims");
    removal.change = Change::Deleted;
    EXPECT_EQ(reported(*invariant, removal).size(), std::string(name) == "c" ? 1U : 0U) << name;
  }
}

}  // namespace
}  // namespace reprise::simulator
