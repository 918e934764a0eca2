#include <gtest/gtest.h>

#include "simulator/actors/testing/ranks.h"

namespace reprise::simulator::testing {
namespace {

using Steps = std::map<std::string, std::string>;

// Two machines, a volume for one of them at a time or for all.
struct Training : Scene {
  explicit Training(const std::string& storage_class = "block", const std::string& mode = "ReadWriteOnce") {
    node("one", 8);
    node("two", 8);
    claim("data", storage_class, mode);
  }
  bool trains(const Rank& rank, Duration within = minutes(5)) {
    return becomes(within, [&] {
      const std::string volume = actors->volume_of("default", rank.claim);
      const Disk* disk = actors->volumes.disk(volume);
      return disk != nullptr && std::ranges::any_of(disk->writers, [&](const TrainerId& id) {
               return id.attempt == rank.attempt && id.rank == rank.index;
             });
    });
  }
};

// The machine of attempt 1 answers nobody, but its trainer goes on; attempt 2 is started on another. True: it trained.
bool second_attempt_beside_the_first(Training& scene) {
  const Rank first{.node = "one"};
  start(scene, first);
  if (!scene.trains(first)) return false;
  scene.actors->silence("one");
  scene.actors->force_delete_pod("default", "fit-1-0");
  start(scene, {.attempt = 2, .node = "two"});
  return true;
}

TEST(Agent, a_trainer_saves_by_period_and_ends_by_itself) {
  Training scene;
  start(scene, {.annotations = Steps{{"steps", "1500"}}});
  ASSERT_TRUE(scene.becomes(minutes(40), [&] { return scene.phase_of("fit-1-0") == "Succeeded"; }));
  const Disk& disk = disk_of(scene);
  EXPECT_EQ(disk.newest_complete(), 1500);
  EXPECT_EQ(disk.checkpoints.size(), 2U);  // keep
  EXPECT_TRUE(disk.writers.empty());
  const auto record = record_of(*scene.find_pod("fit-1-0"));
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->finished);
  EXPECT_EQ(record->step, 1500);
  EXPECT_TRUE(record->durable);
}

TEST(Agent, a_stopped_trainer_saves_within_its_grace_and_the_next_attempt_goes_on_from_there) {
  Training scene;
  const Rank first{};
  start(scene, first);
  ASSERT_TRUE(scene.trains(first));
  scene.run(seconds(400));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "fit-1-0"}));
  ASSERT_TRUE(scene.becomes(seconds(60), [&] { return scene.find_pod("fit-1-0") == nullptr; }));
  const ObjectPtr last = last_seen(scene, "fit-1-0");
  const auto record = record_of(*last);
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->stop_requested);
  EXPECT_TRUE(record->saved);
  EXPECT_EQ(record->exit_code, 143);
  EXPECT_GT(record->step, 300);
  EXPECT_EQ(text(*last, {"status", "phase"}), "Failed");

  const Rank second{.attempt = 2};
  start(scene, second);
  ASSERT_TRUE(scene.trains(second));
  EXPECT_EQ(disk_of(scene).attempts[2].loads[0].step, *record->step);
  EXPECT_EQ(disk_of(scene).fence_attempt, 2);
}

// When names do not tell the steps, the next attempt resumes by the list, or knows nothing of the checkpoint.
TEST(Agent, what_is_saved_for_a_stop_is_written_down_before_the_kill_however_long_a_look_takes) {
  Training scene("share", "ReadWriteMany");
  const Rank first{.env = {{"REPRISE_CHECKPOINT_FORMAT", "Auto"}, {"REPRISE_CHECKPOINT_KEEP", "100"}},
                   .annotations = Steps{{"names", "Dates"}, {"save-every-steps", "100"}}};
  start(scene, first);
  ASSERT_TRUE(scene.trains(first));
  ASSERT_TRUE(scene.becomes(minutes(30), [&] { return disk_of(scene).newest_complete() == 800; }));
  disk_of(scene).traits.call = seconds(3);
  scene.run(seconds(30));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "fit-1-0"}, {.grace_seconds = 25}));
  ASSERT_TRUE(scene.becomes(seconds(60), [&] { return scene.find_pod("fit-1-0") == nullptr; }));
  const std::int64_t saved = disk_of(scene).newest_complete().value_or(0);
  EXPECT_GT(saved, 800);
  const std::string name = "\"" + disk_of(scene).checkpoints.at(saved).directory() + "\"";
  EXPECT_TRUE(std::ranges::any_of(disk_of(scene).texts, [&](const auto& each) {
    return each.first.starts_with(".reprise/made/") && each.second.contains(name);
  })) << name;
}

