#include "runtime/metrics/serving/authorize.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/metrics/serving/answer_cache.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;

TEST(Authorize, passes_none_but_those_whom_an_answer_allows) {
  struct Row {
    const char* what;
    std::optional<std::string> token;
    std::optional<ReviewAnswer> cached;
    std::optional<Result<ReviewAnswer>> reviewed;
    Access access;
  };
  const std::string token = "t";
  const auto failed = [] { return Result<ReviewAnswer>(fail(ErrorClass::Unavailable, "no answer")); };
  const std::vector<Row> rows = {
      {"no token", {}, {}, {}, Access::Unauthorized},
      {"no token, whatever was said", {}, ReviewAnswer::Allowed, ReviewAnswer::Allowed, Access::Unauthorized},
      {"nothing known", token, {}, {}, Access::Review},
      {"allowed before", token, ReviewAnswer::Allowed, {}, Access::Pass},
      {"denied before", token, ReviewAnswer::Denied, {}, Access::Forbidden},
      {"nobody's before", token, ReviewAnswer::NoUser, {}, Access::Unauthorized},
      {"allowed", token, {}, ReviewAnswer::Allowed, Access::Pass},
      {"denied", token, {}, ReviewAnswer::Denied, Access::Forbidden},
      {"nobody's", token, {}, ReviewAnswer::NoUser, Access::Unauthorized},
      {"no review", token, {}, failed(), Access::Failed},
      {"the newer answer counts", token, ReviewAnswer::Allowed, ReviewAnswer::Denied, Access::Forbidden},
      {"what failed is no answer", token, ReviewAnswer::Allowed, failed(), Access::Failed}};
  for (const Row& row : rows) EXPECT_EQ(authorize(row.token, row.cached, row.reviewed), row.access) << row.what;
}

TEST(Authorize, takes_the_token_of_a_bearer_header_and_nothing_else) {
  EXPECT_EQ(bearer_token("Bearer a.b-c_d~+/="), "a.b-c_d~+/=");
  EXPECT_EQ(bearer_token("bearer T1"), "T1");
  for (const char* none :
       {"", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b", "Bearer a\"b", "Bearer  a", "Bearera"}) {
    EXPECT_FALSE(bearer_token(none)) << none;
  }
}

TEST(AnswerCache, each_answer_counts_for_its_time_and_no_longer) {
  const Instant start{std::chrono::hours(1)};
  for (const auto& [answer, kept] : {std::pair{ReviewAnswer::Allowed, seconds(60)},
                                     {ReviewAnswer::Denied, seconds(30)},
                                     {ReviewAnswer::NoUser, seconds(60)}}) {
    AnswerCache cache;
    cache.put("a", answer, start);
    EXPECT_EQ(cache.find("a", start + kept - Duration(1)), answer);
    EXPECT_FALSE(cache.find("a", start + kept));
    EXPECT_FALSE(cache.find("b", start));
  }
}

TEST(AnswerCache, a_newer_answer_takes_the_place_of_the_older) {
  const Instant start{std::chrono::hours(1)};
  AnswerCache cache;
  cache.put("a", ReviewAnswer::Allowed, start);
  cache.put("a", ReviewAnswer::Denied, start + seconds(1));
  EXPECT_EQ(cache.find("a", start + seconds(1)), ReviewAnswer::Denied);
}

TEST(AnswerCache, is_bounded_and_made_up_tokens_do_not_drive_out_what_is_allowed) {
  const Instant start{std::chrono::hours(1)};
  AnswerCache cache;
  cache.put("scraper", ReviewAnswer::Allowed, start);
  for (std::size_t i = 0; i < 2 * AnswerCache::most; ++i) {
    cache.put("made up " + std::to_string(i), ReviewAnswer::NoUser, start + Duration(1));
  }
  EXPECT_EQ(cache.size(), AnswerCache::most);
  EXPECT_EQ(cache.find("scraper", start + Duration(1)), ReviewAnswer::Allowed);
}

TEST(AnswerCache, knows_a_token_by_a_hash_that_does_not_hold_it) {
  EXPECT_EQ(AnswerCache::hash("token").size(), 32U);
  EXPECT_NE(AnswerCache::hash("token"), AnswerCache::hash("tokem"));
  EXPECT_EQ(AnswerCache::hash("token").find("token"), std::string::npos);
}

}  // namespace
}  // namespace reprise::runtime
