// status.progress while an attempt runs.
#include <gtest/gtest.h>

#include "controllers/testing/job_world.h"
#include "protocol/agent_protocol.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::JobWorld;
using controllers::testing::running_job;
using protocol::LiveReport;
using protocol::RankActivity;
using std::chrono::seconds;

LiveReport training(std::int64_t step, std::int32_t index = 0) {
  return {.attempt = 1,
          .index = index,
          .activity = RankActivity::Training,
          .checkpoint = protocol::ReportedCheckpoint{.step = step / 100 * 100,
                                                     .path = "checkpoint-" + std::to_string(step / 100 * 100),
                                                     .save_seconds = 9,
                                                     .age_seconds = 20},
          .progress = protocol::ReportedProgress{.step = step,
                                                 .total_steps = 1000,
                                                 .percentage = static_cast<std::int32_t>(step / 10),
                                                 .remaining_seconds = 1000 - step,
                                                 .steps_per_second = "1.0"}};
}

const api::ProgressStatus& progress_of(const JobWorld& world) {
  return *world.status().progress;
}

TEST(LiveProgress, is_what_the_rank_says) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(250));
  world.settle();
  const api::ProgressStatus& progress = progress_of(world);
  EXPECT_EQ(progress.step, 250);
  EXPECT_EQ(progress.percentage, 25);
  EXPECT_EQ(progress.estimated_remaining_seconds, 750);
  EXPECT_EQ(progress.steps_per_second, "1.0");
  EXPECT_EQ(progress.activity, "Training");
  EXPECT_EQ(progress.checkpoint->step, 200);
  EXPECT_EQ(progress.checkpoint->time, world.now_ - seconds(20));
  EXPECT_EQ(progress.checkpoint->save_seconds, 9);
  EXPECT_EQ(progress.last_updated_time, world.now_);
}

TEST(LiveProgress, says_once_what_was_found_out_about_the_volume) {
  JobWorld world = running_job();
  LiveReport report = training(250);
  report.volume = protocol::ReportedVolume{.type = "nfs4", .rename = true, .durability = "Synced"};
  world.report("fit-1-0", report);
  world.settle();
  ASSERT_TRUE(progress_of(world).volume);
  EXPECT_EQ(progress_of(world).volume->type, "nfs4");
  const auto before = progress_of(world);
  world.now_ += seconds(60);
  report.activity_seconds += 60;
  world.report("fit-1-0", report);
  world.settle();
  EXPECT_EQ(progress_of(world), before) << "the same report again is nothing to write";
}

TEST(LiveProgress, is_not_what_the_next_attempt_has_to_find) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(250));
  world.settle();
  EXPECT_FALSE(world.status().checkpoint) << "what was overwritten since would be a lost checkpoint";
}

TEST(LiveProgress, is_written_every_thirty_seconds_and_only_where_it_says_something_new) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(100));
  world.settle();
  world.now_ += seconds(29);
  world.report("fit-1-0", training(129));
  world.settle();
  EXPECT_EQ(progress_of(world).step, 100);
  EXPECT_EQ(world.reconcile().wake_at, world.now_ + seconds(1)) << "nobody else may report by then";
  world.now_ += seconds(1);
  world.settle();
  EXPECT_EQ(progress_of(world).step, 129);
  const auto written = progress_of(world).last_updated_time;
  world.now_ += seconds(60);
  LiveReport same = training(129);
  same.activity_seconds += 62;
  same.checkpoint->age_seconds += 61;
  world.report("fit-1-0", same);
  world.settle();
  EXPECT_EQ(progress_of(world).last_updated_time, written);
}

TEST(LiveProgress, the_time_of_a_checkpoint_stays_as_it_was_first_said) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(210));
  world.settle();
  const auto first = progress_of(world).checkpoint->time;
  world.now_ += seconds(31);
  world.report("fit-1-0", training(250));
  world.settle();
  EXPECT_EQ(progress_of(world).step, 250);
  EXPECT_EQ(progress_of(world).checkpoint->time, first);
}

TEST(LiveProgress, says_what_the_newest_checkpoint_is_and_how_large) {
  JobWorld world = running_job();
  LiveReport report = training(250);
  report.checkpoint->format = "HuggingFace";
  report.checkpoint->size_bytes = 4096;
  world.report("fit-1-0", report);
  world.settle();
  EXPECT_EQ(progress_of(world).checkpoint->format, "HuggingFace");
  EXPECT_EQ(progress_of(world).checkpoint->size_bytes, 4096);
}

