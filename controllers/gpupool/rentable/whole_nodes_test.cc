#include "controllers/gpupool/rentable/whole_nodes.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace reprise::controllers::rentable {
namespace {

void holds(const char* sentence, const auto& property) {
  EXPECT_TRUE(rc::check(sentence, property));
}

std::vector<std::int64_t> some_sizes() {
  return *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::elementOf(std::vector<std::int64_t>{1, 2, 3, 4, 5, 8, 16})));
}

TEST(WholeNodes, what_is_rented_is_whole_and_within_the_limit) {
  struct Row {
    std::vector<std::int64_t> sizes;
    std::int64_t at_most, rented;
  };
  for (const Row& row : std::vector<Row>{{{4}, 6, 4},
                                         {{4}, 3, 0},
                                         {{8}, 4, 0},
                                         {{1, 4}, 6, 6},
                                         {{4, 8}, 14, 12},
                                         {{3, 5}, 7, 6},
                                         {{8}, 100'003, 100'000},
                                         {{4}, 0, 0},
                                         {{}, 8, 0}})
    EXPECT_EQ(gpus_in_whole_nodes(row.sizes, row.at_most), row.rented) << row.at_most;
}

TEST(WholeNodes, ranks_take_room_on_single_machines) {
  EXPECT_EQ(ranks_on_whole_nodes({4}, 6, {.units_per_gpu = 1, .units_per_rank = 1}, 6), 4);
  EXPECT_EQ(ranks_on_whole_nodes({4}, 8, {.units_per_gpu = 1, .units_per_rank = 3}, 6), 2);  // three are left idle
  EXPECT_EQ(ranks_on_whole_nodes({1}, 2, {.units_per_gpu = 4, .units_per_rank = 1}, 8), 8);
  EXPECT_EQ(ranks_on_whole_nodes({1}, 2, {.units_per_gpu = 1, .units_per_rank = 2}, 8), 0);
  EXPECT_EQ(ranks_on_whole_nodes({8}, std::nullopt, {.units_per_gpu = 1, .units_per_rank = 8}, 100), 100);
}

TEST(WholeNodes, ranks_take_room_on_single_machines_that_are_there) {
  EXPECT_EQ(ranks_on({{1, 8}}, {.units_per_gpu = 1, .units_per_rank = 8}), 0);
  EXPECT_EQ(ranks_on({{8, 1}}, {.units_per_gpu = 1, .units_per_rank = 8}), 1);
  EXPECT_EQ(ranks_on({{1, 3}, {4, 2}}, {.units_per_gpu = 1, .units_per_rank = 3}), 2);
  EXPECT_EQ(ranks_on({{1, 2}}, {.units_per_gpu = 4, .units_per_rank = 3}), 2);
  EXPECT_EQ(gpus_of({{1, 3}, {4, 2}}), 11);
}

TEST(WholeNodes, a_rank_fits_only_where_one_machine_has_room_for_it) {
  holds("no machine is too small", [] {
    const RankSize rank{*rc::gen::inRange<std::int64_t>(1, 8), *rc::gen::inRange<std::int64_t>(1, 17)};
    MachinesBySize machines;
    for (const std::int64_t size : some_sizes()) machines[size] += *rc::gen::inRange<std::int64_t>(1, 9);
    const bool any_fits = machines.rbegin()->first * rank.units_per_gpu >= rank.units_per_rank;
    RC_ASSERT((ranks_on(machines, rank) > 0) == any_fits);
    RC_ASSERT(ranks_on(machines, rank) * rank.units_per_rank <= gpus_of(machines) * rank.units_per_gpu);
  });
}

TEST(WholeNodes, some_that_are_there_stay_and_the_others_give_way_to_new_ones) {
  constexpr RankSize kOfFour{.units_per_gpu = 1, .units_per_rank = 4};
  EXPECT_EQ(ranks_beside({{1, 8}}, {4}, 3, kOfFour, 1), 0) << "below the limit none of four comes";
  EXPECT_EQ(ranks_beside({{1, 8}}, {4}, 8, kOfFour, 9), 2);
  EXPECT_EQ(ranks_beside({{8, 1}}, {4}, 3, kOfFour, 9), 2) << "it stays beyond the limit";
  EXPECT_EQ(ranks_beside({{4, 1}, {1, 5}}, {8}, 12, kOfFour, 9), 3) << "the five go, one of eight comes";
  EXPECT_EQ(ranks_beside({{1, 3}}, {4}, 5, {.units_per_gpu = 1, .units_per_rank = 1}, 9), 5);
  EXPECT_EQ(ranks_beside({{1, 3}}, {1}, std::nullopt, kOfFour, 9), 0);
}

