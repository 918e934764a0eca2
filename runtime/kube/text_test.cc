#include "runtime/kube/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>
#include <vector>

namespace reprise::kube {
namespace {

static_assert(sizeof(Text) == 8 && sizeof(BasicText<16>) == 16);

TEST(Text, says_what_it_was_given_at_every_length) {
  std::string text;
  for (int i = 0; i < 40; ++i, text += static_cast<char>('a' + i % 26)) {
    const Text kept = text;
    EXPECT_EQ(kept, text);
    EXPECT_EQ(kept.view(), text);
    EXPECT_EQ(kept.size(), text.size());
    EXPECT_EQ(kept.empty(), text.empty());
    EXPECT_EQ(std::string(kept), text);
    EXPECT_EQ(BasicText<16>(kept), kept);
    EXPECT_EQ(kept.block() != nullptr, text.size() > 7);
    EXPECT_EQ(BasicText<16>(text).block() != nullptr, text.size() > 15);
  }
}

TEST(Text, holds_zero_bytes_like_any_other) {
  const Text text = std::string("a\0b", 3);
  EXPECT_EQ(text.size(), 3U);
  EXPECT_EQ(text, std::string("a\0b", 3));
  EXPECT_NE(text, "a");
}

TEST(Text, a_copy_shares_and_outlives) {
  auto first = std::make_unique<Text>("longer than seven characters");
  const Text copy = *first;
  EXPECT_EQ(copy.block(), first->block());
  first.reset();
  EXPECT_EQ(copy, "longer than seven characters");
  EXPECT_FALSE(copy.block()->is_shared());
}

TEST(Text, takes_itself_and_a_part_of_itself) {
  Text text = "longer than seven characters";
  const Text& same = text;
  text = same;
  EXPECT_EQ(text, "longer than seven characters");
  text = text.view().substr(7);
  EXPECT_EQ(text, "than seven characters");
  text += "!";
  EXPECT_EQ(text, "than seven characters!");
  text = {};
  EXPECT_TRUE(text.empty());
}

TEST(Text, a_moved_one_is_empty) {
  Text from = "longer than seven characters";
  const Text to = std::move(from);
  EXPECT_EQ(to, "longer than seven characters");
  EXPECT_TRUE(Text(std::move(from)).empty());  // NOLINT(bugprone-use-after-move): that is the invariant
}

TEST(Text, is_ordered_and_found_like_a_string) {
  const Text a = "apple", b = "banana is longer";
  EXPECT_LT(a, b);
  EXPECT_LT(a, std::string("b"));
  EXPECT_GT(std::string_view("b"), a);
  EXPECT_EQ("apple" + b, "applebanana is longer");
  EXPECT_EQ(std::string("x") + a + 'y' + b, "xappleybanana is longer");
  const std::map<std::string, int, std::less<>> numbers{{"apple", 1}};
  EXPECT_EQ(numbers.find(a)->second, 1);
  const std::vector<Text> all{a, b};
  EXPECT_EQ(std::ranges::find(all, std::string_view("banana is longer")), all.begin() + 1);
  EXPECT_EQ(std::ranges::find(all, std::string("apple")), all.begin());
  EXPECT_EQ(std::hash<Text>()(a), std::hash<std::string_view>()("apple"));
}

TEST(Text, copies_may_be_made_and_dropped_in_many_threads) {
  const Text text = "longer than seven characters";
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([mine = text] {
      for (int k = 0; k < 10'000; ++k) {
        const auto copy = std::make_unique<const Text>(mine);
        EXPECT_EQ(copy->size(), 28U);
      }
    });
  }
  threads.clear();
  EXPECT_FALSE(text.block()->is_shared());
}

}  // namespace
}  // namespace reprise::kube
