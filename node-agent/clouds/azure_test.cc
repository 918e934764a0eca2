#include "node-agent/clouds/azure.h"

#include <gtest/gtest.h>

#include "node-agent/clouds/cloud_time.h"
#include "node-agent/testing/clouds.h"

namespace reprise::node_agent {
namespace {

using testing_support::Documents;

const runtime::WallTime kNow = *parse_cloud_time("Mon, 21 Sep 2026 18:29:00 GMT");
constexpr const char* kName = "/metadata/instance/compute/name?api-version=2021-02-01&format=text";
constexpr const char* kEvents = "/metadata/scheduledevents?api-version=2020-07-01";

std::string document(const std::string& type, const std::string& status = "Scheduled",
                     const std::string& before = "Mon, 21 Sep 2026 18:29:47 GMT",
                     const std::string& resource = "aks-gpu-vmss_0") {
  return R"({"DocumentIncarnation": 2, "Events": [{"EventId": "C7061BAC-AFDC-4513-B24B-AA5F13A16123", "EventType": ")" +
         type + R"(", "ResourceType": "VirtualMachine", "Resources": ["aks-gpu-vmss_7", ")" + resource +
         R"("], "EventStatus": ")" + status + R"(", "NotBefore": ")" + before +
         R"(", "Description": "", "EventSource": "Platform", "DurationInSeconds": -1}]})";
}

Seen look(const std::string& events) {
  Documents documents;
  documents.put(kName, "aks-gpu-vmss_0");
  documents.put(kEvents, events);
  Seen seen = Azure().look(documents, kNow);
  for (const Question& each : documents.asked) EXPECT_EQ(Documents::header(each, "Metadata"), "true");
  return seen;
}

struct Said {
  const char* what;
  std::string events;
  std::optional<NoticeKind> kind;
};

TEST(Azure, says_in_one_document_what_happens_to_which_machine) {
  const Said table[] = {
      {"nothing", R"({"DocumentIncarnation": 1, "Events": []})", {}},
      {"an eviction", document("Preempt"), NoticeKind::SpotInterruption},
      {"an eviction that has begun", document("Preempt", "Started", ""), NoticeKind::SpotInterruption},
      {"a deletion", document("Terminate"), NoticeKind::InstanceTermination},
      {"a restart", document("Reboot"), NoticeKind::ScheduledMaintenance},
      {"a move", document("Redeploy"), NoticeKind::ScheduledMaintenance},
      {"a restart that is far off", document("Reboot", "Scheduled", "Mon, 21 Sep 2026 18:39:01 GMT"), {}},
      {"a pause that keeps memory", document("Freeze"), {}},
      {"what is over", document("Preempt", "Completed"), {}},
      {"another machine's eviction", document("Preempt", "Scheduled", "", "aks-gpu-vmss_01"), {}},
      {"a name in another case", document("Preempt", "Scheduled", "", "AKS-GPU-VMSS_0"), NoticeKind::SpotInterruption},
  };
  for (const Said& row : table) {
    const Seen seen = look(row.events);
    EXPECT_EQ(seen.problem, "") << row.what;
    ASSERT_EQ(seen.notices.size(), row.kind ? 1U : 0U) << row.what;
    if (!row.kind) continue;
    EXPECT_EQ(seen.notices[0].kind, *row.kind) << row.what;
  }
  EXPECT_EQ(look(document("Preempt")).notices[0].at, parse_cloud_time("2026-09-21T18:29:47Z"));
  EXPECT_FALSE(look(document("Preempt", "Started", "")).notices[0].at);
}

TEST(Azure, that_talks_nonsense_withdraws_nothing) {
  for (const char* body : {"", "<html>", "[]", "{}", R"({"Events": 7})"}) EXPECT_FALSE(look(body).complete()) << body;
  EXPECT_TRUE(look(R"({"Events": [7, null, {"Resources": 3}, {"Resources": ["aks-gpu-vmss_0"]}]})").complete());
}

TEST(Azure, machine_is_asked_for_its_name_once) {
  Documents documents;
  Azure azure;
  EXPECT_FALSE(azure.look(documents, kNow).complete()) << "nothing is known of a machine without a name";
  EXPECT_EQ(documents.asked.size(), 1U);
  documents.put(kName, "aks-gpu-vmss_0");
  documents.put(kEvents, document("Preempt"));
  EXPECT_EQ(azure.look(documents, kNow).notices.size(), 1U);
  EXPECT_EQ(azure.look(documents, kNow).notices.size(), 1U);
  EXPECT_EQ(documents.asked.size(), 4U);
}

TEST(Clouds, are_known_by_the_node_s_provider_id) {
  EXPECT_EQ(provider_of_id("aws:///eu-west-1a/i-0abc"), Provider::Aws);
  EXPECT_EQ(provider_of_id("gce://project/europe-west4-a/gke-1"), Provider::Gcp);
  EXPECT_EQ(provider_of_id("azure:///subscriptions/x"), Provider::Azure);
  for (const char* other : {"", "kind://docker/a/b", "azure", "xaws://a"}) EXPECT_FALSE(provider_of_id(other)) << other;
  for (const Provider each : {Provider::Aws, Provider::Gcp, Provider::Azure})
    EXPECT_EQ(provider_of_name(name(each)), each);
}

}  // namespace
}  // namespace reprise::node_agent
