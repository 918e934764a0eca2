// The operator's treatment of checkpoints that an agent has put aside, since nothing proves that they are on the
// storage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "controllers/resumablejob/decide/phases.h"
#include "controllers/testing/job_world.h"
#include "protocol/record.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using std::chrono::minutes;
using ::testing::HasSubstr;
using Step = std::optional<std::int64_t>;

void use_all(api::ResumableJob& job) {
  job.spec.checkpoint.unproven = api::UnprovenCheckpoints::Use;
}

std::vector<Announcement> said_unproven(const JobWorld& world) {
  std::vector<Announcement> found;
  for (const Announcement& each : world.announced_)
    if (each.reason == "CheckpointUnproven") found.push_back(each);
  return found;
}

std::string only_pod(const JobWorld& world) {
  return "fit-" + std::to_string(world.status().attempt) + "-0";
}

void go_to_next(JobWorld& world) {
  controllers::testing::to_next_attempt(world);
  world.schedule_all();
  world.settle();
}

// The machine vanishes, and nobody leaves a record.
void lose_machine(JobWorld& world) {
  const std::string pod = only_pod(world);
  world.force_remove(pod);
  world.remove_node_claim("node-of-" + pod);
  go_to_next(world);
}

// The first attempt told of step 40, and the machine of the second is lost.
JobWorld after_a_lost_machine(const std::function<void(api::ResumableJob&)>& change = [](auto&) {}) {
  JobWorld world = running_job(1, change);
  protocol::Record record{.attempt = 1, .exit_code = 85, .step = 40, .path = "step_40", .durable = true};
  record.checkpoint_time = world.now_;
  world.exit("fit-1-0", 85, protocol::encode_record(record));
  go_to_next(world);
  lose_machine(world);
  return world;
}

struct RecordOfStart {
  Step unproven, unproven_step, resumed_from = 30;
  std::int64_t step = 30;
  std::string path = "step_30";
  std::string reason = {};
};

// The attempt ends with such a record. Its newest checkpoint is from before the job.
void end_with(JobWorld& world, const RecordOfStart& told) {
  protocol::Record record{.attempt = world.status().attempt, .exit_code = 85, .step = told.step, .path = told.path};
  record.durable = true;
  record.checkpoint_time = controllers::testing::kStart - minutes(30);
  record.resumed_from = told.resumed_from;
  record.unproven = told.unproven;
  record.unproven_step = told.unproven_step;
  record.reason = told.reason;
  if (!told.reason.empty()) record.exit_code = protocol::kCheckpointLostExitCode;
  world.exit(only_pod(world), record.exit_code, protocol::encode_record(record));
  world.settle();
}

protocol::LiveReport reported_aside(const JobWorld& world, Step resumed_from, Step unproven, Step step) {
  protocol::LiveReport said{.attempt = world.status().attempt};
  said.checkpoint = protocol::ReportedCheckpoint{.step = 30, .path = "step_30", .time = world.now_ - minutes(90)};
  said.checkpoint->before = true;
  said.resumed_from = resumed_from;
  said.unproven = unproven;
  said.unproven_step = step;
  return said;
}

TEST(UnprovenOfJob, an_older_proven_checkpoint_is_expected_from_then_on_and_is_no_loss) {
  JobWorld world = after_a_lost_machine();
  ASSERT_EQ(world.status().checkpoint->step, 40);
  end_with(world, {.unproven = 2, .unproven_step = 45});
  ASSERT_EQ(said_unproven(world).size(), 1U);
  EXPECT_EQ(said_unproven(world)[0].type, EventType::Warning);
  for (const char* word : {"2 complete checkpoints", "step 45", "resumes from step 30", ".reprise/unproven",
                           "PersistentVolumeClaim fit-checkpoints", "spec.checkpoint.unproven to Use"})
    EXPECT_THAT(std::string(said_unproven(world)[0].note), HasSubstr(word));
  EXPECT_LE(said_unproven(world)[0].note.size(), 1024U) << "an Event takes no longer one";
  EXPECT_EQ(world.status().checkpoint->step, 30);
  EXPECT_EQ(world.status().checkpoint->path, "step_30");
  EXPECT_EQ(world.status().checkpoint->claim_name, "fit-checkpoints");
  ASSERT_TRUE(world.status().unproven);
  EXPECT_EQ(world.status().unproven->attempt, 3);
  EXPECT_EQ(world.status().unproven->checkpoints, 2);
  EXPECT_EQ(world.status().unproven->step, 45);
  EXPECT_EQ(world.status().unproven->resumed_from, 30);
  EXPECT_EQ(world.state("CheckpointReady"), "True/UnprovenPutAside");
  EXPECT_EQ(world.state("Stalled"), "False/Progressing");
  EXPECT_FALSE(world.status().checkpoint_lost);
}

