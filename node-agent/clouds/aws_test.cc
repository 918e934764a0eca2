#include "node-agent/clouds/aws.h"

#include <gtest/gtest.h>

#include "node-agent/clouds/cloud_time.h"
#include "node-agent/testing/clouds.h"

namespace reprise::node_agent {
namespace {

using testing_support::Documents;

const runtime::WallTime kNow = *parse_cloud_time("2026-01-21T09:00:00Z");
constexpr const char* kToken = "/latest/api/token";
constexpr const char* kAction = "/latest/meta-data/spot/instance-action";
constexpr const char* kState = "/latest/meta-data/autoscaling/target-lifecycle-state";
constexpr const char* kRebalance = "/latest/meta-data/events/recommendations/rebalance";
constexpr const char* kMaintenance = "/latest/meta-data/events/maintenance/scheduled";

Documents quiet() {
  Documents documents;
  documents.put(kToken, "AQAEAL==");
  documents.put(kState, "InService");
  documents.put(kMaintenance, "[]");
  return documents;
}

std::string maintenance(const char* before, const char* state) {
  return std::string(R"([{"NotBefore": ")") + before +
         R"(", "Code": "system-reboot", "Description": "scheduled reboot", "EventId": "instance-event-0d59937288b749b32",)"
         R"( "NotAfter": "21 Jan 2026 09:17:23 GMT", "State": ")" +
         state + "\"}]";
}

TEST(Aws, that_says_nothing_is_asked_with_a_token_that_is_kept) {
  Documents documents = quiet();
  Aws aws;
  EXPECT_TRUE(aws.look(documents, kNow).notices.empty());
  EXPECT_EQ(aws.look(documents, kNow).problem, "");
  ASSERT_EQ(documents.asked.size(), 9U) << "a token once, and four documents twice";
  EXPECT_EQ(documents.asked[0].method, "PUT");
  EXPECT_EQ(Documents::header(documents.asked[0], "X-aws-ec2-metadata-token-ttl-seconds"), "21600");
  EXPECT_EQ(Documents::header(documents.asked[1], "X-aws-ec2-metadata-token"), "AQAEAL==");
  EXPECT_EQ(documents.asked[1].path, kAction);
}

struct Said {
  const char* what;
  const char* path;
  std::string body;
  std::optional<NoticeKind> kind;
  const char* at = "";
};

TEST(Aws, says_in_several_documents_that_the_machine_goes) {
  const Said table[] = {
      {"a spot notice", kAction, R"({"action": "terminate", "time": "2026-01-21T09:02:00Z"})",
       NoticeKind::SpotInterruption, "2026-01-21T09:02:00Z"},
      {"one that stops", kAction, R"({"action":"stop","time":"2026-01-21T09:02:00Z"})", NoticeKind::SpotInterruption,
       "2026-01-21T09:02:00Z"},
      {"one that hibernates, at once", kAction, R"({"action":"hibernate"})", NoticeKind::SpotInterruption},
      {"a group that shrinks", kState, "Terminated", NoticeKind::InstanceTermination},
      {"a recommendation", kRebalance, R"({"noticeTime": "2026-01-21T08:59:59Z"})", NoticeKind::RebalanceRecommendation,
       "2026-01-21T08:59:59Z"},
      {"maintenance in a moment", kMaintenance, maintenance("21 Jan 2026 09:10:00 GMT", "active"),
       NoticeKind::ScheduledMaintenance, "2026-01-21T09:10:00Z"},
      {"maintenance a second too far off", kMaintenance, maintenance("21 Jan 2026 09:10:01 GMT", "active"), {}},
      {"maintenance that was called off", kMaintenance, maintenance("21 Jan 2026 09:01:00 GMT", "canceled"), {}},
      {"maintenance that is over", kMaintenance, maintenance("21 Jan 2026 08:00:00 GMT", "completed"), {}},
  };
  for (const Said& row : table) {
    Documents documents = quiet();
    documents.put(row.path, row.body);
    const Seen seen = Aws().look(documents, kNow);
    EXPECT_EQ(seen.problem, "") << row.what;
    ASSERT_EQ(seen.notices.size(), row.kind ? 1U : 0U) << row.what;
    if (!row.kind) continue;
    EXPECT_EQ(seen.notices[0].kind, *row.kind) << row.what;
    EXPECT_EQ(seen.notices[0].at, parse_cloud_time(row.at)) << row.what;
  }
}

TEST(Aws, that_talks_nonsense_withdraws_nothing_and_hides_nothing) {
  for (const char* path : {kAction, kRebalance, kMaintenance}) {
    for (const std::string& body : {std::string("<html>"), std::string("{}"), std::string("[1, null"), std::string(),
                                    std::string("{\"action\": \"dance\"}"), std::string(60'000, '[')}) {
      Documents documents = quiet();
      documents.put(kState, "Terminated");
      documents.put(path, body);
      const Seen seen = Aws().look(documents, kNow);
      EXPECT_FALSE(seen.complete()) << path << body.substr(0, 20);
      EXPECT_EQ(seen.notices.size(), 1U) << path << body.substr(0, 20);
    }
  }
}

TEST(Aws, token_that_is_not_taken_is_got_anew_once) {
  Documents documents = quiet();
  Aws aws;
  EXPECT_TRUE(aws.look(documents, kNow).complete());
  documents.answers[kAction] = {.status = 401, .body = {}};
  documents.asked.clear();
  EXPECT_FALSE(aws.look(documents, kNow).complete());
  ASSERT_EQ(documents.asked.size(), 3U);
  EXPECT_EQ(documents.asked[1].method, "PUT");
}

TEST(Aws, that_does_not_answer_is_asked_for_one_document_only) {
  Documents documents;
  documents.silent = true;
  const Seen seen = Aws().look(documents, kNow);
  EXPECT_EQ(documents.asked.size(), 1U);
  EXPECT_FALSE(seen.complete());
  EXPECT_TRUE(seen.unwell);
}

TEST(Aws, without_a_token_says_so) {
  Documents documents;
  EXPECT_NE(Aws().look(documents, kNow).problem.find("404"), std::string::npos);
}

}  // namespace
}  // namespace reprise::node_agent
