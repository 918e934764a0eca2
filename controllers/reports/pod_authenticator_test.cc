#include "controllers/reports/pod_authenticator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::controllers::reports {
namespace {

const std::string kBound =
    R"({"authenticated":true,"audiences":["reprise.dev/reports"],"user":{"username":"system:serviceaccount:vision:default",)"
    R"("extra":{"authentication.kubernetes.io/pod-name":["fit-1-0"],"authentication.kubernetes.io/pod-uid":["u1"]}}})";

struct PodAuthenticatorTest : ::testing::Test {
  PodAuthenticatorTest() {
    transport.on_request([this](const runtime::Request& request) -> runtime::Result<runtime::Response> {
      bodies.push_back(request.body);
      if (status != 201) return runtime::Response{.status = status, .body = "{}", .content_type = "application/json"};
      return runtime::Response{.status = 201,
                               .body = R"({"kind":"TokenReview","status":)" + review + "}",
                               .content_type = "application/json"};
    });
  }
  void ask(const std::string& authorization) {
    authenticator.ask(authorization, [this](const PodAuthenticator::Answer& answer) { answers.push_back(answer); });
  }

  runtime::testing::VirtualClock clock;
  runtime::testing::ManualExecutor executor{clock};
  runtime::testing::ScriptedTransport transport{executor};
  PodAuthenticator authenticator{transport, clock};
  std::string review = kBound;
  int status = 201;
  std::vector<std::string> bodies;
  std::vector<PodAuthenticator::Answer> answers;
};

TEST_F(PodAuthenticatorTest, a_token_is_that_of_the_pod_that_it_is_bound_to) {
  ask("Bearer abc");
  executor.settle();
  ASSERT_EQ(answers.size(), 1U);
  ASSERT_TRUE(answers[0] && *answers[0]);
  EXPECT_EQ(**answers[0], (PodIdentity{"vision", "fit-1-0", "u1"}));
  EXPECT_NE(bodies.at(0).find("reprise.dev/reports"), std::string::npos) << "for our audience alone: " << bodies[0];
}

TEST_F(PodAuthenticatorTest, one_token_is_reviewed_once_in_a_while) {
  ask("Bearer abc");
  ask("Bearer abc");
  executor.settle();
  ask("Bearer abc");
  EXPECT_EQ(answers.size(), 3U);
  EXPECT_EQ(bodies.size(), 1U);
  clock.advance(PodAuthenticator::keep_pod);
  ask("Bearer abc");
  executor.settle();
  EXPECT_EQ(bodies.size(), 2U);
}

TEST_F(PodAuthenticatorTest, what_is_no_pods_token_is_nobodys) {
  const std::string bound_to_none =
      R"({"authenticated":true,"audiences":["reprise.dev/reports"],"user":{"username":"system:serviceaccount:vision:default"}})";
  const std::string person =
      R"({"authenticated":true,"audiences":["reprise.dev/reports"],"user":{"username":"ann","extra":{)"
      R"("authentication.kubernetes.io/pod-name":["fit-1-0"],"authentication.kubernetes.io/pod-uid":["u1"]}}})";
  for (const std::string& each : {bound_to_none, person, std::string(R"({"authenticated":false})")}) {
    review = each;
    ask("Bearer token-" + std::to_string(answers.size()));
    executor.settle();
    ASSERT_TRUE(answers.back()) << each;
    EXPECT_FALSE(*answers.back()) << each;
  }
}

TEST_F(PodAuthenticatorTest, without_a_token_nobody_is_asked) {
  ask("");
  ask("Basic abc");
  EXPECT_EQ(answers.size(), 2U);
  EXPECT_TRUE(bodies.empty());
}

TEST_F(PodAuthenticatorTest, a_review_that_could_not_be_made_is_made_anew) {
  status = 500;
  ask("Bearer abc");
  executor.settle();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_FALSE(answers[0]);
  status = 201;
  ask("Bearer abc");
  executor.settle();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_TRUE(answers[1] && *answers[1]);
}

TEST_F(PodAuthenticatorTest, no_more_reviews_than_so_many_are_under_way) {
  for (std::size_t i = 0; i <= PodAuthenticator::most_reviews; ++i) ask("Bearer token-" + std::to_string(i));
  ASSERT_EQ(answers.size(), 1U) << "the one too many";
  EXPECT_FALSE(answers[0]);
  executor.settle();
  EXPECT_EQ(answers.size(), PodAuthenticator::most_reviews + 1);
}

TEST_F(PodAuthenticatorTest, made_up_tokens_cost_the_api_server_no_more_than_so_many_reviews_a_second) {
  review = R"({"authenticated":false})";
  const auto flood = [this](const std::string& name) {
    const std::size_t before = bodies.size();
    for (int i = 0; i < 3'000; ++i) {
      ask("Bearer " + name + std::to_string(i));
      executor.settle();
    }
    return bodies.size() - before;
  };
  EXPECT_EQ(flood("a"), PodAuthenticator::most_at_once);
  EXPECT_FALSE(answers.back()) << "it was not asked for";
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(flood("b"), PodAuthenticator::most_a_second);
  review = kBound;
  clock.advance(std::chrono::seconds(1));
  ask("Bearer abc");
  executor.settle();
  EXPECT_TRUE(answers.back() && *answers.back()) << "a pod has its turn again";
}

}  // namespace
}  // namespace reprise::controllers::reports
