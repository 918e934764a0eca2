#include "protocol/common_checkpoint.h"

#include <gtest/gtest.h>

namespace reprise::protocol {
namespace {

TEST(CommonCheckpoint, a_list_is_read_as_it_was_written) {
  for (const ListedCheckpoints& listed :
       {ListedCheckpoints{3, 1, {{300, 1}, {200, ~0ULL}, {0, 0}}}, ListedCheckpoints{1, 0, {}},
        ListedCheckpoints{2, 511, {{7, 7}}}, ListedCheckpoints{2, 0, {{9, 9, false}, {8, 8}, {7, 7, false}}},
        ListedCheckpoints{2, 0, {{9, 9, false, true}, {8, 8, false}}}}) {
    EXPECT_EQ(decode_listed_checkpoints(encode_listed_checkpoints(listed)), listed);
  }
  EXPECT_EQ(encode_listed_checkpoints({3, 1, {{300, 0xabc}, {200, fingerprint("a")}}}),
            "reprise-checkpoints attempt=3 index=1 steps=300:0000000000000abc,200:af63dc4c8601ec8c;");
  EXPECT_EQ(encode_listed_checkpoints({3, 1, {{300, 0xabc, false}}}),
            "reprise-checkpoints attempt=3 index=1 steps=300:0000000000000abc?;");
  EXPECT_EQ(encode_listed_checkpoints({3, 1, {{300, 0xabc, false, true}}}),
            "reprise-checkpoints attempt=3 index=1 steps=300:0000000000000abc!;");
}

TEST(CommonCheckpoint, an_empty_list_says_what_lies_there_and_is_not_complete) {
  const ListedCheckpoints listed{.attempt = 3, .index = 1, .unfit = "checkpoint-20; a=b, is not complete"};
  EXPECT_EQ(decode_listed_checkpoints(encode_listed_checkpoints(listed)), listed);
}

TEST(CommonCheckpoint, a_list_holds_the_newest_steps_and_stays_small) {
  ListedCheckpoints listed{1, 0, {}};
  for (std::int64_t step = 1'000'000'000'000; listed.checkpoints.size() < 200; --step)
    listed.checkpoints.push_back({step, ~0ULL, false, true});
  const std::string text = encode_listed_checkpoints(listed);
  EXPECT_LT(text.size(), 1536U);
  listed.checkpoints.resize(kMostListedSteps - 1);
  listed.cut = true;
  EXPECT_EQ(decode_listed_checkpoints(text), listed);
}

TEST(CommonCheckpoint, of_a_list_that_was_cut_what_is_whole_is_read) {
  const std::string whole = encode_listed_checkpoints({3, 1, {{300, 1}, {200, 2}}});
  for (std::size_t size = whole.find("steps=") + 6; size < whole.size(); ++size) {
    const auto listed = decode_listed_checkpoints(std::string_view(whole).substr(0, size));
    ASSERT_TRUE(listed) << size;
    EXPECT_TRUE(listed->cut) << size;
    EXPECT_LE(listed->checkpoints.size(), 1U) << size;
    for (const ListedCheckpoint& each : listed->checkpoints) EXPECT_EQ(each, (ListedCheckpoint{300, 1}));
  }
}

TEST(CommonCheckpoint, what_is_no_list_is_read_as_none) {
  for (const char* text :
       {"", "{}", "reprise-checkpoints attempt=3 index=1", "reprise-checkpoints attempt=3 index=1 steps=1;",
        "reprise-checkpoints attempt=3 index=1 steps=1:00000000000000ab,;",
        "reprise-checkpoints attempt=3 index=1 steps=1:00000000000000a;",
        "reprise-checkpoints attempt=3 index=1 steps=-1;", "reprise-checkpoints attempt=-3 index=1 steps=;",
        "reprise-checkpoints attempt=3 index=1 steps=1 2;",
        "reprise-checkpoints attempt=3 index=1 steps=1:00000000000000ab??;",
        "reprise-checkpoints attempt=3 index=1 steps=1:00000000000000ab!?;",
        "reprise-checkpoints attempt=3 index=1 steps=1:00000000000000ab?!;",
        "reprise-checkpoints attempt=3 index=1 steps=1:00000000000000ab!!;",
        "reprise-checkpoints attempt=x index=1 steps=1;",
        "reprise-checkpoints attempt=3 index=1 steps=99999999999999999999:00000000000000ab;"}) {
    EXPECT_FALSE(decode_listed_checkpoints(text)) << text;
  }
}

TEST(CommonCheckpoint, a_common_step_may_be_none) {
  for (const CommonStep& common :
       {CommonStep{}, CommonStep{0}, CommonStep{300}, CommonStep{300, 17}, CommonStep{300, 17, false},
        CommonStep{300, {}, false}, CommonStep{300, 17, false, 400}, CommonStep{300, {}, true, 400}})
    EXPECT_EQ(decode_common_step(encode_common_step(common)), common);
  for (const char* text :
       {"", "-1", "3x", "3:", "3??", "3!", "3!x", "3!-4", "3!4?", "?", "none?", "None", "99999999999999999999"})
    EXPECT_FALSE(decode_common_step(text)) << text;
}

}  // namespace
}  // namespace reprise::protocol
