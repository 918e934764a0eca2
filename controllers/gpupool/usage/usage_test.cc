// A pool's use is counted in one pass over its pods.
#include "controllers/gpupool/usage/usage.h"

#include <gtest/gtest.h>

#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::MakeNode;
using controllers::testing::MakePool;

using Nodes = std::vector<std::shared_ptr<const kube::Node>>;
using Pods = std::vector<std::shared_ptr<const kube::Pod>>;

Nodes nodes(int count) {
  Nodes made;
  for (int i = 0; i < count; ++i) {
    made.push_back(MakeNode("node-" + std::to_string(i))
                       .with([](auto& n) {
                         n.allocatable = {{"nvidia.com/gpu", "8"}};
                       })
                       .get());
  }
  return made;
}

std::shared_ptr<kube::Pod> pod_on(std::string node, std::string gpus) {
  auto pod = std::make_shared<kube::Pod>();
  pod->node_name = std::move(node);
  pod->phase = kube::PodPhase::Running;
  pod->resource_requests = {{"nvidia.com/gpu", std::move(gpus)}};
  return pod;
}

// Looks at `pods` as often as it is asked to, and counts.
EachPod counting(const Pods& pods, std::size_t& looked_at) {
  return [&](const LookAtPod& look) {
    for (const auto& pod : pods) {
      ++looked_at;
      look(*pod);
    }
  };
}

TEST(PoolUsage, looks_at_each_pod_once_however_many_nodes_there_are) {
  const auto pool = MakePool("t4").get();
  for (const int count : {1, 10, 100}) {
    const Nodes some = nodes(count);
    Pods pods;
    for (int i = 0; i < 3 * count; ++i) pods.push_back(pod_on("node-" + std::to_string(i % count), "2"));
    std::size_t looked_at = 0;
    const Usage usage = measure(pool->spec, some, counting(pods, looked_at));
    EXPECT_EQ(looked_at, pods.size()) << count << " nodes";
    EXPECT_EQ(usage.units, (api::UnitsStatus{8 * count, 6 * count}));
  }
}

kube::OwnerReference job_reference() {
  kube::OwnerReference job;
  job.api_version = "reprise.dev/v1alpha1";
  job.kind = "ResumableJob";
  job.uid = "uid-fit";
  job.controller = true;
  return job;
}

// A limit that was lowered takes none of them away, and whether a gang finds room is judged by their number.
TEST(PoolUsage, knows_the_gpus_of_a_machine_without_a_price_before_it_offers_any) {
  const Nodes starting{MakeNode("node-0")
                           .with([](auto& node) {
                             node.meta.labels["node.kubernetes.io/instance-type"] = "g5.24xlarge";
                             node.allocatable = {};
                           })
                           .get()};
  std::size_t looked_at = 0;
  const Usage usage = measure(MakePool("a10g").get()->spec, starting, counting({}, looked_at));
  std::int32_t gpus = 0;
  for (const api::CapacityStatus& each : usage.capacity) gpus += each.gpus;
  EXPECT_EQ(gpus, 4);
}

TEST(PoolUsage, counts_neither_ended_pods_nor_placeholders_nor_those_of_other_nodes) {
  Pods pods{pod_on("node-0", "1"), pod_on("node-0", "2"), pod_on("elsewhere", "4")};
  const auto ended = pod_on("node-0", "8");
  ended->phase = kube::PodPhase::Succeeded;
  const auto placeholder = pod_on("node-0", "8");
  placeholder->meta.labels["reprise.dev/standby"] = "3";
  placeholder->meta.owner_references = {job_reference()};
  const auto so_labelled = pod_on("node-0", "1");
  so_labelled->meta.labels["reprise.dev/standby"] = "3";
  pods.push_back(so_labelled);
  pods.push_back(ended);
  pods.push_back(placeholder);
  std::size_t looked_at = 0;
  EXPECT_EQ(measure(MakePool("t4").get()->spec, nodes(2), counting(pods, looked_at)).units, (api::UnitsStatus{16, 4}));
}

}  // namespace
}  // namespace reprise::controllers::gpupool
