#include "runtime/base/yaml_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace reprise::runtime {
namespace {

using ::testing::HasSubstr;

std::string rejection_of(const std::string& text, int first_line = 1, const YamlLimits& limits = {}) {
  const auto checked = check_yaml(text, first_line, limits);
  if (checked) return {};
  EXPECT_EQ(checked.error().error_class, ErrorClass::Invalid);
  return checked.error().message;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

// Nine aliases of nine aliases of ...: `levels` of them.
std::string bomb(int levels) {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    const std::string name = "a" + std::to_string(i);
    text.append(name).append(": &").append(name).append(" [").append(before);
    text.append(repeated(", " + before, 8)).append("]\n");
  }
  return text;
}

TEST(YamlCheck, takes_what_manifests_and_kubeconfigs_hold) {
  for (const std::string& text :
       {std::string(), std::string("a: 1\nb: [x, {c: 2, d: null}]\n---\na: 2\n"), std::string("{\"a\": {\"b\": []}}"),
        std::string("base: &base {a: 1, b: 2}\nc: *base\nd: [*base, *base]\n"), std::string("a: {x: 1}\nb: {x: 1}\n"),
        std::string("&k a: 1\nb: *k\n"), std::string("text: |\n  a: 1\n  a: 1\n")})
    EXPECT_EQ(rejection_of(text), "") << text;
}

TEST(YamlCheck, a_key_that_is_there_twice_is_named_with_both_lines) {
  EXPECT_EQ(rejection_of("spec:\n  a: 1\n  b: {}\n  a: 2\n"),
            "line 4, column 3: found the key 'a' a second time, the first is in line 2; a key must be there once");
  EXPECT_THAT(rejection_of("a: {b: 1, \"b\": 2}"), HasSubstr("line 1, column 11: found the key 'b' a second time"));
}

TEST(YamlCheck, lines_are_those_of_the_file) {
  EXPECT_THAT(rejection_of("a: 1\na: 2\n", 40),
              HasSubstr("line 41, column 1: found the key 'a' a second time, the first "
                        "is in line 40"));
  EXPECT_THAT(rejection_of("a: 1\nb: [\n", 40), HasSubstr("line 42, column 1: "));
}

TEST(YamlCheck, aliases_of_aliases_are_rejected_before_they_are_followed) {
  EXPECT_EQ(rejection_of(bomb(2)), "");
  EXPECT_THAT(rejection_of(bomb(9)), HasSubstr("found more than 500000 values, aliases followed"));
  EXPECT_THAT(rejection_of("a: &a " + std::string(1 << 20, 'x') + "\nb: [" + repeated("*a, ", 1000) + "]\n"),
              HasSubstr("line 2, column "));
}

TEST(YamlCheck, an_alias_of_what_contains_it_is_rejected) {
  EXPECT_THAT(rejection_of("a: &a [*a]\n"), HasSubstr("line 1, column 8: found an alias of a value that contains it"));
  EXPECT_THAT(rejection_of("a: *nothing\n"), HasSubstr("line 1, column 4: "));
}

TEST(YamlCheck, deep_nesting_and_great_size_are_rejected) {
  EXPECT_EQ(rejection_of(std::string(90, '[') + std::string(90, ']')), "");
  EXPECT_THAT(rejection_of(std::string(1'000'000, '[')), HasSubstr("line 1, column "));
  EXPECT_THAT(rejection_of("a: " + std::string(200, '[') + std::string(200, ']')),
              HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(rejection_of(repeated("- ", 100'000)), HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(rejection_of("a: 1", 1, {.bytes = 3}), HasSubstr("found 4 bytes of YAML, must be at most 3"));
}

TEST(YamlCheck, what_begins_no_value_ends_the_reading) {
  EXPECT_EQ(rejection_of(","), "line 1, column 1: found what begins no value; must be a key or a value");
  EXPECT_THAT(rejection_of("a: 1\n, b\n"), HasSubstr("line 2, column 1: "));
}

TEST(YamlCheck, a_key_is_plain_text) {
  for (const char* text : {"[a]: 1", "{a: 1}: 1", "? : 1", "a: &a b\n*a : c\n"})
    EXPECT_THAT(rejection_of(text), HasSubstr("found a key that is no plain text")) << text;
}

}  // namespace
}  // namespace reprise::runtime
