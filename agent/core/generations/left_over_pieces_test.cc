// Pieces without their checkpoints, numbered beyond the newest save: of attempts that ended between the two, or before
// a roll back. They make no data of their kind.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing_support::plain_file;
using testing_support::put_text;

class LeftOverPieces : public testing_support::LayoutFormatTest {
 protected:
  LeftOverPieces() { self_.attempt = 2; }
  void put(const std::string& before, int step, const std::string& after, const std::string& bytes) {
    const fs::path path = root() / (before + std::to_string(step) + after);
    put_text(path, bytes);
    fs::last_write_time(path, began_ + std::chrono::seconds(++seconds_));
  }
  void put_checkpoint(int step) { put("checkpoint-", step, ".pt", plain_file()); }
  void put_piece(int step, std::size_t bytes = 5'000) { put("replay_buffer_", step, ".npz", std::string(bytes, 'r')); }
  static void look_twice(CheckpointWatch& watching) {
    watching.look();
    watching.look();
  }
  void save(CheckpointWatch& watching, int step) {
    put_piece(step);
    put_checkpoint(step);
    look_twice(watching);
  }
  // Each by an attempt that ended behind its piece.
  void end_behind_pieces_of(std::initializer_list<int> steps, std::optional<std::int32_t> keep) {
    for (const int step : steps) {
      ++self_.attempt;
      use("Auto");
      auto watching = watch(keep);
      put_piece(step);
      look_twice(watching);
    }
    ++self_.attempt;
    use("Auto");
  }
  // The next attempt, which begins now by the volume's clock.
  [[nodiscard]] CheckpointWatch begin(std::optional<std::int32_t> keep) {
    ++self_.attempt;
    use("Auto");
    static_cast<void>(restored());
    fs::last_write_time(volume_->layout.resume_point(self_.attempt), began_ + std::chrono::seconds(++seconds_));
    return watch(keep);
  }
  [[nodiscard]] std::string resumed_next() {
    ++self_.attempt;
    use("Auto");
    return restored().point.path;
  }
  void roll_back(std::initializer_list<int> steps) const {
    for (const int step : steps) fs::remove(root() / ("checkpoint-" + std::to_string(step) + ".pt"));
  }
  void put_opaque(int step, std::size_t bytes = 5'000) { put("optim_", step, ".bin", std::string(bytes, 'o')); }
  [[nodiscard]] bool has_checkpoint(int step) const { return exists("checkpoint-" + std::to_string(step) + ".pt"); }

  const fs::file_time_type began_ = fs::file_time_type::clock::now() - std::chrono::hours(1);
  int seconds_ = 0;
};

TEST_F(LeftOverPieces, of_two_attempts_leave_the_save_before_whole) {
  for (const auto keep : {std::optional<std::int32_t>(1), std::optional<std::int32_t>()}) {
    use("Auto");
    {
      auto watching = watch(keep);
      for (const int step : {100, 200, 300}) save(watching, step);
    }
    end_behind_pieces_of({400, 407, 411}, keep);
    EXPECT_EQ(restored().point.path, "checkpoint-300.pt");
    fs::remove_all(root());
    fs::create_directories(root());
  }
}

TEST_F(LeftOverPieces, do_not_let_keep_take_the_last_whole_save) {
  {
    auto watching = watch(1);
    for (const int step : {100, 200, 300}) save(watching, step);
  }
  end_behind_pieces_of({400, 500}, 1);
  auto watching = watch(1);
  put_checkpoint(310);
  look_twice(watching);
  EXPECT_TRUE(has_checkpoint(300)) << "the piece of the newer one is not there yet";
  put_piece(310, 2'000);
  look_twice(watching);
  EXPECT_TRUE(has_checkpoint(300)) << "nor whole";
  ++self_.attempt;
  EXPECT_EQ(restored().point.path, "checkpoint-300.pt");
  put_piece(310);
  look_twice(watching);
  EXPECT_FALSE(has_checkpoint(300));
  ++self_.attempt;
  EXPECT_EQ(restored().point.path, "checkpoint-310.pt");
}

// Where nobody has written down what came with saves.
TEST_F(LeftOverPieces, are_none_by_the_times_of_the_saves_alone) {
  for (const int step : {100, 200, 300}) {
    put_piece(step);
    put_checkpoint(step);
  }
  for (const int step : {400, 500}) put_piece(step);
  EXPECT_EQ(restored().point.path, "checkpoint-300.pt");
  put_checkpoint(310);
  put_piece(310);
  ++self_.attempt;
  EXPECT_EQ(restored().point.path, "checkpoint-310.pt");
}

TEST_F(LeftOverPieces, of_a_number_that_is_saved_anew_count_for_keep_once_they_are_written_anew) {
  {
    auto watching = watch(1);
    for (const int step : {100, 200, 300}) save(watching, step);
  }
  end_behind_pieces_of({400, 500}, 1);
  auto watching = watch(1);
  save(watching, 310);
  EXPECT_FALSE(has_checkpoint(300));
  put_checkpoint(400);
  look_twice(watching);
  EXPECT_TRUE(has_checkpoint(310)) << "the piece is that of before the roll back";
  put_piece(400);
  look_twice(watching);
  EXPECT_FALSE(has_checkpoint(310));
}

// Each is the only save of its attempt, and its trainer has begun to write the piece: it is no new habit to leave it
// out.
TEST_F(LeftOverPieces, that_are_torn_make_no_whole_saves_however_many_attempts_end_so) {
  {
    auto watching = watch(1);
    for (const int step : {100, 200, 300}) save(watching, step);
  }
  for (const int step : {310, 325, 340, 355}) {
    ++self_.attempt;
    use("Auto");
    auto watching = watch(1);
    put_checkpoint(step);
    put_piece(step, 0);
    look_twice(watching);
    EXPECT_TRUE(has_checkpoint(300));
  }
  ++self_.attempt;
  EXPECT_EQ(restored().point.path, "checkpoint-300.pt");
}

TEST_F(LeftOverPieces, that_are_written_once_more_behind_a_later_save_condemn_none) {
  auto watching = watch(2);
  for (const int step : {100, 200, 300, 400, 500}) save(watching, step);
  put_piece(400);
  look_twice(watching);
  ++self_.attempt;
  use("Auto");
  EXPECT_EQ(restored().point.path, "checkpoint-500.pt");
}

TEST_F(LeftOverPieces, of_the_save_before_that_are_written_once_more_are_no_piece_of_the_next) {
  {
    auto watching = watch(1);
    for (const int step : {100, 200, 300}) save(watching, step);
  }
  ++self_.attempt;
  use("Auto");
  auto watching = watch(1);
  put_checkpoint(310);
  put_piece(300);
  look_twice(watching);
  EXPECT_TRUE(has_checkpoint(300));
  ++self_.attempt;
  EXPECT_EQ(restored().point.path, "checkpoint-300.pt");
}

TEST_F(LeftOverPieces, do_not_condemn_saves_whose_writer_in_the_background_is_late) {
  auto watching = watch(1);
  for (const int step : {100, 200, 300}) save(watching, step);
  put_piece(500);
  put_checkpoint(400);
  put_piece(400);
  put_checkpoint(500);
  look_twice(watching);
  ++self_.attempt;
  EXPECT_EQ(restored().point.path, "checkpoint-500.pt");
}

// A person has deleted the checkpoints behind 200 alone; the next attempt is ended between its checkpoint and its
// piece.
TEST_F(LeftOverPieces, of_a_training_that_was_given_up_make_no_save_whole) {
  for (const bool saves_in_between : {false, true})
    for (const auto keep : {std::optional<std::int32_t>(1), std::optional<std::int32_t>()}) {
      {
        auto watching = begin(std::nullopt);
        for (const int step : {100, 200, 300, 400}) {
          put_checkpoint(step);
          put_piece(step);
          look_twice(watching);
        }
      }
      roll_back({300, 400});
      auto watching = begin(keep);
      const int last = saves_in_between ? 250 : 200;
      if (saves_in_between) {
        put_checkpoint(250);
        put_piece(250);
        look_twice(watching);
      }
      put_checkpoint(300);
      look_twice(watching);
      EXPECT_TRUE(has_checkpoint(last)) << "the piece of 300 is that of the training before";
      EXPECT_EQ(resumed_next(), "checkpoint-" + std::to_string(last) + ".pt");
      fs::remove_all(root());
      fs::create_directories(root());
    }
}

// It resumes from 300 and saves that once more.
TEST_F(LeftOverPieces, of_the_save_that_an_attempt_has_resumed_from_are_that_save_s) {
  {
    auto watching = begin(1);
    for (const int step : {100, 200, 300}) save(watching, step);
  }
  auto watching = begin(1);
  put_checkpoint(300);
  look_twice(watching);
  EXPECT_EQ(resumed_next(), "checkpoint-300.pt");
}

TEST_F(LeftOverPieces, that_are_gone_with_their_save_are_remembered_behind_a_half_of_its_name) {
  {
    auto watching = begin(std::nullopt);
    for (const int step : {100, 200}) save(watching, step);
  }
  roll_back({200});
  fs::remove(root() / "replay_buffer_200.npz");
  auto watching = begin(std::nullopt);
  put_checkpoint(200);
  look_twice(watching);
  look_twice(watching);
  EXPECT_EQ(resumed_next(), "checkpoint-100.pt");
}

// Nothing in them shows where they end.
TEST_F(LeftOverPieces, that_are_cut_off_by_their_length_stay_so_however_many_attempts_end_there) {
  for (const auto keep : {std::optional<std::int32_t>(1), std::optional<std::int32_t>()}) {
    {
      auto watching = begin(keep);
      for (const int step : {100, 200, 300}) {
        put_checkpoint(step);
        put_opaque(step);
        look_twice(watching);
      }
    }
    for (const auto& [step, bytes] :
         {std::pair(310, 900), std::pair(325, 2'700), std::pair(340, 900), std::pair(355, 1'300)}) {
      auto watching = begin(keep);
      put_checkpoint(step);
      put_opaque(step, static_cast<std::size_t>(bytes));
      look_twice(watching);
      EXPECT_TRUE(has_checkpoint(300));
    }
    EXPECT_EQ(resumed_next(), "checkpoint-300.pt");
    fs::remove_all(root());
    fs::create_directories(root());
  }
}

TEST_F(LeftOverPieces, that_are_a_little_shorter_are_whole) {
  for (const auto keep : {std::optional<std::int32_t>(1), std::optional<std::int32_t>()}) {
    auto watching = begin(keep);
    for (const auto& [step, bytes] : {std::pair(100, 5'000), std::pair(200, 5'000), std::pair(300, 4'990)}) {
      put_opaque(step, static_cast<std::size_t>(bytes));
      put_checkpoint(step);
      look_twice(watching);
    }
    EXPECT_TRUE(has_checkpoint(200)) << "it may still be written";
    EXPECT_EQ(resumed_next(), "checkpoint-300.pt");
    fs::remove_all(root());
    fs::create_directories(root());
  }
}

TEST_F(LeftOverPieces, let_keep_take_no_whole_save_where_the_list_of_known_saves_is_gone) {
  for (const bool piece_first : {false, true}) {
    {
      auto watching = begin(1);
      for (const int step : {100, 200, 300}) {
        if (piece_first) put_piece(step);
        put_checkpoint(step);
        if (!piece_first) put_piece(step);
        look_twice(watching);
      }
    }
    for (const int step : {400, 500}) {
      auto watching = begin(1);
      put_piece(step);
      look_twice(watching);
    }
    fs::remove(root() / ".reprise" / "saves.json");
    auto watching = begin(1);
    put_checkpoint(310);
    look_twice(watching);
    look_twice(watching);
    EXPECT_TRUE(has_checkpoint(300));
    put_piece(310);
    look_twice(watching);
    EXPECT_FALSE(has_checkpoint(300)) << "the newer one has its piece, too";
    fs::remove_all(root());
    fs::create_directories(root());
  }
}

}  // namespace
}  // namespace reprise::agent
