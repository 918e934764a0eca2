#include "runtime/metrics/serving/access_guard.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/metrics/reviewer_for_tests.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;

struct AccessGuardTest : ::testing::Test {
  std::optional<Access> ask(const std::string& authorization) {
    auto told = std::make_shared<std::optional<Access>>();
    guard->ask(authorization, [told](Access access) { *told = access; });
    return *told;
  }

  testing::VirtualClock clock;
  testing::TextLogger logger;
  testing::ScriptedReviewer reviewer;
  std::unique_ptr<AccessGuard> guard = std::make_unique<AccessGuard>(reviewer, clock, logger);
};

TEST_F(AccessGuardTest, a_request_without_a_token_costs_no_review) {
  EXPECT_EQ(ask(""), Access::Unauthorized);
  EXPECT_EQ(ask("Basic YTpi"), Access::Unauthorized);
  EXPECT_EQ(reviewer.reviews(), 0);
}

TEST_F(AccessGuardTest, an_answer_serves_until_its_time_is_up_and_then_counts_anew) {
  reviewer.know("good", ReviewAnswer::Allowed);
  reviewer.know("bad", ReviewAnswer::Denied);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ask("Bearer good"), Access::Pass);
    EXPECT_EQ(ask("Bearer bad"), Access::Forbidden);
  }
  EXPECT_EQ(reviewer.reviews(), 2);
  reviewer.know("good", ReviewAnswer::NoUser);
  clock.advance(seconds(60));
  EXPECT_EQ(ask("Bearer good"), Access::Unauthorized);
}

TEST_F(AccessGuardTest, a_review_that_failed_is_made_anew_and_never_passes) {
  reviewer.know("good", fail(ErrorClass::Unavailable, "no answer"));
  EXPECT_EQ(ask("Bearer good"), Access::Failed);
  EXPECT_EQ(logger.text, "Could not review who reads metrics no answer");
  reviewer.know("good", ReviewAnswer::Allowed);
  EXPECT_EQ(ask("Bearer good"), Access::Pass);
}

TEST_F(AccessGuardTest, those_who_wait_for_one_token_share_its_review) {
  std::vector<Access> told;
  for (int i = 0; i < 3; ++i) guard->ask("Bearer slow", [&](Access access) { told.push_back(access); });
  EXPECT_EQ(reviewer.reviews(), 1);
  EXPECT_TRUE(told.empty());
  reviewer.answer_all(ReviewAnswer::Allowed);
  EXPECT_EQ(told, std::vector(3, Access::Pass));
}

TEST_F(AccessGuardTest, no_more_reviews_are_under_way_than_the_bound) {
  for (std::size_t i = 0; i < AccessGuard::most_reviews; ++i) EXPECT_FALSE(ask("Bearer t" + std::to_string(i)));
  EXPECT_EQ(ask("Bearer another"), Access::Failed);
  reviewer.answer_all(ReviewAnswer::NoUser);
  EXPECT_FALSE(ask("Bearer another"));
}

TEST_F(AccessGuardTest, an_answer_may_come_after_it_has_gone) {
  EXPECT_FALSE(ask("Bearer slow"));
  guard.reset();
  reviewer.answer_all(ReviewAnswer::Allowed);
}

TEST_F(AccessGuardTest, no_token_is_logged) {
  for (const auto& answer : {Result<ReviewAnswer>(ReviewAnswer::Denied), Result<ReviewAnswer>(ReviewAnswer::NoUser),
                             Result<ReviewAnswer>(fail(ErrorClass::Unavailable, "no answer"))}) {
    EXPECT_FALSE(ask("Bearer secret-" + std::to_string(reviewer.reviews())));
    reviewer.answer_all(answer);
  }
  EXPECT_EQ(logger.text.find("secret"), std::string::npos) << logger.text;
}

}  // namespace
}  // namespace reprise::runtime
