#include "simulator/api_server/cel/cel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "crds/embedded.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::simulator::cel {
namespace {

using testing::HasSubstr;

const Value kSelf = boost::json::parse(
    R"({"n": 3, "t": "a/..b", "l": [1, 2, 3], "m": {"x.y/z": "v", "k": 1}, "o": [{"p": "3g", "c": 2}], "none": null})");

std::string outcome_of(std::string_view rule) {
  const auto parsed = parse(rule);
  if (!parsed) return parsed.error().message;
  const auto outcome = evaluate(*parsed, {.name = "self", .value = &kSelf});
  return outcome ? boost::json::serialize(*outcome) : outcome.error().message;
}

TEST(Cel, expressions_are_worth_what_the_language_says) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows{
      {"1 + 2 * 3 == 7 && !(4 < 3)", "true"},
      {"self.n >= 3 ? 'yes' : \"no\"", "\"yes\""},
      {"has(self.n) != has(self.absent)", "true"},
      {"has(self.none)", "false"},
      {"self.l.exists(x, x == 2)", "true"},
      {"self.l.all(x, x < 3)", "false"},
      {"self.m.all(key, key.matches('^[a-z./]+$'))", "true"},
      {"'x.y/z' in self.m && !('q' in self.m) && 3 in [1, 3]", "true"},
      {"self.o.map(d, int(d.p.substring(0, 1)) * d.c).sum()", "6"},
      {"self.t.split('/').exists(part, part == '..')", "false"},
      {"size(self.t) == 5 && self.l.size() == 3 && self.l[1] == 2", "true"},
      {"self.t.startsWith('a/') && self.t.endsWith('b') && self.t.contains('..')", "true"},
      {"self.absent.deep == 1 || true", "true"},
      {"false && self.absent", "false"},
      {"-1 < 0 && 'a' < 'b' && 'a' + 'b' == 'ab' && 7 % 4 - 3 == 0", "true"}};
  for (const auto& [rule, expected] : rows) EXPECT_EQ(outcome_of(rule), expected) << rule;
}

TEST(Cel, what_is_not_known_is_an_error_and_never_true) {
  const std::vector<std::pair<std::string_view, std::string_view>> rows{
      {"self.absent == 1", "no such key: absent"},
      {"other", "unknown name other"},
      {"self.t.reverse('x')", "unknown function reverse"},
      {"quantity('1')", "unknown function quantity"},
      {"1 +", "must be a name"},
      {"(1", "must be ')'"},
      {"'open", "does not end"},
      {"1 1", "behind the end"},
      {"self.l[7]", "out of bounds"},
      {"1 < 'a'", "no such overload"},
      {"'\\d'", "an escape"}};
  for (const auto& [rule, expected] : rows) EXPECT_THAT(outcome_of(rule), HasSubstr(expected)) << rule;
}

void collect_rules(const Value& schema, std::vector<std::string>& rules) {
  if (const JsonArray* elements = schema.if_array()) {
    for (const Value& each : *elements) collect_rules(each, rules);
  } else if (const JsonObject* members = schema.if_object()) {
    for (const Value& each : array(schema, {"x-kubernetes-validations"})) rules.emplace_back(text(each, {"rule"}));
    for (const auto& member : *members) collect_rules(member.value(), rules);
  }
}

TEST(Cel, every_rule_of_the_project_s_definitions_can_be_read) {
  std::vector<std::string> rules;
  for (const std::string_view crd : crds::all()) collect_rules(*read_yaml(crd), rules);
  EXPECT_GT(rules.size(), 40U);
  for (const std::string& rule : rules) EXPECT_TRUE(parse(rule)) << rule;
}

}  // namespace
}  // namespace reprise::simulator::cel
