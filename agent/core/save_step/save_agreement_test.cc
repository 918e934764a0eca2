// Ranks of a training whose pods are told to stop at different moments save at one step.
#include "agent/core/save_step/save_agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <limits>
#include <random>
#include <set>

#include "agent/core/save_step/notice_reader.h"
#include "agent/core/save_step/save_word.h"
#include "agent/core/stop/requests/notice.h"

namespace reprise::agent {
namespace {

using std::chrono::milliseconds;
using Kind = SaveWord::Kind;

constexpr runtime::Instant kBegin{};

TEST(notice_reader, is_who_says_so_in_the_progress_file) {
  EXPECT_EQ(parse_notice_reader(R"({"step": 7, "savesOnNotice": true, "worldSize": 8, "localWorldSize": 4})"),
            (NoticeReader{.step = 7, .processes = 8, .here = 4}));
  EXPECT_EQ(parse_notice_reader(R"({"step": 7, "savesOnNotice": true})"), (NoticeReader{.step = 7}));
  EXPECT_EQ(parse_notice_reader(R"({"step": 7, "savesOnNotice": true, "pid": 12})"),
            (NoticeReader{.step = 7, .pid = 12}));
  EXPECT_EQ(parse_notice_reader(R"({"step": 7, "savesOnNotice": true, "sameStep": 7}   )"), (NoticeReader{.step = 7}));
  for (const char* text :
       {R"({"step": 7, "savesOnNotice": true, "sameStep": 8})", R"({"step": 7})", R"({"savesOnNotice": true})",
        R"({"step": 7, "savesOnNotice": "yes"})", R"({"step": -1, "savesOnNotice": true})",
        R"({"step": 9000000000000000000, "savesOnNotice": true})", R"({"step": 7, "savesOn)", ""})
    EXPECT_EQ(parse_notice_reader(text), std::nullopt) << text;
}

TEST(save_word, is_read_as_it_was_written) {
  for (const Kind kind : {Kind::Told, Kind::Proposes, Kind::Agreed, Kind::GivesUp, Kind::Accepts, Kind::Refuses}) {
    const SaveWord word{.kind = kind, .question = "uid", .step = 3, .round = 2, .save_at = 9};
    EXPECT_EQ(decode_save_word(encode_save_word(word)), word);
  }
  for (const char* text : {"", "{}", R"({"word":"Perhaps","question":"","step":1,"round":1,"saveAt":1})",
                           R"({"word":"Told","question":"","step":-1,"round":1,"saveAt":1})"})
    EXPECT_EQ(decode_save_word(text), std::nullopt);
}

TEST(notice, names_the_step_where_there_is_one) {
  EXPECT_EQ(encode_notice(NoticeReason::Stop, milliseconds(88'000), 3, 1, SaveStep{.step = 1240, .agreed = true}),
            R"({"reason":"Stop","deadlineSeconds":88,"attempt":3,"request":1,"step":1240,"agreed":true})");
}

SaveAgreement agreement(std::int32_t index) {
  return SaveAgreement({.index = index, .question = "now", .until = kBegin + milliseconds(5'000)});
}

TEST(save_agreement, of_one_pod_needs_no_volume) {
  auto alone = agreement(0);
  const NoticeReader two{.step = 10, .processes = 2, .here = 2};
  const auto shown = alone.next(kBegin, {.own = two});
  EXPECT_EQ(shown, (SaveAgreement::Plan{.show = SaveStep{.step = 12}}));
  EXPECT_EQ(alone.next(kBegin, {.own = two}),
            (SaveAgreement::Plan{.show = SaveStep{.step = 12, .agreed = true}, .end = SaveAgreement::End::Agreed}));
}

TEST(save_agreement, a_step_that_was_passed_before_it_was_seen_gives_way_to_a_later_one) {
  auto alone = agreement(0);
  NoticeReader one{.step = 10, .processes = 2};
  EXPECT_EQ(alone.next(kBegin, {.own = one}).show, (SaveStep{.step = 11}));
  one.step = 11;
  EXPECT_EQ(alone.next(kBegin, {.own = one}).show, (SaveStep{.step = 13}));
  one.step = 12;
  EXPECT_EQ(alone.next(kBegin, {.own = one}).show, (SaveStep{.step = 13, .agreed = true}));
}

TEST(save_agreement, a_rank_whose_peer_is_gone_does_not_wait_for_it) {
  auto leader = agreement(0);
  auto follower = agreement(1);
  const SaveAgreement::Seen nobody{.own = {.step = 5, .processes = 2}, .others = {std::nullopt}};
  EXPECT_EQ(leader.next(kBegin, nobody).say->kind, Kind::Told);
  EXPECT_EQ(follower.next(kBegin, nobody).say->kind, Kind::Told);
  const auto later = kBegin + milliseconds(5'000);
  EXPECT_EQ(leader.next(later, nobody).say->kind, Kind::GivesUp);
  EXPECT_EQ(follower.next(later, nobody).end, SaveAgreement::End::Alone);
}

TEST(save_agreement, words_about_another_question_count_for_nothing) {
  auto follower = agreement(1);
  const NoticeReader own{.step = 5, .processes = 2};
  for (const Kind kind : {Kind::Proposes, Kind::Agreed, Kind::GivesUp}) {
    const SaveWord before{.kind = kind, .question = "before", .step = 5, .round = 1, .save_at = 9};
    const auto plan = follower.next(kBegin, {.own = own, .leader = before});
    EXPECT_EQ(plan, (SaveAgreement::Plan{.say = SaveWord{.step = 5}}));
  }
  auto leader = agreement(0);
  const SaveWord asks{.question = "now", .step = 5};
  for (const Kind kind : {Kind::Told, Kind::Accepts, Kind::Refuses}) {
    const SaveWord before{.kind = kind, .question = "before", .step = 4'000, .round = 1, .save_at = 6};
    EXPECT_EQ(leader.next(kBegin, {.own = own, .others = {before}}).say, asks);
  }
  EXPECT_EQ(follower.next(kBegin, {.own = own, .leader = asks}).say, asks);
  EXPECT_EQ(leader.next(kBegin, {.own = own, .others = {asks}}).show, (SaveStep{.step = 6}));
}

TEST(save_agreement, of_a_leader_that_asks_anew_begins_anew) {
  auto follower = agreement(1);
  const NoticeReader own{.step = 5, .processes = 2};
  const SaveWord asks{.question = "now"}, anew{.question = "anew"};
  EXPECT_EQ(follower.next(kBegin, {.own = own, .leader = asks}).say->question, "now");
  SaveWord proposes{.kind = Kind::Proposes, .question = "now", .round = 1, .save_at = 9};
  EXPECT_TRUE(follower.next(kBegin, {.own = own, .leader = proposes}).show);
  EXPECT_EQ(follower.next(kBegin, {.own = own, .leader = proposes}).say->kind, Kind::Accepts);
  EXPECT_EQ(follower.next(kBegin, {.own = own, .leader = anew}).say, (SaveWord{.question = "anew", .step = 5}));
  proposes.question = "anew";
  EXPECT_TRUE(follower.next(kBegin, {.own = own, .leader = proposes}).show);
}

// A look that cannot read the leader's word takes back no answer.
TEST(save_agreement, an_answer_stands_while_the_leader_cannot_be_read) {
  auto follower = agreement(1);
  const NoticeReader own{.step = 5, .processes = 2};
  static_cast<void>(follower.next(kBegin, {.own = own, .leader = SaveWord{.question = "now"}}));
  const SaveWord proposes{.kind = Kind::Proposes, .question = "now", .round = 1, .save_at = 9};
  static_cast<void>(follower.next(kBegin, {.own = own, .leader = proposes}));
  EXPECT_EQ(follower.next(kBegin, {.own = own, .leader = proposes}).say->kind, Kind::Accepts);
  EXPECT_EQ(follower.next(kBegin, {.own = own}), SaveAgreement::Plan{});
}

TEST(save_agreement, needs_the_answers_of_all_to_the_proposal_that_stands) {
  auto leader = agreement(0);
  const NoticeReader own{.step = 5, .processes = 3};
  const SaveWord told{.question = "now", .step = 5};
  EXPECT_EQ(leader.next(kBegin, {.own = own, .others = {told, told}}).show, (SaveStep{.step = 6}));
  EXPECT_EQ(leader.next(kBegin, {.own = own, .others = {told, told}}).say->kind, Kind::Proposes);
  const SaveWord accepts{.kind = Kind::Accepts, .question = "now", .step = 5, .round = 1, .save_at = 6};
  SaveWord other = accepts;
  other.kind = Kind::Refuses;
  other.step = 6;
  EXPECT_EQ(leader.next(kBegin, {.own = own, .others = {accepts, other}}).show, (SaveStep{.step = 8}));
  ASSERT_EQ(leader.next(kBegin, {.own = own, .others = {accepts, other}}).say.value_or(SaveWord{}).kind,
            Kind::Proposes);
  other.kind = Kind::Accepts;
  other.round = 2;
  EXPECT_EQ(leader.next(kBegin, {.own = own, .others = {accepts, other}}).end, SaveAgreement::End::None);
  EXPECT_EQ(leader.next(kBegin, {.own = own, .others = {other, other}}).end, SaveAgreement::End::Agreed);
}

// Trainers that wait for each other in each step, agents that are told at different moments, and a volume that shows
// what was written some time later.
class Gang {
 public:
  struct Rank {
    SaveAgreement agreement;
    int told_at = 0, next_look = 0;
    std::int64_t step = 0;  // done, and written to the progress file
    int step_left = 1;      // milliseconds of the one that runs
    bool holds = false;     // waits behind `step` for the agreement
    std::optional<SaveStep> notice{};
    bool alone = false;                            // the notice names no step
    std::deque<std::pair<int, SaveWord>> words{};  // with the moment from which on the others see them
    std::optional<std::int64_t> saved_at{};
    SaveAgreement::End end = SaveAgreement::End::None;
  };

  explicit Gang(unsigned seed) : random_(seed) {
    const int ranks = draw(1, 5);
    step_ = draw(0, 1) == 0 ? draw(1, 20) : draw(20, 1'500);
    delay_ = draw(0, 300);
    here_ = ranks == 1 ? 4 : 1;
    for (int index = 0; index < ranks; ++index) {
      ranks_.push_back(
          {.agreement = SaveAgreement({.index = index, .question = "now", .until = kBegin + milliseconds(kLate)}),
           .told_at = draw(0, 1'000)});
      // Of a former notice, or of a former pod that was further.
      const std::array kKinds{Kind::Told, Kind::Proposes, Kind::Agreed, Kind::GivesUp, Kind::Accepts, Kind::Refuses};
      if (draw(0, 2) == 0)
        ranks_.back().words.emplace_back(0, SaveWord{.kind = kKinds.at(static_cast<std::size_t>(draw(0, 5))),
                                                     .question = draw(0, 1) == 0 ? "before" : "",
                                                     .step = draw(0, 1'000'000),
                                                     .round = draw(0, 2),
                                                     .save_at = draw(0, 1'000'000)});
    }
  }

  void run() {
    for (now_ = 0; now_ < kLate + 20'000; ++now_) {
      for (Rank& rank : ranks_) {
        look(rank);
        train(rank);
      }
    }
  }

  [[nodiscard]] std::set<std::optional<std::int64_t>> saved() const {
    std::set<std::optional<std::int64_t>> all;
    for (const Rank& rank : ranks_) all.insert(rank.saved_at);
    return all;
  }
  // Steps that the training could do while it was told and agreed.
  [[nodiscard]] std::int64_t may_be_done() const { return (kLate + 20'000) / step_ + 2; }
  [[nodiscard]] bool all_agreed() const {
    return std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.end == SaveAgreement::End::Agreed; });
  }

 private:
  static constexpr int kLate = 8'000;

  int draw(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }

  [[nodiscard]] std::optional<SaveWord> word_of(const Rank& rank) const {
    std::optional<SaveWord> seen;
    for (const auto& [from, word] : rank.words)
      if (from <= now_) seen = word;
    return seen;
  }

  void look(Rank& rank) {
    if (now_ < rank.told_at || now_ < rank.next_look || rank.end != SaveAgreement::End::None) return;
    rank.next_look = now_ + 100;
    for (bool again = true; again;) {
      SaveAgreement::Seen seen{.own = {.step = rank.step, .processes = 4, .here = here_}};
      for (std::size_t other = 1; &rank == ranks_.data() && other < ranks_.size(); ++other)
        seen.others.push_back(word_of(ranks_[other]));
      if (&rank != ranks_.data()) seen.leader = word_of(ranks_[0]);
      const auto plan = rank.agreement.next(kBegin + milliseconds(now_), seen);
      if (plan.show) rank.notice = plan.show;
      if (plan.say) rank.words.emplace_back(now_ + delay_, *plan.say);
      rank.end = plan.end;
      if (plan.end == SaveAgreement::End::Alone) {
        rank.notice.reset();
        rank.alone = true;
      }
      again = plan.show && !plan.say && plan.end == SaveAgreement::End::None;
    }
  }

  // As the module does behind each step.
  void answer(Rank& rank) {
    const bool save = rank.alone || (rank.notice && rank.notice->agreed && rank.step >= rank.notice->step);
    rank.holds = !save && rank.notice && rank.step >= rank.notice->step;
    if (save) rank.saved_at = rank.step;
  }

  void train(Rank& rank) {
    if (rank.saved_at) return;
    if (rank.holds) {
      answer(rank);
      return;
    }
    if (rank.step_left > 0) {
      --rank.step_left;
      return;
    }
    // The collective of this step.
    const bool all_there = std::ranges::all_of(ranks_, [&](const Rank& other) {
      return other.step > rank.step || (other.step == rank.step && !other.holds && !other.saved_at);
    });
    if (!all_there) return;
    ++rank.step;
    rank.step_left = step_ + draw(0, step_ / 4);
    answer(rank);
  }

  std::mt19937 random_;
  std::vector<Rank> ranks_;
  int now_ = 0, step_ = 1, delay_ = 0;
  std::int64_t here_ = 1;
};

TEST(save_agreement, has_all_ranks_save_at_one_step_however_far_apart_they_were_told) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Gang gang(seed);
    gang.run();
    EXPECT_TRUE(gang.all_agreed()) << seed;
    EXPECT_EQ(gang.saved().size(), 1) << seed;
    EXPECT_LE(gang.saved().begin()->value_or(std::numeric_limits<std::int64_t>::max()), gang.may_be_done()) << seed;
  }
}

}  // namespace
}  // namespace reprise::agent
