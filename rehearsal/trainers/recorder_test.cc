#include "rehearsal/trainers/recorder.h"

#include <gtest/gtest.h>

#include "agent/testing/checkpoint_files.h"
#include "agent/testing/temporary_directory.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::rehearsal {
namespace {

using agent::testing_support::put_checkpoint;
using agent::testing_support::put_text;
using agent::testing_support::TemporaryDirectory;

class Recording : public ::testing::Test {
 protected:
  Recording() {
    std::filesystem::create_directories(volume());
    recorder_.follow(
        {.key = "ml/a", .volume = volume(), .format = "Auto", .checkpoint_path = "/c", .bytes_there = 100});
  }
  std::filesystem::path volume() const { return directory_.path() / "volume"; }
  std::filesystem::path output() const { return directory_.path() / "output"; }
  const JobFacts& facts() const { return *recorder_.facts("ml/a"); }

  TemporaryDirectory directory_;
  simulator::EventLoop loop_;
  runtime::testing::VirtualClock clock_;
  RealTime time_{loop_, clock_, 10};
  Recorder recorder_{time_};
  const TrainerKey first_{"ml/a", 1, 0}, other_{"ml/a", 1, 1}, second_{"ml/a", 2, 0};
};

// Lightning's alias, where a metric chooses the numbered checkpoints.
TEST_F(Recording, what_stands_in_for_the_newest_is_a_save_where_it_is_further) {
  recorder_.began(first_, output());
  put_text(volume() / "epoch=0-step=40.ckpt", agent::samples::torch_file());
  put_text(volume() / "last.ckpt", agent::testing_support::lightning_file(50));
  recorder_.ended(first_, {.exit_code = 143});
  std::vector<std::int64_t> steps;
  for (const CheckpointFacts& each : facts().attempts.front().checkpoints) steps.push_back(each.step);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{40, 50}));
}

TEST_F(Recording, checkpoints_belong_to_the_attempt_that_wrote_them) {
  recorder_.began(first_, output());
  put_checkpoint(volume(), "step-10", true);
  recorder_.asked(first_, Disposition::Handled, Disposition::Unknown);
  recorder_.ended(first_, {.exit_code = 143});
  put_text(volume() / ".reprise/attempts/2/resume.json",
           R"({"jobUid": "u", "attempt": 2, "podUid": "p", "step": 10, "path": "step-10"})");
  recorder_.began(second_, output());
  put_checkpoint(volume(), "step-20", true);
  recorder_.look();
  ASSERT_EQ(facts().attempts.size(), 2U);
  ASSERT_EQ(facts().attempts[0].checkpoints.size(), 1U);
  EXPECT_EQ(facts().attempts[0].checkpoints[0].step, 10);
  ASSERT_EQ(facts().attempts[1].checkpoints.size(), 1U);
  EXPECT_EQ(facts().attempts[1].checkpoints[0].step, 20);
  EXPECT_EQ(facts().attempts[1].resumed_from, 10);
  EXPECT_EQ(recorder_.newest_step("ml/a"), 20);
}

TEST_F(Recording, a_checkpoint_that_was_only_given_another_name_is_older_than_the_attempt) {
  const auto put = [&](const std::string& name) {
    put_checkpoint(volume(), name, true);
    std::filesystem::last_write_time(volume() / name / "_COMPLETE",
                                     std::filesystem::file_time_type::clock::from_sys(clock_.wall()));
  };
  put("step-10");
  clock_.advance(std::chrono::seconds(1));
  recorder_.began(first_, output());
  clock_.advance(std::chrono::seconds(1));
  std::filesystem::rename(volume() / "step-10", volume() / "first-step-10");
  put("step-20");
  recorder_.look();
  ASSERT_EQ(facts().attempts[0].checkpoints.size(), 2U);
  EXPECT_TRUE(facts().attempts[0].checkpoints[0].older);
  EXPECT_FALSE(facts().attempts[0].checkpoints[1].older);
}

