// Nodes whose GPUs are called broken: which are named, which are given back, and when no further one is.
#include "controllers/gpupool/machines/faulty_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/common/conditions.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using api::HealthPolicy;
using controllers::testing::kStart;
using controllers::testing::make_node_pool;
using controllers::testing::MakeNode;
using controllers::testing::MakeNodeClaim;
using controllers::testing::MakePool;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Rack {
 public:
  explicit Rack(HealthPolicy policy, int nodes = 1) {
    seen_.now = kStart;
    seen_.pool = MakePool("t4").with([&](auto& pool) { pool.spec.health_policy = policy; }).get();
    seen_.node_pools = {{"t4-spot", make_node_pool()}};
    for (int i = 0; i < nodes; ++i) add_node();
  }
  void add_node() {
    const std::string name = "node-" + std::to_string(seen_.nodes.size());
    seen_.nodes.push_back(MakeNode(name).get());
    seen_.node_claims.push_back(usable("claim-" + std::to_string(seen_.node_claims.size()), name));
  }
  Rack& broken(std::size_t which) {
    auto node = std::make_shared<kube::Node>(*seen_.nodes[which]);
    node->conditions.push_back({.type = "AcceleratedHardwareReady",
                                .status = "False",
                                .reason = "NvidiaXID79Error",
                                .message = "GPU has fallen off the bus"});
    seen_.nodes[which] = std::move(node);
    return *this;
  }
  void replace_claim(std::size_t which, auto&& change) {
    auto claim = std::make_shared<api::NodeClaim>(*seen_.node_claims[which]);
    change(*claim);
    seen_.node_claims[which] = std::move(claim);
  }
  // The machine goes; a sound one comes in its place.
  void renew(std::size_t which) {
    const std::string name = "later-" + std::to_string(++renewed_);
    seen_.nodes[which] = MakeNode(name).get();
    seen_.node_claims[which] = usable("claim-of-" + name, name);
  }
  void after(std::chrono::seconds time) { seen_.now += time; }

  // A pass that writes the record, and one that sees it.
  std::vector<std::string> given_back() {
    static_cast<void>(look());
    announced_ = plan_.announcements;
    return look();
  }
  // Decides once, and keeps the status as the API server would.
  std::vector<std::string> look() {
    plan_ = decide(seen_);
    std::vector<std::string> names;
    for (const Action& action : plan_.actions) {
      if (const auto* replace = std::get_if<ReplaceFaultyNode>(&action)) names.push_back(replace->name);
    }
    auto pool = std::make_shared<api::GpuPool>(*seen_.pool);
    pool->status = plan_.status;
    seen_.pool = std::move(pool);
    return names;
  }
  [[nodiscard]] std::string state() const {
    const kube::Condition* found = find_condition(plan_.status.conditions, "NodesHealthy");
    if (found == nullptr) return "absent";
    return std::string(found->status == kube::ConditionStatus::True ? "True/" : "False/") + found->reason;
  }
  [[nodiscard]] std::string message() const { return find_condition(plan_.status.conditions, "NodesHealthy")->message; }

  Observation seen_;
  Plan plan_;
  std::vector<Announcement> announced_;  // by the first look

 private:
  static std::shared_ptr<const api::NodeClaim> usable(const std::string& claim, const std::string& node) {
    return MakeNodeClaim(claim, node)
        .with([](auto& c) {
          c.conditions = {{"Initialized", "True", "Initialized", ""}};
        })
        .get();
  }
  int renewed_ = 0;
};

TEST(FaultyNodes, are_given_back_under_replace_named_under_report_and_not_read_under_ignore) {
  struct Case {
    HealthPolicy policy;
    std::size_t given_back;
    const char* state;
    int counted;
  };
  for (const Case& row :
       {Case{HealthPolicy::Replace, 1, "False/ReplacingNodes", 1}, Case{HealthPolicy::Report, 0, "False/GpuFault", 1},
        Case{HealthPolicy::Ignore, 0, "absent", 0}}) {
    Rack rack(row.policy);
    rack.broken(0);
    EXPECT_EQ(rack.given_back().size(), row.given_back);
    EXPECT_EQ(rack.state(), row.state);
    EXPECT_EQ(rack.seen_.pool->status.health.faulty_nodes, row.counted);
  }
}

