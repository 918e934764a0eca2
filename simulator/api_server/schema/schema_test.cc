// Patterns mean the same as to the API server: Go's grammar, found anywhere in the text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulator/api_server/schema/schema.h"

namespace reprise::simulator {
namespace {

bool matches(std::string_view pattern, std::string_view text) {
  const auto schema = read_schema({{"type", "string"}, {"pattern", pattern}});
  EXPECT_TRUE(schema) << schema.error().message;
  return schema && validate(*schema, Value(text), nullptr).empty();
}

TEST(SchemaPattern, is_found_anywhere_unless_it_says_where) {
  EXPECT_TRUE(matches("b+", "abba"));
  EXPECT_FALSE(matches("^b+$", "abba"));
  EXPECT_FALSE(matches("^a$", "a\nb")) << "the end is the end of the text";
}

TEST(SchemaPattern, counts_characters_and_not_bytes) {
  EXPECT_TRUE(matches("^.$", "é"));
  EXPECT_TRUE(matches("^[é]$", "é"));
}

TEST(SchemaPattern, knows_gos_grammar) {
  EXPECT_TRUE(matches("(?i)^spot$", "SPOT"));
  EXPECT_TRUE(matches(R"(\Aab\z)", "ab"));
  EXPECT_TRUE(matches(R"(^\p{Greek}+$)", "αβ"));
}

TEST(SchemaPattern, that_the_api_server_cannot_read_is_an_error_at_any_depth) {
  for (const char* pattern : {"(", "a(?=b)", R"((a)\1)"}) {
    const auto schema = read_schema(
        {{"type", "object"},
         {"properties", {{"list", {{"type", "array"}, {"items", {{"type", "string"}, {"pattern", pattern}}}}}}}});
    ASSERT_FALSE(schema) << pattern;
    EXPECT_EQ(schema.error().error_class, runtime::ErrorClass::Invalid);
    EXPECT_THAT(schema.error().message,
                testing::HasSubstr(std::string("the pattern '") + pattern + "' cannot be read"));
  }
}

}  // namespace
}  // namespace reprise::simulator
