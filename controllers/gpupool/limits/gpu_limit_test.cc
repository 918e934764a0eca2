// A pool rents no more GPUs than it may, however they were shared when they came.
#include "controllers/gpupool/limits/gpu_limit.h"

#include <gtest/gtest.h>

#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::MakeNode;
using controllers::testing::MakeNodeClaim;
using controllers::testing::MakePool;

constexpr std::string_view kWhole = "nvidia.com/gpu", kShared = "nvidia.com/gpu.shared";

// A pool with at most two GPUs as spot, as it was before it was edited; machines as Karpenter and the kubelets show
// them.
class Limited {
 public:
  explicit Limited(std::int32_t replicas = 0, std::int32_t max_gpus = 2) { becomes(replicas, max_gpus); }

  // Shares each GPU by so many replicas (0: exclusive). The pool's NodePools are written.
  Limited& becomes(std::int32_t replicas, std::int32_t max_gpus = 2) {
    auto pool = MakePool("t4");
    if (replicas > 0) pool.time_slicing(replicas);
    seen_.pool = pool.with([&](auto& p) { p.spec.capacity.front().max_gpus = max_gpus; }).get();
    write();
    return *this;
  }
  void write() { seen_.node_pools["t4-spot"] = std::make_shared<api::NodePool>(wanted()); }

  // A machine of one GPU that is up and offers so many slices; 0: the GPU.
  Limited& offers(std::int32_t slices, const std::string& instance_type = "g4dn.xlarge", std::int32_t gpus = 1) {
    const std::string name = "m" + std::to_string(seen_.nodes.size());
    launched(name, {{std::string(kWhole), std::to_string(gpus)}}, instance_type, true);
    seen_.nodes.push_back(MakeNode(name)
                              .with([&](kube::Node& node) {
                                node.capacity = {{std::string(kWhole), std::to_string(slices == 0 ? gpus : 0)}};
                                if (slices > 0) node.capacity[std::string(kShared)] = std::to_string(slices * gpus);
                              })
                              .get());
    return *this;
  }
  // A machine comes that is not up yet.
  Limited& comes_with(kube::StringMap capacity) {
    return launched("m-" + std::to_string(seen_.node_claims.size()), std::move(capacity), "g4dn.xlarge", false);
  }

  // The limits but for that of nodes.
  [[nodiscard]] kube::StringMap limits() const {
    kube::StringMap limits = wanted().spec.limits;
    erase_if(limits, [](const auto& limit) { return limit.first == kNodesLimit; });
    return limits;
  }
  [[nodiscard]] std::string nodes() const {
    const kube::StringMap limits = wanted().spec.limits;
    const auto found = limits.find(kNodesLimit);
    return found == limits.end() ? "-" : std::string(std::string_view(found->second));
  }

 private:
  Limited& launched(const std::string& name, kube::StringMap capacity, const std::string& instance_type, bool is_up) {
    seen_.node_claims.push_back(
        MakeNodeClaim(name, name)
            .with([&](api::NodeClaim& claim) {
              for (const auto& [key, value] : wanted().spec.labels) claim.meta.labels[key] = value;
              claim.meta.labels["node.kubernetes.io/instance-type"] = instance_type;
              claim.capacity = std::move(capacity);
              claim.conditions = {{"Launched", "True", "", ""}, {"Initialized", is_up ? "True" : "False", "", ""}};
            })
            .get());
    return *this;
  }
  [[nodiscard]] api::NodePool wanted() const {
    auto node_pools = desired_node_pools(*seen_.pool).value();
    limit_gpus(seen_, node_pools);
    return node_pools.front();
  }

  Observation seen_;
};

kube::StringMap both(const char* whole, const char* shared) {
  return {{std::string(kWhole), whole}, {std::string(kShared), shared}};
}

kube::StringMap only(std::string_view resource, const char* value) {
  return {{std::string(resource), value}};
}

TEST(GpuLimit, is_a_number_of_units_where_all_machines_are_shared_alike) {
  EXPECT_EQ(Limited().offers(0).offers(0).limits(), only(kWhole, "2"));
  EXPECT_EQ(Limited(4).limits(), only(kShared, "8"));
  EXPECT_EQ(Limited(4).offers(4).offers(4).limits(), only(kShared, "8"));
}

