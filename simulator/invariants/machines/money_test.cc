// The invariant about money objects to a loop that rents useless machines, and to no pause that grows.
#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <string>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using std::chrono::minutes;
using ::testing::IsEmpty;
using ::testing::Not;

class MoneyInvariant : public testing::InvariantBench {
 protected:
  MoneyInvariant() { EXPECT_TRUE(api.add_custom_resource(crds::gpu_pools())); }

  // Launched now, and ended, or useful, so much later.
  std::vector<std::string> rents(Invariant& invariant, minutes length, bool useful = false) {
    const std::string name = "m" + std::to_string(++machines_);
    std::vector<std::string> said = changes(invariant, name, "Launched", false);
    loop.run_until(loop.now() + length);
    for (std::string& each : changes(invariant, name, useful ? "Initialized" : "Launched", !useful))
      said.push_back(std::move(each));
    return said;
  }
  // Launched now, ready a minute later, and given back as empty after another one.
  std::vector<std::string> stands_idle(Invariant& invariant) {
    const std::string name = "m" + std::to_string(++machines_);
    std::vector<std::string> said = changes(invariant, name, "Launched", false);
    for (const bool ends : {false, true}) {
      passes(minutes(1));
      for (std::string& each : changes(invariant, name, "Initialized", ends)) said.push_back(std::move(each));
    }
    return said;
  }
  void pod_waits(Invariant& invariant) {
    const Value pod = boost::json::parse(R"({"metadata": {"name": "p", "uid": "p"}, "status": {"phase": "Pending"},
      "spec": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}]}})");
    EXPECT_THAT(reported(invariant, {.resource = api.resource("", "pods"),
                                     .change = Change::Added,
                                     .object = std::make_shared<const Value>(pod),
                                     .before = {}}),
                IsEmpty());
  }
  void passes(minutes length) { loop.run_until(loop.now() + length); }

 private:
  std::vector<std::string> changes(Invariant& invariant, const std::string& name, const std::string& is, bool ends) {
    const Value claim = boost::json::parse(
        R"({"metadata": {"name": ")" + name + R"(", "uid": ")" + name +
        R"(", "labels": {"reprise.dev/pool": "t4", "karpenter.sh/nodepool": "t4-spot", "karpenter.sh/capacity-type": "spot",
           "node.kubernetes.io/instance-type": "g4dn.xlarge"}}, "status": {"conditions": [{"type": ")" +
        is + R"(", "status": "True"}], "nodeName": ")" + name + R"("}})");
    return reported(invariant, {.resource = api.resource("karpenter.sh", "nodeclaims"),
                                .change = ends ? Change::Deleted : Change::Modified,
                                .object = std::make_shared<const Value>(claim),
                                .before = std::make_shared<const Value>(claim)});
  }
  int machines_ = 0;
};

TEST_F(MoneyInvariant, a_loop_is_found_within_four_hours) {
  const auto invariant = money_is_bounded(api, loop);
  std::vector<std::string> said;
  for (int i = 0; i < 16 && said.empty(); ++i) said = rents(*invariant, minutes(14));
  EXPECT_THAT(said, Not(IsEmpty()));
}

TEST_F(MoneyInvariant, pauses_that_grow_are_none) {
  const auto invariant = money_is_bounded(api, loop);
  for (const int pause : {1, 4, 16, 64, 256, 360, 360, 360}) {
    EXPECT_THAT(rents(*invariant, minutes(14)), IsEmpty());
    passes(minutes(pause));
  }
}

TEST_F(MoneyInvariant, a_loop_of_machines_that_are_ready_and_take_no_pod_is_found) {
  const auto invariant = money_is_bounded(api, loop);
  pod_waits(*invariant);
  std::vector<std::string> said;
  for (int i = 0; i < 120 && said.empty(); ++i) said = stands_idle(*invariant);
  EXPECT_THAT(said, Not(IsEmpty()));
}

TEST_F(MoneyInvariant, machines_that_nobody_waits_for_may_go_idle) {
  const auto invariant = money_is_bounded(api, loop);
  for (int i = 0; i < 120; ++i) EXPECT_THAT(stands_idle(*invariant), IsEmpty());
}

TEST_F(MoneyInvariant, a_machine_that_is_useful_now_and_then_is_worth_the_others) {
  const auto invariant = money_is_bounded(api, loop);
  for (int i = 0; i < 20; ++i) EXPECT_THAT(rents(*invariant, minutes(14), i % 4 == 3), IsEmpty());
}

}  // namespace
}  // namespace reprise::simulator
