#include "controllers/placement/evaluation/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::controllers::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kHead = "# gap_seconds=600\n# nodes_probed=4\n# value=nodes available\n";

TEST(Trace, numbers_are_nodes_that_could_be_had_and_unknown_carries_the_last) {
  const auto trace = read_trace("a.csv", kHead + "tick,east,west\n0,-1,4\n1,4,3\n2,-1,-1\n3,0,4\n");
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_DOUBLE_EQ(trace->tick, 1.0 / 6);
  ASSERT_EQ(trace->zones.size(), 2U);
  EXPECT_THAT(market_of(*trace, trace->zones[0], 4).up, ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(market_of(*trace, trace->zones[1], 4).up, ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(market_of(*trace, trace->zones[1], 3).up, ElementsAre(1, 1, 1, 1));
}

TEST(Trace, a_bad_file_is_an_error_that_names_file_and_line) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"", "a.csv:1: the file is empty"},
      {kHead, "a.csv:3: the file is empty"},
      {kHead + "tick,z\n", "a.csv:4: no row follows"},
      {kHead + "time,z\n0,1\n", "a.csv:4: found 'time,z'"},
      {kHead + "tick,z,z\n0,1,1\n", "a.csv:4: zone z appears twice"},
      {kHead + "tick,z\xff\n0,1\n", "a.csv:4: the name of zone 1 must be printable ASCII"},
      {kHead + "tick,z y\n0,1\n", "a.csv:4: the name of zone 1 must be"},
      {kHead + "tick,z,\n0,1,1\n", "a.csv:4: column 3 has no zone name"},
      {kHead + "tick,z\n0,1\n2,1\n", "a.csv:6: tick 1 is missing"},
      {kHead + "tick,z\n1,1\n", "a.csv:5: tick 0 is missing"},
      {kHead + "tick,z\n0,1\n1,1\n1,1\n", "a.csv:7: tick 1 does not come after"},
      {kHead + "tick,z\n1,1\n0,1\n", "a.csv:6: tick 0 does not come after"},
      {kHead + "tick,z\n0,nan\n", "a.csv:5: found 'nan' for z"},
      {kHead + "tick,z\n0,inf\n", "a.csv:5: found 'inf' for z"},
      {kHead + "tick,z\n0,\n", "a.csv:5: found '' for z"},
      {kHead + "tick,z\n0,5\n", "a.csv:5: count for zone z must be whole, -1 (unknown) or 0 to 4"},
      {kHead + "tick,z\n0,-2\n", "a.csv:5: count for zone z"},
      {kHead + "tick,z\n0,0.5\n", "a.csv:5: count for zone z"},
      {kHead + "tick,z\n0,1,1\n", "a.csv:5: found 3 columns, must be 2 as in line 4"},
      {kHead + "tick,z\n-1,1\n", "a.csv:5: found tick -1"},
      {"# nodes_probed=1\n# value=nodes available\ntick,z\n0,1\n", "a.csv:3: no line '# gap_seconds=...'"},
      {"# gap_seconds=600\n# value=nodes available\ntick,z\n0,1\n", "a.csv:3: no line '# nodes_probed=...'"},
      {"# gap_seconds=0\n# nodes_probed=1\n# value=nodes available\ntick,z\n0,1\n", "a.csv:1: gap_seconds: found '0'"},
      {"# gap_seconds=1e-300\n# nodes_probed=1\n# value=nodes available\ntick,z\n0,1\n",
       "a.csv:1: gap_seconds must be"},
      {"# gap_seconds=1e300\n# nodes_probed=1\n# value=nodes available\ntick,z\n0,1\n", "a.csv:1: gap_seconds must be"},
      {kHead + "tick,z\n0,1\n# gap_seconds=300\n1,1\n", "a.csv:6: gap_seconds is '300' here and '600' in line 1"},
      {"# gap_seconds=600\n# nodes_probed=1.5\n# value=nodes available\ntick,z\n0,1\n", "a.csv:2: nodes_probed must"}};
  for (const auto& [text, expected] : rows) {
    const auto trace = read_trace("a.csv", text);
    ASSERT_FALSE(trace) << text;
    EXPECT_THAT(trace.error().message, HasSubstr(expected)) << text;
  }
}