TEST(Agent, all_ranks_load_what_rank_0_chose) {
  Training scene("share", "ReadWriteMany");
  for (int index : {2, 1, 0}) start(scene, {.index = index, .parallelism = 3});
  ASSERT_TRUE(scene.trains({.index = 2, .parallelism = 3}));
  scene.run(seconds(700));
  const auto newest = disk_of(scene).newest_complete();
  ASSERT_TRUE(newest);
  for (int index : {0, 1, 2})
    static_cast<void>(scene.api.remove({scene.kinds.pods, "default", Rank{.index = index}.name()}));
  scene.run(minutes(3));
  for (int index : {2, 0, 1}) start(scene, {.attempt = 2, .index = index, .parallelism = 3});
  ASSERT_TRUE(scene.trains({.attempt = 2, .index = 1, .parallelism = 3}));
  scene.run(seconds(30));
  const auto& attempt = disk_of(scene).attempts[2];
  ASSERT_EQ(attempt.loads.size(), 3U);
  EXPECT_GT(attempt.loads.at(0).step, *newest);
  for (const auto& [rank, load] : attempt.loads) EXPECT_EQ(load.step, attempt.resume->step) << rank;
}

TEST(Agent, a_rank_that_comes_late_loads_what_rank_0_chose_and_trained_on_from) {
  Training scene("share", "ReadWriteMany");
  const Steps apart{{"ranks", "Apart"}, {"save-every-steps", "60"}};
  const Rank first{.parallelism = 2, .annotations = apart};
  start(scene, first);
  ASSERT_TRUE(scene.trains(first));
  ASSERT_TRUE(scene.becomes(minutes(10), [&] { return disk_of(scene).newest_complete() == 120; }));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "fit-1-0"}));
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return scene.find_pod("fit-1-0") == nullptr; }));

  start(scene, {.attempt = 2, .parallelism = 2, .annotations = apart});
  const std::int64_t chosen = [&] {
    EXPECT_TRUE(scene.becomes(minutes(2), [&] { return disk_of(scene).attempts[2].resume.has_value(); }));
    return disk_of(scene).attempts[2].resume->step.value_or(-1);
  }();
  ASSERT_TRUE(scene.becomes(minutes(20), [&] { return disk_of(scene).newest_complete() >= chosen + 300; }));
  const Rank late{.attempt = 2, .index = 1, .parallelism = 2, .annotations = apart};
  start(scene, late);
  ASSERT_TRUE(scene.trains(late));
  EXPECT_EQ(disk_of(scene).attempts[2].loads[1].step, chosen);
}

TEST(Agent, the_loss_of_a_rank_tears_what_was_being_saved_and_fails_the_others) {
  Training scene("share", "ReadWriteMany");
  start(scene, {.index = 0, .parallelism = 2, .annotations = Steps{{"save-milliseconds", "60000"}}, .node = "one"});
  start(scene, {.index = 1, .parallelism = 2, .annotations = Steps{{"save-milliseconds", "60000"}}, .node = "two"});
  ASSERT_TRUE(scene.becomes(minutes(30), [&] {
    const Disk* disk = scene.actors->volumes.disk(scene.actors->volume_of("default", "data"));
    return disk != nullptr && !disk->checkpoints.empty();
  }));
  scene.run(seconds(10));
  scene.actors->power_loss("two");
  ASSERT_TRUE(scene.becomes(seconds(60), [&] { return scene.phase_of("fit-1-0") == "Failed"; }));
  EXPECT_FALSE(disk_of(scene).newest_complete());
  EXPECT_TRUE(disk_of(scene).writers.empty());
  EXPECT_EQ(scene.phase_of("fit-1-1"), "Running");  // no report has come
}

TEST(Agent, an_attempt_does_not_start_while_an_older_writer_has_a_heartbeat) {
  Training scene("share", "ReadWriteMany");
  ASSERT_TRUE(second_attempt_beside_the_first(scene));
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return scene.phase_of("fit-2-0") == "Failed"; }));
  EXPECT_EQ(exit_code_of(*scene.find_pod("fit-2-0")), 87);
  EXPECT_EQ(disk_of(scene).fence_attempt, 1);
  for (const TrainerId& writer : disk_of(scene).writers) EXPECT_EQ(writer.attempt, 1);
}

