// One sync for the ranks of a host, whose word counts for the others, and when none does.
#include "agent/core/proofs/shared_syncs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/heartbeats/own_heart.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/volume_test.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing_support::put_text;

constexpr milliseconds kPeriod{5'000};

// Ranks of one attempt on one volume, each with a process of its own.
class SharedSyncsTest : public testing_support::VolumeTest {
 protected:
  struct Rank {
    Identity self;
    testing_support::FakeCalls* calls = nullptr;
    std::shared_ptr<Volume> volume = {};
    std::shared_ptr<SharedSyncs> syncs = {};
    std::unique_ptr<CheckpointWatch> watch = {};

    void look() const { watch->look(); }
    [[nodiscard]] std::string durable() const {
      const auto seen = watch->seen();
      if (!seen.problem.empty()) return seen.problem;
      return !seen.durable ? "none" : seen.structure_only ? "not " + seen.durable->name : seen.durable->name;
    }
  };
  struct How {
    std::string machine = "one";
    std::int32_t attempt = 2;
    bool speaks = true;
    MountKind mount{.type = "ext4", .proof = DurabilityProof::Sync, .local = true};
  };

  Rank rank(std::int32_t index) { return rank(index, How{}); }
  Rank rank(std::int32_t index, const How& how) {
    Rank made{.self = {.job_uid = "job",
                       .pod_uid = "pod-" + std::to_string(index),
                       .attempt = how.attempt,
                       .index = index,
                       .gang = {.ranks = 4}}};
    auto calls = std::make_shared<testing_support::FakeCalls>();
    made.calls = calls.get();
    made.calls->mount = how.mount;
    made.calls->machine = how.machine;
    made.volume = posix_volume(root(), std::make_unique<MarkerFormat>(), std::move(calls));
    made.syncs = std::make_shared<SharedSyncs>(SharedSyncs::Options{.self = made.self,
                                                                    .keeps_volume = index == 0,
                                                                    .speaks = how.speaks,
                                                                    .heartbeat_period = kPeriod,
                                                                    .now = [this] { return now_; }});
    made.watch = std::make_unique<CheckpointWatch>(
        made.volume,
        CheckpointWatch::Options{.gang = true, .prunes = index == 0, .self = made.self, .syncs = made.syncs});
    beat(made);
    return made;
  }
  void beat(const Rank& rank) {
    put_text(rank.volume->layout.alive(rank.self.attempt, rank.self.index),
             encode_heartbeat({.who = rank.self, .counter = ++beats_, .period = kPeriod}));
  }
  // Until it is durable there, or for so long; how long that took.
  milliseconds waited(const Rank& rank, const std::string& name, milliseconds longest, const Rank* beating = nullptr) {
    milliseconds time{0};
    for (rank.look(); rank.durable() != name && time < longest; rank.look()) {
      if (beating != nullptr && time % kPeriod == milliseconds(0)) beat(*beating);
      time += seconds(1);
      now_ += seconds(1);
    }
    return time;
  }
  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> names;
    const auto listed = volume_->files.list(volume_->layout.synced()).value();
    for (const std::string& name : listed) names.push_back(name.substr(0, name.find('-')));
    return names;
  }
  [[nodiscard]] SyncWord word() const {
    const auto names = volume_->files.list(volume_->layout.synced()).value();
    return decode_sync_word(*volume_->files.read(volume_->layout.synced() / names.at(0)).value()).value();
  }
  void write_word(const Rank& who, const std::string& begun) const {
    const auto file = volume_->layout.synced() / (*who.volume->files.write_cache(root()) + ".json");
    put_text(file, encode_sync_word({.by = who.self, .begun = begun}));
  }

  // Two and a half periods, in steps of a second.
  static constexpr milliseconds kStill = std::chrono::ceil<seconds>(kPeriod * kStillHalfPeriods / 2);
  runtime::Instant now_{};
  std::uint64_t beats_ = 0;
};

TEST_F(SharedSyncsTest, one_rank_syncs_each_save_and_the_others_take_its_word) {
  std::vector<Rank> ranks;
  for (int index = 0; index < 4; ++index) ranks.push_back(rank(index));
  for (const Rank& each : ranks) each.look();
  for (const char* name : {"step-1", "step-2", "step-3"}) {
    checkpoint(name);
    for (const Rank& each : ranks) {
      each.look();
      EXPECT_EQ(each.durable(), name) << each.self.index;
    }
  }
  std::vector<int> syncs;
  for (const Rank& each : ranks) syncs.push_back(each.calls->syncs);
  EXPECT_THAT(syncs, ElementsAre(3, 0, 0, 0));
}

