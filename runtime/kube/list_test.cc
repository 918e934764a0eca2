#include "runtime/kube/list.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "runtime/kube/memory/rare.h"
#include "runtime/kube/text.h"

namespace reprise::kube {
namespace {

static_assert(sizeof(List<Text>) == 8 && sizeof(Rare<List<Text>>) == 8);

TEST(List, does_what_a_vector_does_and_leaves_copies_as_they_were) {
  EXPECT_TRUE(rc::check([](const std::vector<std::pair<std::uint8_t, std::string>>& steps) {
    List<Text> list;
    std::vector<std::string> model;
    std::vector<std::pair<List<Text>, std::vector<std::string>>> copies;
    for (const auto& [step, text] : steps) {
      const std::size_t at = model.empty() ? 0 : step / 8U % model.size();
      const auto there = static_cast<std::ptrdiff_t>(at);
      switch (step % 8U) {
        case 0:
          copies.emplace_back(list, model);
          break;
        case 1:
          if (model.empty()) break;
          list.erase(std::as_const(list).begin() + at);
          model.erase(model.begin() + there);
          break;
        case 2:
          list.insert(at, text);
          model.insert(model.begin() + there, text);
          break;
        case 3:
          if (model.empty()) break;
          list[at] = text;
          model[at] = text;
          break;
        default:
          list.push_back(text);
          model.push_back(text);
          break;
      }
      RC_ASSERT(list == model);
    }
    for (const auto& [copy, then] : copies) RC_ASSERT(copy == then);
  }));
}

TEST(List, needs_nothing_while_it_is_empty) {
  List<Text> list{"a"};
  list.erase(std::as_const(list).begin());
  EXPECT_EQ(list.block(), nullptr);
  EXPECT_EQ(list.allocated_bytes(), 0U);
  EXPECT_EQ(list, List<Text>(std::vector<std::string>{}));
}

TEST(List, a_copy_shares_until_one_is_changed) {
  List<Text> list{"a", "b"};
  const List<Text> copy = list;
  EXPECT_EQ(copy.block(), list.block());
  list[0] = "c";
  EXPECT_NE(copy.block(), list.block());
  EXPECT_EQ(copy, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(list, (std::vector<std::string>{"c", "b"}));
}

TEST(Rare, is_an_optional) {
  Rare<Text> value;
  EXPECT_FALSE(value.has_value());
  EXPECT_EQ(value, std::nullopt);
  value.emplace("a");
  const Rare<Text> copy = value;
  *value = "b";
  EXPECT_EQ(*copy, "a");
  EXPECT_NE(copy, value);
  EXPECT_EQ(std::optional<Text>(copy), Text("a"));
  value = std::nullopt;
  EXPECT_EQ(value.value_or("none"), "none");
  value = copy;
  EXPECT_EQ(value, copy);
}

}  // namespace
}  // namespace reprise::kube
