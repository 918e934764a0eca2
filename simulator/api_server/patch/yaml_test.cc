#include "simulator/api_server/patch/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::simulator {
namespace {

using ::testing::HasSubstr;

TEST(Yaml, is_read_as_an_api_server_gets_it) {
  const auto value = read_yaml("a: 1\nb: '1'\nc: &c [true, ~, 1.5]\nd: *c\n");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ(*value, Value(JsonObject{{"a", 1}, {"b", "1"}, {"c", {true, nullptr, 1.5}}, {"d", {true, nullptr, 1.5}}}));
}

TEST(Yaml, what_kubectl_would_reject_is_rejected_with_its_line) {
  for (const auto& [text, expected] :
       {std::pair{"kind: A\nkind: B\n", "line 12, column 1: found the key 'kind' a second time"},
        {"a: 1\nb: [\n", "line 13, column 1: "},
        {"a: &a [*a]\n", "line 11, column 8: found an alias of a value that contains it"}}) {
    const auto value = read_yaml(text, 11);
    ASSERT_FALSE(value) << text;
    EXPECT_THAT(value.error().message, HasSubstr(expected));
  }
}

}  // namespace
}  // namespace reprise::simulator