TEST(Agent, an_attempt_does_not_start_beside_a_writer_whose_volume_was_swapped_for_another) {
  Training scene("share", "ReadWriteMany");
  const Rank first{.node = "one"};
  start(scene, first);
  ASSERT_TRUE(scene.trains(first));
  scene.actors->empty_volume(scene.actors->volume_of("default", "data"));
  scene.actors->silence("one");
  scene.actors->force_delete_pod("default", "fit-1-0");
  start(scene, {.attempt = 2, .node = "two"});
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return scene.phase_of("fit-2-0") == "Failed"; }));
  EXPECT_EQ(exit_code_of(*scene.find_pod("fit-2-0")), 87);
}

TEST(Agent, an_attempt_does_not_start_beside_a_writer_that_the_volume_held_up_as_well) {
  Training scene("share", "ReadWriteMany");
  ASSERT_TRUE(second_attempt_beside_the_first(scene));
  ASSERT_TRUE(scene.becomes(minutes(1), [&] { return scene.phase_of("fit-2-0") == "Running"; }));
  scene.run(seconds(3));
  const std::string volume = scene.actors->volume_of("default", "data");
  scene.actors->stick_volume(volume);
  scene.run(seconds(60));
  scene.actors->stick_volume(volume, false);
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return scene.phase_of("fit-2-0") == "Failed"; }));
  EXPECT_EQ(exit_code_of(*scene.find_pod("fit-2-0")), 87);
  for (const TrainerId& writer : disk_of(scene).writers) EXPECT_EQ(writer.attempt, 1);
}

TEST(Agent, a_raised_fence_ends_an_older_trainer_with_its_next_heartbeat) {
  Training scene("share", "ReadWriteMany");
  const Rank first{};
  start(scene, first);
  ASSERT_TRUE(scene.trains(first));
  scene.run(seconds(60));
  disk_of(scene).fence_attempt = 2;
  scene.actors->volumes.changed(disk_of(scene).volume);
  ASSERT_TRUE(scene.becomes(seconds(10), [&] { return scene.phase_of("fit-1-0") == "Failed"; }));
  EXPECT_EQ(exit_code_of(*scene.find_pod("fit-1-0")), 87);
  EXPECT_EQ(record_of(*scene.find_pod("fit-1-0"))->reason, "Fenced");
  EXPECT_TRUE(disk_of(scene).writers.empty());
}

TEST(Agent, a_trainer_whose_machine_stood_still_goes_on_from_where_it_was) {
  Training scene;
  const Rank rank{.annotations = Steps{{"steps", "1500"}}};
  start(scene, rank);
  ASSERT_TRUE(scene.trains(rank));
  scene.run(seconds(100));
  scene.actors->stand_still(scene.node_of("fit-1-0"));
  const DiskHeartbeat& heartbeat = disk_of(scene).attempts[1].heartbeats[0];
  const std::uint64_t counted = heartbeat.counter(scene.loop.now());
  scene.run(minutes(4));
  EXPECT_FALSE(disk_of(scene).newest_complete());
  EXPECT_EQ(heartbeat.counter(scene.loop.now()), counted);
  scene.actors->stand_still(scene.node_of("fit-1-0"), false);
  scene.run(seconds(400));
  EXPECT_FALSE(disk_of(scene).newest_complete());
  EXPECT_GT(heartbeat.counter(scene.loop.now()), counted);
  ASSERT_TRUE(scene.becomes(seconds(150), [&] { return disk_of(scene).newest_complete().has_value(); }));
  EXPECT_EQ(*disk_of(scene).newest_complete(), 600);
}

TEST(Agent, a_trainer_whose_machine_goes_on_behind_a_newer_fence_ends_with_its_next_heartbeat) {
  Training scene("share", "ReadWriteMany");
  const Rank first{.node = "one"}, second{.attempt = 2, .node = "two"};
  start(scene, first);
  ASSERT_TRUE(scene.trains(first));
  scene.actors->stand_still("one");
  scene.actors->force_delete_pod("default", "fit-1-0");
  start(scene, second);
  ASSERT_TRUE(scene.trains(second));
  ASSERT_EQ(disk_of(scene).standing_still.size(), 1U);
  const TrainerId sleeper = *disk_of(scene).standing_still.begin();
  EXPECT_EQ(sleeper.attempt, 1);
  scene.actors->stand_still("one", false);
  EXPECT_TRUE(disk_of(scene).waking.contains(sleeper));
  ASSERT_TRUE(scene.becomes(seconds(5), [&] { return !disk_of(scene).writers.contains(sleeper); }));
  EXPECT_TRUE(disk_of(scene).waking.empty());
  scene.run(minutes(1));
  ASSERT_EQ(disk_of(scene).writers.size(), 1U);
  EXPECT_EQ(disk_of(scene).writers.begin()->attempt, 2);
}

