// A job keeps its work after an end that no agent saw: it gives up none that is there, and does not begin anew without
// a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "agent/core/aside/put_aside_before.h"
#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/proofs/proofs.h"
#include "agent/core/proofs/unproven.h"
#include "agent/testing/checkpoint_files.h"
#include "agent/testing/lost_machine.h"

namespace reprise::agent {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::put_text;

class AfterALossTest : public testing_support::LostMachineTest {
 protected:
  void expects(int step) {
    env_.expected_step = step;
    env_.expected_checkpoint = "step-" + std::to_string(step);
  }
  void proves(const std::string& name, const Restored& restored) const {
    checkpoint(name);
    look(restored);
  }
  [[nodiscard]] ProvenList list() const { return volume_->proofs->read(*volume_).value().value_or(ProvenList{}); }
  // As a version leaves them that kept no such list: its point says nothing of one, nor does its record.
  void older_agent_runs(const std::string& saves) {
    ++self_.attempt;
    put_text(volume_->layout.resume_point(self_.attempt),
             encode_resume_point({.job_uid = "job", .attempt = self_.attempt, .pod_uid = "pod"}));
    checkpoint(saves);
    end(false);
  }
};

// An evaluation writes its results beside the weights that it has loaded.
TEST_F(AfterALossTest, a_file_that_is_added_to_a_proven_checkpoint_takes_its_proof_not_away) {
  proven_first();
  put_text(root() / "step-1/eval/results.json", "{}");
  expects(1);
  const auto next = start();
  EXPECT_EQ(next.point.rejection, "");
  EXPECT_EQ(next.point.path, "step-1");
  EXPECT_THAT(next.unproven, IsEmpty());
}

TEST_F(AfterALossTest, a_file_of_a_proven_checkpoint_that_is_written_anew_or_gone_takes_its_proof_away) {
  for (const bool gone : {false, true}) {
    const auto restored = start();
    const std::string name = "step-" + std::to_string(self_.attempt);
    proves(name, restored);
    if (gone) {
      std::filesystem::remove(root() / name / "state.bin");
      put_text(root() / name / "other.bin", std::string(5'000, 'x'));
    } else {
      put_text(root() / name / "state.bin", std::string(6'000, 'y'));
    }
    EXPECT_NE(start().point.path, name);
  }
}

// A program that prunes a checkpoint's optimizer, or writes its state again, does so while an agent watches.
TEST_F(AfterALossTest, what_changes_in_an_older_checkpoint_is_proven_with_the_next_save) {
  const auto first = start();
  proves("step-1", first);
  std::filesystem::remove(root() / "step-1/state.bin");
  put_text(root() / "step-1/weights.bin", std::string(4'000, 'w'));
  proves("step-2", first);
  std::filesystem::remove_all(root() / "step-2");
  expects(1);
  const auto next = start();
  EXPECT_EQ(next.point.rejection, "");
  EXPECT_EQ(next.point.path, "step-1");
}

TEST_F(AfterALossTest, after_an_end_that_was_seen_what_has_changed_is_proven_anew) {
  proven_first();
  put_text(root() / "step-1/state.bin", std::string(6'000, 'y'));
  end();
  EXPECT_EQ(start().point.path, "step-1");
  EXPECT_EQ(start().point.path, "step-1") << "whose end nobody saw";
}

// The operator is set back to a version that keeps no list, and comes again: weeks of training lie between.
TEST_F(AfterALossTest, what_an_older_agent_has_saved_since_the_list_was_written_counts) {
  proven_first();
  end();
  older_agent_runs("step-2");
  older_agent_runs("step-3");
  expects(3);
  const auto next = start();
  EXPECT_EQ(next.point.path, "step-3");
  EXPECT_THAT(next.unproven, IsEmpty());
  checkpoint("step-4");
  EXPECT_EQ(start().point.path, "step-3") << "from here on a list is kept again";
}

// From a disk to a share and back, with all that lies on it.
TEST_F(AfterALossTest, what_was_saved_while_the_volume_lay_on_a_share_counts) {
  proven_first();
  end();
  const auto disk = calls_->mount;
  calls_->mount = MountKind{.type = "nfs4"};
  static_cast<void>(start());
  checkpoint("step-2");
  end(false);
  calls_->mount = disk;
  EXPECT_EQ(start().point.path, "step-2");
}

TEST_F(AfterALossTest, a_checkpoint_that_was_made_again_is_missed_where_it_is_gone) {
  proven_first();
  checkpoint("step-2");
  const auto second = start();
  proves("step-2", second);
  end();
  std::filesystem::remove_all(root() / "step-2");
  expects(2);
  EXPECT_NE(start().point.rejection, "");
}

// "last" is written anew with each save: the older proven one has another name.
TEST_F(AfterALossTest, what_is_written_over_again_and_again_is_no_loss_beside_an_older_proven_one) {
  const auto first = start();
  proves("step-1", first);
  proves("step-2", first);
  std::filesystem::remove_all(root() / "step-2");
  checkpoint("step-2");
  expects(2);
  const auto next = start();
  EXPECT_EQ(next.point.rejection, "");
  EXPECT_EQ(next.point.path, "step-1");
}

// A trainer that keeps one deletes the one before at once: nothing else is left than what is not proven yet.
TEST_F(AfterALossTest, a_job_that_had_something_proven_never_begins_from_nothing_without_a_word) {
  for (const bool told : {true, false}) {
    const auto restored = start();
    const std::string one = "step-" + std::to_string(10 * self_.attempt);
    const std::string two = "step-" + std::to_string(10 * self_.attempt + 1);
    proves(one, restored);
    checkpoint(two);
    std::filesystem::remove_all(root() / one);
    if (told) expects(10 * self_.attempt + 1);
    const auto next = start();
    EXPECT_THAT(next.point.rejection, HasSubstr(two));
    EXPECT_THAT(next.point.rejection, HasSubstr("Use"));
    EXPECT_TRUE(exists(two));
    EXPECT_FALSE(next.point.step);
    env_.expected_step = 10 * (self_.attempt - 1) + 1;
    env_.expected_checkpoint.clear();
    EXPECT_EQ(start().point.path, two) << "a person has accepted its step";
    env_.puts_unproven_aside = false;
    EXPECT_EQ(start().point.path, two);
    env_.puts_unproven_aside = true;
    end();
    env_.expected_step.reset();
    env_.expected_checkpoint.clear();
    std::filesystem::remove_all(root() / two);
  }
}

// Ranks with a volume each: the operator has found no step that all prove, and knew of one.
TEST_F(AfterALossTest, ranks_with_a_volume_each_do_not_begin_anew_where_their_job_had_saved) {
  env_.parallelism = 2;
  env_.access = VolumeAccess::PerIndex;
  self_.attempt = 1;
  anew();
  ASSERT_TRUE(restore(*volume_, env_, self_, protocol::CommonStep{}));
  checkpoint("step-1");
  ++self_.attempt;
  anew();
  expects(1);
  const auto next = restore(*volume_, env_, self_, protocol::CommonStep{});
  ASSERT_TRUE(next);
  EXPECT_THAT(next->point.rejection, HasSubstr("step 1"));
  EXPECT_TRUE(exists("step-1"));
}

// A checkpoint that is not on the list when the machine goes would be put aside, and the one for which it was to stand
// for is gone.
TEST_F(AfterALossTest, nothing_goes_on_account_of_what_a_start_could_not_write_down) {
  proven_first();
  checkpoint("step-2");
  end();
  ++self_.attempt;
  anew();
  ASSERT_TRUE(volume_->proofs->read(*volume_));
  std::filesystem::remove(volume_->layout.proven());
  std::filesystem::create_directories(volume_->layout.proven() / "in the way");
  const auto found = volume_->scan().value();
  EXPECT_NE(volume_->proofs->begin(*volume_, {.self = self_, .found = found, .proves_all = true}), "");
  const auto proof = volume_->proofs->prove(*volume_, {.found = found, .newest = found.front(), .writes = true});
  ASSERT_TRUE(proof);
  EXPECT_NE(proof->durability, Durability::Proven);
  EXPECT_THAT(names(proof->proven), testing::ElementsAre("step-1"));
  std::filesystem::remove_all(volume_->layout.proven());
  const auto later = volume_->proofs->prove(*volume_, {.found = found, .newest = found.front(), .writes = true});
  EXPECT_EQ(later->durability, Durability::Proven);
  EXPECT_EQ(list().attempt, self_.attempt);
}

// Anybody can write that file.
TEST_F(AfterALossTest, a_list_of_more_ranks_than_there_are_ends_with_the_first_that_is_missing) {
  proven_first();
  ProvenList wrong = list();
  wrong.first_rank = 1;
  wrong.ranks = std::numeric_limits<std::int32_t>::max();
  put_text(volume_->layout.proven(), encode_proven(wrong));
  ++self_.attempt;
  anew();
  const auto unproven = find_unproven(*volume_, env_, self_, {});
  ASSERT_TRUE(unproven);
  EXPECT_TRUE(unproven->is_unseen());
}

// A disk that reads slowly: the parts of a save share the time.
TEST_F(AfterALossTest, a_start_reads_for_ten_minutes_whatever_a_save_has_of_parts) {
  const auto first = start();
  constexpr int kParts = 8;
  for (int part = 0; part < kParts; ++part) checkpoint("step-1-rank" + std::to_string(part));
  look(first);
  for (int part = 0; part < kParts; ++part) {
    put_text(root() / ("step-2-rank" + std::to_string(part)) / "model.pt", testing_support::torch_file());
    put_text(root() / ("step-2-rank" + std::to_string(part)) / "_COMPLETE", "");
  }
  ++self_.attempt;
  anew();
  const auto begun = now_;
  ASSERT_TRUE(restore(*volume_, env_, self_, {}, {.now = [this] { return now_ += std::chrono::minutes(2); }}));
  EXPECT_LE(now_ - begun, std::chrono::minutes(30)) << "each look at the clock takes two, also those around a reading";
}

// The machine's own clock may be a day ahead when it saves.
TEST(ProvenListCut, the_oldest_are_cut_off_by_their_times) {
  ProvenList all{.job_uid = "job", .attempt = 1};
  const auto at = [](int hours) { return runtime::WallTime(std::chrono::hours(hours)); };
  const auto one = [&](int step, int hours) {
    return ProvenCheckpoint{
        .name = "step-" + std::to_string(step), .completed = at(hours), .shape = CheckpointShape{.files = 1}};
  };
  all.checkpoints.push_back(one(1, 1'000'000));
  for (int step = 2; step < 2'000; ++step) all.checkpoints.push_back(one(step, step));
  const auto kept = decode_proven(encode_proven(all));
  ASSERT_TRUE(kept);
  EXPECT_FALSE(lists(*kept, {.name = "step-2001", .step = 2'001, .complete = true, .time = at(2'001)}));
  EXPECT_TRUE(lists(*kept, {.name = "step-1", .step = 1, .complete = true, .time = at(1'000'000)}));
}

// The restore was killed between the move and the mending of what leads there.
TEST_F(AfterALossTest, what_was_put_aside_as_unproven_counts_as_put_aside_before) {
  put_text(root() / ".reprise/unproven/step-2.2/state.bin", "x");
  const auto before = read_put_aside_before(*volume_);
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->holds("step-2"));
  EXPECT_TRUE(before->was_cut_off());
  EXPECT_EQ(before->was(".reprise/unproven/step-2.2/state.bin"), "step-2");
}

TEST_F(AfterALossTest, a_pod_that_takes_a_rank_over_says_nothing_for_the_one_before) {
  self_ = {.job_uid = "job", .pod_uid = "second", .attempt = 1};
  EXPECT_FALSE(follows_unsynced_end(*volume_, self_)) << "nobody was there before";
  Identity first = self_;
  first.pod_uid = "first";
  const auto beat = [&](const Identity& who) {
    put_text(volume_->layout.alive(1, 0), encode_heartbeat({.who = who, .counter = 1}));
  };
  beat(first);
  EXPECT_TRUE(follows_unsynced_end(*volume_, self_));
  end(false);
  EXPECT_TRUE(follows_unsynced_end(*volume_, self_));
  end();
  EXPECT_FALSE(follows_unsynced_end(*volume_, self_));
  std::filesystem::remove(volume_->layout.record(1, 0));
  beat(self_);
  EXPECT_FALSE(follows_unsynced_end(*volume_, self_));
}

// Another pod of the same attempt, where unproven ones are used: its sync proves as little.
TEST_F(AfterALossTest, a_pod_that_takes_a_rank_over_proves_nothing_of_what_was_there) {
  env_.puts_unproven_aside = false;
  proven_first();
  checkpoint("step-2");
  EXPECT_EQ(start().point.path, "step-2");
  anew();
  const auto again = restore(*volume_, env_, self_);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->outdated, "");
  look(*again);
  EXPECT_FALSE(volume_->proofs->knows(volume_->scan()->front()));
}

}  // namespace
}  // namespace reprise::agent
