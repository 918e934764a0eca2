#include "runtime/client/credentials/token_review.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime {
namespace {

struct TokenReviewTest : ::testing::Test {
  void answer(int status, std::string body) {
    transport.on_request([status, body = std::move(body)](const Request&) -> Result<Response> {
      return Response{.status = status, .body = body, .content_type = "application/json"};
    });
  }
  Result<std::optional<TokenUser>> whose(const std::vector<std::string>& audiences = {}) {
    std::optional<Result<std::optional<TokenUser>>> told;
    review_token(transport, "secret", audiences, [&](auto user) { told = std::move(user); });
    executor.settle();
    return told.value();
  }
  Result<bool> allowed(const TokenUser& user) {
    std::optional<Result<bool>> told;
    review_path_access(transport, user, "/metrics", "get", [&](auto answered) { told = std::move(answered); });
    executor.settle();
    return told.value();
  }

  testing::VirtualClock clock;
  testing::ManualExecutor executor{clock};
  testing::ScriptedTransport transport{executor};
};

TEST_F(TokenReviewTest, a_user_is_taken_over_with_all_that_rights_may_hang_on) {
  answer(201, R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"system:serviceaccount:a:b",
    "uid":"1","groups":["g","h"],"extra":{"pod":["p"]}}}})");
  const auto user = whose();
  ASSERT_TRUE(user && *user);
  EXPECT_EQ(**user, (TokenUser{"system:serviceaccount:a:b", "1", {"g", "h"}, {{"pod", {"p"}}}}));
  const Request& request = transport.requests().back();
  EXPECT_EQ(request.path_and_query, "/apis/authentication.k8s.io/v1/tokenreviews");
  EXPECT_EQ(request.body,
            R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"secret"}})");

  answer(201, R"({"kind":"SubjectAccessReview","status":{"allowed":true}})");
  EXPECT_TRUE(allowed(**user).value());
  EXPECT_EQ(transport.requests().back().path_and_query, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  EXPECT_EQ(transport.requests().back().body,
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"extra":{"pod":["p"]},)"
            R"("groups":["g","h"],"nonResourceAttributes":{"path":"/metrics","verb":"get"},)"
            R"("uid":"1","user":"system:serviceaccount:a:b"}})");
}

TEST_F(TokenReviewTest, a_token_that_is_not_authenticated_is_nobodys) {
  for (const char* status : {R"({"authenticated":false})", R"({"error":"expired"})", R"({"authenticated":"true"})"}) {
    answer(201, R"({"kind":"TokenReview","status":)" + std::string(status) + "}");
    const auto user = whose();
    ASSERT_TRUE(user);
    EXPECT_FALSE(*user) << status;
  }
}

TEST_F(TokenReviewTest, a_token_for_others_is_nobodys) {
  const std::string begin = R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":"u"})";
  answer(201, begin + "}}");
  EXPECT_FALSE(whose({"reprise"}).value());
  answer(201, begin + R"(,"audiences":["reprise"]}})");
  EXPECT_TRUE(whose({"reprise"}).value());
}

TEST_F(TokenReviewTest, access_is_what_was_allowed_in_so_many_words) {
  for (const auto& [status, expected] : {std::pair{R"({"allowed":true})", true},
                                         {R"({"allowed":false})", false},
                                         {R"({"allowed":true,"denied":true})", false},
                                         {R"({"allowed":"true"})", false},
                                         {R"({})", false}}) {
    answer(201, R"({"kind":"SubjectAccessReview","status":)" + std::string(status) + "}");
    EXPECT_EQ(allowed({.username = "u", .uid = {}, .groups = {}, .extra = {}}).value(), expected) << status;
  }
}

TEST_F(TokenReviewTest, what_is_no_review_is_an_error_that_does_not_name_the_token) {
  for (const auto& [status, body] : {std::pair{403, R"({"kind":"Status","code":403,"message":"no"})"},
                                     {201, "nonsense"},
                                     {201, R"({"kind":"Other","status":{"authenticated":true}})"},
                                     {201, R"({"kind":"TokenReview"})"},
                                     {201, R"({"kind":"TokenReview","status":{"authenticated":true}})"}}) {
    answer(status, body);
    const auto user = whose();
    ASSERT_FALSE(user) << body;
    EXPECT_EQ(user.error().message.find("secret"), std::string::npos) << user.error().message;
    EXPECT_FALSE(allowed({.username = "u", .uid = {}, .groups = {}, .extra = {}})) << body;
  }
}

}  // namespace
}  // namespace reprise::runtime