TEST(FaultyNodes, are_none_while_nobody_calls_one_broken) {
  Rack rack(HealthPolicy::Replace, 3);
  EXPECT_THAT(rack.given_back(), ElementsAre());
  EXPECT_EQ(rack.state(), "True/NoFaultReported");
}

TEST(FaultyNodes, are_recorded_with_what_was_said_of_them) {
  Rack rack(HealthPolicy::Replace);
  rack.broken(0);
  EXPECT_THAT(rack.given_back(), ElementsAre("claim-0"));
  ASSERT_EQ(rack.seen_.pool->status.health.replacements.size(), 1U);
  const api::NodeReplacement& recorded = rack.seen_.pool->status.health.replacements[0];
  EXPECT_EQ(recorded.node, "node-0");
  EXPECT_EQ(recorded.time, kStart);
  EXPECT_THAT(recorded.fault, HasSubstr("(NvidiaXID79Error): GPU has fallen off the bus"));
}

TEST(FaultyNodes, that_are_not_gone_yet_are_asked_again_and_counted_and_announced_once) {
  Rack rack(HealthPolicy::Replace);
  rack.broken(0);
  EXPECT_THAT(rack.given_back(), ElementsAre("claim-0"));
  EXPECT_EQ(std::ranges::count(rack.announced_, kReplacingFaultyNode, &Announcement::reason), 1);
  EXPECT_THAT(rack.given_back(), ElementsAre("claim-0")) << "its deletion may not have arrived";
  EXPECT_EQ(std::ranges::count(rack.announced_, kReplacingFaultyNode, &Announcement::reason), 0);
  rack.replace_claim(0, [](auto& claim) { claim.meta.deletion_timestamp = kStart; });
  EXPECT_THAT(rack.given_back(), ElementsAre());
  EXPECT_EQ(rack.state(), "False/ReplacingNodes");
  EXPECT_EQ(rack.seen_.pool->status.health.replacements.size(), 1U);
}

TEST(FaultyNodes, stay_until_their_record_is_written) {
  Rack rack(HealthPolicy::Replace);
  rack.broken(0);
  for (int i = 0; i < 2; ++i) {
    const Plan lost = decide(rack.seen_);
    EXPECT_TRUE(std::ranges::none_of(
        lost.actions, [](const Action& action) { return std::holds_alternative<ReplaceFaultyNode>(action); }));
    EXPECT_EQ(lost.wake_at, kStart + std::chrono::seconds(1));
  }
  EXPECT_THAT(rack.look(), ElementsAre());
  EXPECT_THAT(rack.look(), ElementsAre("claim-0"));
}

TEST(FaultyNodes, whose_deletion_was_refused_are_under_the_bounds_again_an_hour_later) {
  Rack rack(HealthPolicy::Replace, 2);
  rack.broken(0);
  EXPECT_THAT(rack.given_back(), ElementsAre("claim-0"));
  rack.after(std::chrono::hours(24));
  rack.broken(1);
  EXPECT_THAT(rack.given_back(), ElementsAre());
  EXPECT_EQ(rack.state(), "False/ReplacementHeld");
}

TEST(FaultyNodes, whose_deletion_was_refused_are_written_down_anew_only_when_it_is_tried_again) {
  Rack rack(HealthPolicy::Replace);
  rack.broken(0);
  EXPECT_THAT(rack.given_back(), ElementsAre("claim-0"));
  rack.after(std::chrono::hours(2));
  rack.seen_.refused_deletions = {{"claim-0", false}};
  const api::GpuPoolStatus said = rack.seen_.pool->status;
  EXPECT_THAT(rack.look(), ElementsAre());
  EXPECT_EQ(rack.plan_.status, said);
  EXPECT_THAT(rack.plan_.still_refused, ElementsAre("claim-0"));
  rack.seen_.refused_deletions = {{"claim-0", true}};
  EXPECT_THAT(rack.look(), ElementsAre());
  EXPECT_THAT(rack.plan_.still_refused, ElementsAre("claim-0"));
  EXPECT_THAT(rack.plan_.announcements, ::testing::IsEmpty());
  EXPECT_THAT(rack.look(), ElementsAre("claim-0"));
  EXPECT_THAT(rack.plan_.still_refused, ElementsAre());
}

TEST(FaultyNodes, that_never_became_usable_are_left_to_their_deadline) {
  Rack rack(HealthPolicy::Replace);
  rack.broken(0);
  rack.replace_claim(0, [](auto& claim) { claim.conditions.clear(); });
  EXPECT_THAT(rack.given_back(), ElementsAre());
}

