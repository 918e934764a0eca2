// The ranks whose parts a save has to have, where the gang's size is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/core/generations/smaller_gang.h"
#include "agent/testing/saves_on_volume.h"

namespace reprise::agent {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using testing_support::OnVolume;

constexpr const char* kByRanks[] = {"rank#/step_@", "step_@_rank#", "rank#_step_@.pt", "gpu#/out/epoch-@"};

struct RanksSaved {
  int step = 0;
  std::vector<int> ranks{};
};

// Attempts one after the other, each of a gang.
std::vector<std::string> halves_of(const std::string& layout,
                                   const std::vector<std::pair<GangSize, std::vector<RanksSaved>>>& attempts) {
  OnVolume volume;
  std::int32_t attempt = 0;
  for (const auto& [gang, saves] : attempts) {
    ++attempt;
    for (const auto& [step, ranks] : saves) volume.save_ranks(layout, step, ranks, attempt);
    for (MadeCheckpoint& each : volume.made)
      if (each.attempt == attempt) each.gang = gang;
  }
  return volume.names();
}

const std::vector<int> kFour{0, 1, 2, 3}, kTwo{0, 1};
constexpr GangSize kOfTwo{.ranks = 2, .devices = 1}, kOfFour{.ranks = 4, .devices = 1}, kPod{.ranks = 1, .devices = 4};

TEST(gang_in_step, a_rank_that_is_saves_ahead_of_others_of_a_gang_as_large_has_no_whole_save) {
  for (const char* layout : kByRanks) {
    for (const GangSize gang : {kOfFour, kPod, GangSize{.ranks = 4}}) {
      const std::pair before(gang, std::vector<RanksSaved>{{20, kFour}, {40, kFour}});
      EXPECT_THAT(halves_of(layout, {before, {gang, {{60, {0}}, {80, {0}}}}}), SizeIs(2)) << layout;
      EXPECT_THAT(halves_of(layout, {before, {gang, {{60, kTwo}, {80, kTwo}, {100, kTwo}}}}), SizeIs(6)) << layout;
      EXPECT_THAT(halves_of(layout, {{gang, {{20, kFour}, {40, kTwo}, {60, kTwo}, {80, kTwo}}}}), SizeIs(6)) << layout;
    }
  }
  std::vector<RanksSaved> five;
  for (const int step : {60, 80, 100, 120, 140}) five.push_back({step, {0}});
  EXPECT_THAT(halves_of("rank#/step_@", {{kPod, {{40, kFour}}}, {kPod, five}}), IsEmpty())
      << "rank 0 gathers all now: no gang is five saves apart";
}

TEST(gang_in_step, a_smaller_one_and_one_of_unknown_size_go_on_with_fewer_parts) {
  for (const char* layout : kByRanks) {
    EXPECT_THAT(halves_of(layout, {{kPod, {{20, kFour}}}, {{.ranks = 1, .devices = 2}, {{40, kTwo}, {60, kTwo}}}}),
                IsEmpty());
    EXPECT_THAT(halves_of(layout, {{kOfFour, {{20, kFour}}}, {kOfTwo, {{40, {0}}, {60, {0}}}}}), SizeIs(2))
        << "one of its two ranks is ahead";
    EXPECT_THAT(halves_of(layout, {{{}, {{20, kFour}}}, {{}, {{40, kTwo}, {60, kTwo}}}}), IsEmpty());
    EXPECT_THAT(halves_of(layout, {{{.ranks = 1}, {{20, kFour}}}, {{.ranks = 1}, {{40, kTwo}, {60, kTwo}}}}), IsEmpty())
        << "processes without a GPU may be as many as anybody likes";
  }
  EXPECT_THAT(halves_of("tp#/step_@", {{kOfFour, {{20, kFour}}}, {kOfFour, {{40, kTwo}, {60, kTwo}}}}), IsEmpty())
      << "a model in two parts";
}

TEST(gang_in_step, that_has_grown_saves_with_the_parts_of_all_its_ranks) {
  for (const char* layout : kByRanks) {
    const std::pair before(kOfTwo, std::vector<RanksSaved>{{10, kTwo}, {20, kTwo}});
    EXPECT_THAT(halves_of(layout, {before, {kOfFour, {{30, {0, 1, 2}}}}}), SizeIs(3)) << layout;
    EXPECT_THAT(halves_of(layout, {before, {kOfFour, {{30, kTwo}}}}), SizeIs(2)) << layout;
    EXPECT_THAT(halves_of(layout, {before, {kOfFour, {{30, kTwo}, {40, kTwo}}}}), SizeIs(4)) << layout;
    EXPECT_THAT(halves_of(layout, {before, {kOfFour, {{30, kTwo}, {40, kTwo}, {50, kTwo}}}}), IsEmpty())
        << "one group of two saves for all";
    EXPECT_THAT(halves_of(layout, {before, {kOfFour, {{30, kTwo}, {40, kFour}, {50, kFour}}}}), SizeIs(2)) << layout;
    EXPECT_THAT(halves_of(layout, {before, {kOfFour, {{30, kFour}}}}), IsEmpty()) << layout;
    EXPECT_THAT(halves_of(layout, {{{.ranks = 1, .devices = 2}, {{20, kTwo}}}, {kPod, {{30, {0, 1, 2}}}}}), SizeIs(3));
  }
  const std::vector<int> three{0, 1, 2};
  EXPECT_THAT(halves_of("rank#/step_@", {{{.ranks = 2, .devices = 2}, {{20, three}}}, {kOfFour, {{30, three}}}}),
              IsEmpty())
      << "not one of each rank before";
}

// One file of each rank lies beside the parts, where the first rank's part has all of them.
void put_buffers(OnVolume& volume, int step, std::int64_t count) {
  const std::string begin = "buffer_" + std::to_string(step) + "_rank";
  for (Checkpoint& each : volume.found)
    if (each.name == "step_" + std::to_string(step) + "_rank0")
      each.state.kinds = {{.kind = "buffer_#_rank#.npz",
                           .count = count,
                           .first = begin + "0.npz",
                           .last = begin + std::to_string(count - 1) + ".npz"}};
}

TEST(gang_in_step, without_a_file_of_one_rank_no_rank_s_part_of_that_save_counts) {
  struct Save {
    int step;
    std::int32_t attempt;
    std::int64_t ranks, buffers;
  };
  const std::vector<std::vector<Save>> cases{
      {{10, 1, 4, 4}, {20, 1, 4, 4}, {30, 2, 2, 2}, {40, 2, 2, 2}, {50, 3, 4, 3}},
      {{10, 1, 2, 2}, {20, 1, 2, 2}, {30, 2, 4, 1}}};
  for (const auto& saves : cases) {
    OnVolume volume;
    for (const auto& [step, attempt, ranks, buffers] : saves) {
      volume.save_ranks("step_@_rank#", step, ranks == 4 ? kFour : kTwo, attempt);
      put_buffers(volume, step, buffers);
      for (MadeCheckpoint& each : volume.made)
        if (each.attempt == attempt) each.gang = ranks == 4 ? kOfFour : kOfTwo;
    }
    EXPECT_THAT(volume.names(), SizeIs(4)) << "ranks 2 and 3 were not in the save before";
  }
}

TEST(gang_in_step, sizes_tell_how_many_parts_are_due) {
  const auto due = [](GangSize before, std::int64_t parts, GangSize now) {
    return parts_of_larger_gang({.one = "rank0/step_1", .count = parts, .gang = before}, now).value_or(0);
  };
  EXPECT_EQ(due(kOfTwo, 2, kOfFour), 4);
  EXPECT_EQ(due({.ranks = 1, .devices = 2}, 2, kPod), 4);
  EXPECT_EQ(due({.ranks = 2, .devices = 8}, 16, {.ranks = 4, .devices = 8}), 32);
  EXPECT_EQ(due({.ranks = 2, .devices = 8}, 2, {.ranks = 4, .devices = 8}), 4) << "one a pod";
  EXPECT_EQ(due({.ranks = 2, .devices = 8}, 8, {.ranks = 4, .devices = 8}), 0) << "some of each";
  EXPECT_EQ(due(kOfFour, 4, kOfTwo), 0);
  EXPECT_EQ(due({.ranks = 2}, 2, kOfFour), 0) << "of another kind";
  EXPECT_EQ(due({}, 2, kOfFour), 0);
}

}  // namespace
}  // namespace reprise::agent
