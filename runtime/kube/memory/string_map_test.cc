#include "runtime/kube/memory/string_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace reprise::kube {
namespace {

using Model = std::map<std::string, std::string, std::less<>>;

void expect_same(const StringMap& map, const Model& model) {
  ASSERT_EQ(map.size(), model.size());
  ASSERT_TRUE(std::equal(map.begin(), map.end(), model.begin(), [](const auto& left, const auto& right) {
    return left.first == right.first && left.second == right.second;
  }));
}

TEST(StringMap, is_like_a_map_whatever_is_done_to_it) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    StringMap map;
    Model model;
    for (int step = 0; step < 60; ++step) {
      const std::string key = "key-" + std::to_string(random() % 20);
      const std::string value = std::to_string(step);
      switch (random() % 6) {
        case 0:
          EXPECT_EQ(map.emplace(key, value).second, model.emplace(key, value).second);
          break;
        case 1:
          EXPECT_EQ(map.insert_or_assign(key, value).second, model.insert_or_assign(key, value).second);
          break;
        case 2:
          map[key] += value;
          model[key] += value;
          break;
        case 3:
          EXPECT_EQ(map.erase(key), model.erase(key));
          break;
        case 4: {
          const auto even = [](const auto& entry) { return entry.second.size() % 2 == 0; };
          if (step % 10 != 0) break;
          EXPECT_EQ(erase_if(map, even), std::erase_if(model, even));
          break;
        }
        default:
          EXPECT_EQ(map.contains(key), model.contains(key));
          EXPECT_EQ(map.find(key) == map.end(), model.find(key) == model.end());
      }
      ASSERT_NO_FATAL_FAILURE(expect_same(map, model));
    }
  }
}

TEST(StringMap, of_several_values_for_one_key_the_first_counts) {
  const StringMap map{{"b", "1"}, {"a", "2"}, {"b", "3"}};
  EXPECT_EQ(map.at("b"), "1");
  EXPECT_EQ(map.begin()->first, "a");
  EXPECT_EQ(map, (StringMap{{"a", "2"}, {"b", "1"}}));
  EXPECT_THROW((void)map.at("c"), std::out_of_range);
}

}  // namespace
}  // namespace reprise::kube
