// The save of a gang that was made smaller is whole with the parts of its own ranks.
#include "agent/core/generations/smaller_gang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "agent/core/generations/halves/half_saves.h"
#include "agent/formats/name_numbers.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

using testing_support::put_checkpoint;

// Attempts of gangs of several sizes, each with its saves.
class Attempts {
 public:
  Attempts& of(GangSize gang) {
    gang_ = gang;
    ++attempt_;
    return *this;
  }
  // The step in place of "@", the rank in place of "#".
  Attempts& save(const std::string& layout, int step, int first, int count, bool complete = true) {
    for (int rank = first; rank < first + count; ++rank) {
      std::string name;
      for (const char each : layout)
        name += each == '#' ? std::to_string(rank) : each == '@' ? std::to_string(step) : std::string(1, each);
      ++clock_;
      const runtime::WallTime time = complete ? runtime::WallTime(std::chrono::seconds(clock_)) : runtime::WallTime{};
      found_.insert(found_.begin(), {.name = name,
                                     .step = read_save_name(name).likely.value_or(0),
                                     .complete = complete,
                                     .time = time,
                                     .format = "Plain"});
      made_.push_back({.order = clock_, .name = name, .job_uid = "job", .attempt = attempt_, .gang = gang_});
    }
    return *this;
  }
  [[nodiscard]] std::size_t halves(Holds holds = Holds::AllRanks) const {
    return find_half_saves(found_, made_, holds).size();
  }

 private:
  Checkpoints found_;
  MadeCheckpoints made_;
  GangSize gang_{};
  std::int32_t attempt_ = 0;
  std::int64_t clock_ = 0;
};

constexpr GangSize kGangOfFour{.ranks = 4}, kGangOfTwo{.ranks = 2};
constexpr const char* kNamesOfRanks[] = {
    "rank_#/step_@",         "step_@_rank#",       "rank#_step_@.pt", "node#/out/step_@",   "worker_#/epoch_@",
    "checkpoint_step@_#.pt", "step=@-rank=#.ckpt", "gpu#/step_@",     "run-1/rank#/step_@", "host#/epoch-@.pth"};

TEST(smaller_gang, one_save_with_the_parts_of_its_own_ranks_is_whole) {
  for (const std::string layout : kNamesOfRanks) {
    SCOPED_TRACE(layout);
    Attempts saved = Attempts().of(kGangOfFour).save(layout, 100, 0, 4).save(layout, 200, 0, 4).of(kGangOfTwo);
    EXPECT_EQ(Attempts(saved).save(layout, 300, 0, 1).halves(), 1U) << "one of two";
    EXPECT_EQ(saved.save(layout, 300, 0, 2).halves(), 0U);
    EXPECT_EQ(saved.of(kGangOfTwo).save(layout, 400, 0, 1).halves(), 1U) << "it is what is usual now";
    EXPECT_EQ(saved.save(layout, 400, 1, 1).halves(), 0U);
    EXPECT_EQ(saved.of({.ranks = 1}).save(layout, 500, 0, 1).halves(), 0U) << "and smaller still";
  }
}

TEST(smaller_gang, as_many_processes_a_rank_as_before_have_a_part_each) {
  const std::string layout = "rank#/step_@";
  for (const std::int32_t devices : {0, 4}) {
    Attempts saved = Attempts().of({.ranks = 4, .devices = devices}).save(layout, 100, 0, 16);
    saved.of({.ranks = 2, .devices = devices});
    EXPECT_EQ(saved.save(layout, 200, 0, 7).halves(), 1U) << devices;
    EXPECT_EQ(saved.save(layout, 200, 7, 1).halves(), 0U) << devices;
  }
}

