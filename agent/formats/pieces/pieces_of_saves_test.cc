// Pieces of gangs that have shrunk or grown, and beside copies of saves that are gone.
#include "agent/formats/pieces/pieces_of_saves.h"

#include <gtest/gtest.h>

#include <chrono>

#include "agent/formats/checkpoint_name.h"

namespace reprise::agent {
namespace {

using runtime::WallTime;

constexpr std::uint64_t kWhole = 3'000;

WallTime at(int second) {
  return WallTime(std::chrono::seconds(1'000'000 + second));
}

SavedAt saved(std::string path, std::int64_t step, int second) {
  return {.path = std::move(path), .step = step, .completed = at(second)};
}

LooseFile piece(std::string path, int second, std::uint64_t size = kWhole) {
  return {.path = std::move(path), .info = {.modified = at(second), .size = size}};
}

// Of ranks 0 to `ranks` - 1, one each.
void add_pieces(std::vector<LooseFile>& loose, int step, int ranks, std::uint64_t size = kWhole) {
  for (int rank = 0; rank < ranks; ++rank)
    loose.push_back(piece("buffers/" + std::to_string(step) + "_rank" + std::to_string(rank) + ".npz", step + 1, size));
}

std::vector<SavedAt> saves_at(std::initializer_list<int> steps) {
  std::vector<SavedAt> saves;
  for (const int step : steps) saves.push_back(saved("step_" + std::to_string(step), step, step));
  return saves;
}

std::int64_t count(const std::vector<StateFiles>& kinds) {
  return kinds.empty() ? 0 : kinds.front().count;
}

TEST(pieces_of_saves, of_a_gang_that_has_shrunk_are_not_cut_off) {
  std::vector<LooseFile> loose;
  for (const int step : {100, 200, 300}) add_pieces(loose, step, step < 300 ? 4 : 2);
  const auto pieces = pieces_of_saves(saves_at({100, 200, 300}), loose, 300);
  EXPECT_EQ(count(pieces.at(1).for_resume), 4);
  EXPECT_EQ(count(pieces.at(2).for_resume), 2);
  EXPECT_EQ(count(pieces.at(2).for_keep), 0) << "the others may still come";
}

TEST(pieces_of_saves, of_a_larger_gang_may_still_come) {
  for (const int there : {3, 4}) {
    std::vector<LooseFile> loose;
    for (const int step : {100, 200}) add_pieces(loose, step, 2);
    add_pieces(loose, 300, there);
    const auto pieces = pieces_of_saves(saves_at({100, 200, 300}), loose, 300);
    EXPECT_EQ(count(pieces.at(2).for_keep), 0);
    EXPECT_EQ(count(pieces.at(2).for_resume), there);
  }
  std::vector<LooseFile> loose;
  add_pieces(loose, 100, 2);
  for (const int step : {200, 300}) add_pieces(loose, step, 4);
  EXPECT_EQ(count(pieces_of_saves(saves_at({100, 200, 300}), loose, 300).at(2).for_keep), 4);
}

TEST(pieces_of_saves, that_are_cut_off_are_so_among_those_of_as_many_ranks) {
  std::vector<LooseFile> loose;
  add_pieces(loose, 100, 4);
  for (const int step : {200, 300}) add_pieces(loose, step, 2);
  add_pieces(loose, 400, 2, kWhole / 2);
  const auto pieces = pieces_of_saves(saves_at({100, 200, 300, 400}), loose, 400);
  EXPECT_EQ(count(pieces.at(3).for_keep), 0);
  EXPECT_EQ(count(pieces.at(3).for_resume), 0);
}

// Of the saves behind `keep` copies alone are there, each made after the next save's first piece.
TEST(pieces_of_saves, are_no_data_for_the_times_of_copies) {
  std::vector<SavedAt> saves = saves_at({400, 500});
  std::vector<LooseFile> loose;
  for (const int step : {100, 200, 300}) {
    saves.push_back(saved("archive/step_" + std::to_string(step), step, step + 102));
    loose.push_back(piece("optim_" + std::to_string(step) + ".bin", step + 1));
  }
  loose.push_back(piece("optim_400.bin", 401));
  const auto pieces = pieces_of_saves(saves, loose, 500);
  ASSERT_EQ(count(pieces.at(0).for_resume), 1);
  EXPECT_TRUE(pieces.at(0).for_resume.front().came_with_save);
  EXPECT_TRUE(pieces.at(1).for_resume.empty());
}

TEST(pieces_of_saves, are_so_behind_a_clock_that_was_set_back) {
  std::vector<SavedAt> saves;
  std::vector<LooseFile> loose;
  for (const auto& [step, second] : {std::pair(100, 5'000), std::pair(200, 6'000), std::pair(300, 1'000)}) {
    saves.push_back(saved("step_" + std::to_string(step), step, second));
    loose.push_back(piece("optim_" + std::to_string(step) + ".bin", second + 1));
  }
  const auto pieces = pieces_of_saves(saves, loose, 300);
  for (const HeldPieces& each : pieces) {
    EXPECT_EQ(count(each.for_resume), 1);
    EXPECT_EQ(count(each.for_keep), 1);
  }
}

// All of it came between the two saves, and one bears the number of the second by chance.
TEST(pieces_of_saves, are_no_data_that_runs_ahead_of_them) {
  std::vector<LooseFile> loose;
  for (int ahead = 0; ahead < 5; ++ahead)
    loose.push_back(piece("data_" + std::to_string(200 + 100 * ahead) + ".bin", 110 + ahead));
  for (const HeldPieces& each : pieces_of_saves(saves_at({100, 200}), loose, 200)) EXPECT_TRUE(each.for_resume.empty());
}

TEST(pieces_of_saves, stay_so_beside_those_that_attempts_have_left_over) {
  std::vector<LooseFile> loose;
  for (const int step : {200, 300}) add_pieces(loose, step, 1);
  for (const int second : {301, 302})
    loose.push_back(piece("buffers/" + std::to_string(second + 99) + "_rank0.npz", second));
  for (const HeldPieces& each : pieces_of_saves(saves_at({200, 300}), loose, 300)) {
    ASSERT_EQ(count(each.for_resume), 1);
    EXPECT_TRUE(each.for_resume.front().came_with_save);
  }
}

TEST(pieces_of_saves, of_a_save_that_is_alone_are_so_beside_left_over_ones_where_the_kind_is_known) {
  std::vector<LooseFile> loose;
  add_pieces(loose, 300, 1);
  for (const int second : {290, 295})
    loose.push_back(piece("buffers/" + std::to_string(second + 110) + "_rank0.npz", second));
  const auto kind = naming_of(loose.front().path);
  EXPECT_TRUE(pieces_of_saves(saves_at({300}), loose, 300).at(0).for_resume.empty());
  EXPECT_EQ(count(pieces_of_saves(saves_at({300}), loose, 300, {kind}).at(0).for_resume), 1);
}

TEST(pieces_of_saves, are_none_that_are_older_than_the_attempt_that_made_the_save) {
  auto saves = saves_at({100, 200});
  saves.push_back(saved("step_300", 300, 500));
  std::vector<LooseFile> loose;
  for (const int step : {100, 200, 300}) add_pieces(loose, step, 1);
  const auto of = [&](std::optional<std::int64_t> resumed_from) {
    return pieces_of_saves(saves, loose, 300, {}, {{.began = at(400), .resumed_from = resumed_from}});
  };
  EXPECT_TRUE(of(200).at(2).for_resume.empty());
  EXPECT_TRUE(of(200).at(2).for_keep.empty());
  EXPECT_EQ(count(of(200).at(1).for_resume), 1);
  EXPECT_EQ(count(of(300).at(2).for_resume), 1) << "its own is made once more";
  EXPECT_EQ(count(of(std::nullopt).at(2).for_resume), 1) << "its trainer has chosen by itself";
}

TEST(pieces_of_saves, that_are_a_little_shorter_are_cut_off_where_a_page_ends) {
  for (const auto& [bytes, is_whole] : {std::pair(98'300, true), std::pair(98'304, false), std::pair(50'000, false)}) {
    std::vector<LooseFile> loose;
    for (const int step : {100, 200}) add_pieces(loose, step, 1, 100'000);
    add_pieces(loose, 300, 1, static_cast<std::uint64_t>(bytes));
    const auto pieces = pieces_of_saves(saves_at({100, 200, 300}), loose, 300);
    EXPECT_EQ(count(pieces.at(2).for_resume), is_whole ? 1 : 0);
    EXPECT_EQ(count(pieces.at(2).for_keep), 0) << "it may still be written";
  }
}

// One attempt, which still runs, beside what another one has left.
TEST(pieces_of_saves, that_are_cut_off_are_so_in_front_of_left_over_ones) {
  std::vector<LooseFile> loose;
  for (const int step : {100, 200}) add_pieces(loose, step, 1);
  loose.push_back(piece("buffers/400_rank0.npz", 205));
  add_pieces(loose, 310, 1, kWhole / 2);
  const auto pieces = pieces_of_saves(saves_at({100, 200, 310}), loose, 310);
  EXPECT_EQ(count(pieces.at(1).for_keep), 1);
  EXPECT_EQ(count(pieces.at(2).for_keep), 0);
}

// Among many ranks' files a short one is little of all.
TEST(pieces_of_saves, that_are_cut_off_are_so_among_many_ranks) {
  std::vector<LooseFile> loose;
  for (const int step : {100, 200, 300}) add_pieces(loose, step, 64);
  loose.back().info.size = kWhole / 2;
  EXPECT_EQ(count(pieces_of_saves(saves_at({100, 200, 300}), loose, 300).at(2).for_resume), 0);
}

TEST(pieces_of_saves, that_are_shorter_are_whole_where_their_attempt_has_saved_again) {
  std::vector<LooseFile> loose;
  for (const int step : {100, 200, 300}) add_pieces(loose, step, 1, step < 300 ? kWhole : kWhole / 2);
  const auto of = [&](BegunAttempts attempts) {
    return pieces_of_saves(saves_at({100, 200, 300, 400}), loose, 400, {}, attempts).at(2);
  };
  EXPECT_EQ(count(of({}).for_resume), 1);
  EXPECT_EQ(count(of({{.began = at(250), .resumed_from = 200}}).for_resume), 1);
  const auto ended = of({{.began = at(350), .resumed_from = 200}});
  EXPECT_TRUE(ended.for_resume.empty());
  EXPECT_TRUE(ended.for_keep.empty());
  EXPECT_EQ(ended.torn.size(), 1U);
}

TEST(pieces_of_saves, of_a_save_that_is_alone_are_so_where_they_came_behind_it_and_left_over_ones_since) {
  std::vector<LooseFile> loose;
  add_pieces(loose, 300, 1);
  for (const int second : {310, 320})
    loose.push_back(piece("buffers/" + std::to_string(second + 110) + "_rank0.npz", second));
  EXPECT_EQ(count(pieces_of_saves(saves_at({300}), loose, 300).at(0).for_resume), 1);
}

TEST(numbers_in_path, may_be_written_short) {
  const auto steps = [](std::string_view path) {
    std::vector<std::int64_t> values;
    for (const NumberInPath& each : numbers_in_path(path))
      if (each.may_be_step) values.push_back(each.value);
    return values;
  };
  EXPECT_EQ(steps("buffer_100k.npz"), std::vector<std::int64_t>{100'000});
  EXPECT_EQ(steps("buffer_1.5M_rank3.npz"), std::vector<std::int64_t>{1'500'000});
  EXPECT_EQ(steps("buffer_100.npz"), std::vector<std::int64_t>{100});
  EXPECT_EQ(numbers_in_path("buffer_1.5M_rank3.npz").size(), 3U) << "of one kind are as many";
}

TEST(pieces_of_saves, are_none_where_there_are_no_saves) {
  EXPECT_TRUE(pieces_of_saves({}, {piece("optim_400.bin", 401)}, 0).empty());
}

}  // namespace
}  // namespace reprise::agent
