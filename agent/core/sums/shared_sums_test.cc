// One reader per volume, what it read is written down, and what nobody has read at a stop counts by its structure.
#include "agent/core/sums/shared_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/heartbeats/heartbeat.h"
#include "agent/core/heartbeats/own_heart.h"
#include "agent/testing/layout_format_test.h"
#include "agent/volume/wrappers/paced_files.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing_support::put_text;
using testing_support::sum_of;

constexpr std::size_t kWeights = std::size_t{9} << 20U;

class SharedSumsTest : public testing_support::LayoutFormatTest {
 protected:
  SharedSumsTest() {
    use("Manifest");
    put("step-10", 'w');
    put_text(volume_->layout.attempt(2) / "0.alive", encode_heartbeat({.who = rank(0), .period = kPeriod}));
  }
  void put(const std::string& name, char byte, const std::string& listed = "") const {
    const std::string weights(kWeights, byte);
    put_text(root() / name / "model.npz", weights);
    put_text(root() / name / "SHA256SUMS", (listed.empty() ? sum_of(weights) : listed) + "  model.npz\n");
  }
  [[nodiscard]] static Identity rank(std::int32_t index, std::int32_t attempt = 2) {
    return {.job_uid = "job",
            .pod_uid = "pod-" + std::to_string(attempt) + "-" + std::to_string(index),
            .attempt = attempt,
            .index = index};
  }
  std::shared_ptr<SharedSums> reader(const Identity& self) {
    return std::make_shared<SharedSums>(volume_->layout, SharedSums::Options{.self = self,
                                                                             .period = kPeriod,
                                                                             .now = [this] { return now_; },
                                                                             .pause =
                                                                                 [this](milliseconds time) {
                                                                                   now_ += time;
                                                                                   waited_ += time;
                                                                                   if (while_waiting_) while_waiting_();
                                                                                 }});
  }
  std::shared_ptr<SharedSums> waiting(const Identity& self) {
    auto made = reader(self);
    made->wait_for_others();
    return made;
  }
  // How it ended: "right", "wrong", "not read", and whether it read the weights.
  std::string read(const SharedSums& sums, const std::string& name = "step-10") {
    std::size_t bytes = 0;
    const PacedFiles files(volume_->files, [&](std::size_t more) -> runtime::Result<void> {
      bytes += more;
      if (while_reading_) while_reading_();
      return {};
    });
    const auto info = volume_->files.look(root() / name, Links::Follow);
    const auto found = sums.read(files, root(), name, **info);
    if (!found) return "error: " + found.error().message;
    const std::string ended = !found->is_read ? "not read" : found->flaw ? "wrong" : "right";
    return ended + (bytes >= kWeights ? ", by itself" : "");
  }
  void claim(std::int64_t bytes, const Identity& who) const {
    put_text(volume_->layout.sums() / "step-10.reader", encode_sums_claim({.reader = who, .bytes = bytes}));
  }
  void ended(std::int32_t attempt, std::int32_t index, bool recorded) const {
    put_text(volume_->layout.alive(attempt, index), encode_heartbeat({.who = rank(index, attempt)}));
    if (recorded) put_text(volume_->layout.record(attempt, index), "{}");
  }
  [[nodiscard]] bool is_claimed() const { return exists(".reprise/sums/step-10.reader"); }