TEST(smaller_gang, is_told_by_nothing_where_its_ranks_may_be_as_many_as_before) {
  const auto is_half = [](const std::string& layout, GangSize before, int parts, GangSize now, int there) {
    const Attempts saved = Attempts().of(before).save(layout, 100, 0, parts).of(now).save(layout, 200, 0, there);
    EXPECT_EQ(saved.halves(), 1U) << layout << " " << parts;
  };
  is_half("rank#/step_@", {.ranks = 4, .devices = 1}, 4, {.ranks = 2, .devices = 2}, 2);  // fewer, larger machines
  is_half("rank#/step_@", {.ranks = 4, .devices = 1}, 4, {.ranks = 2}, 2);                // machines of another kind
  is_half("rank#/step_@", {.ranks = 4, .devices = 2}, 4, {.ranks = 2, .devices = 2}, 2);  // one group of two saves
  is_half("rank#/step_@", {}, 4, kGangOfTwo, 2);                                          // parts by an older agent
  is_half("rank#/step_@", kGangOfFour, 4, {}, 2);
  is_half("rank#/step_@", kGangOfFour, 4, kGangOfFour, 2);
  is_half("rank#/step_@", kGangOfTwo, 4, kGangOfFour, 2);
  for (const char* of_models : {"tp#/step_@", "pp#/step_@", "mp_rank_#/step_@", "step_@-shard-#", "step_@_part#"})
    is_half(of_models, kGangOfFour, 4, kGangOfTwo, 2);
  Attempts some = Attempts().of(kGangOfFour).save("rank#/step_@", 100, 0, 2).save("rank#/step_@", 150, 0, 2);
  EXPECT_EQ(some.of(kGangOfTwo).save("rank#/step_@", 200, 0, 1).halves(), 1U) << "not one of each rank before";
}

TEST(smaller_gang, has_no_part_that_an_earlier_attempt_has_left_at_that_step) {
  const std::string layout = "rank#/step_@";
  Attempts saved = Attempts().of(kGangOfFour).save(layout, 100, 0, 4).save(layout, 200, 1, 1).of(kGangOfTwo);
  EXPECT_EQ(saved.save(layout, 200, 0, 1).halves(), 1U);
  EXPECT_EQ(saved.save(layout, 200, 1, 1).halves(), 0U);
}

TEST(smaller_gang, misses_what_is_torn_and_what_is_no_ranks_part) {
  const std::string model = "rank#/model/step_@", optimizer = "rank#/optim/step_@";
  Attempts saved = Attempts()
                       .of(kGangOfFour)
                       .save(model, 100, 0, 4)
                       .save(optimizer, 100, 0, 4)
                       .of(kGangOfTwo)
                       .save(model, 200, 0, 2);
  EXPECT_EQ(saved.halves(), 1U) << "the optimizer";
  EXPECT_EQ(saved.save(optimizer, 200, 0, 2).halves(), 0U);
  saved = Attempts().of(kGangOfFour).save("rank#/step_@", 100, 0, 4).of(kGangOfTwo).save("rank#/step_@", 200, 0, 2);
  EXPECT_EQ(saved.save("rank#/step_@", 200, 2, 1, false).halves(), 1U);
}

TEST(smaller_gang, leaves_the_volume_of_one_rank_as_it_was) {
  const std::string layout = "rank#/step_@";
  const Attempts saved = Attempts().of(kGangOfFour).save(layout, 100, 0, 4).of(kGangOfTwo).save(layout, 200, 0, 2);
  EXPECT_EQ(saved.halves(Holds::OneRank), 1U) << "a pod's own processes are as many as they were";
}

// Two parts of each save, but for the second half of them: of every other one there is one part.
Checkpoints saves_that_lack_parts(int saves) {
  Checkpoints found;
  for (int step = 1; step <= saves; ++step)
    for (const char* part : {"model/step_", "optim/step_"})
      if (step < saves / 2 || step % 2 == 0 || part[0] == 'm')
        found.push_back({.name = part + std::to_string(step),
                         .step = step,
                         .complete = true,
                         .time = runtime::WallTime(std::chrono::seconds(step)),
                         .format = "Plain"});
  return found;
}

