// spec.checkpoint.verify: Full, beside a trainer that saves by a library.
#include "agent/core/watch/full_verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "agent/formats/verify/read_everything.h"
#include "agent/testing/layout_format_test.h"
#include "agent/volume/wrappers/paced_files.h"

namespace reprise::agent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::put_text;
using testing_support::text_in;

class FullVerificationTest : public testing_support::LayoutFormatTest {
 protected:
  FullVerificationTest() { begin(); }

  void begin(FullVerification::Options options = {}) {
    options.self = self_;
    options.say = [this](std::string_view text) { said_.emplace_back(text); };
    verification_ = std::make_shared<FullVerification>(volume_, std::move(options));
    const Restored before = restored();
    watch_.emplace(volume_, CheckpointWatch::Options{.resumed_path = before.point.path,
                                                     .keep = 1,
                                                     .prunes = true,
                                                     .before = before.before,
                                                     .made = before.made,
                                                     .self = self_,
                                                     .may_outlive = [v = verification_](const Checkpoint& each) {
                                                       return v->has_passed(each);
                                                     }});
  }
  // A look of the watch, and a read of what it shows; the next look sees what came of it.
  void look() {
    watch_->look();
    verification_->offer(watch_->seen().durable);
    verification_->look();
    watch_->look();
  }
  void flip_a_byte(const std::string& file) const {
    std::string bytes = text_in(root() / file);
    bytes.at(bytes.find("12345678")) ^= 1;
    put_text(root() / file, bytes);
  }
  [[nodiscard]] std::string durable() const {
    const auto seen = watch_->seen();
    return seen.durable ? seen.durable->name : "none";
  }

  std::vector<std::string> said_;
  std::shared_ptr<FullVerification> verification_;
  std::optional<CheckpointWatch> watch_;
};

TEST_F(FullVerificationTest, nothing_older_goes_before_the_newest_was_read) {
  save(10);
  look();
  save(20);
  watch_->look();
  EXPECT_EQ(durable(), "out/checkpoint-20") << "it is progress all the same";
  EXPECT_TRUE(exists("out/checkpoint-10"));
  look();
  EXPECT_FALSE(exists("out/checkpoint-10"));
  EXPECT_EQ(verification_->damaged(), "");
}

TEST_F(FullVerificationTest, what_is_damaged_counts_no_more_and_what_is_older_stays) {
  save(10);
  look();
  save(20);
  flip_a_byte("out/checkpoint-20/optimizer.pt");
  look();
  EXPECT_EQ(durable(), "out/checkpoint-10");
  EXPECT_TRUE(exists("out/checkpoint-10"));
  EXPECT_THAT(verification_->damaged(), StartsWith("out/checkpoint-20: optimizer.pt"));
  EXPECT_THAT(said_, ElementsAre(HasSubstr("out/checkpoint-20")));
  look();
  EXPECT_EQ(said_.size(), 1U) << "it is found once";
}

// A library that looks for the newest by itself would take it.
TEST_F(FullVerificationTest, what_is_damaged_is_out_of_the_way_of_the_next_trainer) {
  save(10);
  look();
  save(20);
  flip_a_byte("out/checkpoint-20/optimizer.pt");
  look();
  self_.attempt = 3;
  const Restored next = restored();
  EXPECT_EQ(next.point.path, "out/checkpoint-10");
  EXPECT_FALSE(exists("out/checkpoint-20"));
  EXPECT_TRUE(exists(".reprise/quarantine/out+checkpoint-20.3")) << "it is nobody's to delete";
}

TEST_F(FullVerificationTest, what_is_damaged_and_was_known_to_the_operator_is_missed_aloud) {
  save(10);
  save(20);
  flip_a_byte("out/checkpoint-20/optimizer.pt");
  begin();
  look();
  self_.attempt = 3;
  env_.expected_step = 20;
  env_.expected_checkpoint = "out/checkpoint-20";
  EXPECT_NE(restored().point.rejection, "");
  EXPECT_TRUE(exists("out/checkpoint-20")) << "nothing moves before a person has looked";
}

TEST_F(FullVerificationTest, what_the_trainer_writes_anew_while_it_is_read_is_not_condemned) {
  int reads = 0;
  begin({.pause = [&](auto) {
    if (++reads == 1) save(20);
  }});
  save(10);
  save(20);
  flip_a_byte("out/checkpoint-20/optimizer.pt");
  watch_->look();
  verification_->offer(watch_->seen().durable);
  verification_->look();
  EXPECT_EQ(verification_->damaged(), "");
  look();
  EXPECT_EQ(durable(), "out/checkpoint-20");
}

TEST_F(FullVerificationTest, what_the_trainer_writes_anew_at_the_end_of_the_second_read_is_not_condemned) {
  int reads = 0;
  begin({.may_write = [] { return false; }, .pause = [&](auto) { ++reads; }});
  save(20);
  flip_a_byte("out/checkpoint-20/optimizer.pt");
  look();
  const int both = std::exchange(reads, 0);
  begin({.pause = [&](auto) {
    if (++reads == both) save(20);
  }});
  watch_->look();
  verification_->offer(watch_->seen().durable);
  verification_->look();
  EXPECT_EQ(reads, both);
  EXPECT_EQ(verification_->damaged(), "");
}

// At each round a newer one is there before the last one was read: something is always safe, and the volume stays
// small.
TEST_F(FullVerificationTest, older_ones_go_though_saves_come_faster_than_they_are_read) {
  int step = 20;
  begin({.pause = [&](auto) { save(step += 10); }});
  save(10);
  for (int round = 0; round < 5; ++round) look();
  EXPECT_FALSE(exists("out/checkpoint-10"));
  EXPECT_TRUE(exists("out/checkpoint-" + std::to_string(step)));
}

// Mounts of object stores say so while they cannot ask for a token.
TEST_F(FullVerificationTest, what_may_not_be_read_is_not_damaged) {
  save(10);
  const PacedFiles closed(volume_->files, [](std::size_t) -> runtime::Result<void> {
    return runtime::fail(runtime::ErrorClass::Forbidden, "no token");
  });
  const PacedFiles files(closed, [](std::size_t) { return runtime::Result<void>(); });
  const auto path = root() / "out/checkpoint-10";
  const auto flaw = read_everything(files, path, **volume_->files.look(path, Links::Follow));
  ASSERT_FALSE(flaw) << "a flaw would have it set aside";
  EXPECT_EQ(flaw.error().error_class, runtime::ErrorClass::Unavailable);
}

TEST_F(FullVerificationTest, a_read_that_an_end_stops_says_nothing) {
  save(10);
  begin({.pause = [&](auto) { verification_->stop(); }});
  watch_->look();
  verification_->offer(watch_->seen().durable);
  verification_->look();
  EXPECT_FALSE(verification_->has_passed(*watch_->seen().durable));
  EXPECT_THAT(said_, testing::IsEmpty());
}

TEST_F(FullVerificationTest, a_fenced_agent_sets_nothing_aside) {
  save(10);
  flip_a_byte("out/checkpoint-10/optimizer.pt");
  begin({.may_write = [] { return false; }});
  look();
  EXPECT_EQ(durable(), "out/checkpoint-10");
  EXPECT_FALSE(exists(".reprise/set-aside"));
}

}  // namespace
}  // namespace reprise::agent