  static constexpr milliseconds kPeriod{5'000};
  runtime::Instant now_{};
  milliseconds waited_{0};
  std::function<void()> while_waiting_, while_reading_;
};

TEST_F(SharedSumsTest, one_reads_and_all_others_take_what_it_found) {
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  EXPECT_FALSE(is_claimed());
  for (int index = 1; index < 4; ++index) EXPECT_EQ(read(*waiting(rank(index))), "right");
  EXPECT_EQ(waited_, milliseconds(0));
}

TEST_F(SharedSumsTest, whoever_comes_second_waits_for_as_long_as_the_first_moves) {
  int times = 0;
  claim(0, rank(0));
  while_waiting_ = [&] {
    claim(++times, rank(0));
    if (times != 40) return;
    EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  };
  EXPECT_EQ(read(*waiting(rank(1))), "right");
  EXPECT_EQ(times, 40);
}

TEST_F(SharedSumsTest, a_reader_that_stands_still_is_replaced) {
  claim(7, rank(0));
  EXPECT_EQ(read(*waiting(rank(1))), "right, by itself");
  EXPECT_GE(waited_, kPeriod * kStillHalfPeriods / 2);
  EXPECT_LE(waited_, kPeriod * kStillHalfPeriods / 2 + kPeriod);
  EXPECT_FALSE(is_claimed());
}

TEST_F(SharedSumsTest, of_several_that_begin_at_once_the_last_to_say_so_reads) {
  int times = 0;
  put_text(volume_->layout.alive(2, 2), encode_heartbeat({.who = rank(2)}));
  while_waiting_ = [&] {
    if (++times == 1) return claim(0, rank(2));
    EXPECT_EQ(read(*reader(rank(2))), times == 2 ? "right, by itself" : "right");
  };
  EXPECT_EQ(read(*waiting(rank(1))), "right");
}

TEST_F(SharedSumsTest, who_reads_says_how_far_it_is) {
  std::set<std::int64_t> said;
  while_reading_ = [&] {
    now_ += kPeriod;
    const auto text = volume_->files.read(volume_->layout.sums() / "step-10.reader");
    if (text && *text) said.insert(decode_sums_claim(**text).value().bytes);
  };
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  EXPECT_GE(said.size(), 3U);
}

TEST_F(SharedSumsTest, claims_of_former_attempts_and_of_other_jobs_hold_nobody_up) {
  claim(7, rank(0, 1));
  EXPECT_EQ(read(*waiting(rank(1))), "right, by itself");
  claim(7, {.job_uid = "other", .pod_uid = "pod", .attempt = 2});
  EXPECT_EQ(read(*waiting(rank(1))), "right");
  EXPECT_LE(waited_, seconds(1));
}

TEST_F(SharedSumsTest, before_its_trainer_runs_a_start_waits_for_nobody) {
  claim(7, rank(1));
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  EXPECT_EQ(waited_, milliseconds(0));
}

TEST_F(SharedSumsTest, what_has_changed_its_time_or_its_size_is_read_again) {
  ASSERT_EQ(read(*reader(rank(0))), "right, by itself");
  const auto file = root() / "step-10/model.npz";
  std::filesystem::last_write_time(file, std::filesystem::last_write_time(file) + seconds(1));
  EXPECT_EQ(read(*reader(rank(1))), "right, by itself");
  std::filesystem::resize_file(file, kWeights - 1);
  EXPECT_EQ(read(*reader(rank(1))), "wrong, by itself");
  std::filesystem::resize_file(file, kWeights);
  EXPECT_EQ(read(*reader(rank(2))), "wrong, by itself");
}

TEST_F(SharedSumsTest, what_changes_while_it_is_read_is_read_again) {
  while_reading_ = [&] { put_text(root() / "step-10/more.json", "{}"); };
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  while_reading_ = nullptr;
  EXPECT_EQ(read(*reader(rank(1))), "right, by itself");
}

TEST_F(SharedSumsTest, wrong_sums_are_found_once_per_attempt) {
  put("step-10", 'w', sum_of("other"));
  EXPECT_EQ(read(*reader(rank(0))), "wrong, by itself");
  EXPECT_EQ(read(*reader(rank(1))), "wrong");
  ended(2, 0, true);
  EXPECT_EQ(read(*reader(rank(0, 3))), "wrong, by itself") << "nobody is taken at his word for it";
}

TEST_F(SharedSumsTest, the_next_attempt_takes_it_where_all_ends_were_seen) {
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  ended(2, 0, true);
  ended(2, 1, true);
  EXPECT_EQ(read(*reader(rank(0, 3))), "right");
  EXPECT_EQ(read(*reader(rank(0, 5))), "right") << "attempts that left nothing have written nothing";
}

TEST_F(SharedSumsTest, behind_an_end_that_no_agent_saw_it_is_read_again) {
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  ended(2, 0, true);
  ended(2, 1, false);
  EXPECT_EQ(read(*reader(rank(0, 3))), "right, by itself");
  ended(2, 1, true);
  ended(3, 0, false);
  EXPECT_EQ(read(*reader(rank(0, 4))), "right, by itself");
  EXPECT_EQ(read(*reader(rank(0, 40))), "right, by itself") << "nobody can tell any more";
}

TEST_F(SharedSumsTest, behind_a_pod_of_the_same_attempt_that_went_down_it_is_read_again) {
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  Identity next = rank(0);
  next.pod_uid = "pod-made-anew";
  put_text(volume_->layout.alive(2, 0), encode_heartbeat({.who = next}));
  EXPECT_EQ(read(*reader(rank(1))), "right, by itself");

  ended(2, 0, true);
  put_text(volume_->layout.alive(3, 0), encode_heartbeat({.who = rank(0, 3)}));
  Identity replaced = rank(0, 3);
  replaced.pod_uid = "pod-made-anew";
  const auto sums = reader(replaced);
  sums->look_back(volume_->files);
  EXPECT_EQ(read(*sums), "right, by itself");
}

// The bytes may have come out of the memory of a node that goes down a moment later.
TEST_F(SharedSumsTest, what_did_not_reach_the_volume_is_not_written_down) {
  calls_->sync_problem = EIO;
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  EXPECT_FALSE(exists(".reprise/sums/step-10.json"));
  calls_->sync_problem = 0;
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  EXPECT_TRUE(exists(".reprise/sums/step-10.json"));
}

TEST_F(SharedSumsTest, another_job_s_word_is_not_taken) {
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  EXPECT_EQ(read(*reader({.job_uid = "other", .pod_uid = "pod-2-0", .attempt = 2})), "right, by itself");
}

TEST_F(SharedSumsTest, at_a_stop_nothing_is_read_any_more) {
  const auto sums = reader(rank(0));
  sums->hurry();
  EXPECT_EQ(read(*sums), "not read");
  EXPECT_EQ(read(*reader(rank(1))), "right, by itself");
}

TEST_F(SharedSumsTest, a_stop_ends_what_is_being_read) {
  const auto sums = reader(rank(0));
  int pieces = 0;
  while_reading_ = [&] {
    if (!is_claimed()) return;  // the reader looks what is there
    sums->hurry();
    ++pieces;
  };
  EXPECT_EQ(read(*sums), "not read");
  EXPECT_LE(pieces, 6) << "of nine, and the list";
  EXPECT_FALSE(is_claimed()) << "somebody else may begin at once";
  EXPECT_FALSE(exists(".reprise/sums/step-10.json"));
}

TEST_F(SharedSumsTest, a_stop_ends_a_wait) {
  claim(7, rank(0));
  const auto sums = waiting(rank(1));
  while_waiting_ = [&] { sums->hurry(); };
  EXPECT_EQ(read(*sums), "not read");
}

TEST_F(SharedSumsTest, a_save_at_a_stop_counts_by_its_structure) {
  const auto sums = reader(self_);
  volume_->format->read_sums_by(sums);
  auto look = watch();
  sums->hurry();
  put("step-20", 'v', sum_of("other"));
  look.look();
  ASSERT_TRUE(look.seen().durable);
  EXPECT_EQ(look.seen().durable->name, "step-20");
  put("step-30", 'u');
  std::filesystem::remove(root() / "step-30/model.npz");
  look.look();
  EXPECT_EQ(look.seen().durable->name, "step-20") << "what its structure shows is shown";
}

TEST_F(SharedSumsTest, what_counted_by_its_structure_is_read_by_the_next_start) {
  put("step-20", 'v', sum_of("other"));
  volume_->format->read_sums_by(reader(self_));
  EXPECT_EQ(restored().point.path, "step-10");
}

TEST_F(SharedSumsTest, a_fenced_agent_writes_nothing_down) {
  const SharedSums fenced(volume_->layout,
                          {.self = rank(0), .now = [this] { return now_; }, .may_write = [] { return false; }});
  EXPECT_EQ(read(fenced), "right, by itself");
  EXPECT_FALSE(exists(".reprise/sums"));
}

TEST_F(SharedSumsTest, a_volume_that_takes_no_word_of_it_costs_a_reading_each) {
  put_text(volume_->layout.sums(), "a file where the directory would be");
  EXPECT_EQ(read(*waiting(rank(0))), "right, by itself");
  EXPECT_EQ(read(*waiting(rank(1))), "right, by itself");
}

TEST_F(SharedSumsTest, what_is_written_down_of_checkpoints_that_are_gone_goes_too) {
  EXPECT_EQ(read(*reader(rank(0))), "right, by itself");
  std::filesystem::remove_all(root() / "step-10");
  claim(7, rank(1, 1));
  put("step-20", 'v');
  EXPECT_EQ(read(*reader(rank(0)), "step-20"), "right, by itself");
  EXPECT_FALSE(exists(".reprise/sums/step-10.json"));
  EXPECT_TRUE(exists(".reprise/sums/step-20.json"));
  EXPECT_FALSE(is_claimed());
}

TEST_F(SharedSumsTest, what_is_written_down_is_read_as_it_was_meant) {
  const SumsRecord torn{.name = "a/b",
                        .reader = rank(3),
                        .extent = {.sum = "x", .files = 2, .bytes = 3},
                        .flaw = Flaw{.kind = FlawKind::Incomplete, .reason = "gone"}};
  const auto again = decode_sums_record(encode_sums_record(torn)).value();
  EXPECT_EQ(again.extent, torn.extent);
  EXPECT_EQ(again.flaw->kind, FlawKind::Incomplete);
  EXPECT_EQ(again.flaw->reason, "gone");
  EXPECT_FALSE(decode_sums_record("{}"));
  EXPECT_FALSE(decode_sums_claim("half of"));
}

}  // namespace
}  // namespace reprise::agent
