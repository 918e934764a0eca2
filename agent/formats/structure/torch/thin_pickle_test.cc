#include "agent/formats/structure/torch/thin_pickle.h"

#include <gtest/gtest.h>

#include "agent/formats/structure/sample_files.h"
#include "agent/formats/structure/torch/pickle.h"
#include "agent/testing/temporary_directory.h"
#include "agent/volume/posix_files.h"

namespace reprise::agent {
namespace {

using samples::little;

constexpr std::uint64_t kMostOfThin = std::uint64_t{1} << 20U;

std::string pickled_text(const std::string& words) {
  return "X" + little(words.size(), 4) + words;
}

class ThinPickle : public testing::Test {
 protected:
  [[nodiscard]] std::optional<std::string> thinned(const std::string& pickle, std::uint64_t most = kMostOfThin) const {
    testing_support::put_text(directory_.path() / "data.pkl", pickle);
    const PosixFiles files(std::make_shared<VolumeCalls>(), directory_.path());
    const CheckedFile file{
        .files = files, .path = directory_.path() / "data.pkl", .name = "data.pkl", .size = pickle.size()};
    const auto thin = thin_pickle(file, most);
    EXPECT_TRUE(thin) << thin.error().message;
    return thin.value_or(std::nullopt);
  }
  testing_support::TemporaryDirectory directory_;
};

TEST_F(ThinPickle, of_a_small_pickle_is_that_pickle) {
  const std::string pickle =
      "\x80\x02}(" + pickled_text("step") + "M" + little(500, 2) + pickled_text("list") + "](K\x01K\x02" + "eu.";
  EXPECT_EQ(thinned(pickle), pickle);
}

TEST_F(ThinPickle, keeps_what_stands_behind_a_long_text_and_a_long_list_of_numbers) {
  std::string numbers;
  for (int i = 0; i < 500'000; ++i) numbers += "J" + little(static_cast<std::uint64_t>(i), 4);
  const std::string pickle = "\x80\x02}(" + pickled_text("replay") + pickled_text(std::string(3'000'000, 'b')) +
                             pickled_text("order") + "](" + numbers + "e" + pickled_text("optimizer") + "}" +
                             pickled_text("epoch") + "K\x07u.";
  const auto thin = thinned(pickle);
  ASSERT_TRUE(thin);
  EXPECT_LT(thin->size(), 200U);
  const auto nodes = read_pickle(*thin);
  ASSERT_TRUE(nodes);
  EXPECT_EQ(number_in(*nodes, 0, "epoch"), 7);
  ASSERT_NE(member(*nodes, 0, "optimizer"), nullptr);
  EXPECT_EQ(member(*nodes, 0, "optimizer")->kind, PickleNode::Kind::Mapping);
}

TEST_F(ThinPickle, that_is_cut_off_anywhere_or_none_says_nothing) {
  const std::string pickle = "\x80\x02}" + pickled_text("a") + pickled_text(std::string(5'000, 'b')) + "s.";
  for (std::size_t length = 0; length < pickle.size(); length += 7)
    EXPECT_EQ(thinned(pickle.substr(0, length)), std::nullopt) << length;
  EXPECT_EQ(thinned("PK no pickle"), std::nullopt);
}

TEST_F(ThinPickle, that_stays_too_large_says_nothing) {
  std::string words;
  for (int i = 0; i < 1'000; ++i) words += pickled_text("word " + std::to_string(i));
  EXPECT_EQ(thinned("\x80\x02](" + words + "e.", 4'000), std::nullopt);
}

}  // namespace
}  // namespace reprise::agent