TEST(Trace, a_file_that_counts_what_was_lost_or_does_not_say_is_refused) {
  const std::string rest = "# gap_seconds=600\n# nodes_probed=1\ntick,z\n0,1\n";
  for (const std::string value :
       {"# value=1 = preempted\n", "# value=nodes lost\n", "# value=unavailable\n", "# value=spot\n", ""}) {
    const auto trace = read_trace("a.csv", value + rest);
    ASSERT_FALSE(trace) << value;
    EXPECT_THAT(trace.error().message, HasSubstr("a.csv:"));
    EXPECT_THAT(trace.error().message, HasSubstr("nodes that could be had"));
  }
}

TEST(Trace, a_price_stands_until_the_next_one) {
  auto trace = read_trace("a.csv", kHead + "tick,z,y\n0,1,1\n1,1,1\n2,1,1\n");
  ASSERT_TRUE(trace);
  const auto priced = with_prices(*trace, "p.csv", "tick,z\n0,0.5\n2,0.75\n9,1\n");
  ASSERT_TRUE(priced) << priced.error().message;
  EXPECT_THAT(priced->zones[0].prices, ElementsAre(0.5, 0.5, 0.75));
  EXPECT_TRUE(priced->zones[1].prices.empty());
}

TEST(Trace, a_bad_price_is_an_error_that_names_file_and_line) {
  const auto trace = read_trace("a.csv", kHead + "tick,z\n0,1\n");
  ASSERT_TRUE(trace);
  const std::vector<std::pair<std::string, std::string>> rows{
      {"tick,z\n0,-0.1\n", "p.csv:2: price for zone z must be greater than 0"},
      {"tick,z\n0,0\n", "p.csv:2: price for zone z"},
      {"tick,z\n0,nan\n", "p.csv:2: found 'nan'"},
      {"tick,q\n0,1\n", "p.csv:1: zone q is not in a.csv"},
      {"tick,z\n5,1\n", "p.csv:2: the first row must be that of tick 0"},
      {"tick,z\n0,1\n5,1\n4,1\n", "p.csv:4: tick 4 does not come after"}};
  for (const auto& [text, expected] : rows) {
    const auto priced = with_prices(*trace, "p.csv", text);
    ASSERT_FALSE(priced) << text;
    EXPECT_THAT(priced.error().message, HasSubstr(expected));
  }
}

TEST(Trace, traces_of_several_files_keep_the_prices_of_their_own) {
  const auto a =
      read_trace("a.csv", "# on_demand_usd_per_hour=3\n# spot_usd_per_hour=1\n" + kHead + "tick,east\n0,1\n");
  const auto b =
      read_trace("b.csv", "# on_demand_usd_per_hour=11\n# spot_usd_per_hour=6\n" + kHead + "tick,west\n0,1\n");
  ASSERT_TRUE(a && b);
  const auto both = joined(*a, *b);
  ASSERT_TRUE(both) << both.error().message;
  EXPECT_EQ(both->zones[0].on_demand_price, 3);
  EXPECT_EQ(both->zones[1].on_demand_price, 11);
  EXPECT_THAT(both->zones[0].prices, ElementsAre(1));
  EXPECT_THAT(both->zones[1].prices, ElementsAre(6));
  const auto again = joined(*a, *a);
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("zone east is in both"));
  auto slower = *b;
  slower.tick *= 2;
  EXPECT_FALSE(joined(*a, slower));
}

TEST(Trace, a_mark_of_byte_order_is_no_part_of_the_text) {
  EXPECT_TRUE(read_trace("a.csv", "\xEF\xBB\xBF" + kHead + "tick,z\n0,1\n"));
}

TEST(Trace, an_unknown_zone_is_refused_with_those_there_are) {
  const auto trace = read_trace("a.csv", kHead + "tick,east,west\n0,1,1\n");
  ASSERT_TRUE(trace);
  const auto chosen = with_zones(*trace, {"west"});
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->zones[0].name, "west");
  EXPECT_FALSE(with_zones(*trace, {"west", "west"}));
  const auto unknown = with_zones(*trace, {"north"});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, HasSubstr("a.csv has no zone 'north', must be one of east, west"));
}

}  // namespace
}  // namespace reprise::controllers::placement