TEST_F(SharedSyncsTest, whoever_sees_a_save_first_waits_for_who_keeps_the_volume) {
  const Rank leader = rank(0), other = rank(1);
  leader.look();
  checkpoint("step-1");
  other.look();
  EXPECT_EQ(other.durable(), "none") << "nothing is durable before the sync";
  EXPECT_EQ(other.watch->seen().newest->name, "step-1");
  leader.look();
  other.look();
  EXPECT_EQ(other.durable(), "step-1");
  EXPECT_EQ(other.calls->syncs, 0);
}

TEST_F(SharedSyncsTest, a_word_is_given_once_the_sync_has_ended) {
  const Rank leader = rank(0), other = rank(1);
  checkpoint("step-1");
  leader.calls->on_sync = [&] {
    other.look();
    EXPECT_EQ(other.durable(), "none");
    EXPECT_EQ(word().begun, "step-1");
  };
  leader.look();
  other.look();
  EXPECT_EQ(other.durable(), "step-1");
  EXPECT_EQ(other.calls->syncs, 0);
}

TEST_F(SharedSyncsTest, a_word_says_nothing_of_what_was_written_after_the_sync) {
  const Rank leader = rank(0), other = rank(1);
  checkpoint("step-1");
  leader.look();
  put_text(root() / "step-1/state-of-rank-1", "late");
  other.look();
  EXPECT_EQ(other.durable(), "none");
  EXPECT_EQ(waited(other, "step-1", 3 * kStill), kStill);
  EXPECT_EQ(other.calls->syncs, 1) << "its own, once nobody has synced it";
}

TEST_F(SharedSyncsTest, what_changes_while_it_is_synced_has_no_word) {
  const Rank leader = rank(0), other = rank(1);
  checkpoint("step-1");
  leader.calls->on_sync = [&] { put_text(root() / "step-1/more", "more"); };
  leader.look();
  leader.calls->on_sync = nullptr;
  EXPECT_THAT(words(), testing::IsEmpty());
  other.look();
  EXPECT_EQ(other.calls->syncs, 1);
}

TEST_F(SharedSyncsTest, each_host_syncs_what_waits_in_its_own_memory_and_does_so_once) {
  const MountKind filer{.type = "nfs4", .proof = DurabilityProof::Sync};
  const Rank leader = rank(0, {.mount = filer}), second = rank(1, {.mount = filer});
  const Rank third = rank(2, {.machine = "two", .mount = filer}), fourth = rank(3, {.machine = "two", .mount = filer});
  checkpoint("step-1");
  for (const Rank* each : {&leader, &second, &third, &fourth}) {
    each->look();
    EXPECT_EQ(each->durable(), "step-1") << each->self.index;
  }
  EXPECT_EQ(leader.calls->syncs + second.calls->syncs, 1);
  EXPECT_EQ(third.calls->syncs + fourth.calls->syncs, 1);
  EXPECT_THAT(words(), ElementsAre("one", "two"));
}

// Also of the same save, which lies there as it did then: the machine may have been lost meanwhile.
TEST_F(SharedSyncsTest, a_word_of_a_former_attempt_or_a_former_boot_counts_for_nothing_and_goes) {
  const Rank before = rank(0, {.attempt = 1}), elsewhere = rank(1, {.machine = "boot before", .attempt = 1});
  checkpoint("step-1");
  before.look();
  elsewhere.look();
  ASSERT_THAT(words(), ElementsAre("boot before", "one"));
  const Rank other = rank(1);
  other.look();
  EXPECT_EQ(other.calls->syncs, 1);
  EXPECT_EQ(other.durable(), "step-1");
  rank(0).look();
  EXPECT_THAT(words(), ElementsAre("one"));
}

TEST_F(SharedSyncsTest, a_pipe_in_place_of_a_word_keeps_nobody_waiting) {
  const Rank first = rank(0);
  std::filesystem::create_directories(first.volume->layout.synced());
  ASSERT_EQ(::mkfifo((first.volume->layout.synced() / "another.json").c_str(), 0600), 0);
  checkpoint("step-1");
  first.look();
  EXPECT_EQ(first.durable(), "step-1");
}

