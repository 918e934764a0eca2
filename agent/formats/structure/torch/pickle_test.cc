#include "agent/formats/structure/torch/pickle.h"

#include <gtest/gtest.h>

#include <string>

#include "agent/formats/structure/torch/dcp_metadata.h"

namespace reprise::agent {
namespace {

using namespace std::string_view_literals;

// pickle.dumps({"offset": 258, "file": "__0_0.distcp", "none": None}, protocol=4), without the frame
constexpr auto kDict =
    "\x80\x04}(\x8c\x06offset\x94M\x02\x01\x8c\x04"
    "file\x94\x8c\x0c__0_0.distcp\x94\x8c\x04none\x94Nu."sv;

TEST(Pickle, values_are_found_by_their_keys) {
  const auto pickle = read_pickle(kDict);
  ASSERT_TRUE(pickle);
  const PickleNode* offset = member(*pickle, 0, "offset");
  ASSERT_NE(offset, nullptr);
  EXPECT_EQ(offset->number, 258);
  EXPECT_EQ(member(*pickle, 0, "file")->text, "__0_0.distcp");
  EXPECT_EQ(member(*pickle, 0, "length"), nullptr);
}

TEST(Pickle, one_that_is_cut_off_anywhere_is_none) {
  for (std::size_t length = 0; length < kDict.size(); ++length)
    EXPECT_FALSE(read_pickle(kDict.substr(0, length))) << length;
}

TEST(Pickle, what_uses_more_than_there_is_on_the_stack_is_none) {
  for (const auto text : {"."sv, "R."sv, "a."sv, "u."sv, "b."sv, "N0."sv, "\x93."sv, "h\x05."sv, "NN."sv, "\x87."sv,
                          "t."sv, "2."sv, "\x94."sv})
    EXPECT_FALSE(read_pickle(text)) << std::string(text);
}

TEST(Pickle, numbers_have_their_sign_and_width) {
  struct Row {
    std::string_view text;
    std::int64_t number;
  };
  for (const Row& row :
       {Row{"K\xff."sv, 255}, Row{"J\xff\xff\xff\xff."sv, -1}, Row{"\x8a\x01\xff."sv, -1},
        Row{"\x8a\x05\x00\x00\x00\x00\x01."sv, std::int64_t{1} << 32}, Row{"\x8a\x00."sv, 0}, Row{"I-7\n."sv, -7}}) {
    const auto pickle = read_pickle(row.text);
    ASSERT_TRUE(pickle);
    EXPECT_EQ(pickle->front().number, row.number);
  }
}

TEST(DcpMetadata, a_pickle_of_something_else_is_none) {
  EXPECT_FALSE(files_in_metadata(kDict));
}

// A sampler's mask, a replay buffer's ends of episodes: each has one byte.
TEST(Pickle, with_many_values_of_one_byte_is_read) {
  for (const char value : {'N', '\x88', '\x89', ')'}) {
    const auto pickle = read_pickle("\x80\x04(" + std::string(100'000, value) + "l.");
    ASSERT_TRUE(pickle);
    EXPECT_LT(pickle->size(), 10U);
  }
}

// Python writes no such pickle, and one would fill the memory.
TEST(Pickle, with_more_other_values_than_half_its_bytes_is_none) {
  EXPECT_FALSE(read_pickle("\x80\x04(" + std::string(100'000, '}') + "l."));
  EXPECT_TRUE(read_pickle("\x80\x04(" + std::string(1'000, '}') + "l."));
}

}  // namespace
}  // namespace reprise::agent
