#include "apps/reprise-operator/price_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include "api/testing/source_tree.h"
#include "controllers/gpupool/providers/catalog.h"
#include "controllers/prices/money.h"
#include "controllers/prices/price_table.h"

namespace reprise::apps {
namespace {

using api::CapacityType;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PriceFile, has_entries_like_a_pool_s_with_the_same_defaults) {
  const auto prices = parse_prices(
      "asOf: 2026-07-20\nprices:\n"
      "- {instanceType: g4dn.xlarge, capacityType: Spot, zone: us-east-1a, perHour: \"0.1578\"}\n"
      "- {instanceType: Standard_NC4as_T4_v3, perHour: 0.526}\n");
  ASSERT_TRUE(prices) << prices.error().message;
  ASSERT_EQ(prices->size(), 2U);
  EXPECT_EQ((*prices)[0].instance_type, "g4dn.xlarge");
  EXPECT_EQ((*prices)[0].capacity_type, CapacityType::Spot);
  EXPECT_EQ((*prices)[0].zone, "us-east-1a");
  EXPECT_EQ((*prices)[0].per_hour, "0.1578");
  EXPECT_EQ((*prices)[1].capacity_type, CapacityType::OnDemand);
  EXPECT_EQ((*prices)[1].zone, "");
}

TEST(PriceFile, may_say_nothing) {
  for (const char* text : {"", "# later\n", "prices:\n", "prices: []\n", "asOf: today\n"}) {
    const auto prices = parse_prices(text);
    ASSERT_TRUE(prices) << text << prices.error().message;
    EXPECT_THAT(*prices, IsEmpty()) << text;
  }
}

TEST(PriceFile, says_which_entry_is_wrong_and_what_is_allowed) {
  const std::string entry = "prices:\n- {instanceType: a, perHour: \"1\"}\n- ";
  for (const auto& [text, said] : std::initializer_list<std::pair<std::string, std::string>>{
           {entry + "{instanceType: b, perHour: \"1,50\"}", "prices[1].perHour: found '1,50', must be a price in USD"},
           {entry + "{instanceType: b, perHour: -1}", "prices[1].perHour: found '-1'"},
           {entry + "{instanceType: b}", "prices[1].perHour: is missing"},
           {entry + "{perHour: \"1\"}", "prices[1].instanceType: is missing"},
           {entry + "{instanceType: [b], perHour: \"1\"}", "prices[1].instanceType: found a list"},
           {entry + "{instanceType: b, capacityType: spot, perHour: \"1\"}",
            "prices[1].capacityType: found 'spot', must be Spot, OnDemand or Reserved"},
           {entry + "{instanceType: b, perHour: \"1\", region: x}", "prices[1].region: no such field"},
           {entry + "g4dn.xlarge", "prices[1]: found 'g4dn.xlarge', must be a mapping"},
           {"price: []", "price: no such field, must be asOf or prices"},
           {"prices: {}", "prices: found a mapping, must be a list"},
           {"- a", "found a list, must be a mapping"},
           {"prices: []\n---\nprices: []\n", "found several documents"},
           {"prices: [", "line "}}) {
    const auto prices = parse_prices(text);
    ASSERT_FALSE(prices) << text;
    EXPECT_THAT(prices.error().message, HasSubstr(said)) << text;
  }
}

TEST(PriceFile, that_is_not_there_is_named) {
  const auto prices = read_prices("/nonexistent/prices.yaml");
  ASSERT_FALSE(prices);
  EXPECT_THAT(prices.error().message, HasSubstr("/nonexistent/prices.yaml"));
  EXPECT_FALSE(read_prices("/")) << "a folder";
}

TEST(PriceFile, of_the_chart_says_what_the_catalogue_says_and_knows_each_cloud) {
  const std::string chart = api::testing::source_tree() + "/charts/reprise/files/prices.yaml";
  const auto prices = read_prices(chart);
  ASSERT_TRUE(prices) << prices.error().message;
  for (const auto& type : controllers::gpupool::catalog())
    EXPECT_EQ(controllers::prices::first_stated(*prices, type.name, CapacityType::OnDemand, ""),
              type.on_demand_micro_usd_per_hour)
        << type.name;
  for (const char* name : {"g4ad.xlarge", "Standard_NC4as_T4_v3", "g2-standard-4"})
    EXPECT_TRUE(controllers::prices::first_stated(*prices, name, CapacityType::OnDemand, "")) << name;
}

}  // namespace
}  // namespace reprise::apps
