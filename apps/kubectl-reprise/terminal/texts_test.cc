#include <gtest/gtest.h>

#include "apps/kubectl-reprise/terminal/json.h"
#include "apps/kubectl-reprise/terminal/money.h"
#include "apps/kubectl-reprise/terminal/table.h"
#include "apps/kubectl-reprise/terminal/time_text.h"

namespace reprise::plugin {
namespace {

using std::chrono::seconds;

TEST(Texts, a_length_of_time_has_two_units_at_most) {
  EXPECT_EQ(length_text(seconds(-3)), "0s");
  EXPECT_EQ(length_text(seconds(119)), "119s");
  EXPECT_EQ(length_text(seconds(130)), "2m10s");
  EXPECT_EQ(length_text(seconds(3599)), "59m");
  EXPECT_EQ(length_text(seconds(3 * 3600 + 59)), "3h");
  EXPECT_EQ(length_text(seconds(2 * 86400 + 3 * 3600)), "2d3h");
  EXPECT_EQ(length_text(seconds(40 * 86400)), "40d");
}

TEST(Texts, money_is_added_up_without_losing_parts_of_a_cent) {
  Money sum;
  for (int i = 0; i < 3; ++i) sum += Money::parse("0.0034");
  EXPECT_EQ(sum.text(), "0.01");
  EXPECT_EQ((Money::parse("1.579") - Money::parse("2")).text(), "-0.42");
  EXPECT_EQ(Money::parse("12.50").share(1, 4).text(), "3.13");
  EXPECT_EQ(Money::parse("1").share(1, 0).text(), "0.00");
  for (const char* wrong : {"", "a", "1,5", "1.5x", "+1", ".5", "99999999999"})
    EXPECT_FALSE(Money::read(wrong)) << wrong;
}

TEST(Texts, a_table_is_as_wide_as_what_is_seen_and_not_as_its_bytes) {
  const Table table{{"A", "B"}, {{"ä", "x"}, {"", "y"}}};
  EXPECT_EQ(table.text(), "A   B\nä   x\n-   y\n");
}

TEST(Texts, yaml_quotes_what_another_reader_would_not_take_for_a_string) {
  for (const char* text :
       {"true", "No", "1", "1.5", "2026-01-01T00:00:00Z", "", "~", "a: b", "- x", "#x", "null", "0x1f", "é"}) {
    const std::string yaml = yaml_text(boost::json::value(text));
    const auto back = parse_json(yaml);
    ASSERT_TRUE(back && back->is_string()) << text;
    EXPECT_EQ(std::string_view(back->get_string()), text);
  }
  EXPECT_EQ(yaml_text(boost::json::value("finetune-1/a.b")), "finetune-1/a.b\n");
}

TEST(Texts, yaml_nests_lists_and_maps) {
  EXPECT_EQ(yaml_text(*parse_json(R"({"a":[{"b":1,"c":[[1,2],[]]},"x"],"d":{},"e":null})")),
            "a:\n- b: 1\n  c:\n  - - 1\n    - 2\n  - []\n- x\nd: {}\ne: null\n");
}

}  // namespace
}  // namespace reprise::plugin