TEST_F(Recording, an_initcontainer_that_still_runs_has_last_words_too) {
  recorder_.prepares(first_, "fetch", output());
  put_text(output(), "waiting for the database\n");
  recorder_.measure();
  ASSERT_EQ(facts().init_containers.size(), 1U);
  EXPECT_EQ(facts().init_containers[0].last_output, "waiting for the database");
}

TEST_F(Recording, incomplete_checkpoints_are_torn_once_all_ranks_have_ended) {
  recorder_.began(first_, output());
  recorder_.began(other_, output());
  put_checkpoint(volume(), "step-10", false);
  recorder_.ended(first_, {.exit_code = 143});
  EXPECT_TRUE(facts().attempts[0].checkpoints.empty());
  recorder_.ended(other_, {.exit_code = 143});
  ASSERT_EQ(facts().attempts[0].checkpoints.size(), 1U);
  EXPECT_FALSE(facts().attempts[0].checkpoints[0].complete);
}

TEST_F(Recording, a_checkpoint_that_is_written_again_is_seen_again) {
  recorder_.began(first_, output());
  put_checkpoint(volume(), "step-10", true);
  recorder_.look();
  recorder_.look();
  EXPECT_EQ(facts().attempts[0].checkpoints.size(), 1U);
  std::filesystem::last_write_time(volume() / "step-10" / "_COMPLETE",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  recorder_.look();
  EXPECT_EQ(facts().attempts[0].checkpoints.size(), 2U);
}

TEST_F(Recording, the_order_on_the_disk_decides_what_came_after_the_notice_not_its_coarse_clock) {
  const auto put = [&](const char* name, std::chrono::milliseconds wrong_by) {
    put_checkpoint(volume(), name, true);
    std::filesystem::last_write_time(volume() / name / "_COMPLETE",
                                     std::filesystem::file_time_type::clock::from_sys(clock_.wall() + wrong_by));
  };
  recorder_.began(first_, output());
  clock_.advance(std::chrono::seconds(1));
  put("step-10", std::chrono::milliseconds(4));
  recorder_.asked(first_, Disposition::Handled, Disposition::Unknown);
  put("step-20", std::chrono::milliseconds(-4));
  recorder_.ended(first_, {.exit_code = 143});
  const AttemptFacts& attempt = facts().attempts[0];
  ASSERT_EQ(attempt.checkpoints.size(), 2U);
  EXPECT_EQ(attempt.checkpoints[0].step, 10);
  EXPECT_LT(attempt.checkpoints[0].at, *attempt.asked());
  EXPECT_GE(attempt.checkpoints[1].at, *attempt.asked());
}

TEST_F(Recording, an_incomplete_checkpoint_that_is_older_than_the_notice_stays_so) {
  recorder_.began(first_, output());
  put_checkpoint(volume(), "step-10", false);
  std::filesystem::last_write_time(volume() / "step-10",
                                   std::filesystem::file_time_type::clock::from_sys(clock_.wall()));
  for (const auto& each : std::filesystem::directory_iterator(volume() / "step-10"))
    std::filesystem::last_write_time(each.path(), std::filesystem::file_time_type::clock::from_sys(clock_.wall()));
  clock_.advance(std::chrono::seconds(1));
  recorder_.asked(first_, Disposition::Handled, Disposition::Unknown);
  recorder_.ended(first_, {.exit_code = 143});
  const AttemptFacts& attempt = facts().attempts[0];
  ASSERT_EQ(attempt.checkpoints.size(), 1U);
  EXPECT_LT(attempt.checkpoints[0].at, *attempt.asked());
}

TEST_F(Recording, a_rank_tells_what_it_printed_and_how_it_ended) {
  recorder_.began(first_, output());
  put_text(output(), "step 1\nstep 9\n");
  recorder_.asked(first_, Disposition::Ignored, Disposition::Unknown);
  recorder_.ended(first_, {.exit_code = 137, .killed = true});
  const RankFacts& rank = facts().attempts[0].ranks[0];
  EXPECT_EQ(rank.first_printed, 1);
  EXPECT_EQ(rank.last_printed, 9);
  EXPECT_TRUE(rank.killed);
  EXPECT_EQ(rank.on_term, Disposition::Ignored);
}

TEST_F(Recording, a_checkpoint_comes_with_the_step_that_was_printed_then) {
  recorder_.began(first_, output());
  put_text(output(), "step 1\nstep 2\nstep 3\n");
  put_checkpoint(volume(), "step-30", true);
  recorder_.look();
  put_text(output(), "step 1\nstep 2\nstep 3\nstep 4\n");
  recorder_.ended(first_, {.exit_code = 0});
  EXPECT_EQ(facts().attempts[0].checkpoints[0].printed, 3);
  EXPECT_EQ(facts().attempts[0].ranks[0].counts_by, 1);
}

TEST_F(Recording, a_job_trains_while_all_its_ranks_run_unasked_and_past_their_start) {
  EXPECT_FALSE(recorder_.trains("ml/a", 2));
  recorder_.began(first_, output());
  put_text(output(), "step 1\n");
  recorder_.look();
  EXPECT_FALSE(recorder_.trains("ml/a", 2));
  recorder_.began(other_, output());
  recorder_.look();
  EXPECT_TRUE(recorder_.trains("ml/a", 2));
  recorder_.asked(other_, Disposition::Handled, Disposition::Unknown);
  EXPECT_FALSE(recorder_.trains("ml/a", 2));
}

TEST_F(Recording, a_trainer_is_past_its_start_by_a_step_a_checkpoint_a_handler_or_in_time) {
  const auto trains = [&] { return recorder_.look(), recorder_.trains("ml/a", 1); };
  auto on_term = Disposition::Default;
  recorder_.began(first_, output(), [&] { return on_term; });
  put_text(output(), "importing\n");
  EXPECT_FALSE(trains());
  on_term = Disposition::Handled;
  EXPECT_TRUE(trains());
  recorder_.began(second_, output());
  EXPECT_FALSE(trains());
  put_checkpoint(volume(), "step-10", true);
  EXPECT_TRUE(trains());
  recorder_.began({"ml/a", 3, 0}, output());
  clock_.advance(std::chrono::seconds(30));
  EXPECT_FALSE(trains()) << "imports take as long";
  clock_.advance(std::chrono::seconds(90));
  EXPECT_TRUE(trains());
}

TEST_F(Recording, a_trainer_whose_handler_is_gone_when_it_is_asked_was_shutting_down) {
  auto on_term = Disposition::Handled;
  recorder_.began(first_, output(), [&] { return on_term; });
  recorder_.began(other_, output(), [] { return Disposition::Default; });
  recorder_.look();
  on_term = Disposition::Default;
  recorder_.look();
  for (const TrainerKey& rank : {first_, other_}) recorder_.asked(rank, Disposition::Default, Disposition::Unknown);
  EXPECT_TRUE(facts().attempts[0].ranks[0].was_shutting_down());
  EXPECT_FALSE(facts().attempts[0].ranks[1].was_shutting_down()) << "it never had one";
}

TEST_F(Recording, a_trainer_that_is_asked_before_it_shows_anything_was_starting) {
  recorder_.began(first_, output(), [] { return Disposition::Default; });
  recorder_.asked(first_, Disposition::Default, Disposition::Unknown);
  EXPECT_TRUE(facts().attempts[0].starting);
  recorder_.began(second_, output(), [] { return Disposition::Handled; });
  recorder_.asked(second_, Disposition::Handled, Disposition::Unknown);
  EXPECT_TRUE(facts().attempts[1].starting) << "a handler may be the first thing that a script installs";
  recorder_.ended(second_, {.exit_code = 137, .killed = true});
  const TrainerKey third{"ml/a", 3, 0};
  recorder_.began(third, output(), [] { return Disposition::Handled; });
  recorder_.look();
  EXPECT_FALSE(recorder_.trains("ml/a", 1)) << "it was in vain once";
  put_text(output(), "step 1\n");
  recorder_.look();
  EXPECT_TRUE(recorder_.trains("ml/a", 1));
  recorder_.asked(third, Disposition::Handled, Disposition::Unknown);
  EXPECT_FALSE(facts().attempts[2].starting);
}

TEST_F(Recording, a_trainer_with_all_its_time_to_start_was_not_starting_or_was_silent) {
  recorder_.began(first_, output(), [] { return Disposition::Handled; });
  clock_.advance(std::chrono::seconds(121));
  recorder_.asked(first_, Disposition::Handled, Disposition::Unknown);
  EXPECT_FALSE(facts().attempts[0].starting);
  EXPECT_FALSE(facts().attempts[0].silent);
  recorder_.began(second_, output(), [] { return Disposition::Default; });
  clock_.advance(std::chrono::seconds(121));
  recorder_.asked(second_, Disposition::Default, Disposition::Unknown);
  EXPECT_TRUE(facts().attempts[1].silent);
}

TEST_F(Recording, a_trainer_saves_until_it_ends_unless_it_ignores_sigterm_or_only_holds_on) {
  recorder_.began(first_, output());
  EXPECT_FALSE(recorder_.saving());
  recorder_.asked(first_, Disposition::Handled, Disposition::Unknown);
  EXPECT_TRUE(recorder_.saving());
  clock_.advance(std::chrono::seconds(60));
  EXPECT_TRUE(recorder_.saving()) << "a slow save";
  put_checkpoint(volume(), "step-10", true);
  recorder_.look();
  clock_.advance(std::chrono::seconds(11));
  EXPECT_FALSE(recorder_.saving()) << "it waits to be killed";
  put_checkpoint(volume(), "step-20", false);
  recorder_.look();
  EXPECT_TRUE(recorder_.saving()) << "what was complete was a periodic save";
  recorder_.ended(first_, {.exit_code = 143});
  EXPECT_FALSE(recorder_.saving());
  recorder_.began(second_, output());
  recorder_.asked(second_, Disposition::Ignored, Disposition::Unknown);
  EXPECT_FALSE(recorder_.saving());
}

TEST_F(Recording, a_full_disk_is_heard_of_from_the_trainer) {
  recorder_.began(first_, output());
  put_text(output(), "step 1\nOSError: [Errno 28] No space left on device\nbye\n");
  recorder_.ended(first_, {.exit_code = 1});
  EXPECT_NE(facts().disk_full.find("rank 0 printed: OSError"), std::string::npos) << facts().disk_full;
  EXPECT_EQ(facts().attempts[0].ranks[0].last_lines.size(), 3U);
}

TEST_F(Recording, what_was_printed_before_the_notice_is_known) {
  recorder_.began(first_, output());
  put_text(output(), "step 1\nstep 2\n");
  recorder_.asked(first_, Disposition::Handled, Disposition::Unknown);
  put_text(output(), "step 1\nstep 2\nstep 3\n");
  recorder_.ended(first_, {.exit_code = 143});
  EXPECT_EQ(facts().attempts[0].ranks[0].printed_when_asked, 2);
  EXPECT_EQ(facts().attempts[0].ranks[0].last_printed, 3);
}

TEST_F(Recording, a_volume_overflows_when_more_is_on_it_than_its_claim_asks_for) {
  put_text(volume() / "big", std::string(101, 'x'));
  EXPECT_FALSE(recorder_.volume_overflows());
  recorder_.measure();
  EXPECT_TRUE(recorder_.volume_overflows());
}

}  // namespace
}  // namespace reprise::rehearsal