TEST(UnprovenOfJob, a_real_loss_is_never_hidden_by_numbers_that_do_not_explain_it) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const RecordOfStart rows[] = {
      {.unproven = 2, .unproven_step = 39},                              // the expected one is gone
      {.unproven = 2, .unproven_step = 20},                              // lower than what is resumed from
      {.unproven = 2, .unproven_step = -1},                              //
      {.unproven = 2, .unproven_step = {}},                              // missing
      {.unproven = {}, .unproven_step = 45},                             //
      {.unproven = 0, .unproven_step = most},                            // none was put aside
      {.unproven = -5, .unproven_step = 45},                             //
      {.unproven = most, .unproven_step = 39},                           //
      {.unproven = 2, .unproven_step = 45, .resumed_from = {}},          // none is resumed from
      {.unproven = 2, .unproven_step = most, .resumed_from = -7},        //
      {.unproven = 2, .unproven_step = 45, .reason = "CheckpointLost"},  // no trainer has run
  };
  for (const RecordOfStart& row : rows) {
    JobWorld world = after_a_lost_machine();
    end_with(world, row);
    EXPECT_EQ(world.status().checkpoint->step, 40) << &row - rows;
    if (!world.status().unproven) continue;
    const api::UnprovenStatus& written = *world.status().unproven;
    EXPECT_TRUE(written.checkpoints > 0 && written.step >= 0 && written.resumed_from.value_or(0) >= 0)
        << "the API server would refuse the status for ever, row " << &row - rows;
  }
}

TEST(UnprovenOfJob, with_use_nothing_is_said_and_all_is_expected_as_ever) {
  JobWorld world = after_a_lost_machine(use_all);
  world.report(only_pod(world), reported_aside(world, 30, 2, 45));
  world.settle();
  end_with(world, {.unproven = 2, .unproven_step = 45});
  EXPECT_TRUE(said_unproven(world).empty());
  EXPECT_FALSE(world.status().unproven);
  EXPECT_EQ(world.status().checkpoint->step, 40);
}

TEST(UnprovenOfJob, a_report_says_it_while_the_attempt_runs_and_once_for_each_attempt) {
  JobWorld world = after_a_lost_machine();
  for (int again = 0; again < 3; ++again) {
    world.report(only_pod(world), reported_aside(world, 30, 2, 45));
    world.now_ += minutes(1);
    world.settle();
  }
  EXPECT_EQ(said_unproven(world).size(), 1U);
  EXPECT_EQ(world.status().checkpoint->step, 30) << "the machine of this attempt may vanish, too";
  EXPECT_EQ(world.status().progress->checkpoint->step, 30);
  end_with(world, {.unproven = 2, .unproven_step = 45});
  EXPECT_EQ(said_unproven(world).size(), 1U);
  go_to_next(world);
  world.report(only_pod(world), reported_aside(world, 30, 1, 47));
  world.settle();
  ASSERT_EQ(said_unproven(world).size(), 2U);
  EXPECT_THAT(std::string(said_unproven(world)[1].note), HasSubstr("a complete checkpoint, step 47, is not proven"));
}

TEST(UnprovenOfJob, a_report_that_does_not_say_what_was_resumed_from_says_it_by_what_was_there_before) {
  JobWorld world = after_a_lost_machine();
  world.report(only_pod(world), reported_aside(world, {}, 2, 45));
  world.settle();
  EXPECT_EQ(world.status().checkpoint->step, 30);
  EXPECT_EQ(world.status().unproven->resumed_from, 30);
}

