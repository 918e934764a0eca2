#include "node-agent/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/json/json.h"
#include "node-agent/clouds/cloud_time.h"

namespace reprise::node_agent {
namespace {

const auto kAt = *parse_cloud_time("2026-01-21T09:02:00Z");
const Notice kNotice{.kind = NoticeKind::SpotInterruption, .said = "AWS takes it", .at = kAt};

NodeView node_of(const char* taints) {
  return {.name = "a", .uid = "u", .resource_version = "7", .provider_id = {}, .taints = *agent::parse_array(taints)};
}

TEST(TaintPatch, adds_to_what_others_wrote_and_only_to_what_was_read) {
  const auto node = node_of(R"([{"key": "theirs", "value": "v", "effect": "NoExecute", "timeAdded": "t"}])");
  EXPECT_EQ(taint_patch(node, {.added = {kNotice}, .withdrawn = {}}),
            R"([{"op":"test","path":"/metadata/resourceVersion","value":"7"},)"
            R"({"op":"add","path":"/spec/taints","value":[)"
            R"({"key":"theirs","value":"v","effect":"NoExecute","timeAdded":"t"},)"
            R"({"key":"reprise.dev/spot-interruption","effect":"NoSchedule","value":"1768986120"}]}])");
}

TEST(TaintPatch, takes_off_what_was_withdrawn) {
  const auto node = node_of(R"([{"key": "reprise.dev/spot-interruption"}, {"key": "theirs"}])");
  EXPECT_THAT(taint_patch(node, {.added = {}, .withdrawn = {NoticeKind::SpotInterruption}}),
              testing::EndsWith(R"("value":[{"key":"theirs"}]}])"));
}

TEST(TaintPatch, says_no_time_that_the_cloud_does_not_say) {
  const Notice without{.kind = NoticeKind::SpotInterruption, .said = "s"};
  EXPECT_EQ(value_of(without), "");
  EXPECT_THAT(taint_patch(node_of("[]"), {.added = {without}, .withdrawn = {}}),
              testing::EndsWith(R"("value":[{"key":"reprise.dev/spot-interruption","effect":"NoSchedule"}]}])"));
}

TEST(Event, is_about_this_very_node_and_the_same_when_it_is_sent_twice) {
  const auto node = node_of("[]");
  const auto text = event_of(node, kNotice, kAt), again = event_of(node, kNotice, kAt + std::chrono::minutes(1));
  const auto event = *agent::parse_object(text);
  const auto* about = agent::object_of(event, "involvedObject");
  EXPECT_EQ(agent::text_of(*about, "kind"), "Node");
  EXPECT_EQ(agent::text_of(*about, "uid"), "u");
  EXPECT_EQ(agent::text_of(event, "reason"), "SpotInterrupted");
  EXPECT_EQ(agent::text_of(event, "type"), "Warning");
  EXPECT_EQ(agent::text_of(event, "message"), "AWS takes it: it goes at 2026-01-21T09:02:00Z");
  EXPECT_EQ(agent::text_of(event, "lastTimestamp"), "2026-01-21T09:02:00Z");
  const auto name = [](const std::string& json) {
    const auto object = *agent::parse_object(json);
    return *agent::text_of(*agent::object_of(object, "metadata"), "name");
  };
  EXPECT_EQ(name(text), name(again));
  const Notice recommended{.kind = NoticeKind::RebalanceRecommendation, .said = "AWS recommends it", .at = kAt};
  EXPECT_THAT(event_of(node, recommended, kAt), testing::HasSubstr("recommends it since 2026-01-21T09:02:00Z"));
  Notice other = kNotice;
  other.at = kAt + std::chrono::seconds(1);
  EXPECT_NE(name(text), name(event_of(node, other, kAt)));
}

}  // namespace
}  // namespace reprise::node_agent
