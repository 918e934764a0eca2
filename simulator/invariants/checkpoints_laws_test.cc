// The laws about what may go from a volume object to what breaks them and to nothing else.
#include "simulator/invariants/laws.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/invariants/testing/law_bench.h"

namespace reprise::simulator {
namespace {

using testing::kCompleteJob;
using testing::trainer;

class CheckpointLaws : public testing::LawBench {};

TEST_F(CheckpointLaws, the_newest_durable_checkpoint_never_gets_older) {
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

TEST_F(CheckpointLaws, what_a_fault_took_is_not_held_against_anybody) {
  Disk disk;
  disk.checkpoints[10] = {.step = 10, .complete = true};
  const auto law = checkpoints_stay();
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.checkpoints.clear();
  EXPECT_TRUE(step(*law, {{"v", disk}}, {.finished = {}, .tampered = {"v"}}).empty());
}

DiskCheckpoint durable(std::int64_t step) {
  DiskCheckpoint checkpoint;
  checkpoint.step = step;
  checkpoint.complete = true;
  return checkpoint;
}

TEST_F(CheckpointLaws, a_checkpoint_does_not_go_before_an_older_one_unless_that_is_resumed_from) {
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

TEST_F(CheckpointLaws, what_others_put_on_a_volume_may_not_go_unless_a_fault_took_it) {
  Disk disk;
  disk.data = {{"imagenet-2012", {}}, {"shards-12", {}}};
  const auto law = data_stays();
  EXPECT_TRUE(step(*law, {{"v", disk}}).empty());
  disk.data.erase("shards-12");
  EXPECT_EQ(step(*law, {{"v", disk}}).size(), 1U);
  EXPECT_TRUE(step(*law, {{"v", {}}}, {.finished = {}, .tampered = {"v"}}).empty());
}

TEST_F(CheckpointLaws, the_claim_of_a_job_that_has_not_ended_is_not_deleted) {
  const auto law = claims_stay(api);
  const char* running = R"({"metadata": {"name": "j", "uid": "job"}, "status": {"checkpoint": {"claimUID": "claim"}}})";
  EXPECT_TRUE(told(*law, job_change("{}", running)).empty());
  ObjectChange removal = job_change(R"({"metadata": {"name": "c", "uid": "claim"}})",
                                    R"({"metadata": {"name": "c", "uid": "claim", "deletionTimestamp": "now"}})");
  removal.resource = api.resource("", "persistentvolumeclaims");
  EXPECT_EQ(told(*law, removal).size(), 1U);
  EXPECT_TRUE(told(*law, job_change(running, kCompleteJob)).empty());
  EXPECT_TRUE(told(*law, removal).empty()) << "the job has ended";
}

TEST_F(CheckpointLaws, what_a_job_s_trainers_mount_is_not_deleted_whatever_its_status_says) {
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

}  // namespace
}  // namespace reprise::simulator