TEST(UnprovenOfJob, a_report_of_nothing_but_what_was_saved_since_changes_no_expectation) {
  JobWorld world = after_a_lost_machine();
  auto saved = reported_aside(world, {}, 2, 45);
  saved.checkpoint->before = false;
  world.report(only_pod(world), saved);
  world.settle();
  EXPECT_EQ(said_unproven(world).size(), 1U);
  EXPECT_EQ(world.status().checkpoint->step, 40);
  end_with(world, {.unproven = 2, .unproven_step = 45});
  EXPECT_EQ(said_unproven(world).size(), 1U);
  EXPECT_EQ(world.status().checkpoint->step, 30) << "its record does";
}

TEST(UnprovenOfJob, a_peer_that_resumed_from_a_newer_one_contradicts_it) {
  JobWorld world = running_job(2);
  world.job_.status.checkpoint = api::CheckpointStatus{.step = 40};
  world.report("fit-1-0", reported_aside(world, 30, 2, 45));
  auto peer = reported_aside(world, 40, {}, {});
  peer.index = 1;
  world.report("fit-1-1", peer);
  world.settle();
  EXPECT_EQ(world.status().checkpoint->step, 40);
}

TEST(UnprovenOfJob, what_was_saved_since_is_the_newest_and_counts_as_progress) {
  JobWorld world = after_a_lost_machine();
  world.job_.status.attempts_without_progress = 2;
  end_with(world, {.unproven = 1, .unproven_step = 40, .step = 35, .path = "step_35"});
  EXPECT_EQ(world.status().checkpoint->step, 35) << "lower than what was expected, and further than what is proven";
  EXPECT_EQ(world.status().attempts_without_progress, 0);
}

TEST(UnprovenOfJob, what_was_there_already_is_no_progress) {
  JobWorld world = after_a_lost_machine();
  const auto before = world.status().attempts_without_progress;
  end_with(world, {.unproven = 1, .unproven_step = 40});
  EXPECT_EQ(world.status().attempts_without_progress, before + 1);
}

TEST(UnprovenOfJob, what_is_trained_again_counts_as_lost) {
  JobWorld world = after_a_lost_machine();
  const kube::Time ended = world.status().last_end->time;
  const std::int64_t before = world.status().lost_seconds;
  world.report(only_pod(world), reported_aside(world, 30, 2, 45));
  const kube::Time proven = world.now_ - minutes(90);
  world.settle();
  const auto lost = std::chrono::duration_cast<std::chrono::seconds>(ended - proven).count();
  EXPECT_EQ(world.status().lost_seconds - before, lost) << "all since then, for its machine said nothing";
  world.now_ += minutes(1);
  world.report(only_pod(world), reported_aside(world, 30, 2, 45));
  world.settle();
  EXPECT_EQ(world.status().lost_seconds - before, lost) << "once";
}

// The attempt before left a record, from which the time since step 40 is counted.
TEST(UnprovenOfJob, what_was_counted_as_lost_is_not_counted_again) {
  JobWorld world = running_job();
  protocol::Record record{.attempt = 1, .exit_code = 85, .step = 40, .path = "step_40", .durable = true};
  record.checkpoint_time = world.now_;
  world.exit("fit-1-0", 85, protocol::encode_record(record));
  const kube::Time saved = world.now_;
  go_to_next(world);
  const std::int64_t before = world.status().lost_seconds;
  auto said = reported_aside(world, 30, 1, 40);
  said.checkpoint->time = saved - minutes(20);
  world.report(only_pod(world), said);
  world.settle();
  EXPECT_EQ(world.status().lost_seconds - before, 20 * 60);
}

TEST(UnprovenOfJob, where_nothing_is_proven_yet_it_starts_from_what_was_there_before) {
  JobWorld world = running_job();
  lose_machine(world);
  ASSERT_FALSE(world.status().checkpoint);
  auto anew = reported_aside(world, {}, 1, 10);
  anew.checkpoint.reset();
  world.report(only_pod(world), anew);
  world.settle();
  ASSERT_EQ(said_unproven(world).size(), 1U);
  EXPECT_THAT(std::string(said_unproven(world)[0].note), HasSubstr("starts from what was there before"));
  EXPECT_FALSE(world.status().checkpoint);
  EXPECT_FALSE(world.status().unproven->resumed_from);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
