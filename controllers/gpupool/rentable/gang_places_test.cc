// Gangs that no capacity type, no zone and no machine of their pool takes; and those that are not to be refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/rentable/gang_of_job.h"
#include "controllers/gpupool/rentable/pod_sum.h"

namespace reprise::controllers::rentable {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

api::GpuPool pool_of(std::vector<api::PoolCapacity> capacity) {
  api::GpuPool pool;
  pool.meta.name = "p";
  pool.spec.gpu.models = {"t4"};
  pool.spec.gpu.counts_per_node = {4};
  pool.spec.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  pool.spec.capacity = std::move(capacity);
  return pool;
}

api::PoolCapacity upto(api::CapacityType type, std::int32_t gpus) {
  return {.type = type, .max_gpus = gpus, .notice_seconds = {}};
}

api::ResumableJob job_in_pool(std::string_view more_of_spec, std::string_view pod = "", const char* limits = "") {
  const std::string units = *limits == 0 ? R"("reprise.dev/gpu": 4)" : limits;
  auto job = kube::KindOf<api::ResumableJob>::decode(
      R"({"metadata": {"name": "j", "namespace": "n"}, "spec": {"poolName": "p", )" + std::string(more_of_spec) +
      R"("template": {"spec": {)" + std::string(pod) +
      R"("containers": [{"name": "trainer", "resources": {"limits": {)" + units + "}}}]}}}}");
  EXPECT_TRUE(job);
  return job ? *std::move(job) : api::ResumableJob{};
}

std::string refused(const api::ResumableJob& job, const api::GpuPool& pool) {
  const auto misfit = job_misfit(job, pool);
  return misfit ? misfit->text() : "";
}

TEST(GangPlaces, a_selector_on_the_capacity_type_counts_as_the_placement_does) {
  const auto pool = pool_of({upto(api::CapacityType::OnDemand, 4), upto(api::CapacityType::Spot, 32)});
  for (const char* selector : {R"("nodeSelector": {"karpenter.sh/capacity-type": "on-demand"}, )",
                               R"("nodeSelector": {"karpenter.sh/nodepool": "p-on-demand"}, )"}) {
    EXPECT_THAT(refused(job_in_pool(R"("parallelism": 4, )", selector), pool), HasSubstr("room for 1 rank"))
        << selector;
    EXPECT_EQ(refused(job_in_pool(R"("parallelism": 1, )", selector), pool), "");
  }
  EXPECT_EQ(refused(job_in_pool(R"("parallelism": 4, )"), pool), "");
  // The template's own selector goes before the placement's.
  EXPECT_EQ(refused(job_in_pool(R"("parallelism": 4, "placement": {"capacity": "OnDemandOnly"}, )",
                                R"("nodeSelector": {"karpenter.sh/capacity-type": "spot"}, )"),
                    pool),
            "");
  // One term of several that spot meets is enough.
  EXPECT_EQ(refused(job_in_pool(R"("parallelism": 4, )",
                                R"("affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": )"
                                R"({"nodeSelectorTerms": [{"matchExpressions": [{"key": "karpenter.sh/capacity-type", )"
                                R"("operator": "In", "values": ["on-demand"]}]}, {"matchExpressions": [{"key": "x", )"
                                R"("operator": "DoesNotExist"}]}]}}}, )"),
                    pool),
            "");
}

TEST(GangPlaces, a_capacity_that_the_pool_does_not_rent_is_named) {
  const auto reserved = pool_of({upto(api::CapacityType::Reserved, 8)});
  EXPECT_THAT(refused(job_in_pool(R"("placement": {"capacity": "OnDemandOnly"}, )"), reserved),
              AllOf(HasSubstr("spec.placement.capacity: found OnDemandOnly"), HasSubstr("its own is reserved")));
  EXPECT_EQ(refused(job_in_pool(""), reserved), "");
  EXPECT_THAT(refused(job_in_pool("", R"("nodeSelector": {"karpenter.sh/capacity-type": "spot"}, )"), reserved),
              HasSubstr("have reserved"));
}

TEST(GangPlaces, idle_machines_of_a_type_that_the_gang_may_not_use_do_not_count) {
  auto pool = pool_of({upto(api::CapacityType::Spot, 4), upto(api::CapacityType::OnDemand, 4)});
  api::CapacityStatus there;
  there.type = api::CapacityType::OnDemand;
  there.gpus = 16;
  pool.status.capacity = {there};
  EXPECT_THAT(refused(job_in_pool(R"("parallelism": 4, "placement": {"capacity": "SpotOnly"}, )"), pool),
              HasSubstr("room for 1 rank"));
  EXPECT_EQ(refused(job_in_pool(R"("parallelism": 4, )"), pool), "");
}

TEST(GangPlaces, init_containers_and_sidecars_take_units_too) {
  const auto pool = pool_of({upto(api::CapacityType::Spot, 32)});
  const auto beside = [](const char* more) {
    return job_in_pool("", R"("initContainers": [{"name": "i", )" + std::string(more) + "}], ");
  };
  EXPECT_EQ(refused(beside(R"("resources": {"limits": {"reprise.dev/gpu": 4}})"), pool), "");
  EXPECT_THAT(refused(beside(R"("resources": {"limits": {"reprise.dev/gpu": 8}})"), pool),
              HasSubstr("a rank asks for 8 units"));
  EXPECT_THAT(refused(beside(R"("restartPolicy": "Always", "resources": {"limits": {"reprise.dev/gpu": 1}})"), pool),
              HasSubstr("a rank asks for 5 units"));
  EXPECT_EQ(refused(beside(R"("resources": {"requests": {"cpu": "48"}})"), pool), "");
  EXPECT_THAT(refused(beside(R"("resources": {"requests": {"cpu": "49"}})"), pool), HasSubstr("requests.cpu"));
}

TEST(GangPlaces, a_pod_asks_for_the_more_of_its_start_and_its_run) {
  const auto job =
      job_in_pool("", R"("initContainers": [{"name": "a", "resources": {"limits": {"reprise.dev/gpu": 2}}}, )"
                      R"({"name": "s", "restartPolicy": "Always", "resources": {"limits": {"reprise.dev/gpu": 1}}}, )"
                      R"({"name": "b", "resources": {"limits": {"reprise.dev/gpu": 5}}}], )");
  EXPECT_EQ(
      sum_of_pod(job.spec.pod_template,
                 [](const auto& each) { return std::stoll(std::string(each.limits.find("reprise.dev/gpu")->second)); }),
      6);
}

TEST(GangPlaces, a_part_of_a_gpu_that_the_pool_does_not_offer_is_named) {
  auto pool = pool_of({upto(api::CapacityType::Spot, 32)});
  const auto asks = [&](const char* limits) { return refused(job_in_pool("", "", limits), pool); };
  EXPECT_THAT(asks(R"("nvidia.com/gpu.shared": 1)"),
              AllOf(HasSubstr("spec.template.spec.containers[trainer].resources.limits.nvidia.com/gpu.shared: found 1"),
                    HasSubstr("offer nvidia.com/gpu; write reprise.dev/gpu")));
  EXPECT_EQ(asks(R"("nvidia.com/gpu": 1)"), "");
  EXPECT_EQ(asks(R"("nvidia.com/gpu": 1, "example.com/fpga": 1)"), "");
  pool.spec.labels["nvidia.com/device-plugin.config"] = "own";
  EXPECT_EQ(asks(R"("nvidia.com/gpu.shared": 1)"), "") << "the pool tells the plugin itself";
  pool.spec.labels.clear();
  pool.spec.gpu.models = {"a100"};
  pool.spec.gpu.counts_per_node.clear();
  pool.spec.sharing = {.mode = api::SharingMode::MIG, .replicas = {}, .mig_devices = {{"1g.5gb", 7}}, .external = {}};
  EXPECT_EQ(asks(R"("nvidia.com/mig-1g.5gb": 1)"), "");
  EXPECT_THAT(asks(R"("nvidia.com/mig-2g.10gb": 1)"), HasSubstr("offer nvidia.com/mig-1g.5gb"));
  api::CapacityStatus there;
  there.gpus = 8;
  pool.status.capacity = {there};
  EXPECT_EQ(asks(R"("nvidia.com/mig-2g.10gb": 1)"), "") << "a machine that is there may offer what new ones do not";
}

TEST(GangPlaces, a_zone_that_the_pool_rules_out_anywhere_is_named) {
  auto pool = pool_of({upto(api::CapacityType::Spot, 32)});
  const auto in_b = job_in_pool(R"("placement": {"zones": ["b"]}, )");
  const auto own_b = job_in_pool("", R"("nodeSelector": {"topology.kubernetes.io/zone": "b"}, )");
  EXPECT_EQ(refused(in_b, pool), "");
  for (const api::NodeRequirement& each :
       {api::NodeRequirement{"topology.kubernetes.io/zone", "In", {"a"}, {}},
        api::NodeRequirement{"topology.kubernetes.io/zone", "NotIn", {"b"}, {}},
        api::NodeRequirement{"failure-domain.beta.kubernetes.io/zone", "In", {"a"}, {}}}) {
    pool.spec.requirements = {each};
    EXPECT_THAT(refused(in_b, pool),
                AllOf(HasSubstr("spec.placement.zones: found"), HasSubstr("spec.requirements[0]")));
    EXPECT_THAT(refused(own_b, pool), HasSubstr("spec.template.spec.nodeSelector.topology.kubernetes.io/zone"));
  }
  pool.spec.requirements.clear();
  pool.spec.labels["topology.kubernetes.io/zone"] = "a";
  EXPECT_THAT(refused(in_b, pool), HasSubstr("spec.labels.topology.kubernetes.io/zone"));
  pool.spec.labels.clear();
  pool.spec.zones = {"a", "b"};
  EXPECT_EQ(refused(in_b, pool), "");
}

TEST(GangPlaces, a_pool_whose_zones_leave_none_is_named) {
  const auto rents = [](auto change) {
    auto pool = pool_of({upto(api::CapacityType::Spot, 32)});
    change(pool.spec);
    const auto misfit = pool_misfit(pool.spec);
    return misfit ? misfit->misfit.text() : std::string();
  };
  const auto zone = [](const char* op, std::vector<std::string> values) {
    return api::NodeRequirement{"topology.kubernetes.io/zone", op, std::move(values), {}};
  };
  EXPECT_THAT(rents([&](auto& spec) {
                spec.requirements = {zone("In", {"a"}), zone("In", {"b"})};
              }),
              AllOf(HasSubstr("spec.requirements[1]: found"), HasSubstr("the zones of spec.requirements[0]")));
  EXPECT_THAT(rents([&](auto& spec) {
                spec.zones = {"a"};
                spec.labels["topology.kubernetes.io/zone"] = "b";
              }),
              AllOf(HasSubstr("spec.labels.topology.kubernetes.io/zone"), HasSubstr("none of spec.zones")));
  EXPECT_NE(rents([&](auto& spec) {
              spec.zones = {"a", "b"};
              spec.requirements = {zone("NotIn", {"a"}), zone("NotIn", {"b"})};
            }),
            "");
  EXPECT_EQ(rents([&](auto& spec) {
              spec.zones = {"a", "b"};
              spec.requirements = {zone("NotIn", {"a"}), zone("Exists", {})};
            }),
            "");
}

}  // namespace
}  // namespace reprise::controllers::rentable