TEST(WholeNodes, machines_that_are_there_never_take_room_away) {
  holds("monotone in what is there", [] {
    const auto sizes = some_sizes();
    const auto limit = *rc::gen::inRange<std::int64_t>(0, 60);
    const RankSize rank{*rc::gen::inRange<std::int64_t>(1, 8), *rc::gen::inRange<std::int64_t>(1, 17)};
    const auto wanted = *rc::gen::inRange<std::int64_t>(1, 40);
    MachinesBySize there;
    RC_ASSERT(ranks_beside(there, sizes, limit, rank, wanted) == ranks_on_whole_nodes(sizes, limit, rank, wanted));
    std::int64_t before = 0;
    for (const std::int64_t size : some_sizes()) {
      there[size] += *rc::gen::inRange<std::int64_t>(1, 9);
      const auto now = ranks_beside(there, sizes, limit, rank, wanted);
      RC_ASSERT(now >= before && now <= wanted);
      RC_ASSERT(now >= std::min(ranks_on(there, rank), wanted));
      before = now;
    }
  });
}

TEST(WholeNodes, a_higher_limit_never_rents_less) {
  holds("monotone in the limit", [] {
    const auto sizes = some_sizes();
    const auto limit = *rc::gen::inRange<std::int64_t>(0, 9000);
    const auto rented = gpus_in_whole_nodes(sizes, limit);
    RC_ASSERT(rented >= 0 && rented <= limit);
    RC_ASSERT(gpus_in_whole_nodes(sizes, limit + 1) >= rented);
    RC_ASSERT(gpus_in_whole_nodes(sizes, rented) == rented);  // it is made of whole machines
    RC_ASSERT(limit - rented < std::ranges::min(sizes));      // and another would not go in
  });
}

TEST(WholeNodes, a_further_size_never_takes_room_away) {
  holds("monotone in the sizes", [] {
    auto sizes = some_sizes();
    const auto limit = *rc::gen::inRange<std::int64_t>(0, 200);
    const RankSize rank{*rc::gen::inRange<std::int64_t>(1, 8), *rc::gen::inRange<std::int64_t>(1, 17)};
    const auto wanted = *rc::gen::inRange<std::int64_t>(1, 100);
    const auto fewer = ranks_on_whole_nodes(sizes, limit, rank, wanted);
    RC_ASSERT(fewer >= 0 && fewer <= wanted);
    RC_ASSERT(ranks_on_whole_nodes(sizes, limit + 1, rank, wanted) >= fewer);
    sizes.push_back(*rc::gen::inRange<std::int64_t>(1, 17));
    RC_ASSERT(ranks_on_whole_nodes(sizes, limit, rank, wanted) >= fewer);
  });
}

TEST(WholeNodes, the_limit_that_is_advised_is_the_first_that_is_enough) {
  holds("enough and no more", [] {
    const auto sizes = some_sizes();
    const RankSize rank{*rc::gen::inRange<std::int64_t>(1, 8), *rc::gen::inRange<std::int64_t>(1, 17)};
    const auto wanted = *rc::gen::inRange<std::int64_t>(1, 100);
    const auto enough = gpus_for_ranks(sizes, rank, wanted);
    if (!enough) {
      RC_ASSERT(ranks_on_whole_nodes(sizes, std::nullopt, rank, wanted) == 0);
      return;
    }
    RC_ASSERT(ranks_on_whole_nodes(sizes, *enough, rank, wanted) == wanted);
    RC_ASSERT(ranks_on_whole_nodes(sizes, *enough - 1, rank, wanted) < wanted);
  });
}

}  // namespace
}  // namespace reprise::controllers::rentable
