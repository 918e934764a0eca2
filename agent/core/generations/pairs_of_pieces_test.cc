// A save of two pieces, of which one is a checkpoint by itself: in each layout, written in either order, cut off at
// each point. Who is interrupted there resumes from a whole save, and `keep: 1` leaves one at every moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;
using testing_support::dcp_metadata;
using testing_support::lightning_file;
using testing_support::plain_file;
using testing_support::put_text;
using testing_support::safetensors_file;
using testing_support::torch_file;

enum class Piece { Missing, Cut, Whole };

// "buffer_@.npz" with the step.
std::string at_step(std::string name, int step) {
  for (std::size_t at = name.find('@'); at != std::string::npos; at = name.find('@'))
    name.replace(at, 1, std::to_string(step));
  return name;
}

struct Main {
  const char* name;
  const char* layout;  // "file", "mark", "HuggingFace", "PyTorchDCP", "Lightning"
};
constexpr Main kMains[] = {{"checkpoint-@.pt", "file"},
                           {"runs/step_@", "mark"},
                           {"out/checkpoint-@", "HuggingFace"},
                           {"step-@", "PyTorchDCP"},
                           {"epoch=0-step=@.ckpt", "Lightning"}};

struct Side {
  const char* name;
  bool holds_training = true;  // by its ending: else only `keep` asks for it
  bool is_tied = false;        // by its name: what lacks it is torn
};
constexpr Side kSides[] = {{"replay_buffer_@.npz"},
                           {"buffers/@.npz"},
                           {"optim_state_@.bin"},
                           {"optim/@/o.bin"},
                           {"rng/@.pkl"},
                           {"optimizer-@/o.bin"},
                           {"dataloader/rng-@.pt"},
                           {"extra_@.safetensors"},
                           {"sampler/at-@.json"},
                           {"optim_@.opt"},
                           {"checkpoint-@_buffer.npz", true, true},
                           {"notes/at-@.json", false}};

// Waits until the times of files differ.
void later() {
  std::this_thread::sleep_for(std::chrono::milliseconds(6));
}

void put_cut(const fs::path& path, const std::string& whole, Piece piece) {
  if (piece == Piece::Missing) return;
  put_text(path, piece == Piece::Whole ? whole : whole.substr(0, whole.size() / 2));
}

