#include "runtime/queue/internal/ready_keys.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <deque>
#include <map>
#include <vector>

namespace reprise::runtime::internal {
namespace {

struct ReadyKeysTest : ::testing::Test {
  ReadyLink& push(const std::string& ns, const std::string& name, Priority priority = Priority::News) {
    const ObjectKey& key = keys.emplace_back(ObjectKey{ns, name});
    ReadyLink& link = links.emplace_back();
    link.key = &key;
    ready.push(link, priority);
    return link;
  }
  std::string take() {
    const ReadyLink* const link = ready.take();
    return link == nullptr ? "nothing" : to_string(*link->key);
  }
  std::deque<ObjectKey> keys;
  std::deque<ReadyLink> links;
  ReadyKeys ready;
};

TEST_F(ReadyKeysTest, keys_of_one_namespace_and_priority_come_in_order) {
  push("n", "a");
  push("n", "b");
  push("n", "c");
  EXPECT_EQ(take(), "n/a");
  EXPECT_EQ(take(), "n/b");
  EXPECT_EQ(take(), "n/c");
  EXPECT_EQ(take(), "nothing");
}

TEST_F(ReadyKeysTest, one_key_waits_for_one_key_of_a_namespace_that_has_ten_thousand) {
  for (int i = 0; i < 10'000; ++i) push("crowd", std::to_string(i));
  push("quiet", "a");
  EXPECT_EQ(take(), "crowd/0");
  EXPECT_EQ(take(), "quiet/a");
  EXPECT_EQ(take(), "crowd/1");
}

TEST_F(ReadyKeysTest, news_goes_first_and_every_eighth_key_is_of_background) {
  for (int i = 0; i < 100; ++i) push("n", "news");
  for (int i = 0; i < 100; ++i) push("n", "old", Priority::Background);
  for (int i = 1; i <= 80; ++i) EXPECT_EQ(take(), i % 8 == 0 ? "n/old" : "n/news") << i;
}

TEST_F(ReadyKeysTest, what_is_underway_goes_first_and_every_fourth_key_is_of_the_others) {
  for (int i = 0; i < 100; ++i) push("n", "old", Priority::Background);
  for (int i = 0; i < 100; ++i) push("n", "news");
  for (int i = 0; i < 100; ++i) push("n", "begun", Priority::Underway);
  for (int i = 1; i <= 100; ++i) {
    const std::string other = i % 32 == 0 ? "n/old" : "n/news";
    EXPECT_EQ(take(), i % 4 == 0 ? other : "n/begun") << i;
  }
}

TEST_F(ReadyKeysTest, background_that_comes_late_still_waits_for_seven_at_most_and_for_none_when_alone) {
  for (int i = 0; i < 50; ++i) push("n", "news");
  for (int i = 0; i < 50 - 7; ++i) EXPECT_EQ(take(), "n/news");
  push("n", "old", Priority::Background);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(take(), "n/news");
  EXPECT_EQ(take(), "n/old");
}

TEST_F(ReadyKeysTest, a_removed_key_is_not_taken_and_leaves_the_others_in_order) {
  push("n", "a");
  ReadyLink& b = push("n", "b");
  push("n", "c");
  ReadyLink& alone = push("m", "d");
  ready.remove(b, Priority::News);
  ready.remove(alone, Priority::News);
  EXPECT_EQ(ready.size(), 2U);
  EXPECT_EQ(take(), "n/a");
  EXPECT_EQ(take(), "n/c");
  EXPECT_EQ(take(), "nothing");
}

// The bounds that the header promises, for any sequence of keys that come and are taken.
TEST(ReadyKeysProperty, no_key_is_passed_over_more_often_than_the_header_says) {
  struct Waiting {
    ObjectKey key;
    ReadyLink link;
    Priority priority;
    std::size_t before, most_namespaces = 0, takes = 0;
    bool beside_underway = false;
  };
  const bool holds = rc::check([](const std::vector<std::tuple<bool, int, int>>& raw) {
    ReadyKeys ready;
    std::deque<Waiting> made;
    std::vector<Waiting*> waiting;
    const auto take = [&] {
      std::map<Priority, std::map<std::string, int>> namespaces;
      for (const Waiting* one : waiting) ++namespaces[one->priority][one->key.namespace_];
      for (Waiting* one : waiting) {
        one->most_namespaces = std::max(one->most_namespaces, namespaces[one->priority].size());
        ++one->takes;
        one->beside_underway = one->beside_underway || namespaces.contains(Priority::Underway);
        const std::size_t turns = (one->before + 1) * one->most_namespaces;
        const std::size_t slower = one->beside_underway ? 4 : 1;
        RC_ASSERT(one->takes <= (one->priority == Priority::Underway ? turns * 4 / 3 + 1
                                 : one->priority == Priority::News   ? slower * (turns * 8 / 7 + 1)
                                                                     : slower * turns * 8));
      }
      ReadyLink* const link = ready.take();
      RC_ASSERT((link == nullptr) == waiting.empty());
      if (link == nullptr) return;
      const auto found = std::find_if(waiting.begin(), waiting.end(), [&](Waiting* w) { return &w->link == link; });
      RC_ASSERT(found != waiting.end());
      const Waiting& taken = **found;
      for (auto at = waiting.begin(); at != found; ++at) {
        RC_ASSERT((*at)->priority != taken.priority || (*at)->key.namespace_ != taken.key.namespace_);
      }
      waiting.erase(found);
    };
    for (const auto& [add, lane, ns] : raw) {
      for (int i = 0; i <= std::abs(ns % 3); ++i) {
        if (!add) {
          take();
          continue;
        }
        Waiting& one =
            made.emplace_back(Waiting{{std::to_string(ns % 5), std::to_string(made.size())}, {}, Priority::News, 0});
        one.priority = all_priorities[static_cast<std::size_t>(std::abs(lane % 3))];
        one.link.key = &one.key;
        one.before = static_cast<std::size_t>(std::count_if(waiting.begin(), waiting.end(), [&](const Waiting* other) {
          return other->priority == one.priority && other->key.namespace_ == one.key.namespace_;
        }));
        ready.push(one.link, one.priority);
        waiting.push_back(&one);
      }
    }
    while (!waiting.empty()) take();
    RC_ASSERT(ready.size() == 0U);
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace reprise::runtime::internal
