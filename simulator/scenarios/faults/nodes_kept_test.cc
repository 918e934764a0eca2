// A gang whose save takes longer than its pool lets nodes be idle: Karpenter calls the healthy ones empty meanwhile.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "simulator/scenarios/workload/one_pool_for_tests.h"

namespace reprise::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class NodesKept : public OnePoolTest {
 protected:
  void begin(int idle_seconds) {
    rented_ = api.subscribe(api.resource("karpenter.sh", "nodeclaims"), [this](const ObjectChange& change) {
      if (change.change == Change::Added) ++rented;
    });
    process.emplace(cluster, wire_faults, OperatorSettings{});
    Value pool = pool_object(workload);
    set(pool, {"spec", "scaleDown", "idleSeconds"}, Value(idle_seconds));
    EXPECT_TRUE(api.create(api.resource("reprise.dev", "gpupools"), pool));
    loop.run_until(seconds(30));
    JobPlan plan{.name = "gang", .parallelism = 4, .steps = 36'000, .save = seconds(90), .save_every_steps = 600};
    plan.grace_seconds = 110;
    EXPECT_TRUE(api.create(jobs, job_object(plan)));
    ASSERT_TRUE(becomes(minutes(30), [&] { return runs("gang", 1); }));
    loop.run_until(loop.now() + minutes(3));
    ASSERT_EQ(rented, 4);
  }
  void interrupt() {
    const ObjectPtr victim = api.get({api.resource("", "pods"), kJobNamespace, "gang-1-0"});
    ASSERT_TRUE(victim);
    actors->interrupt(std::string(text(*victim, {"spec", "nodeName"})), seconds(120));
  }
  [[nodiscard]] int keepers() const {
    int found = 0;
    for (const ObjectPtr& pod : api.list(api.resource("", "pods")))
      if (!text(*pod, {"metadata", "labels", "reprise.dev/keeps-node"}).empty() && !being_deleted(*pod)) ++found;
    return found;
  }

  int rented = 0;
  std::optional<OperatorProcess> process;

 private:
  std::unique_ptr<ApiServer::Subscription> rented_;
};

TEST_F(NodesKept, while_a_gang_saves_one_node_is_rented_for_the_one_that_goes) {
  begin(30);
  interrupt();
  ASSERT_TRUE(becomes(minutes(10), [&] { return keepers() == 3; }));
  ASSERT_TRUE(becomes(minutes(30), [&] { return runs("gang", 2); }));
  EXPECT_EQ(rented, 5);
  loop.run_until(loop.now() + minutes(1));
  EXPECT_EQ(keepers(), 0);
}

TEST_F(NodesKept, also_where_a_pool_gives_idle_nodes_back_at_once) {
  begin(0);
  interrupt();
  ASSERT_TRUE(becomes(minutes(30), [&] { return runs("gang", 2); }));
  EXPECT_EQ(rented, 5);
}

TEST_F(NodesKept, by_nothing_where_the_save_is_over_before) {
  begin(300);
  interrupt();
  EXPECT_FALSE(becomes(minutes(10), [&] { return keepers() > 0; }));
  EXPECT_TRUE(runs("gang", 2));
  EXPECT_EQ(rented, 5);
}

TEST_F(NodesKept, by_nobody_once_the_job_is_deleted) {
  begin(30);
  interrupt();
  ASSERT_TRUE(becomes(minutes(10), [&] { return keepers() == 3; }));
  EXPECT_TRUE(api.remove({jobs, kJobNamespace, "gang"}));
  EXPECT_TRUE(becomes(minutes(5), [&] { return keepers() == 0; }));
  EXPECT_TRUE(becomes(minutes(20), [&] { return api.list(api.resource("karpenter.sh", "nodeclaims")).empty(); }));
}

}  // namespace
}  // namespace reprise::simulator
