#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "controllers/gpupool/providers/catalog.h"
#include "controllers/gpupool/rentable/gang_of_job.h"
#include "controllers/gpupool/rentable/machines.h"
#include "controllers/gpupool/rentable/room.h"

namespace reprise::controllers::rentable {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

api::GpuPoolSpec aws(std::vector<std::string> models, std::int32_t max_gpus = 8) {
  api::GpuPoolSpec spec;
  spec.gpu.models = std::move(models);
  spec.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  spec.capacity = {{.type = api::CapacityType::Spot, .max_gpus = max_gpus, .notice_seconds = {}}};
  return spec;
}

template <class Change>
api::GpuPoolSpec with(api::GpuPoolSpec spec, Change change) {
  change(spec);
  return spec;
}

api::NodeRequirement require(std::string key, std::string op, std::vector<std::string> values = {}) {
  return {std::move(key), std::move(op), std::move(values), {}};
}

std::string said(const api::GpuPoolSpec& spec) {
  const auto misfit = pool_misfit(spec);
  return misfit ? misfit->misfit.text() : "";
}

TEST(Rentable, each_type_with_a_price_is_in_the_table_of_machines) {
  for (const gpupool::InstanceType& each : gpupool::catalog()) {
    const gpupool::MachineType* machine = gpupool::find_machine_type(each.name);
    ASSERT_NE(machine, nullptr) << each.name;
    EXPECT_EQ(machine->gpus, each.gpus) << each.name;
    EXPECT_EQ(machine->gpu_memory_mib, each.gpu_memory_mib) << each.name;
    EXPECT_TRUE(gpupool::is_known_model(each.gpu_model)) << each.name;
    EXPECT_EQ(said(with(aws({std::string(each.gpu_model)}),
                        [&](auto& spec) { spec.instance_types = {std::string(each.name)}; })),
              "")
        << each.name;
  }
}

TEST(Rentable, fields_that_contradict_each_other_are_named_with_what_would_do) {
  EXPECT_EQ(said(with(aws({"a100"}),
                      [](auto& spec) {
                        spec.requirements = {require("karpenter.k8s.aws/instance-cpu", "In", {"2", "4", "8"})};
                      })),
            "spec.requirements[0]: found karpenter.k8s.aws/instance-cpu In [2, 4, 8], which no instance type that this "
            "version knows meets together with spec.gpu.models [a100]: those that meet the latter have 96; change one "
            "of the two, or name in spec.instanceTypes a newer type that this version does not know");
  EXPECT_THAT(said(with(aws({"a100"}), [](auto& spec) { spec.instance_types = {"g4dn.xlarge"}; })),
              ::testing::AllOf(HasSubstr("spec.instanceTypes: found [g4dn.xlarge]"),
                               HasSubstr("spec.gpu.models [a100]"), HasSubstr("p4d.24xlarge, p4de.24xlarge")));
  EXPECT_THAT(said(with(aws({"t4"}),
                        [](auto& spec) {
                          spec.requirements = {require("karpenter.k8s.aws/instance-gpu-name", "In", {"a10g"})};
                        })),
              HasSubstr("spec.gpu.models [t4]"));
  EXPECT_THAT(said(with(aws({"t4"}), [](auto& spec) { spec.gpu.min_memory_mib = 20'000; })), HasSubstr("16384"));
  EXPECT_THAT(said(with(aws({"a100"}), [](auto& spec) { spec.gpu.counts_per_node = {1}; })), HasSubstr("have 8"));
  EXPECT_THAT(said(with(aws({"l4"}),
                        [](auto& spec) {
                          spec.requirements = {require("karpenter.k8s.aws/instance-family", "NotIn", {"g6", "gr6"})};
                        })),
              HasSubstr("spec.gpu.models [l4]"));
  EXPECT_THAT(said(with(aws({"t4"}),
                        [](auto& spec) {
                          spec.requirements = {require("karpenter.k8s.aws/instance-memory", "Lt", {"16000"})};
                        })),
              HasSubstr("16384"));
  EXPECT_THAT(said(with(aws({"t4"}), [](auto& spec) { spec.labels["kubernetes.io/arch"] = "arm64"; })),
              HasSubstr("spec.labels.kubernetes.io/arch"));
}

TEST(Rentable, a_misspelt_model_is_named_as_it_was_meant) {
  for (const auto& [written, meant] :
       std::vector<std::pair<std::string, std::string>>{{"A10G", "a10g"},
                                                        {"nvidia-a10g", "a10g"},
                                                        {"Tesla T4", "t4"},
                                                        {"NVIDIA-A100-SXM4-40GB", "a100"},
                                                        {"nvidia-l40s", "l40s"}}) {
    EXPECT_THAT(said(aws({written})), HasSubstr("; write " + meant)) << written;
    EXPECT_EQ(said(aws({meant})), "") << meant;
  }
  EXPECT_EQ(said(aws({"a100", "A10G"})), "");  // the former is rented
  ASSERT_EQ(misspelt_names(aws({"a100", "A10G"})).size(), 1U);
  EXPECT_EQ(misspelt_names(aws({"a100", "A10G"})).front().field, "spec.gpu.models[1]");
  EXPECT_EQ(misspelt_names(aws({"a100", "A10G"})).front().meant, "a10g");
}

TEST(Rentable, nothing_is_claimed_of_what_the_table_lacks) {
  const auto expect_silence = [](const api::GpuPoolSpec& spec) { EXPECT_EQ(said(spec), ""); };
  expect_silence(aws({"b400"}));
  expect_silence(with(aws({"a100"}), [](auto& spec) { spec.instance_types = {"p9.48xlarge"}; }));
  expect_silence(with(
      aws({}), [](auto& spec) { spec.requirements = {require("karpenter.k8s.aws/instance-family", "In", {"p9"})}; }));
  expect_silence(with(aws({"a100"}), [](auto& spec) {
    spec.requirements = {require("node.kubernetes.io/instance-type", "In", {"p9.48xlarge"})};
  }));
  expect_silence(with(aws({"a100"}), [](auto& spec) {
    spec.requirements = {require("karpenter.k8s.aws/instance-local-nvme", "Gt", {"1"})};
  }));
  for (const char* group : {"karpenter.azure.com", "karpenter.k8s.gcp", "example.org"})
    expect_silence(with(aws({"A10G"}), [&](auto& spec) {
      spec.node_class_ref->group = group;
      spec.instance_types = {"g4dn.xlarge"};
    }));
  expect_silence(with(aws({"A10G"}), [&](auto& spec) {
    spec.node_class_ref.reset();
    spec.existing_nodes.emplace();
  }));
  // kwok's machines bear no such label at all.
  expect_silence(with(aws({"a100"}), [](auto& spec) {
    spec.node_class_ref->group = "karpenter.kwok.sh";
    spec.requirements = {require("karpenter.k8s.aws/instance-cpu", "In", {"2"})};
  }));
}

TEST(Rentable, a_limit_below_one_machine_rents_nothing) {
  EXPECT_EQ(said(with(aws({"t4"}, 4), [](auto& spec) { spec.gpu.counts_per_node = {8}; })),
            "spec.capacity[0].maxGpus: found 4, and the smallest machine has 8 GPUs: nothing is rented; raise it to "
            "8 or more, or let the pool have smaller machines");
  EXPECT_THAT(said(aws({"h200"}, 7)), HasSubstr("has 8 GPUs"));
  EXPECT_EQ(said(aws({"t4"}, 1)), "");
  // Of another cloud too, for the count is the pool's own.
  EXPECT_THAT(said(with(aws({"A100"}, 3),
                        [](auto& spec) {
                          spec.node_class_ref->group = "karpenter.azure.com";
                          spec.gpu.counts_per_node = {4};
                        })),
              HasSubstr("has 4 GPUs"));
  // One capacity type that rents is enough for the pool; the other is named.
  const auto half = with(aws({"a100"}, 4), [](auto& spec) {
    spec.capacity.push_back({.type = api::CapacityType::OnDemand, .max_gpus = 12, .notice_seconds = {}});
  });
  EXPECT_EQ(said(half), "");
  ASSERT_EQ(limits_between_nodes(half).size(), 2U);
  EXPECT_THAT(limits_between_nodes(half)[1].text(), HasSubstr("8 are rented at most; write 8 or 16"));
  EXPECT_THAT(limits_between_nodes(aws({"t4"}, 7)), IsEmpty());
}

TEST(Rentable, zones_and_capacity_that_the_pool_itself_rules_out_are_named) {
  EXPECT_THAT(
      said(with(aws({"t4"}),
                [](auto& spec) { spec.requirements = {require("karpenter.sh/capacity-type", "In", {"on-demand"})}; })),
      HasSubstr("none of the types of spec.capacity"));
  EXPECT_THAT(said(with(aws({"t4"}),
                        [](auto& spec) {
                          spec.zones = {"us-east-1a"};
                          spec.requirements = {require("topology.kubernetes.io/zone", "NotIn", {"us-east-1a"})};
                        })),
              HasSubstr("none of spec.zones"));
}

TEST(Rentable, a_named_type_that_what_else_is_said_leaves_out_is_named) {
  const auto spec = with(aws({"a100"}), [](auto& each) { each.instance_types = {"p4d.24xlarge", "g4dn.xlarge"}; });
  EXPECT_EQ(said(spec), "");
  ASSERT_EQ(types_left_out(spec).size(), 1U);
  EXPECT_THAT(types_left_out(spec)[0].text(), HasSubstr("spec.instanceTypes[1]: found g4dn.xlarge"));
}

Gang gang(std::int64_t ranks, std::int64_t units = 1) {
  return {.ranks = ranks, .units_per_rank = units};
}
std::string said_of(const api::GpuPoolSpec& spec, const Gang& gang) {
  const auto misfit = gang_misfit("p", spec, gang);
  return misfit ? misfit->text() : "";
}

TEST(Rentable, a_gang_that_never_fits_is_told_by_numbers) {
  const auto fours = with(aws({"t4"}, 6), [](auto& spec) { spec.gpu.counts_per_node = {4}; });
  EXPECT_EQ(
      said_of(fours, gang(6)),
      "spec.parallelism: found 6, and GpuPool p has room for 4 ranks of 1 unit at once, whatever else runs there: "
      "GPUs 4 of maxGpus 6 as Spot, in machines of 4: the gang never starts; raise "
      "spec.capacity[0].maxGpus of the pool to 8, or write 4");
  EXPECT_EQ(said_of(fours, gang(4)), "");
  EXPECT_THAT(said_of(fours, gang(2, 3)), HasSubstr("room for 1 rank of 3 units"));
  EXPECT_THAT(said_of(fours, gang(1, 5)), HasSubstr("a rank asks for 5 units, and the largest machine"));
  EXPECT_THAT(said_of(with(aws({"t4"}, 3), [](auto& spec) { spec.gpu.counts_per_node = {4}; }), gang(1)),
              HasSubstr("GpuPool p rents nothing: spec.capacity[0].maxGpus"));
  // Slices.
  const auto shared = with(aws({"t4"}, 2), [](auto& spec) {
    spec.gpu.counts_per_node = {1};
    spec.sharing = {.mode = api::SharingMode::TimeSlicing, .replicas = 4, .mig_devices = {}, .external = {}};
  });
  EXPECT_EQ(said_of(shared, gang(8)), "");
  EXPECT_THAT(said_of(shared, gang(9)), HasSubstr("room for 8 ranks"));
  // The capacity that the job may run on.
  const auto both = with(fours, [](auto& spec) {
    spec.capacity.push_back({.type = api::CapacityType::OnDemand, .max_gpus = 4, .notice_seconds = {}});
  });
  EXPECT_EQ(said_of(both, gang(8)), "");
  Gang on_spot = gang(8);
  on_spot.only = api::CapacityType::Spot;
  EXPECT_THAT(said_of(both, on_spot), HasSubstr("room for 4 ranks"));
  EXPECT_EQ(said_of(with(fours, [](auto& spec) { spec.capacity[0].max_gpus.reset(); }), gang(600)), "");
}

TEST(Rentable, machines_that_are_there_and_would_be_rented_no_more_count_beside_those_that_would) {
  auto spec = with(aws({"t4"}, 7), [](auto& each) { each.gpu.counts_per_node = {4}; });
  Gang seven{.ranks = 7};
  ASSERT_TRUE(gang_misfit("p", spec, seven));
  seven.there[api::CapacityType::Spot] = {{1, 3}};  // before the pool was edited
  EXPECT_FALSE(gang_misfit("p", spec, seven)) << "three, and one more of four";
  seven.there[api::CapacityType::Spot] = {{1, 2}};
  EXPECT_TRUE(gang_misfit("p", spec, seven)) << "two, and one more of four";
}

TEST(Rentable, machines_that_are_there_count_beyond_a_lowered_limit) {
  const auto lowered = with(aws({"a100"}, 4), [](auto&) {});
  Gang eight = gang(8);
  EXPECT_NE(said_of(lowered, eight), "");
  eight.there[api::CapacityType::Spot] = {{8, 1}};
  EXPECT_EQ(said_of(lowered, eight), "");
  const auto fours = with(aws({"t4"}, 8), [](auto& spec) { spec.gpu.counts_per_node = {4}; });
  Gang large = gang(1, 8);
  EXPECT_THAT(said_of(fours, large), HasSubstr("the largest machine"));
  large.there[api::CapacityType::Spot] = {{8, 1}};
  EXPECT_EQ(said_of(fours, large), "") << "one machine of a size that the pool had before";
}

TEST(Rentable, a_rank_finds_room_on_no_two_machines_that_are_there_together) {
  const auto fours = with(aws({"t4"}, 8), [](auto& spec) { spec.gpu.counts_per_node = {4}; });
  Gang large = gang(1, 8);
  large.there[api::CapacityType::Spot] = {{1, 8}};
  EXPECT_THAT(said_of(fours, large), HasSubstr("the largest machine"));
  large.there[api::CapacityType::Spot] = {{4, 2}};
  EXPECT_THAT(said_of(fours, large), HasSubstr("the largest machine"));
  Gang two = gang(2, 4);
  two.there[api::CapacityType::Spot] = {{1, 4}, {2, 2}};
  EXPECT_EQ(said_of(fours, two), "") << "two new ones of four, once these have gone";
  two.ranks = 3;
  EXPECT_THAT(said_of(fours, two), HasSubstr("room for 2 ranks"));
}

TEST(Rentable, a_jobs_own_selector_narrows_the_machines) {
  Gang small = gang(1, 4);
  EXPECT_EQ(said_of(aws({"t4"}), small), "");
  small.demands = {
      {{"spec.template.spec.nodeSelector.x", require("karpenter.k8s.aws/instance-gpu-count", "In", {"1"})}}};
  EXPECT_THAT(said_of(aws({"t4"}), small), HasSubstr("the largest machine"));
  Gang other = gang(1);
  other.demands = {{{"spec.template.spec.nodeSelector.node.kubernetes.io/instance-type",
                     require("node.kubernetes.io/instance-type", "In", {"g5.xlarge"})}}};
  EXPECT_THAT(said_of(aws({"t4"}), other), HasSubstr("spec.template.spec.nodeSelector"));
  other.demands.push_back({});  // another term that any machine meets
  EXPECT_EQ(said_of(aws({"t4"}), other), "");
}

TEST(Rentable, a_rank_that_asks_for_more_than_a_machine_has_never_runs) {
  api::GpuPool pool;
  pool.meta.name = "p";
  pool.spec = aws({"t4"});
  const auto asks = [&](std::vector<std::pair<const char*, const char*>> requests) {
    api::ResumableJob job;
    job.spec.pod_template.containers.push_back({.name = "trainer", .limits = {{"reprise.dev/gpu", "1"}}});
    for (const auto& [resource, quantity] : requests) job.spec.pod_template.containers[0].requests[resource] = quantity;
    const auto misfit = job_misfit(job, pool);
    return misfit ? misfit->text() : "";
  };
  EXPECT_EQ(asks({{"cpu", "96"}, {"memory", "384Gi"}}), "") << "g4dn.metal";
  EXPECT_THAT(asks({{"cpu", "96500m"}}), "");
  EXPECT_THAT(asks({{"cpu", "97"}}), HasSubstr("spec.template.spec.containers[].resources.requests.cpu: found "));
  EXPECT_THAT(asks({{"memory", "385Gi"}}), HasSubstr("requests.memory"));
  EXPECT_EQ(asks({{"cpu", "1e3"}}), "") << "nothing is claimed of what is not understood";
  pool.spec.instance_types = {"g4dn.xlarge"};
  EXPECT_THAT(asks({{"cpu", "5"}}), HasSubstr("together with spec.instanceTypes"));
}

TEST(Rentable, without_a_requirement_no_fewer_types_fit) {
  const auto check = [] {
    auto spec = aws(*rc::gen::container<std::vector<std::string>>(
                        rc::gen::elementOf(std::vector<std::string>{"t4", "a10g", "a100", "l4", "h100", "A10G"})),
                    *rc::gen::inRange(1, 20));
    spec.gpu.counts_per_node = *rc::gen::container<std::vector<std::int32_t>>(rc::gen::element(1, 2, 4, 8));
    spec.instance_types = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(
        std::vector<std::string>{"g4dn.xlarge", "g4dn.12xlarge", "g5.xlarge", "p4d.24xlarge", "p9.48xlarge"}));
    spec.requirements = *rc::gen::container<std::vector<api::NodeRequirement>>(rc::gen::elementOf(
        std::vector<api::NodeRequirement>{require("karpenter.k8s.aws/instance-cpu", "In", {"4", "8"}),
                                          require("karpenter.k8s.aws/instance-memory", "Gt", {"20000"}),
                                          require("karpenter.k8s.aws/instance-family", "NotIn", {"g5"}),
                                          require("karpenter.k8s.aws/instance-gpu-count", "Exists")}));
    const Machines before = machines_of(spec);
    RC_ASSERT(before.misfit.has_value() == (before.complete && before.types.empty()));
    const Room room = rooms_of(spec).front();
    if (room.rented) RC_ASSERT(*room.rented <= *room.limit);
    if (spec.requirements.empty()) return;
    auto loose = spec;
    loose.requirements.erase(loose.requirements.begin());
    const Machines after = machines_of(loose);
    for (const auto* type : before.types) RC_ASSERT(std::ranges::find(after.types, type) != after.types.end());
    if (after.misfit) RC_ASSERT(before.misfit.has_value());
  };
  EXPECT_TRUE(rc::check("removing a requirement never removes a type", check));
}

}  // namespace
}  // namespace reprise::controllers::rentable
