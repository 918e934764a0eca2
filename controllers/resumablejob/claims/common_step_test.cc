// Ranks with a volume each resume from the newest step that all volumes have.
#include "controllers/resumablejob/claims/common_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "controllers/testing/job_world.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using protocol::CommonStep;
using ::testing::HasSubstr;
using Steps = std::vector<std::int64_t>;

JobWorld with_volumes(
    std::int32_t ranks, const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  return running_job(ranks, [&](api::ResumableJob& job) {
    job.spec.checkpoint.volume.access = api::VolumeAccess::PerIndex;
    change(job);
  });
}

std::string pod_of(const JobWorld& world, std::int32_t index) {
  return "fit-" + std::to_string(world.status().attempt) + "-" + std::to_string(index);
}

std::vector<protocol::ListedCheckpoint> checkpoints(const Steps& steps) {
  std::vector<protocol::ListedCheckpoint> named;
  for (const std::int64_t step : steps)
    named.push_back({step, protocol::fingerprint("checkpoint-" + std::to_string(step))});
  return named;
}

void list(JobWorld& world, std::int32_t index, const Steps& steps, std::int32_t attempt = 0) {
  kube::ContainerStatus status;
  status.name = protocol::kListContainer;
  status.init = true;
  status.state = kube::ContainerStateKind::Terminated;
  status.exit_code = 0;
  status.message =
      protocol::encode_listed_checkpoints({attempt == 0 ? world.status().attempt : attempt, index, checkpoints(steps)});
  world.pods_.at(pod_of(world, index)).container_statuses.push_back(std::move(status));
}

// The step in that annotation.
std::string told(const JobWorld& world, std::int32_t index, std::string_view key = protocol::kResumeStepAnnotation) {
  const std::string_view text = world.pod(pod_of(world, index)).meta.annotation(key);
  return std::string(text.substr(0, text.find(':')));
}

std::string record(std::int32_t attempt, std::int32_t index, std::int64_t step, std::int64_t from) {
  protocol::Record record;
  record.attempt = attempt;
  record.index = index;
  record.exit_code = 143;
  record.stop_requested = true;
  record.step = step;
  record.path = "checkpoint-" + std::to_string(step);
  record.durable = true;
  record.saved = step > from;
  record.resumed_from = from;
  record.checkpoint_time = controllers::testing::kStart;
  return protocol::encode_record(record);
}

struct Lists {
  const char* invariant;
  std::vector<Steps> lists;
  std::optional<CommonStep> common;
};

TEST(CommonStep, is_the_newest_that_every_volume_has) {
  Steps many;
  for (std::int64_t step = 1000; many.size() < protocol::kMostListedSteps; ++step) many.insert(many.begin(), step);
  for (const Lists& row : {
           Lists{"the newest of all", {{300, 200}, {300, 200}}, CommonStep{300}},
           Lists{"one is ahead", {{300, 200, 100}, {200, 100}}, CommonStep{200}},
           Lists{"the first is behind", {{200, 100}, {300, 200, 100}}, CommonStep{200}},
           Lists{"the one in common is in the midst", {{400, 300, 200}, {500, 300, 100}, {600, 300}}, CommonStep{300}},
           Lists{"an empty volume", {{300}, {}}, CommonStep{}},
           Lists{"nothing in common", {{300}, {200}}, CommonStep{}},
           Lists{"no checkpoints at all", {{}, {}}, CommonStep{}},
           Lists{"numbers that contradict the order of the volume", {{10, 300}, {10, 300}}, CommonStep{10}},
           Lists{"a list that may go on", {many, {1}}, std::nullopt},
       }) {
    std::vector<Rank> ranks;
    for (const Steps& steps : row.lists) {
      Rank rank;
      rank.listed = protocol::ListedCheckpoints{1, static_cast<std::int32_t>(ranks.size()), checkpoints(steps),
                                                steps.size() == protocol::kMostListedSteps};
      ranks.push_back(std::move(rank));
    }
    auto expected = row.common;
    if (expected && expected->step)
      expected->name = protocol::fingerprint("checkpoint-" + std::to_string(*expected->step));
    EXPECT_EQ(newest_common_step(ranks), expected) << row.invariant;
    ranks.back().listed.reset();
    EXPECT_EQ(newest_common_step(ranks), std::nullopt) << row.invariant << ", before all have listed";
  }
}

