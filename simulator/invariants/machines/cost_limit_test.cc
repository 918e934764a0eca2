// The invariant about the cost of a pool objects to the machine that is one too many, and to nothing else.
#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <string>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class PoolCostInvariant : public testing::InvariantBench {
 protected:
  PoolCostInvariant() { EXPECT_TRUE(api.add_custom_resource(crds::gpu_pools())); }
  void add_pool(const std::string& most) {
    ASSERT_TRUE(api.create(api.resource("reprise.dev", "gpupools"),
                           boost::json::parse(R"({"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool",
        "metadata": {"name": "t4"}, "spec": {"nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "a"},
        "capacity": [{"type": "Spot"}], "maxCostPerHour": ")" +
                                              most + R"("}})")));
  }
  // 0.526 on demand, 0.2104 as spot.
  std::vector<std::string> launch(Invariant& invariant, const std::string& name, const std::string& capacity) {
    Value claim =
        boost::json::parse(R"({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": ")" + name +
                           R"(", "labels": {"reprise.dev/pool": "t4", "karpenter.sh/nodepool": "t4-)" + capacity +
                           R"(", "node.kubernetes.io/instance-type": "g4dn.xlarge", "karpenter.sh/capacity-type": ")" +
                           capacity + R"("}}, "spec": {}})");
    EXPECT_TRUE(api.create(api.resource("karpenter.sh", "nodeclaims"), claim));
    return reported(invariant, {.resource = api.resource("karpenter.sh", "nodeclaims"),
                                .change = Change::Added,
                                .object = std::make_shared<const Value>(claim),
                                .before = nullptr});
  }
};

TEST_F(PoolCostInvariant, a_machine_that_the_money_does_not_pay_for_is_one_too_many) {
  add_pool("0.75");
  const auto invariant = pool_cost_holds(api);
  EXPECT_THAT(launch(*invariant, "a", "on-demand"), IsEmpty());
  EXPECT_THAT(launch(*invariant, "b", "spot"), IsEmpty());
  EXPECT_THAT(launch(*invariant, "c", "spot"), SizeIs(1));
}

}  // namespace
}  // namespace reprise::simulator