class PairsOfPieces : public testing_support::LayoutFormatTest {
 protected:
  void put_main(const Main& main, int step, Piece piece) const {
    if (piece == Piece::Missing) return;
    const fs::path path = root() / at_step(main.name, step);
    const std::string_view layout = main.layout;
    const bool whole = piece == Piece::Whole;
    if (layout == "file") return put_cut(path, plain_file(), piece);
    if (layout == "Lightning") return put_cut(path, lightning_file(step), piece);
    if (layout == "mark") {
      put_text(path / "state.pt", torch_file());
      if (whole) put_text(path / "_COMPLETE", "");
    } else if (layout == "HuggingFace") {
      testing_support::put_hugging_face(path, step);
      if (!whole) fs::remove(path / "trainer_state.json");
    } else {
      put_text(path / "__0_0.distcp", torch_file());
      if (whole) put_text(path / ".metadata", dcp_metadata({{"__0_0.distcp", torch_file().size()}}));
    }
  }
  void put_side(const std::string& side, int step, Piece piece) const {
    const fs::path path = root() / at_step(side, step);
    const std::string name = path.filename().string();
    put_cut(path,
            name.ends_with(".pt")            ? torch_file()
            : name.ends_with(".safetensors") ? safetensors_file()
                                             : std::string(5'000, 'r'),
            piece);
  }
  void anew() {
    fs::remove_all(root());
    fs::create_directories(root());
    use("Auto");
    self_.attempt = 2;
  }
  [[nodiscard]] bool is_there(const Main& main, const std::string& side, int step) const {
    return exists(at_step(main.name, step)) && exists(at_step(side, step));
  }
};

TEST_F(PairsOfPieces, who_is_cut_off_between_them_resumes_from_a_whole_save_and_keep_leaves_one_at_every_moment) {
  constexpr std::ptrdiff_t kEachFourth = 4;  // each fourth of all but the first layout
  for (const Main& main : kMains)
    for (const Side& side : kSides)
      for (const bool side_first : {false, true})
        for (const Piece cut : {Piece::Missing, Piece::Cut}) {
          if (&main != kMains && ((&main - kMains) + (&side - kSides)) % kEachFourth != 0) continue;
          SCOPED_TRACE(std::string(main.name) + " + " + side.name + (side_first ? ", that one first" : "") +
                       (cut == Piece::Cut ? ", the second one cut off" : ""));
          anew();
          auto watching = watch(1);
          for (const int step : {100, 200, 300}) {
            for (const bool is_side : {side_first, !side_first}) {
              is_side ? put_side(side.name, step, Piece::Whole) : put_main(main, step, Piece::Whole);
              watching.look();
              ASSERT_EQ(watching.seen().problem, "");
              if (step > 100) {
                EXPECT_TRUE(is_there(main, side.name, step - 100) || is_there(main, side.name, step));
              }
            }
            watching.look();
          }
          side_first ? put_side(side.name, 400, Piece::Whole) : put_main(main, 400, Piece::Whole);
          watching.look();
          side_first ? put_main(main, 400, cut) : put_side(side.name, 400, cut);
          watching.look();
          watching.look();
          EXPECT_TRUE(is_there(main, side.name, 300));
          ++self_.attempt;
          const auto next = restored();
          if (side_first || side.holds_training) {
            EXPECT_EQ(next.point.path, at_step(main.name, 300));
          }
          if (!side_first && !side.is_tied) {
            EXPECT_TRUE(exists(at_step(main.name, 400))) << "nothing shows a tear";
          }
        }
}

TEST_F(PairsOfPieces, of_which_the_second_one_is_empty_lack_it_whatever_its_kind_and_length) {
  for (const char* side : {"replay_@.pkl.gz", "sampler_@.json", "buffer_@.parquet", "optim_@.bin", "buffer_@.npz"}) {
    SCOPED_TRACE(side);
    anew();
    auto watching = watch(1);
    const auto put = [&](int step, std::size_t size) {
      put_main(kMains[0], step, Piece::Whole);
      later();
      put_text(root() / at_step(side, step), std::string(size, 'r'));
      watching.look();
      watching.look();
    };
    for (const int step : {100, 200, 300}) put(step, 4'000U + static_cast<unsigned>(step));
    put(400, 0);
    EXPECT_TRUE(exists("checkpoint-300.pt"));
    ++self_.attempt;
    EXPECT_EQ(restored().point.step, 300);
  }
}

TEST_F(PairsOfPieces, of_which_the_second_one_comes_later_let_the_save_before_go_then) {
  for (const char* side : {"replay_buffer_@.npz", "optim/@/o.bin", "sampler/at-@.json"}) {
    SCOPED_TRACE(side);
    anew();
    auto watching = watch(1);
    put_main(kMains[0], 100, Piece::Whole);
    put_side(side, 100, Piece::Whole);
    watching.look();
    put_main(kMains[0], 200, Piece::Whole);
    watching.look();
    watching.look();
    EXPECT_TRUE(exists("checkpoint-100.pt"));
    put_side(side, 200, Piece::Whole);
    watching.look();
    watching.look();
    EXPECT_FALSE(exists("checkpoint-100.pt"));
    EXPECT_TRUE(exists(at_step(side, 100))) << "nobody saw who made it";
  }
}

TEST_F(PairsOfPieces, are_told_of_where_one_is_missed) {
  auto watching = watch(1);
  for (const int step : {100, 200}) {
    put_main(kMains[0], step, Piece::Whole);
    put_side("replay_buffer_@.npz", step, Piece::Whole);
    watching.look();
    watching.look();
  }
  put_main(kMains[0], 300, Piece::Whole);
  watching.look();
  EXPECT_EQ(watching.seen().newest->step, 200) << "it may still be written";
  EXPECT_THAT(watching.seen().halves, HasSubstr("nothing whole like replay_buffer_200.npz"));
  ++self_.attempt;
  EXPECT_THAT(restored().notes, Contains(HasSubstr("nothing whole like replay_buffer_200.npz")));
}

// A callback writes them: no rule of the library asks for any.
TEST_F(PairsOfPieces, in_a_library_s_directory_are_compared_with_the_saves_before) {
  for (const Main& main : {kMains[2], kMains[3]})
    for (const Piece cut : {Piece::Missing, Piece::Cut}) {
      SCOPED_TRACE(main.name);
      anew();
      auto watching = watch(1);
      const std::string side = std::string(main.name) + "/ema.safetensors";
      for (const int step : {100, 200, 300}) {
        put_main(main, step, Piece::Whole);
        watching.look();
        if (step > 100) {
          EXPECT_TRUE(is_there(main, side, step - 100));
        }
        put_side(side, step, Piece::Whole);
        watching.look();
        watching.look();
        if (step > 100) {
          EXPECT_FALSE(exists(at_step(main.name, step - 100)));
        }
      }
      put_main(main, 400, Piece::Whole);
      put_side(side, 400, cut);
      watching.look();
      EXPECT_TRUE(is_there(main, side, 300));
      ++self_.attempt;
      EXPECT_EQ(restored().point.path, at_step(main.name, 300));
    }
}

TEST_F(PairsOfPieces, of_one_name_are_missed_where_they_are_cut_off_or_empty) {
  for (const char* side : {"checkpoint-@_ema.safetensors", "checkpoint-@.rng.pt", "checkpoint-@_optim.pt"})
    for (const bool is_empty : {false, true}) {
      SCOPED_TRACE(side);
      anew();
      auto watching = watch();
      for (const int step : {100, 200, 300}) {
        put_main(kMains[0], step, Piece::Whole);
        put_side(side, step, Piece::Whole);
        watching.look();
      }
      put_main(kMains[0], 400, Piece::Whole);
      put_side(side, 400, Piece::Cut);
      if (is_empty) put_text(root() / at_step(side, 400), "");
      watching.look();
      EXPECT_EQ(watching.seen().newest->step, 300);
      ++self_.attempt;
      EXPECT_EQ(restored().point.step, 300);
    }
}

TEST_F(PairsOfPieces, of_one_name_are_missed_from_the_second_save_on) {
  auto watching = watch();
  put_main(kMains[0], 100, Piece::Whole);
  put_side("checkpoint-@_optim.pt", 100, Piece::Whole);
  watching.look();
  put_main(kMains[0], 200, Piece::Whole);
  put_side("checkpoint-@_optim.pt", 200, Piece::Cut);
  watching.look();
  EXPECT_EQ(watching.seen().newest->step, 100);
}

TEST_F(PairsOfPieces, are_no_files_that_were_there_before_the_saves_of_their_numbers) {
  for (const char* data : {"data_@.npz", "shards/@.bin", "fold-@/x.npy"}) {
    SCOPED_TRACE(data);
    anew();
    for (const int number : {1, 2, 3, 4}) put_side(data, number, Piece::Whole);
    later();
    auto watching = watch(1);
    for (const int epoch : {1, 2, 3, 4, 5}) {
      put_main({"epoch_@.pt", "file"}, epoch, Piece::Whole);
      watching.look();
      if (epoch == 1) {  // a file is written anew
        later();
        put_side(data, 1, Piece::Whole);
        watching.look();
      }
      EXPECT_EQ(watching.seen().newest->step, epoch);
      EXPECT_EQ(exists(at_step("epoch_@.pt", epoch - 1)), false);
    }
    ++self_.attempt;
    EXPECT_EQ(restored().point.step, 5);
  }
}

TEST_F(PairsOfPieces, are_no_files_for_people_and_none_that_come_now_and_then) {
  for (const char* other :
       {"sample_@.png", "logs/train_@.log", "eval/scores_@.json", "predictions_@.npy", "step_@.lock"}) {
    SCOPED_TRACE(other);
    anew();
    auto watching = watch(1);
    for (const int step : {100, 200, 300}) {
      put_main(kMains[0], step, Piece::Whole);
      if (step < 300) put_side(other, step, Piece::Whole);
      watching.look();
    }
    EXPECT_FALSE(exists("checkpoint-200.pt"));
    ++self_.attempt;
    EXPECT_EQ(restored().point.step, 300);
  }
  anew();
  auto watching = watch();
  for (const int step : {100, 200, 300, 400, 500}) {
    put_main(kMains[0], step, Piece::Whole);
    if (step % 200 == 0) put_side("preview_@.npz", step, Piece::Whole);
    watching.look();
    EXPECT_EQ(watching.seen().newest->step, step);
  }
}

// Pieces that another program computes of each save, in more time than a save takes: a save is whole without it.
TEST_F(PairsOfPieces, are_none_that_come_behind_the_next_save) {
  auto watching = watch();
  for (const int step : {100, 200, 300, 400}) {
    put_main(kMains[0], step, Piece::Whole);
    later();
    if (step > 100) put_side("activations_@.npz", step - 100, Piece::Whole);
    watching.look();
    EXPECT_EQ(watching.seen().newest->step, step);
  }
}

TEST_F(PairsOfPieces, links_from_hidden_directories_keep_what_they_lead_to) {
  for (const char* link : {".pins/p", ".pins/deep/er/p", ".pin"}) {
    SCOPED_TRACE(link);
    anew();
    auto watching = watch(1);
    put_main(kMains[1], 100, Piece::Whole);
    fs::create_directories((root() / link).parent_path());
    fs::create_directory_symlink(root() / "runs/step_100", root() / link);
    watching.look();
    for (const int step : {200, 300}) {
      put_main(kMains[1], step, Piece::Whole);
      watching.look();
    }
    EXPECT_TRUE(exists("runs/step_100/_COMPLETE"));
    EXPECT_FALSE(exists("runs/step_200"));
    fs::remove(root() / link);
    put_main(kMains[1], 400, Piece::Whole);
    watching.look();
    EXPECT_FALSE(exists("runs/step_100"));
  }
}

TEST_F(PairsOfPieces, a_small_file_in_a_directory_of_its_own_keeps_what_it_names) {
  auto watching = watch(1);
  put_main(kMains[1], 100, Piece::Whole);
  put_text(root() / "meta/best.txt", "runs/step_100\n");
  watching.look();
  for (const int step : {200, 300}) {
    put_main(kMains[1], step, Piece::Whole);
    watching.look();
  }
  EXPECT_TRUE(exists("runs/step_100/_COMPLETE"));
  EXPECT_FALSE(exists("runs/step_200"));
}

}  // namespace
}  // namespace reprise::agent
