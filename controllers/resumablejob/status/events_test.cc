// Every Event about a job, by what brings it about: each that the table of Events has is here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "controllers/events/table.h"
#include "controllers/resumablejob/status/event_worlds_for_tests.h"

namespace reprise::controllers::resumablejob {
namespace {

JobWorld after_end(const std::string& also_recorded) {
  JobWorld world = running_job();
  world.exit("fit-1-0", 0,
             R"({"attempt":1,"index":0,"exitCode":0,"finished":true,"asked":false,)" + also_recorded + "}");
  world.settle();
  return world;
}

struct Row {
  const char* reason;
  const char* when;
  EventType type;
  JobWorld (*brought_about)();
};

JobWorld after_lists_with_nothing_in_common() {
  JobWorld world = running_job(2, [](auto& job) { job.spec.checkpoint.volume.access = api::VolumeAccess::PerIndex; });
  for (const std::int32_t index : {0, 1}) {
    kube::ContainerStatus list;
    list.name = protocol::kListContainer;
    list.init = true;
    list.state = kube::ContainerStateKind::Terminated;
    list.exit_code = 0;
    protocol::ListedCheckpoints listed{.attempt = 1, .index = index, .checkpoints = {}};
    if (index == 0) listed.checkpoints = {{300, protocol::fingerprint("checkpoint-300")}};
    list.message = protocol::encode_listed_checkpoints(listed);
    world.pods_.at("fit-1-" + std::to_string(index)).container_statuses.push_back(std::move(list));
  }
  world.settle();
  return world;
}

const Row kRows[] = {
    {"Started", "all pods of the first attempt run", EventType::Normal, [] { return running_job(); }},
    {"Recovered", "all pods of a later attempt run", EventType::Normal, after_recovery},
    {"Resumed", "the job goes on after a suspension", EventType::Normal, after_resume},
    {"Interrupted", "a node is taken", EventType::Warning, [] { return after_interruption(); }},
    {"CheckpointRequested", "a hint comes", EventType::Normal, after_a_hint},
    {"CheckpointOverdue", "a trainer saves no more", EventType::Warning, after_a_long_time_without_a_checkpoint},
    {"FencingNode", "a pod is removed by force", EventType::Warning, after_forced_deletion},
    {"WriterNotFenced", "nothing proves that a rank has ended", EventType::Warning, after_another_writer},
    {"GpuHeld", "a proxy outlives a rank that has finished", EventType::Warning, after_a_rank_beside_a_proxy},
    {"CheckpointsOutOfOrder", "an agent warns", EventType::Warning, after_warning},
    {"CheckpointDamaged", "a full read finds one damaged", EventType::Warning, after_a_damaged_checkpoint},
    {"CheckpointUnproven", "an agent has put aside what nothing proves", EventType::Warning, after_putting_aside},
    {"CheckpointAccepted", "a person accepts an older checkpoint", EventType::Warning, after_acceptance},
    {"NoCommonCheckpoint", "one rank alone has saved on its volume", EventType::Warning,
     after_lists_with_nothing_in_common},
    {"VolumeNearlyFull", "too little is free for what comes", EventType::Warning, with_little_room},
    {"VolumeFull", "a save found no room", EventType::Warning, without_room},
    {"PodRejected", "a kubelet does not admit a pod", EventType::Warning, after_rejection_by_a_kubelet},
    {"AgentInstallFailed", "the agent could not be copied", EventType::Warning, after_failed_installation},
    {"PodFailed", "a trainer fails", EventType::Warning, [] { return after_exit(1); }},
    {"PodFailurePolicyIgnore", "a rule lets a failure pass", EventType::Warning, after_ignored_failure},
    {"PoolChanged", "the pool offers something else", EventType::Warning, after_change_of_the_pool},
    {"ScheduleChanged", "spot does not come", EventType::Warning, after_waiting_too_long},
    {"DeadlineAtRisk", "there is no more time to wait", EventType::Warning, after_waiting_too_long},
    {"ClaimReplaced", "the claim is another object", EventType::Warning, after_change_of_the_claim},
    {"TrainerHung", "an agent ended a trainer that hung", EventType::Warning, after_hang},
    {"PodsReadyTimeout", "half a gang waits too long", EventType::Warning, after_half_a_gang},
    {"Checkpointed", "a trainer asks to be run again", EventType::Normal, [] { return after_exit(85); }},
    {"NoProgress", "three attempts made no newer checkpoint", EventType::Warning, after_three_without_progress},
    {"InterruptionLimitReached", "there were as many as are allowed", EventType::Warning,
     [] { return after_interruption([](auto& job) { job.spec.interruption.limit = 1; }); }},
    {"MaxCostReached", "it has cost what it may", EventType::Warning, after_its_budget},
    {"Complete", "every rank ended by itself with 0", EventType::Normal, [] { return after_exit(0); }},
    {"NothingTrained", "it saved nothing beyond what was there", EventType::Warning,
     [] { return after_end(R"("step":200,"resumedFromStep":200)"); }},
    {"EndedShort", "the trainer had steps left", EventType::Warning,
     [] { return after_end(R"("step":50,"toldStep":50,"totalSteps":200)"); }},
    {"Failed", "there are more failures than are allowed", EventType::Warning,
     [] { return after_exit(1, [](auto& job) { job.spec.backoff_limit = 0; }); }},
    {"VolumeUnavailable", "an agent cannot read the volume", EventType::Warning,
     [] { return after_refusal("VolumeUnavailable"); }},
    {"ResumeNotPublished", "a rank waits in vain", EventType::Warning,
     [] { return after_refusal("ResumeNotPublished"); }},
    {"ResumeStepGone", "a volume has lost the step", EventType::Warning,
     [] { return after_refusal("ResumeStepGone"); }},
    {"Fenced", "an agent finds another owner", EventType::Warning, [] { return after_refusal("Fenced"); }},
    {"NotRecognised", "an agent finds an earlier training alone", EventType::Warning,
     [] { return after_refusal("NotRecognised"); }},
    {"Other", "something else than the agent wrote the record", EventType::Warning,
     [] { return after_refusal("no word at all"); }},
    {"PodFailurePolicy", "a rule ends the job", EventType::Warning, after_a_rule_that_fails_the_job},
    {"DeadlineExceeded", "the job takes too long", EventType::Warning, after_the_deadline},
    {"Suspended", "a person suspends the job", EventType::Normal, after_suspension},
    {"ClaimInUse", "another job takes the claim of one that Kueue has admitted", EventType::Warning,
     after_another_job_took_the_claim},
    {"Evicted", "Kueue takes the quota away", EventType::Normal, after_eviction},
    {"KueueDisabled", "the job names a queue and the feature gate is off", EventType::Warning,
     [] { return waiting_in_queue([](JobWorld& world) { world.kueue_ = {}; }); }},
    {"KueueNotInstalled", "the job names a queue and there is no Kueue", EventType::Warning,
     [] { return waiting_in_queue([](JobWorld& world) { world.kueue_.served = false; }); }},
    {"FlavorConflict", "the quota is counted on other nodes", EventType::Warning, on_other_nodes},
    // One of Stalled's reasons, which all take the same way.
    {"PoolNotFound", "the job cannot start", EventType::Warning,
     [] {
       JobWorld world(MakeJob("fit").get());
       world.pool_ = nullptr;
       world.settle();
       return world;
     }},
};

TEST(JobEvents, each_is_said_when_it_happens) {
  for (const Row& row : kRows) {
    JobWorld world = row.brought_about();
    const auto said =
        std::ranges::find_if(world.announced_, [&](const Announcement& each) { return each.reason == row.reason; });
    if (said == world.announced_.end()) {
      std::string all;
      for (const Announcement& each : world.announced_) all += each.reason + " ";
      ADD_FAILURE() << row.reason << ": not said when " << row.when << "; said: " << all;
      continue;
    }
    EXPECT_EQ(said->type, row.type) << row.reason;
    EXPECT_FALSE(said->note.empty()) << row.reason;
    EXPECT_FALSE(said->action.empty()) << row.reason;
  }
}

TEST(JobEvents, what_has_been_said_is_not_said_again_while_nothing_changes) {
  for (const Row& row : kRows) {
    JobWorld world = row.brought_about();
    const std::size_t said = world.announced_.size();
    world.settle();
    world.settle();
    EXPECT_EQ(world.announced_.size(), said) << row.reason;
  }
}

TEST(JobEvents, each_of_the_table_has_a_row_here) {
  std::set<std::string> rows;
  for (const Row& row : kRows) rows.insert(row.reason);
  for (const events::Info& info : events::table()) {
    if (info.object != events::Object::ResumableJob || info.kind == events::Kind::Stalled) continue;
    EXPECT_TRUE(rows.contains(info.reason)) << info.reason << " has no row";
  }
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