TEST_F(SharedSyncsTest, a_pod_on_the_same_machine_booted_anew_syncs_by_itself) {
  const Rank leader = rank(0), other = rank(1, {.machine = "boot after"});
  checkpoint("step-1");
  leader.look();
  other.look();
  EXPECT_EQ(other.calls->syncs, 1);
}

TEST_F(SharedSyncsTest, who_dies_between_its_sync_and_its_word_is_waited_for_as_long_as_its_heart_may_beat) {
  const Rank leader = rank(0), other = rank(1), third = rank(2);
  checkpoint("step-1");
  write_word(leader, "step-1");
  EXPECT_EQ(waited(other, "step-1", 3 * kStill), kStill);
  EXPECT_EQ(other.calls->syncs, 1);
  third.look();
  EXPECT_EQ(third.durable(), "step-1");
  EXPECT_EQ(third.calls->syncs, 0) << "who syncs in its stead is followed";
}

TEST_F(SharedSyncsTest, a_sync_that_is_under_way_is_waited_for_but_not_for_ever) {
  const Rank leader = rank(0), other = rank(1);
  checkpoint("step-1");
  write_word(leader, "step-1");
  EXPECT_EQ(waited(other, "step-1", SharedSyncs::kLongestSync * 2, &leader), SharedSyncs::kLongestSync);
  EXPECT_EQ(other.calls->syncs, 1);
}

TEST_F(SharedSyncsTest, who_beats_and_never_begins_is_not_waited_for) {
  const Rank leader = rank(0), other = rank(1);
  leader.look();
  checkpoint("step-1");
  EXPECT_EQ(waited(other, "step-1", SharedSyncs::kLongestSync, &leader), kStill);
}

// The time since the word of the save before is none that anybody has waited.
TEST_F(SharedSyncsTest, the_next_save_is_waited_for_anew) {
  const Rank leader = rank(0), other = rank(1);
  for (const char* name : {"step-1", "step-2"}) {
    checkpoint(name);
    other.look();
    leader.look();
    other.look();
    EXPECT_EQ(other.durable(), name);
    now_ += std::chrono::hours(1);
  }
  checkpoint("step-3");
  beat(leader);
  other.look();
  EXPECT_EQ(other.durable(), "step-2");
}

TEST_F(SharedSyncsTest, another_pod_in_place_of_who_spoke_is_not_waited_for) {
  const Rank leader = rank(0), other = rank(1);
  checkpoint("step-1");
  write_word(leader, "step-1");
  Identity next = leader.self;
  next.pod_uid = "pod-0-again";
  put_text(volume_->layout.alive(2, 0), encode_heartbeat({.who = next, .counter = 1, .period = kPeriod}));
  other.look();
  EXPECT_EQ(other.durable(), "step-1");
  EXPECT_EQ(other.calls->syncs, 1);
}

TEST_F(SharedSyncsTest, a_pod_that_follows_another_one_in_its_attempt_speaks_for_nobody) {
  const Rank leader = rank(0, {.speaks = false}), other = rank(1);
  checkpoint("step-1");
  leader.look();
  EXPECT_EQ(leader.durable(), "step-1");
  EXPECT_THAT(words(), testing::IsEmpty());
  other.look();
  EXPECT_EQ(other.calls->syncs, 1);
}

TEST_F(SharedSyncsTest, who_keeps_the_volume_deletes_nothing_on_anothers_word) {
  const Rank other = rank(1), leader = rank(0);
  checkpoint("step-1");
  leader.calls->on_sync = [&] { put_text(root() / "step-1/more", "more"); };
  leader.look();
  leader.calls->on_sync = nullptr;
  other.look();
  ASSERT_EQ(other.durable(), "step-1");
  ASSERT_EQ(word().by.index, 1);
  leader.look();
  EXPECT_EQ(leader.calls->syncs, 2);
  EXPECT_EQ(word().by.index, 0) << "and it is followed from then on";
}

TEST_F(SharedSyncsTest, at_a_stop_and_at_the_end_nobody_waits) {
  const Rank leader = rank(0), other = rank(1), third = rank(2);
  leader.look();
  checkpoint("step-1");
  other.syncs->hurry();
  other.look();
  EXPECT_EQ(other.durable(), "step-1");
  EXPECT_EQ(other.calls->syncs, 1);
  EXPECT_EQ(word().by.index, 0) << "the others follow whom they followed";
  leader.look();
  third.syncs->hurry();
  third.look();
  EXPECT_EQ(third.calls->syncs, 0) << "a word that is there is taken";
}