TEST(CommonStep, of_two_checkpoints_with_one_number_in_their_names_is_none_in_common) {
  std::vector<Rank> ranks(2);
  ranks[0].listed = protocol::ListedCheckpoints{1, 0, {{28, protocol::fingerprint("ckpt-1112-28")}}};
  ranks[1].listed = protocol::ListedCheckpoints{1, 1, {{28, protocol::fingerprint("ckpt-120-28")}}};
  EXPECT_EQ(newest_common_step(ranks), std::nullopt) << "nor is it certain that there is none";
  for (Rank& rank : ranks) rank.listed->checkpoints.push_back({27, protocol::fingerprint("ckpt-119-27")});
  EXPECT_EQ(newest_common_step(ranks)->step, 27);
}

// An attempt can always resume: on some mounts by FUSE nothing is ever shown. That it may be lost is told along.
TEST(CommonStep, is_durable_only_where_it_is_on_each_volume) {
  std::vector<Rank> ranks(2);
  for (std::int32_t index = 0; index < 2; ++index)
    ranks[static_cast<std::size_t>(index)].listed = protocol::ListedCheckpoints{1, index, checkpoints({300, 200})};
  ranks[1].listed->checkpoints[0].is_durable = false;
  EXPECT_EQ(newest_common_step(ranks)->step, 300);
  EXPECT_FALSE(newest_common_step(ranks)->is_durable);
  std::swap(ranks[0], ranks[1]);
  EXPECT_FALSE(newest_common_step(ranks)->is_durable);
  ranks[0].listed->checkpoints[0].is_durable = true;
  EXPECT_TRUE(newest_common_step(ranks)->is_durable);
}

TEST(CommonStep, that_a_volume_may_lose_is_told_as_such) {
  JobWorld world = with_volumes(2);
  list(world, 0, {300, 200});
  auto& listed = world.pods_.at(pod_of(world, 1));
  list(world, 1, {300, 200});
  auto unsure = *protocol::decode_listed_checkpoints(listed.container_statuses.back().message);
  unsure.checkpoints[0].is_durable = false;
  listed.container_statuses.back().message = protocol::encode_listed_checkpoints(unsure);
  world.settle();
  for (const char* pod : {"fit-1-0", "fit-1-1"}) {
    const auto told = protocol::decode_common_step(world.pod(pod).meta.annotation(protocol::kResumeStepAnnotation));
    ASSERT_TRUE(told);
    EXPECT_EQ(told->step, 300);
    EXPECT_FALSE(told->is_durable);
  }
}

TEST(CommonStep, is_told_to_all_ranks_once_the_last_has_listed) {
  JobWorld world = with_volumes(2);
  list(world, 0, {300, 200});
  world.settle();
  EXPECT_EQ(told(world, 0), "");
  list(world, 1, {200, 100});
  world.settle();
  EXPECT_EQ(told(world, 0), "200");
  EXPECT_EQ(told(world, 1), "200");
}

TEST(CommonStep, stays_what_one_rank_was_told_after_a_crash_between_two_pods) {
  JobWorld world = with_volumes(2);
  list(world, 0, {300, 200});
  list(world, 1, {300, 200});
  world.pods_.at("fit-1-1").meta.annotations[std::string(protocol::kResumeStepAnnotation)] = "200";
  world.settle();
  EXPECT_EQ(told(world, 0), "200");
}

TEST(CommonStep, rests_on_no_list_of_another_attempt_and_on_none_of_a_container_that_failed) {
  JobWorld world = with_volumes(2);
  list(world, 0, {300});
  list(world, 1, {300}, 7);
  world.settle();
  EXPECT_EQ(told(world, 0), "");
  list(world, 1, {300});
  world.pods_.at("fit-1-1").container_statuses.back().exit_code = 1;
  world.settle();
  EXPECT_EQ(told(world, 0), "");
}

TEST(CommonStep, is_asked_for_only_where_each_of_several_ranks_has_a_volume_and_may_resume) {
  JobWorld shared = running_job(2);
  EXPECT_EQ(shared.pods_.at("fit-1-0").meta.annotation(protocol::kResumeStepAnnotation), "");
  list(shared, 0, {300});
  list(shared, 1, {300});
  shared.settle();
  EXPECT_EQ(told(shared, 0), "");
}