TEST(FaultyNodes, stay_while_no_job_could_begin_on_another) {
  Rack rack(HealthPolicy::Replace);
  rack.broken(0);
  auto pool = std::make_shared<api::GpuPool>(*rack.seen_.pool);
  pool->spec.warm_gpus = 1;
  rack.seen_.pool = std::move(pool);
  EXPECT_THAT(rack.given_back(), ElementsAre());
  EXPECT_EQ(rack.state(), "False/GpuFault");
}

TEST(FaultyNodes, whose_monitor_says_the_same_in_other_words_change_no_status) {
  Rack rack(HealthPolicy::Report);
  rack.broken(0);
  static_cast<void>(rack.look());
  const api::GpuPoolStatus before = rack.seen_.pool->status;
  auto node = std::make_shared<kube::Node>(*rack.seen_.nodes[0]);
  node->conditions.back().message = "GPU has fallen off the bus, seen 42 times";
  rack.seen_.nodes[0] = std::move(node);
  static_cast<void>(rack.look());
  EXPECT_EQ(rack.seen_.pool->status, before);
}

TEST(FaultyNodes, are_not_held_by_records_of_a_clock_that_was_ahead) {
  Rack rack(HealthPolicy::Replace);
  rack.broken(0);
  auto pool = std::make_shared<api::GpuPool>(*rack.seen_.pool);
  pool->status.health.replacements.assign(3, {"gone", "gone", kStart + std::chrono::hours(24 * 365), "said"});
  rack.seen_.pool = std::move(pool);
  EXPECT_THAT(rack.given_back(), ElementsAre("claim-0"));
}

TEST(FaultyNodes, are_not_given_back_where_more_than_a_fifth_are_called_broken) {
  struct Case {
    int nodes, broken;
    std::size_t given_back;
  };
  for (const Case& row : {Case{1, 1, 1}, Case{2, 1, 1}, Case{2, 2, 0}, Case{5, 2, 0}, Case{6, 2, 2}, Case{10, 3, 0}}) {
    Rack rack(HealthPolicy::Replace, row.nodes);
    for (int i = 0; i < row.broken; ++i) rack.broken(static_cast<std::size_t>(i));
    EXPECT_EQ(rack.given_back().size(), row.given_back) << row.broken << " of " << row.nodes;
    EXPECT_EQ(rack.state(), row.given_back == 0 ? "False/ReplacementHeld" : "False/ReplacingNodes");
  }
}

TEST(FaultyNodes, of_a_driver_that_breaks_each_new_one_are_given_back_three_times_an_hour) {
  Rack rack(HealthPolicy::Replace);
  for (int i = 0; i < kMostReplacementsPerHour; ++i) {
    rack.broken(0);
    EXPECT_EQ(rack.given_back().size(), 1U);
    rack.renew(0);
    rack.after(std::chrono::minutes(10));
  }
  rack.broken(0);
  EXPECT_THAT(rack.given_back(), ElementsAre());
  EXPECT_EQ(rack.state(), "False/ReplacementHeld");
  EXPECT_THAT(rack.message(), HasSubstr("3 nodes were given back within an hour"));
  ASSERT_EQ(rack.plan_.wake_at, kStart + std::chrono::hours(1));
  rack.seen_.now = *rack.plan_.wake_at;
  EXPECT_EQ(rack.given_back().size(), 1U);
}

TEST(FaultyNodes, that_came_out_of_no_node_pool_of_the_pool_stay) {
  Rack rack(HealthPolicy::Replace);
  rack.broken(0);
  rack.seen_.node_pools = {{"t4-spot", make_node_pool("t4-spot", "uid-of-another")}};
  EXPECT_THAT(rack.given_back(), ElementsAre());
  EXPECT_EQ(rack.state(), "False/GpuFault");
}

TEST(FaultyNodes, are_remembered_up_to_eight) {
  Rack rack(HealthPolicy::Replace);
  for (int i = 0; i < 10; ++i) {
    rack.broken(0);
    EXPECT_EQ(rack.given_back().size(), 1U);
    rack.renew(0);
    rack.after(std::chrono::hours(1));
  }
  ASSERT_EQ(rack.seen_.pool->status.health.replacements.size(), 8U);
  EXPECT_EQ(rack.seen_.pool->status.health.replacements.back().node, "later-9");
}

}  // namespace
}  // namespace reprise::controllers::gpupool
