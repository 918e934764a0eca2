// Pieces of a save by names that are not usual, of kinds that show where they end, and more of them than are looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/restore/restore.h"
#include "agent/core/watch/watch.h"
#include "agent/formats/structure/gzip_file.h"
#include "agent/formats/structure/sample_files.h"
#include "agent/testing/layout_format_test.h"

namespace reprise::agent {
namespace {

namespace fs = std::filesystem;
using samples::crc32;
using samples::little;
using testing::Contains;
using testing::HasSubstr;
using testing_support::plain_file;
using testing_support::put_text;

// Packs as gzip does with bytes that cannot be packed.
std::string packed_by_gzip(std::size_t bytes) {
  constexpr std::size_t kLongestBlock = 65'535;
  std::uint32_t noise = 1;
  std::string text;
  while (text.size() < bytes) text += static_cast<char>((noise = noise * 1'664'525U + 1'013'904'223U) >> 24U);
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  for (std::size_t begin = 0; begin < bytes; begin += kLongestBlock) {
    const std::string block = text.substr(begin, kLongestBlock);
    file += begin + block.size() == bytes ? '\x01' : '\0';
    file += little(block.size(), 2) + little(~block.size(), 2) + block;
  }
  return file + little(crc32(text), 4) + little(bytes, 4);
}

std::string hdf5_of(std::size_t bytes) {
  std::string file = std::string("\x89HDF\r\n\x1a\n", 8) + std::string(bytes, 'd');
  file[8] = 2;  // its version, and the widths of offsets and lengths
  file[9] = file[10] = 8;
  for (std::size_t at = 0; at < 8; ++at) {
    file[12 + at] = 0;
    file[28 + at] = static_cast<char>(file.size() >> (8 * at) & 0xffU);
  }
  return file;
}

std::string whole_piece(const std::string& name, std::size_t bytes) {
  if (name.ends_with(".gz")) return packed_by_gzip(bytes);
  if (name.ends_with(".h5")) return hdf5_of(bytes);
  if (name.ends_with(".json")) return "{\"order\": [" + std::string(bytes, '1') + "]}\n";
  const std::string length("\x08\0\0\0", 4);
  if (name.ends_with(".parquet")) return "PAR1" + std::string(bytes, 'p') + length + "PAR1";
  return std::string(bytes, 'r');
}

class MorePieces : public testing_support::LayoutFormatTest {
 protected:
  void anew() {
    fs::remove_all(root());
    fs::create_directories(root());
    use("Auto");
    self_.attempt = 2;
  }
  static std::string at_step(std::string name, int step) {
    for (const auto& [mark, number] : {std::pair('@', step), std::pair('%', step / 1'000)})
      for (auto at = name.find(mark); at != std::string::npos; at = name.find(mark))
        name.replace(at, 1, std::to_string(number));
    return name;
  }
  void put(const std::string& name, int step, const std::string& bytes) const {
    put_text(root() / at_step(name, step), bytes);
  }
  static void look_twice(CheckpointWatch& watching) {
    for (int look = 0; look < 2; ++look) watching.look();
  }
};

TEST_F(MorePieces, bear_names_of_many_kinds) {
  for (const char* side : {".buffers/@", ".replay/@.npz", "buffer_%k.npz", "test_buffer_@", "eval_buffer_@.npz",
                           "replay-@.csv", "replay/@.tsv"}) {
    SCOPED_TRACE(side);
    anew();
    auto watching = watch(1);
    for (const int step : {100'000, 200'000, 300'000}) {
      put("checkpoint-@.pt", step, plain_file());
      put(side, step, std::string(5'000, 'r'));
      look_twice(watching);
    }
    put("checkpoint-@.pt", 400'000, plain_file());
    look_twice(watching);
    EXPECT_TRUE(exists("checkpoint-300000.pt"));
    ++self_.attempt;
    EXPECT_EQ(restored().point.step, 300'000);
  }
}

TEST_F(MorePieces, with_the_number_of_the_epoch_belong_to_the_save_that_bears_it_too) {
  for (const char* side : {"sampler_epoch%.json", "sampler_epoch%"}) {
    SCOPED_TRACE(side);
    anew();
    auto watching = watch(1);
    for (const int step : {1'000, 2'000, 3'000}) {
      put("epoch=%-step=@.ckpt", step, testing_support::lightning_file(step));
      put(side, step, std::string(5'000, 'r'));
      look_twice(watching);
    }
    put("epoch=%-step=@.ckpt", 4'000, testing_support::lightning_file(4'000));
    look_twice(watching);
    EXPECT_TRUE(exists("epoch=3-step=3000.ckpt"));
    ++self_.attempt;
    EXPECT_EQ(restored().point.step, 3'000);
  }
}

TEST_F(MorePieces, that_were_cut_off_show_it_by_their_ends_where_their_lengths_tell_nothing) {
  for (const char* side :
       {"replay_@.pkl.gz", "replay_@.jsonl.gz", "buffer_@.h5", "buffer_@.parquet", "sampler_@.json"}) {
    SCOPED_TRACE(side);
    anew();
    auto watching = watch(1);
    for (const int step : {100, 200, 300}) {
      put("checkpoint-@.pt", step, plain_file());
      put(side, step, whole_piece(side, 4'000U + static_cast<unsigned>(step) * 10));
      look_twice(watching);
    }
    const std::string last = whole_piece(side, 9'000);
    put("checkpoint-@.pt", 400, plain_file());
    put(side, 400, last.substr(0, last.size() - 20));
    look_twice(watching);
    EXPECT_TRUE(exists("checkpoint-300.pt"));
    ++self_.attempt;
    EXPECT_EQ(restored().point.step, 300);
    put(side, 400, last);
    ++self_.attempt;
    EXPECT_EQ(restored().point.step, 400);
  }
}

TEST_F(MorePieces, packed_by_gzip_are_whole_in_several_members_and_before_zeros) {
  const auto is_whole = [&](const std::string& bytes) {
    put_text(root() / "x.gz", bytes);
    const auto flaw =
        check_gzip({.files = volume_->files, .path = root() / "x.gz", .name = "x.gz", .size = bytes.size()});
    return flaw && !*flaw;
  };
  const std::string one = packed_by_gzip(700'000);
  EXPECT_TRUE(is_whole(one));
  EXPECT_TRUE(is_whole(one + one));
  EXPECT_TRUE(is_whole(one + std::string(512, '\0')));
  for (const std::size_t cut : {std::size_t{1}, std::size_t{9}, one.size() / 2, one.size() - 12})
    EXPECT_FALSE(is_whole(one.substr(0, one.size() - cut))) << cut;
  EXPECT_FALSE(is_whole(one + one.substr(0, one.size() / 2))) << "the second one was cut off";
  std::string wrong = one;
  wrong[wrong.size() - 6] ^= 1;
  EXPECT_FALSE(is_whole(wrong)) << "its sum";
}

TEST_F(MorePieces, that_are_too_many_to_be_looked_at_keep_all_and_are_told_of) {
  auto watching = watch(1);
  for (const int step : {100, 200}) {
    for (int each = 0; each < 4'200; ++each) put("replay/@/x" + std::to_string(each) + ".npz", step, "r");
    put("checkpoint-@.pt", step, plain_file());
    look_twice(watching);
  }
  EXPECT_TRUE(exists("checkpoint-100.pt"));
  EXPECT_THAT(watching.seen().left_alone, Contains(HasSubstr("more than 8192 files bear numbers of saves")));
  ++self_.attempt;
  EXPECT_THAT(restored().notes, Contains(HasSubstr("more than 8192 files bear numbers of saves")));
}

TEST_F(MorePieces, of_saves_behind_a_clock_that_was_set_back_since_a_start_from_scratch_count) {
  anew();
  ++self_.attempt;
  env_.resume = ResumePolicy::FromScratch;
  env_.from_scratch_since = self_.attempt;
  auto watching = watch(1);
  const auto set_back = [&] {
    for (const auto& entry : fs::directory_iterator(root()))
      if (entry.is_regular_file()) fs::last_write_time(entry, entry.last_write_time() - std::chrono::hours(2));
  };
  for (const int step : {100, 200}) {
    put("checkpoint-@.pt", step, plain_file());
    put("optim_@.bin", step, std::string(4'000, 'n'));
    set_back();
    look_twice(watching);
  }
  put("checkpoint-@.pt", 300, plain_file());
  set_back();
  look_twice(watching);
  EXPECT_TRUE(exists("checkpoint-200.pt")) << "its next one lacks a file of the state";
}

// Pieces of the training before lie there still, and bear the numbers of saves to come.
TEST_F(MorePieces, of_a_training_before_a_start_from_scratch_are_none_of_the_new_one) {
  for (const char* side : {"optim_@.bin", "buffers/@.npz"}) {
    SCOPED_TRACE(side);
    anew();
    for (const int step : {100, 200, 300, 400, 500, 600}) put(side, step, std::string(4'000, 'o'));
    put("checkpoint-@.pt", 600, plain_file());
    for (const auto& entry : fs::recursive_directory_iterator(root()))
      fs::last_write_time(entry, entry.last_write_time() - std::chrono::hours(5));
    ++self_.attempt;
    env_.resume = ResumePolicy::FromScratch;
    env_.from_scratch_since = self_.attempt;
    auto watching = watch(1);
    EXPECT_FALSE(exists("checkpoint-600.pt"));
    for (const int step : {100, 200, 300}) {
      put("checkpoint-@.pt", step, plain_file());
      watching.look();
      EXPECT_TRUE(step == 100 || exists(at_step("checkpoint-@.pt", step - 100)));
      put(side, step, std::string(4'000, 'n'));
      look_twice(watching);
    }
    put("checkpoint-@.pt", 400, plain_file());
    look_twice(watching);
    EXPECT_TRUE(exists("checkpoint-300.pt"));
    ++self_.attempt;
    env_.resume = ResumePolicy::Latest;  // the start from scratch was made once
    const auto next = restored();
    EXPECT_EQ(next.point.step, 300);
    env_ = {};
    env_.format = "Auto";
  }
}

TEST_F(MorePieces, are_no_data_that_is_numbered_beyond_all_saves_however_much) {
  for (int each = 0; each < 9'000; ++each)
    put_text(root() / "data" / std::to_string(each / 3'000) / ("frame_" + std::to_string(each) + ".npz"), "r");
  auto watching = watch(1);
  for (const int step : {100, 200}) {
    put("checkpoint-@.pt", step, plain_file());
    look_twice(watching);
  }
  EXPECT_FALSE(exists("checkpoint-100.pt"));
}

}  // namespace
}  // namespace reprise::agent