TEST(CommonStep, says_so_where_lists_that_were_cut_show_none) {
  Steps many;
  for (std::int64_t step = 1000; many.size() <= protocol::kMostListedSteps; ++step) many.push_back(step);
  JobWorld world = with_volumes(2);
  list(world, 0, many);
  list(world, 1, {1});
  world.settle();
  EXPECT_EQ(told(world, 0), "");
  world.stop_deleted(143);
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  EXPECT_THAT(world.condition("Stalled").message, HasSubstr("under one name"));
}

protocol::LiveReport saved(std::int32_t index, std::int64_t step) {
  return {.attempt = 1,
          .index = index,
          .activity = protocol::RankActivity::Training,
          .checkpoint = protocol::ReportedCheckpoint{.step = step, .path = "checkpoint-" + std::to_string(step)}};
}

TEST(CommonStep, moves_on_while_they_train_once_all_report_the_same_durable_step) {
  JobWorld world = with_volumes(2);
  world.report("fit-1-0", saved(0, 300));
  world.report("fit-1-1", saved(1, 200));
  world.settle();
  EXPECT_EQ(told(world, 0, protocol::kCommonStepAnnotation), "");
  EXPECT_EQ(world.status().progress->checkpoint->step, 200) << "what all have";
  world.report("fit-1-1", saved(1, 300));
  world.now_ += std::chrono::seconds(60);
  world.report("fit-1-0", saved(0, 300));
  world.settle();
  EXPECT_EQ(told(world, 0, protocol::kCommonStepAnnotation), "300");
  EXPECT_EQ(told(world, 1, protocol::kCommonStepAnnotation), "300");
  EXPECT_EQ(world.status().progress->checkpoint->step, 300);
}

TEST(CommonStep, moves_on_also_where_ranks_save_at_different_moments) {
  JobWorld world = with_volumes(2);
  world.report("fit-1-0", saved(0, 300), checkpoints({200}).front());
  world.report("fit-1-1", saved(1, 200), checkpoints({100}).front());
  world.settle();
  EXPECT_EQ(told(world, 0, protocol::kCommonStepAnnotation), "200");
  EXPECT_EQ(told(world, 1, protocol::kCommonStepAnnotation), "200");
}

TEST(CommonStep, does_not_move_where_nothing_shows_that_a_checkpoint_is_durable) {
  JobWorld world = with_volumes(2);
  world.report("fit-1-0", saved(0, 300));
  auto unproven = saved(1, 300);
  unproven.checkpoint->structure_only = true;
  world.report("fit-1-1", unproven);
  world.settle();
  EXPECT_EQ(told(world, 0, protocol::kCommonStepAnnotation), "");
}

