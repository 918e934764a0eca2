#include "runtime/manager/internal/metrics/metrics_access.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/testing/manual_executor.h"
#include "runtime/testing/scripted_transport.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::runtime::internal {
namespace {

TEST(MetricsAccess, asks_whose_the_token_is_and_then_what_its_owner_may) {
  struct Row {
    const char* what;
    int token_status;
    std::string user;
    int access_status;
    std::string allowed;
    std::optional<ReviewAnswer> answer;
    std::size_t requests;
  };
  const std::string known = R"({"authenticated":true,"user":{"username":"u"}})";
  const std::vector<Row> rows = {{"allowed", 201, known, 201, R"({"allowed":true})", ReviewAnswer::Allowed, 2},
                                 {"denied", 201, known, 201, R"({"allowed":false})", ReviewAnswer::Denied, 2},
                                 {"nobody's", 201, R"({"authenticated":false})", 201, "{}", ReviewAnswer::NoUser, 1},
                                 {"no token review", 403, "{}", 201, R"({"allowed":true})", {}, 1},
                                 {"no access review", 201, known, 403, R"({"allowed":true})", {}, 2}};
  for (const Row& row : rows) {
    testing::VirtualClock clock;
    testing::ManualExecutor executor{clock};
    testing::ScriptedTransport transport{executor};
    transport.on_request([&](const Request& request) -> Result<Response> {
      const bool token = request.path_and_query.ends_with("/tokenreviews");
      const std::string kind = token ? "TokenReview" : "SubjectAccessReview";
      return Response{.status = token ? row.token_status : row.access_status,
                      .body = R"({"kind":")" + kind + R"(","status":)" + (token ? row.user : row.allowed) + "}",
                      .content_type = "application/json"};
    });
    ApiAccessReviewer reviewer(transport);
    std::optional<Result<ReviewAnswer>> told;
    reviewer.review("t", [&](Result<ReviewAnswer> answer) { told = std::move(answer); });
    executor.settle();
    ASSERT_TRUE(told) << row.what;
    EXPECT_EQ(*told ? std::optional(**told) : std::nullopt, row.answer) << row.what;
    EXPECT_EQ(transport.requests().size(), row.requests) << row.what;
  }
}

}  // namespace
}  // namespace reprise::runtime::internal