TEST_F(SharedSyncsTest, after_an_error_of_writing_nobody_is_told_that_anything_is_there) {
  const Rank leader = rank(0), other = rank(1);
  leader.calls->sync_problem = other.calls->sync_problem = EIO;
  checkpoint("step-1");
  leader.look();
  other.look();
  EXPECT_EQ(leader.durable(), "not step-1");
  EXPECT_EQ(other.durable(), "not step-1") << "the error is told to each process";
  leader.calls->sync_problem = other.calls->sync_problem = 0;
  checkpoint_after_errors("step-2");
  leader.look();
  EXPECT_THAT(words(), testing::IsEmpty());
  other.look();
  EXPECT_EQ(other.calls->syncs, 2) << "nor does it believe anybody from then on";
}

TEST_F(SharedSyncsTest, who_was_told_of_an_error_believes_no_word) {
  const Rank leader = rank(0), other = rank(1);
  other.calls->sync_problem = EIO;
  checkpoint("step-1");
  other.look();
  other.calls->sync_problem = 0;
  ASSERT_EQ(other.durable(), "not step-1");
  checkpoint("step-2");
  leader.look();
  ASSERT_EQ(word().save, "step-2");
  other.look();
  EXPECT_EQ(other.calls->syncs, 2);
}

TEST_F(SharedSyncsTest, where_no_word_can_be_written_each_rank_syncs_by_itself) {
  const Rank leader = rank(0), other = rank(1);
  put_text(root() / ".reprise/synced", "in the way");
  checkpoint("step-1");
  for (const Rank* each : {&leader, &other}) {
    each->look();
    EXPECT_EQ(each->durable(), "step-1");
    EXPECT_EQ(each->calls->syncs, 1);
  }
}

TEST_F(SharedSyncsTest, where_a_sync_proves_nothing_there_are_no_words) {
  const Rank leader = rank(0, {.mount = {.type = "nfs4"}});
  checkpoint("step-1");
  leader.look();
  EXPECT_FALSE(exists(".reprise/synced"));
}

TEST_F(SharedSyncsTest, the_shape_of_a_save_is_that_of_all_its_parts) {
  const auto part = [](const std::string& name) { return Checkpoint{.name = name, .step = 5, .complete = true}; };
  Checkpoints found{part("rank_0/step-5"), part("rank_1/step-5"), part("rank_0/step-4")};
  for (const Checkpoint& each : found) put_text(root() / each.name / "state.bin", "weights");
  const auto before = shape_of_save(*volume_, found, found.front());
  ASSERT_TRUE(before);
  EXPECT_EQ(before->files, 2U);
  EXPECT_EQ(shape_of_save(*volume_, found, found[1]), before) << "whichever part stands for it";
  put_text(root() / "rank_0/step-4/more", "more");
  EXPECT_EQ(shape_of_save(*volume_, found, found.front()), before) << "another save";
  put_text(root() / "rank_1/step-5/more", "more");
  EXPECT_NE(shape_of_save(*volume_, found, found.front()), before);
  found[1].pieces.for_keep.push_back({.kind = "rng_#.pt", .count = 1, .first = "rng_0.pt", .last = "rng_0.pt"});
  EXPECT_FALSE(shape_of_save(*volume_, found, found.front())) << "what lies beside it is not in the numbers";
}

TEST_F(SharedSyncsTest, a_word_is_read_as_it_was_written_and_half_of_one_is_none) {
  const SyncWord word{
      .by = self_,
      .begun = "step-2",
      .save = "step-1",
      .synced = CheckpointShape{.files = 2, .bytes = 9, .digest = 7, .newest = runtime::WallTime(seconds(3))}};
  const std::string text = encode_sync_word(word);
  const auto read = decode_sync_word(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(std::tie(read->by.pod_uid, read->by.attempt, read->begun, read->save, read->synced),
            std::tie(self_.pod_uid, self_.attempt, word.begun, word.save, word.synced));
  EXPECT_FALSE(decode_sync_word(text.substr(0, text.size() / 2)));
  EXPECT_FALSE(decode_sync_word(encode_sync_word({.by = self_}))->synced);
}

}  // namespace
}  // namespace reprise::agent