// Such a checkpoint may be the one it resumed from, where the operator does not know that.
TEST(LiveProgress, what_was_there_before_the_trainer_is_no_younger_than_its_attempt) {
  JobWorld world = running_job();
  world.now_ += seconds(600);
  LiveReport report = training(250);
  report.checkpoint->before = true;
  report.checkpoint->age_seconds = 0;
  world.report("fit-1-0", report);
  world.settle();
  EXPECT_LE(progress_of(world).checkpoint->time, world.status().attempt_start_time);
}

TEST(LiveProgress, says_whether_the_newest_checkpoint_is_known_to_be_durable) {
  JobWorld world = running_job();
  LiveReport report = training(250);
  report.checkpoint->structure_only = true;
  world.report("fit-1-0", report);
  world.settle();
  EXPECT_FALSE(progress_of(world).checkpoint->verified);
  world.now_ += seconds(31);
  report.activity_seconds += 31;
  report.checkpoint->structure_only = false;
  world.report("fit-1-0", report);
  world.settle();
  EXPECT_TRUE(progress_of(world).checkpoint->verified);
}

TEST(LiveProgress, a_format_that_is_none_is_not_repeated) {
  JobWorld world = running_job();
  LiveReport report = training(250);
  report.checkpoint->format = "no such";
  world.report("fit-1-0", report);
  world.settle();
  EXPECT_EQ(progress_of(world).checkpoint->format, "");
}

TEST(LiveProgress, says_since_when_the_rank_does_what_it_does) {
  JobWorld world = running_job();
  LiveReport report{.attempt = 1, .index = 0, .activity = RankActivity::Restoring, .activity_seconds = 40};
  world.report("fit-1-0", report);
  world.settle();
  const kube::Time began = world.now_ - seconds(40);
  EXPECT_EQ(progress_of(world).activity_time, began);
  world.now_ += seconds(60);
  report.activity_seconds = 98;
  world.report("fit-1-0", report);
  world.settle();
  EXPECT_EQ(progress_of(world).activity_time, began) << "each report counts back from another moment";
  world.now_ += seconds(60);
  report.activity_seconds = 20;
  world.report("fit-1-0", report);
  world.settle();
  EXPECT_EQ(progress_of(world).activity_time, began + seconds(140)) << "it has begun anew in between";
}

// The one before had been told of, and was lost with its machine.
TEST(LiveProgress, a_checkpoint_that_is_gone_back_to_is_as_old_as_its_record_says) {
  JobWorld world = running_job(1, [](api::ResumableJob& job) {
    job.status.checkpoint = api::CheckpointStatus{
        .step = 100, .path = "checkpoint-100", .time = kube::parse_time("2026-06-12T08:00:00Z").value()};
  });
  world.report("fit-1-0", training(210));
  world.settle();
  EXPECT_EQ(progress_of(world).checkpoint->step, 200);
  world.now_ += seconds(31);
  world.report("fit-1-0", training(110));
  world.settle();
  EXPECT_EQ(progress_of(world).checkpoint->step, 100);
  EXPECT_EQ(progress_of(world).checkpoint->time, kube::parse_time("2026-06-12T08:00:00Z"));
}

// Records, trainers that are restarted, clocks that are set: whatever comes, the same once more says nothing new.
TEST(LiveProgress, said_twice_is_written_once) {
  JobWorld world = running_job(3);
  world.report("fit-1-0", training(250));
  world.report("fit-1-1", training(240, 1));
  world.exit("fit-1-2", 0, R"({"attempt":1,"index":2,"exitCode":0,"finished":true,"step":300,"durable":true})");
  world.settle();
  for (const auto passed : {seconds(0), seconds(31), seconds(-7200), seconds(3600)}) {
    world.now_ += passed;
    world.settle();
    const auto before = world.status();
    world.reconcile();
    EXPECT_EQ(world.status().progress, before.progress);
  }
}