TEST(Agent, a_rank_whose_machine_goes_on_during_its_start_writes_its_heartbeat_before_its_trainer_runs) {
  Training scene("share", "ReadWriteMany");
  const Rank rank{.index = 1, .parallelism = 2, .node = "two"};
  start(scene, rank);
  scene.run(minutes(1));
  scene.actors->stand_still("two");
  const DiskHeartbeat& heartbeat = disk_of(scene).attempts[1].heartbeats[1];
  const std::uint64_t counted = heartbeat.counter(scene.loop.now());
  ASSERT_GT(counted, 0U);
  const Rank first{.index = 0, .parallelism = 2, .node = "one"};
  start(scene, first);
  ASSERT_TRUE(scene.trains(first));
  EXPECT_EQ(heartbeat.counter(scene.loop.now()), counted);
  scene.actors->stand_still("two", false);
  ASSERT_TRUE(scene.trains(rank));
  EXPECT_GT(heartbeat.counter(scene.loop.now()), counted);
}

TEST(Agent, a_gang_waits_for_a_rank_that_stands_still_and_goes_on_with_it) {
  Training scene("share", "ReadWriteMany");
  const Steps plan{{"steps", "1500"}, {"save-every-steps", "60"}};
  start(scene, {.index = 0, .parallelism = 2, .annotations = plan, .node = "one"});
  const Rank other{.index = 1, .parallelism = 2, .annotations = plan, .node = "two"};
  start(scene, other);
  ASSERT_TRUE(scene.trains(other));
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return disk_of(scene).newest_complete() == 60; }));
  scene.actors->stand_still("two");
  scene.run(minutes(4));
  EXPECT_EQ(disk_of(scene).newest_complete(), 60);
  scene.actors->stand_still("two", false);
  ASSERT_TRUE(scene.becomes(minutes(2), [&] { return disk_of(scene).newest_complete() == 120; }));
}

TEST(Agent, a_gang_fails_when_a_rank_stands_still_for_longer_than_a_collective_lasts) {
  Training scene("share", "ReadWriteMany");
  start(scene, {.index = 0, .parallelism = 2, .node = "one"});
  start(scene, {.index = 1, .parallelism = 2, .node = "two"});
  ASSERT_TRUE(scene.trains({.index = 1, .parallelism = 2}));
  scene.run(seconds(60));
  scene.actors->stand_still("two");
  ASSERT_TRUE(scene.becomes(minutes(11), [&] { return scene.phase_of("fit-1-0") == "Failed"; }));
  EXPECT_EQ(exit_code_of(*scene.find_pod("fit-1-0")), 1);
  EXPECT_EQ(disk_of(scene).writers.size(), 1U);
  scene.actors->stand_still("two", false);
  ASSERT_TRUE(scene.becomes(minutes(1), [&] { return disk_of(scene).writers.empty(); }));
}

TEST(Agent, a_trainer_whom_the_share_did_not_answer_ends_with_its_next_heartbeat_behind_a_newer_fence) {
  Training scene("share", "ReadWriteMany");
  const Rank first{.node = "one"}, second{.attempt = 2, .node = "two"};
  start(scene, first);
  ASSERT_TRUE(scene.trains(first));
  const std::string volume = scene.actors->volume_of("default", "data");
  scene.actors->silence("one");
  scene.actors->hang_volume(volume, "one");
  scene.actors->force_delete_pod("default", "fit-1-0");
  start(scene, second);
  ASSERT_TRUE(scene.trains(second));
  ASSERT_EQ(disk_of(scene).standing_still.size(), 1U);
  const TrainerId cut_off = *disk_of(scene).standing_still.begin();
  EXPECT_EQ(cut_off.attempt, 1);
  scene.actors->hang_volume(volume, "one", false);
  EXPECT_TRUE(disk_of(scene).waking.contains(cut_off));
  ASSERT_TRUE(scene.becomes(seconds(6), [&] { return !disk_of(scene).writers.contains(cut_off); }));
  EXPECT_TRUE(disk_of(scene).waking.empty());
}

