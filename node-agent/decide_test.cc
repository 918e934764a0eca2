#include "node-agent/decide.h"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

#include "node-agent/clouds/cloud_time.h"

namespace reprise::node_agent {
namespace {

NodeView node_with(std::initializer_list<const char*> keys) {
  NodeView node{.name = "a", .uid = "u", .resource_version = "7", .provider_id = {}, .taints = {}};
  for (const char* key : keys) node.taints.push_back(boost::json::object{{"key", key}, {"effect", "NoSchedule"}});
  return node;
}

constexpr const char* kSpot = "reprise.dev/spot-interruption";

TEST(Decide, writes_what_is_new_and_nothing_twice) {
  const Seen notice{.notices = {{.kind = NoticeKind::SpotInterruption, .said = "s"}}, .problem = {}};
  ASSERT_EQ(decide(node_with({}), notice).added.size(), 1U);
  EXPECT_TRUE(decide(node_with({kSpot}), notice).empty()) << "after a restart as well";
  EXPECT_EQ(decide(node_with({"aws-node-termination-handler/spot-itn"}), notice).added.size(), 1U);
}

TEST(Decide, takes_off_its_own_taint_when_the_notice_is_withdrawn_and_no_other) {
  const Plan plan = decide(node_with({kSpot, "nvidia.com/gpu", "aws-node-termination-handler/spot-itn"}), Seen{});
  EXPECT_EQ(plan.withdrawn, std::vector{NoticeKind::SpotInterruption});
  EXPECT_TRUE(plan.added.empty());
}

TEST(Decide, withdraws_nothing_while_a_document_cannot_be_read) {
  EXPECT_TRUE(decide(node_with({kSpot}), Seen{.notices = {}, .problem = "no answer in time"}).empty());
  const Seen half{.notices = {{.kind = NoticeKind::RebalanceRecommendation, .said = "s"}}, .problem = "no answer"};
  const Plan plan = decide(node_with({kSpot}), half);
  EXPECT_EQ(plan.added.size(), 1U) << "what was read counts";
  EXPECT_TRUE(plan.withdrawn.empty());
}

TEST(Decide, takes_the_earliest_of_a_kind) {
  const auto early = parse_cloud_time("2026-01-21T09:00:00Z"), late = parse_cloud_time("2026-01-21T09:05:00Z");
  const auto notice = [](auto at) { return Notice{.kind = NoticeKind::ScheduledMaintenance, .said = "s", .at = at}; };
  const Seen seen{.notices = {notice(std::nullopt), notice(late), notice(early)}, .problem = {}};
  const Plan plan = decide(node_with({}), seen);
  ASSERT_EQ(plan.added.size(), 1U);
  EXPECT_EQ(plan.added[0].at, early);
}

TEST(Decide, each_kind_has_a_taint_of_its_own) {
  for (const NoticeKind one : kAllKinds) {
    EXPECT_EQ(wording_of(one).effect, one == NoticeKind::RebalanceRecommendation ? "PreferNoSchedule" : "NoSchedule");
    for (const NoticeKind other : kAllKinds) EXPECT_EQ(wording_of(one).taint == wording_of(other).taint, one == other);
  }
}

}  // namespace
}  // namespace reprise::node_agent
