#include "controllers/placement/policy/try_spot_again.h"

#include <gtest/gtest.h>

#include <cmath>

#include "controllers/placement/policy/hazard.h"

namespace reprise::controllers::placement {
namespace {

// The usual: spot costs 40 %, a changeover 12 minutes.
Terms usual() {
  Terms terms;
  terms.on_demand_price = 1.0;
  terms.spot_price = 0.4;
  return terms;
}

TEST(TrySpotAgain, comes_the_later_the_longer_spot_has_been_away) {
  EXPECT_EQ(try_spot_again_after(usual(), 0), kTryAgainAtTheEarliest);
  double before = 0;
  for (const double age : {4.0, 8.0, 24.0, 72.0}) {
    const double after = try_spot_again_after(usual(), age);
    EXPECT_GT(after, before) << age;
    EXPECT_LT(after, age) << "an outage that has lasted long ends all the same";
    before = after;
  }
}

TEST(TrySpotAgain, comes_when_the_chance_that_spot_is_back_pays_for_the_changeover) {
  const Terms terms = usual();
  const double after = try_spot_again_after(terms, 24);
  const double saved = 0.6 * mean_remaining(kSpotSpells, 1, 0, 6);
  EXPECT_NEAR(ends_within(kOutages, 1, 24, after) * saved, terms.changeover * terms.on_demand_price, 1e-9);
}

TEST(TrySpotAgain, costs_little_in_an_outage_that_never_ends) {
  int tries = 0;
  double hours = 0;
  for (; hours < 30 * 24; ++tries) hours += try_spot_again_after(usual(), hours);
  EXPECT_LT(tries * 0.2 / hours, 0.02) << tries << " changeovers in " << hours << " h";
}

TEST(TrySpotAgain, never_comes_where_spot_saves_too_little) {
  Terms terms = usual();
  terms.spot_price = 0.95;
  EXPECT_TRUE(std::isinf(try_spot_again_after(terms, 0)));
  terms.spot_price = 1.2;
  EXPECT_TRUE(std::isinf(try_spot_again_after(terms, 0)));
  terms = usual();
  terms.changeover = 2;
  EXPECT_TRUE(std::isinf(try_spot_again_after(terms, 0)));
}

}  // namespace
}  // namespace reprise::controllers::placement