// Processor time of this thread: others on the machine take nothing of it.
std::clock_t processor_time_for(int saves) {
  const Checkpoints found = saves_that_lack_parts(saves);
  timespec begin{}, end{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  EXPECT_EQ(find_half_saves(found, {}).size(), static_cast<std::size_t>(saves / 4));
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  return (end.tv_sec - begin.tv_sec) * 1'000'000 + (end.tv_nsec - begin.tv_nsec) / 1'000;
}

// Four times as many take some eleven times as long, and 64 times where all before are gone through again for each.
TEST(half_saves, of_many_saves_are_found_without_going_through_all_before_for_each) {
  const auto few = std::min(processor_time_for(200), processor_time_for(200));
  EXPECT_LT(processor_time_for(800), 30 * few);
}

class SmallerGang : public testing_support::LayoutFormatTest {
 protected:
  void begin(std::int32_t ranks) {
    ++self_.attempt;
    self_.gang = {.ranks = ranks};
  }
  void put(int step, int rank) const {
    put_checkpoint(root() / ("rank_" + std::to_string(rank)), "step_" + std::to_string(step), true);
  }
};

TEST_F(SmallerGang, goes_on_from_the_one_save_of_each_attempt) {
  begin(4);
  auto watching = watch();
  for (const int step : {100, 200}) {
    for (int rank = 0; rank < 4; ++rank) put(step, rank);
    watching.look();
  }
  for (const int step : {300, 400, 500}) {
    begin(2);
    EXPECT_EQ(restored().point.step, step - 100);
    auto next = watch();
    for (int rank = 0; rank < 2; ++rank) put(step, rank);
    next.look();
    EXPECT_EQ(next.seen().durable->step, step);
  }
  begin(2);
  EXPECT_EQ(restored().point.step, 500);
  EXPECT_TRUE(exists("rank_1/step_300"));
}

TEST_F(SmallerGang, is_read_from_the_list_again_and_lists_without_it_are_read) {
  begin(2);
  const MadeCheckpoint entry{
      .order = 1, .name = "step-1", .job_uid = "job", .attempt = 1, .gang = {.ranks = 4, .devices = 8}};
  put_checkpoint(root(), "step-1", true);
  ASSERT_TRUE(write_made(*volume_, entry));
  EXPECT_THAT(*read_made(*volume_), testing::ElementsAre(entry));
  testing_support::put_text(volume_->layout.made(1), R"({"order":1,"name":"step-1","jobUid":"job","attempt":1})");
  EXPECT_EQ(read_made(*volume_)->front().gang, GangSize{});
}

TEST_F(SmallerGang, that_is_as_large_as_before_again_has_to_save_as_many_parts) {
  const auto attempt = [&](int ranks, std::initializer_list<int> steps, int parts) {
    begin(ranks);
    EXPECT_TRUE(restore(*volume_, env_, self_));
    auto watching = watch();
    for (const int step : steps) {
      for (int rank = 0; rank < parts; ++rank) put(step, rank);
      watching.look();
    }
  };
  attempt(4, {100, 200}, 4);
  attempt(2, {300, 400}, 2);
  attempt(4, {500}, 2);
  begin(4);
  EXPECT_EQ(restored().point.step, 400);
}

TEST(first_save, of_a_gang_is_half_until_each_rank_has_written_its_part) {
  for (const std::string layout :
       {"rank_#/step_@", "step_@_rank#", "rank#_step_@.pt", "node#/out/step_@", "gpu#/step_@"}) {
    EXPECT_EQ(Attempts().of(kGangOfTwo).save(layout, 60, 1, 1).halves(), 1U) << layout;
    EXPECT_EQ(Attempts().of(kGangOfTwo).save(layout, 60, 0, 1).halves(), 1U) << layout;
    EXPECT_EQ(Attempts().of(kGangOfTwo).save(layout, 60, 0, 2).halves(), 0U) << layout;
  }
}

TEST(first_save, of_processes_of_one_pod_has_none_missing_between_others) {
  const GangSize pod{.ranks = 1, .devices = 4};
  EXPECT_EQ(Attempts().of(pod).save("rank#/step_@", 60, 3, 1).halves(), 1U);
  EXPECT_EQ(Attempts().of(pod).save("rank#/step_@", 60, 0, 1).save("rank#/step_@", 60, 2, 1).halves(), 1U);
  EXPECT_EQ(Attempts().of(pod).save("rank#/step_@", 60, 0, 4).halves(), 0U);
  EXPECT_EQ(Attempts().of(pod).save("node#/step_@", 60, 17, 1).halves(), 0U) << "machines have numbers of their own";
}

TEST(first_save, is_whole_where_one_rank_alone_saves_as_the_next_one_shows) {
  EXPECT_EQ(Attempts().of(kGangOfTwo).save("rank#/step_@", 60, 0, 1).save("rank#/step_@", 120, 0, 1).halves(), 0U);
  EXPECT_EQ(Attempts().of(kGangOfTwo).save("step_@", 60, 0, 1).halves(), 0U) << "no number of a rank in the name";
}

TEST(first_save, of_a_volume_for_each_rank_has_the_part_of_one) {
  EXPECT_EQ(Attempts().of(kGangOfTwo).save("rank#/step_@", 60, 1, 1).halves(Holds::OneRank), 0U);
}

}  // namespace
}  // namespace reprise::agent