TEST(LiveProgress, of_a_gang_is_told_what_the_slowest_waits_for) {
  JobWorld world = running_job(2);
  world.report("fit-1-0", {.attempt = 1, .index = 0, .activity = RankActivity::Restoring});
  world.report("fit-1-1", {.attempt = 1,
                           .index = 1,
                           .activity = RankActivity::WaitingForPeer,
                           .message = "rank 0 has not said what to load"});
  world.settle();
  EXPECT_EQ(progress_of(world).activity, "Restoring");
  world.now_ += seconds(30);
  world.report("fit-1-0", training(10));
  world.settle();
  EXPECT_EQ(progress_of(world).activity, "WaitingForPeer");
  EXPECT_EQ(progress_of(world).message, "rank 0 has not said what to load");
}

// Such a rank may have finished in an earlier attempt, and says so by its end.
TEST(LiveProgress, of_a_gang_is_not_what_a_rank_did_that_has_ended) {
  JobWorld world = running_job(2);
  world.report("fit-1-0", {.attempt = 1, .index = 0, .activity = RankActivity::Restoring, .message = "looks"});
  world.report("fit-1-1", training(10, 1));
  world.settle();
  EXPECT_EQ(progress_of(world).activity, "Restoring");
  world.exit("fit-1-0", 0, R"({"attempt":1,"index":0,"exitCode":0,"finished":true})");
  world.now_ += seconds(31);
  world.settle();
  EXPECT_EQ(progress_of(world).activity, "Training");
  EXPECT_EQ(progress_of(world).message, "");
}

TEST(LiveProgress, of_an_attempt_that_has_ended_nothing_goes_on) {
  JobWorld world = running_job();
  world.report("fit-1-0", training(250));
  world.settle();
  world.exit("fit-1-0", 85,
             R"({"attempt":1,"index":0,"exitCode":85,"step":200,"path":"checkpoint-200","durable":true,)"
             R"("checkpointTime":"2026-06-12T10:00:00Z"})");
  world.settle();
  EXPECT_EQ(progress_of(world).activity, "");
  EXPECT_FALSE(progress_of(world).activity_time);
  EXPECT_EQ(progress_of(world).checkpoint->step, 200);
  EXPECT_EQ(progress_of(world).checkpoint->time, kube::parse_time("2026-06-12T10:00:00Z")) << "the record is the truth";
  EXPECT_EQ(world.status().checkpoint->step, 200);
}

TEST(LiveProgress, what_an_earlier_attempt_says_late_is_passed_over) {
  JobWorld world = running_job();
  LiveReport late = training(250);
  late.attempt = 7;
  world.report("fit-1-0", late);
  world.settle();
  EXPECT_FALSE(world.status().progress);
}

// The second attempt runs since kStart + 100 s; the first was interrupted at kStart.
JobWorld recovered() {
  JobWorld world = running_job();
  world.delete_node_claim("node-of-fit-1-0");
  world.settle();
  world.stop_deleted(143);
  world.settle();
  world.now_ += seconds(100);
  world.schedule_all();
  world.settle();
  return world;
}

LiveReport again(std::optional<std::int64_t> trained_seconds, std::int32_t attempt = 2) {
  LiveReport report = training(250);
  report.attempt = attempt;
  report.progress->trained_seconds = trained_seconds;
  return report;
}

TEST(Recovery, trains_when_the_trainer_says_that_it_has_passed_a_step) {
  JobWorld world = recovered();
  const kube::Time ready = world.now_;
  world.now_ += seconds(60);
  world.report("fit-2-0", again(std::nullopt));
  world.settle();
  EXPECT_FALSE(world.status().last_interruption->training_time) << "it is about to";
  world.now_ += seconds(10);
  world.report("fit-2-0", again(4));
  world.settle();
  EXPECT_EQ(world.status().last_interruption->training_time, ready + seconds(66)) << "not held back as progress is";
}

TEST(Recovery, trains_once_whatever_is_reported_later_and_whoever_leads) {
  JobWorld world = recovered();
  world.report("fit-2-0", again(4));
  world.settle();
  const auto first = world.status().last_interruption->training_time;
  ASSERT_TRUE(first);
  world.now_ += seconds(300);
  world.forget_deleted_pods();
  world.report("fit-2-0", again(7));
  world.settle();
  EXPECT_EQ(world.status().last_interruption->training_time, first);
}