TEST(CommonStep, what_one_rank_alone_has_saved_is_not_the_job_s_checkpoint) {
  JobWorld world = with_volumes(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.exit("fit-1-0", 143, record(1, 0, 300, 200));
  world.exit("fit-1-1", 143, record(1, 1, 200, 200));
  world.settle();
  EXPECT_FALSE(world.status().checkpoint);
  EXPECT_FALSE(*world.status().last_interruption->saved);
  EXPECT_EQ(world.status().attempts_without_progress, 1) << "what one has saved brings nobody further";
}

TEST(CommonStep, what_all_have_saved_is_expected_from_then_on) {
  JobWorld world = with_volumes(2);
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.exit("fit-1-0", 143, record(1, 0, 300, 200));
  world.exit("fit-1-1", 143, record(1, 1, 300, 200));
  world.settle();
  ASSERT_TRUE(world.status().checkpoint);
  EXPECT_EQ(world.status().checkpoint->step, 300);
  EXPECT_EQ(world.status().checkpoint->claim_name, "fit-checkpoints-0");
  EXPECT_TRUE(*world.status().last_interruption->saved);
  EXPECT_EQ(world.status().attempts_without_progress, 0);
}

TEST(CommonStep, that_is_older_than_expected_is_what_a_person_is_offered) {
  JobWorld world = with_volumes(2);
  world.job_.status.checkpoint = api::CheckpointStatus{.step = 300};
  for (std::int32_t index = 0; index < 2; ++index) {
    protocol::Record lost;
    lost.attempt = 1;
    lost.index = index;
    lost.exit_code = protocol::kCheckpointLostExitCode;
    lost.step = index == 0 ? 300 : 200;
    lost.reason = protocol::kReasonCheckpointLost;
    lost.message = "the newest step that all volumes have is 200";
    world.exit(pod_of(world, index), protocol::kCheckpointLostExitCode, protocol::encode_record(lost));
    list(world, index, index == 0 ? Steps{300, 200} : Steps{200, 100});
  }
  world.settle();
  EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  ASSERT_TRUE(world.status().checkpoint_lost);
  EXPECT_EQ(world.status().checkpoint_lost->offered_step, 200);
}

TEST(CommonStep, a_volume_that_cannot_be_listed_is_no_failure_of_the_application) {
  JobWorld world = with_volumes(2, [](auto& job) { job.spec.backoff_limit = 0; });
  list(world, 1, {});
  kube::Pod& pod = world.pods_.at("fit-1-1");
  pod.init_container_names = {kube::Text(protocol::kListContainer)};
  pod.container_statuses.back().exit_code = 1;
  pod.container_statuses.back().message = "/checkpoints: Input/output error";
  pod.container_statuses.front().state = kube::ContainerStateKind::Waiting;
  pod.phase = kube::PodPhase::Failed;
  world.settle();
  EXPECT_EQ(world.status().failures, 0);
  EXPECT_EQ(world.state("Failed"), "False/NotFinished");
  ASSERT_TRUE(world.status().attempt_end || world.status().last_end);
  const auto& end = world.status().attempt_end ? *world.status().attempt_end : *world.status().last_end;
  EXPECT_EQ(end.reason, "VolumeUnavailable");
  EXPECT_THAT(std::string(end.message), HasSubstr("Input/output error"));
}

// The kubelet keeps 12 KiB of messages for all containers of a pod: with thirteen of them a list of 40 steps is cut.
TEST(CommonStep, says_so_where_the_kubelet_has_cut_a_list) {
  Steps many;
  for (std::int64_t step = 20'000'000; many.size() < protocol::kMostListedSteps; --step) many.push_back(step);
  JobWorld world = with_volumes(2);
  list(world, 0, many);
  list(world, 1, many);
  kube::ContainerStatus& cut = world.pods_.at(pod_of(world, 1)).container_statuses.back();
  cut.message = std::string(cut.message).substr(0, 12'288 / 13);
  world.settle();
  const bool goes_on = world.has_pod(pod_of(world, 0)) && !told(world, 0).empty();
  world.stop_deleted(143);
  world.settle();
  EXPECT_TRUE(goes_on || world.state("Stalled").starts_with("True"))
      << "the agents wait half an hour, again and again, and nobody says for what: " << world.state("Stalled");
}

TEST(CommonStep, says_so_where_ranks_have_saved_and_nothing_is_common) {
  JobWorld world = with_volumes(2);
  world.announced_.clear();
  list(world, 0, {300, 200});
  list(world, 1, {});
  world.settle();
  EXPECT_EQ(told(world, 0), "none");
  const bool said = std::ranges::any_of(world.announced_, [](const Announcement& each) {
    return each.note.find("300") != std::string::npos || each.note.find("common") != std::string::npos;
  });
  EXPECT_TRUE(said) << "rank 0 has saved 300 steps, and all start anew without a word";
}

// Both machines vanish, so no records are left: but all had listed that step, and loaded it.
TEST(CommonStep, that_all_have_resumed_from_is_expected_from_then_on) {
  JobWorld world = with_volumes(2);
  list(world, 0, {300, 200});
  list(world, 1, {300, 200});
  world.settle();
  ASSERT_EQ(told(world, 0), "300");
  ASSERT_EQ(told(world, 1), "300");
  for (const char* pod : {"fit-1-0", "fit-1-1"}) world.force_remove(pod);
  for (const char* node : {"node-of-fit-1-0", "node-of-fit-1-1"}) world.remove_node_claim(node);
  world.settle();
  ASSERT_EQ(world.status().attempt, 2);
  ASSERT_TRUE(world.status().checkpoint)
      << "a volume that comes back empty makes all start anew, and what the others have is put aside";
  EXPECT_EQ(world.status().checkpoint->step, 300);
}

// With save_total_limit=2 two such saves of one rank alone would leave nothing that all have.
TEST(CommonStep, a_hint_about_one_node_asks_all_ranks_for_a_checkpoint) {
  JobWorld world = with_volumes(2);
  world.nodes_.at("node-of-fit-1-1")
      .taints.push_back({"aws-node-termination-handler/rebalance-recommendation", "", "NoSchedule"});
  world.settle();
  std::vector<std::string> asked;
  for (const RequestCheckpoint& each : world.checkpoint_requests_) asked.emplace_back(each.pod_name);
  EXPECT_THAT(asked, ::testing::UnorderedElementsAre("fit-1-0", "fit-1-1"))
      << "what one rank has saved alone serves nobody";
}

// A person looks ahead, or a queue is slow: one pod knows the step, and the other waits for it.
TEST(CommonStep, goes_by_what_the_pods_were_made_with_while_they_wait_for_it) {
  JobWorld world = with_volumes(2);
  list(world, 0, {300});
  list(world, 1, {300});
  world.pods_.at("fit-1-1").meta.annotations[std::string(protocol::kResumeStepAnnotation)] = "300";
  world.job_.spec.resume = api::ResumePolicy::Never;  // for the next attempt
  world.settle();
  EXPECT_EQ(told(world, 0), "300") << "it waits for half an hour, and its peer for it";
}

// Rank 1 never has time to save, and leaves no record of it.
TEST(CommonStep, what_the_ranks_that_left_a_record_have_saved_is_no_progress_of_all) {
  JobWorld world = with_volumes(2);
  world.job_.status.attempts_without_progress = 3;
  world.delete_node_claim("node-of-fit-1-1");
  world.settle();
  world.exit("fit-1-0", 143, record(1, 0, 300, 200));
  world.force_remove("fit-1-1");
  world.remove_node_claim("node-of-fit-1-1");
  world.settle();
  ASSERT_TRUE(world.status().members.empty()) << "the attempt has ended";
  EXPECT_EQ(world.status().attempts_without_progress, 4);
  EXPECT_FALSE(*world.status().last_interruption->saved) << "a stop counts as saved if every rank has saved";
}

// For half an hour the agents would wait for a step, on rented machines, and the next attempt's as long.
TEST(CommonStep, a_gang_that_waits_for_a_person_gives_its_machines_back) {
  JobWorld world = with_volumes(2);
  list(world, 0, {300});
  list(world, 1, {});
  auto& listed = world.pods_.at(pod_of(world, 1)).container_statuses.back();
  listed.message = protocol::encode_listed_checkpoints({1, 1, {{300, protocol::fingerprint("another")}}});
  for (int day = 0; day < 3; ++day) {
    controllers::testing::to_next_attempt(world);
    world.now_ += std::chrono::hours(24);
    world.settle();
    EXPECT_THAT(world.pods(), ::testing::IsEmpty()) << day;
    EXPECT_EQ(world.status().attempt, 1);
    EXPECT_EQ(world.state("Stalled"), "True/CheckpointLost");
  }
  // As `kubectl reprise suspend` and `resume` do, when the checkpoint bears one name.
  ++world.job_.meta.generation;
  world.settle();
  EXPECT_EQ(world.status().attempt, 2);
  list(world, 0, {300});
  list(world, 1, {300});
  world.settle();
  EXPECT_EQ(told(world, 0), "300");
}

// "checkpoint_300_rank0.pt": each agent tells the fingerprint that the others' have too.
TEST(CommonStep, what_each_rank_has_called_after_itself_is_one_save) {
  JobWorld world = with_volumes(2);
  const std::string name = protocol::encode_fingerprint(protocol::fingerprint("checkpoint_300_rank@.pt"));
  for (std::int32_t index = 0; index < 2; ++index) {
    auto report = saved(index, 300);
    report.checkpoint->path = "checkpoint_300_rank" + std::to_string(index) + ".pt";
    report.checkpoint->common_name = name;
    world.report(pod_of(world, index), report);
  }
  world.settle();
  EXPECT_EQ(told(world, 1, protocol::kCommonStepAnnotation), "300");
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  for (std::int32_t index = 0; index < 2; ++index) {
    auto left = *protocol::decode_record(record(1, index, 300, 200));
    left.path = "checkpoint_300_rank" + std::to_string(index) + ".pt";
    left.common_name = name;
    left.checkpoint_time = controllers::testing::kStart + std::chrono::seconds(index);
    world.exit(pod_of(world, index), 143, protocol::encode_record(left));
  }
  world.settle();
  ASSERT_TRUE(world.status().checkpoint);
  EXPECT_EQ(world.status().checkpoint->path, "checkpoint_300_rank0.pt");
  EXPECT_EQ(world.status().checkpoint->claim_name, "fit-checkpoints-0");
  EXPECT_EQ(world.status().attempts_without_progress, 0);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