TEST(GpuLimit, leaves_no_room_beside_whole_gpus_that_are_to_be_shared) {
  EXPECT_EQ(Limited().offers(0).offers(0).becomes(4).limits(), both("2", "0"));
  EXPECT_EQ(Limited().offers(0).becomes(4).limits(), both("2", "4")) << "one more GPU, in four slices";
}

TEST(GpuLimit, rises_as_machines_of_the_former_sharing_go) {
  EXPECT_EQ(Limited().offers(0).becomes(4).offers(4).limits(), both("2", "4")) << "the four that are there";
  EXPECT_EQ(Limited().becomes(4).offers(4).limits(), only(kShared, "8"));
}

TEST(GpuLimit, leaves_no_room_beside_slices_that_are_to_be_whole_or_more) {
  EXPECT_EQ(Limited(4).offers(4).offers(4).becomes(0).limits(), both("0", "8"));
  EXPECT_EQ(Limited(2).offers(2).offers(2).becomes(8).limits(), only(kShared, "4")) << "none beside those there";
  EXPECT_EQ(Limited(2).offers(2).becomes(8).limits(), only(kShared, "10"));
  EXPECT_EQ(Limited(8).offers(8).becomes(2).limits(), only(kShared, "10")) << "one more may come";
}

TEST(GpuLimit, counts_the_gpus_of_large_machines_and_of_those_that_offer_nothing) {
  EXPECT_EQ(Limited(0, 8).offers(0, "g4dn.12xlarge", 4).becomes(4, 8).limits(), both("8", "16"));
  EXPECT_EQ(Limited(0, 8).offers(0, "unheard.of", 4).becomes(4, 8).limits(), both("8", "16")) << "its provider says it";
  EXPECT_EQ(Limited(4).offers(0).limits(), only(kShared, "4")) << "its plugin does not share";
}

// Karpenter's kwok provider says of a machine in flight what it was asked for, not what the NodeOverlay gives.
TEST(GpuLimit, stays_as_it_is_while_machines_of_todays_sharing_come) {
  EXPECT_EQ(Limited(4).comes_with(only(kShared, "1")).comes_with(only(kShared, "1")).limits(), only(kShared, "8"));
  EXPECT_EQ(Limited(4).comes_with({}).limits(), only(kShared, "8"));
  EXPECT_EQ(Limited().comes_with(only(kWhole, "1")).limits(), only(kWhole, "2"));
}

TEST(GpuLimit, counts_machines_of_the_former_sharing_that_are_on_their_way) {
  EXPECT_EQ(Limited().comes_with(only(kWhole, "1")).becomes(4).limits(), both("2", "4"));
  EXPECT_EQ(Limited(2).comes_with(only(kShared, "2")).becomes(8).limits(), only(kShared, "10"));
}

TEST(GpuLimit, of_a_pool_that_may_have_more_meanwhile_is_the_new_one) {
  EXPECT_EQ(Limited().offers(0).offers(0).becomes(4, 4).limits(), both("4", "8"));
}

// Two GPUs: a third machine does not come, whatever those say that boot.
TEST(GpuLimit, counts_nodes_where_slices_are_counted) {
  EXPECT_EQ(Limited().nodes(), "-") << "whole GPUs count by themselves";
  EXPECT_EQ(Limited(4).nodes(), "2");
  EXPECT_EQ(Limited(4).comes_with(only(kShared, "1")).nodes(), "2");
  EXPECT_EQ(Limited(4).comes_with(only(kShared, "1")).comes_with(only(kShared, "1")).nodes(), "2");
  EXPECT_EQ(Limited(4).offers(4).comes_with(only(kShared, "1")).nodes(), "2");
}

TEST(GpuLimit, counts_nodes_by_the_gpus_that_are_there_and_the_smallest_that_may_come) {
  EXPECT_EQ(Limited(4, 8).nodes(), "8");
  EXPECT_EQ(Limited(4, 8).offers(4, "g4dn.12xlarge", 4).nodes(), "5") << "four GPUs are left, of one each";
  EXPECT_EQ(Limited(4, 8).offers(4, "g4dn.12xlarge", 4).offers(4, "g4dn.12xlarge", 4).nodes(), "2");
  EXPECT_EQ(Limited(4, 2).offers(4).offers(4).offers(4).nodes(), "3") << "nothing is ended";
}

TEST(GpuLimit, is_never_below_zero) {
  EXPECT_EQ(Limited(0, 3).offers(0).offers(0).offers(0).becomes(4, 1).limits(), both("1", "0"));
}

}  // namespace
}  // namespace reprise::controllers::gpupool