TEST(Recovery, a_report_that_comes_late_tells_when_it_was) {
  JobWorld world = recovered();
  const kube::Time ready = world.now_;
  world.now_ += seconds(3600);
  world.report("fit-2-0", again(3590));
  world.settle();
  EXPECT_EQ(world.status().last_interruption->training_time, ready + seconds(10));
}

TEST(Recovery, of_a_job_that_reports_nothing_is_never_said_to_train) {
  JobWorld world = recovered();
  world.now_ += seconds(600);
  world.settle();
  EXPECT_FALSE(world.status().last_interruption->training_time);
}

TEST(Recovery, what_the_interrupted_attempt_says_late_is_passed_over) {
  JobWorld world = recovered();
  world.report("fit-2-0", again(4, 1));
  world.settle();
  EXPECT_FALSE(world.status().last_interruption->training_time);
}

TEST(Recovery, a_job_that_was_never_interrupted_does_not_train_again) {
  JobWorld world = running_job();
  world.report("fit-1-0", again(4, 1));
  world.settle();
  EXPECT_FALSE(world.status().last_interruption);
}

TEST(Recovery, by_an_attempt_that_never_said_so_is_not_told_of_a_later_one) {
  JobWorld world = recovered();
  world.now_ += seconds(600);
  world.exit("fit-2-0", 1);
  world.settle();
  world.now_ += seconds(600);
  world.settle();
  world.schedule_all();
  world.settle();
  ASSERT_EQ(world.status().attempt, 3);
  world.report("fit-3-0", again(4, 3));
  world.settle();
  EXPECT_FALSE(world.status().last_interruption->training_time);
}

std::shared_ptr<const reports::ReportTarget> target(const std::string& der) {
  return std::make_shared<const reports::ReportTarget>(reports::ReportTarget{
      .url = "https://10.96.0.12:9446",
      .certificate_pem = "-----BEGIN CERTIFICATE-----\n" + der + "\n-----END CERTIFICATE-----\n"});
}

// The pod that the first attempt makes.
api::PodBuilder first_pod(JobWorld& world) {
  for (int pass = 0; pass < 5; ++pass) {
    for (const Action& action : world.reconcile().actions) {
      if (const auto* create = std::get_if<CreatePod>(&action)) return create->pod_builder;
    }
  }
  return {};
}

TEST(LiveReports, pods_are_told_where_to_report_and_bring_a_token_for_that_alone) {
  JobWorld world(controllers::testing::MakeJob("fit").get());
  world.report_to_ = target("MIIB");
  const api::PodBuilder built = first_pod(world);
  EXPECT_EQ(built.annotations.at(std::string(protocol::kReportToAnnotation)), "https://10.96.0.12:9446 MIIB");
  EXPECT_EQ(built.report_audience, protocol::kReportAudience);
  EXPECT_TRUE(std::ranges::any_of(built.env, [](const api::EnvVar& each) {
    return each.name == protocol::kReportTokenFile && each.value == "/reprise-podinfo/token";
  }));
}

TEST(LiveReports, without_a_port_of_the_operators_pods_are_as_they_were) {
  JobWorld world(controllers::testing::MakeJob("fit").get());
  const api::PodBuilder built = first_pod(world);
  EXPECT_FALSE(built.annotations.contains(std::string(protocol::kReportToAnnotation)));
  EXPECT_EQ(built.report_audience, "");
}

std::vector<std::string> pointed(JobWorld& world) {
  std::vector<std::string> names;
  for (const Action& action : world.reconcile().actions) {
    if (const auto* to = std::get_if<PointReports>(&action)) names.push_back(to->pod_name + " " + to->to);
  }
  return names;
}

TEST(LiveReports, running_ranks_are_told_of_another_certificate_once) {
  JobWorld world = running_job(2);
  world.report_to_ = target("OLD");
  EXPECT_TRUE(pointed(world).empty()) << "made without a token for reports";
  for (const char* const name : {"fit-1-0", "fit-1-1"})
    world.pods_.at(name).meta.annotations[std::string(protocol::kReportToAnnotation)] = "https://10.96.0.12:9446 OLD";
  EXPECT_TRUE(pointed(world).empty());
  world.report_to_ = target("NEW");
  EXPECT_EQ(pointed(world),
            (std::vector<std::string>{"fit-1-0 https://10.96.0.12:9446 NEW", "fit-1-1 https://10.96.0.12:9446 NEW"}));
  EXPECT_TRUE(pointed(world).empty());
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