TEST(Agent, a_share_that_hangs_for_one_machine_holds_up_its_saves_and_nobody_elses) {
  Training scene("share", "ReadWriteMany");
  const Steps plan{{"save-every-steps", "60"}};
  const Rank here{.annotations = plan, .node = "one"};
  start(scene, here);
  ASSERT_TRUE(scene.trains(here));
  const std::string volume = scene.actors->volume_of("default", "data");
  scene.actors->hang_volume(volume, "two");
  ASSERT_TRUE(scene.becomes(minutes(3), [&] { return disk_of(scene).newest_complete() == 60; }));
  scene.actors->hang_volume(volume, "one");
  scene.run(minutes(5));
  EXPECT_EQ(disk_of(scene).newest_complete(), 60);
  scene.actors->hang_volume(volume, "one", false);
  ASSERT_TRUE(scene.becomes(seconds(30), [&] { return disk_of(scene).newest_complete() == 120; }));
}

TEST(Agent, an_empty_volume_where_a_checkpoint_is_expected_is_rejected) {
  Training scene;
  start(scene, {.env = {{"REPRISE_EXPECTED_STEP", "600"}}});
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return scene.phase_of("fit-1-0") == "Failed"; }));
  EXPECT_EQ(exit_code_of(*scene.find_pod("fit-1-0")), 86);
  EXPECT_EQ(record_of(*scene.find_pod("fit-1-0"))->reason, "CheckpointLost");
}

TEST(Agent, a_trainer_that_had_finished_is_run_again_from_its_last_checkpoint) {
  Training scene;
  start(scene, {.annotations = Steps{{"steps", "100"}}});
  ASSERT_TRUE(scene.becomes(minutes(10), [&] { return scene.phase_of("fit-1-0") == "Succeeded"; }));
  const auto last = disk_of(scene).newest_complete();
  start(scene, {.attempt = 2, .annotations = Steps{{"steps", "100"}}});
  ASSERT_TRUE(scene.becomes(minutes(5), [&] { return scene.phase_of("fit-2-0") == "Succeeded"; }));
  EXPECT_EQ(disk_of(scene).attempts[2].loads[0].step, last.value_or(-1));
}

TEST(Agent, a_trainer_that_ignores_its_signals_is_killed_before_the_kubelet_does_it) {
  Training scene;
  const Rank deaf{.env = {{"REPRISE_NOTICE_SIGNAL", ""}}, .annotations = Steps{{"on-term", "Ignore"}}};
  start(scene, deaf);
  ASSERT_TRUE(scene.trains(deaf));
  scene.run(seconds(60));
  static_cast<void>(scene.api.remove({scene.kinds.pods, "default", "fit-1-0"}));
  ASSERT_TRUE(scene.becomes(seconds(125), [&] { return scene.find_pod("fit-1-0") == nullptr; }));
  const auto record = record_of(*last_seen(scene, "fit-1-0"));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->exit_code, 137);
  EXPECT_FALSE(record->saved);
}

TEST(Agent, a_request_for_a_checkpoint_brings_one_and_training_goes_on) {
  Training scene;
  const Rank rank{};
  start(scene, rank);
  ASSERT_TRUE(scene.trains(rank));
  scene.run(seconds(100));
  ASSERT_FALSE(disk_of(scene).newest_complete());
  static_cast<void>(scene.api.update({scene.kinds.pods, "default", "fit-1-0"}, [](Value& pod) {
    set(pod, {"metadata", "annotations", "reprise.dev/checkpoint-request"}, "1");
  }));
  scene.run(seconds(20));
  EXPECT_TRUE(disk_of(scene).newest_complete());
  EXPECT_EQ(scene.phase_of("fit-1-0"), "Running");
}

TEST(Agent, a_running_trainer_costs_few_steps_of_the_loop) {
  Training scene;
  const Rank rank{};
  start(scene, rank);
  ASSERT_TRUE(scene.trains(rank));
  scene.run(minutes(1));
  const std::uint64_t steps = scene.loop.steps();
  scene.run(minutes(8));
  // Four calls for each heartbeat, which comes every five seconds: it looks at the clock. Nothing is saved.
  constexpr std::uint64_t kOfMinute = 4 * 12;
  EXPECT_LE(scene.loop.steps() - steps, 8 * kOfMinute + 2U);
  scene.run(minutes(52));
  EXPECT_LE(scene.loop.steps() - steps, 60 * kOfMinute + 6 * 200U);  // six checkpoints: each call is a step
}

}  // namespace
}  // namespace reprise::simulator::testing
