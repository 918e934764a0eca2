#include "rehearsal/plan/pool_instance_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rehearsal/plan/node_constraints.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::rehearsal {
namespace {

using simulator::find;
using simulator::JsonObject;
using simulator::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

RehearsedJob job_with(const std::string& resources, const std::string& pod = "") {
  const auto job =
      read_job("kind: ResumableJob\nmetadata: {name: a}\nspec:\n  checkpoint: {path: /c}\n  template: {spec: {" + pod +
                   "containers: [{name: t, image: i, command: [train], resources: " + resources + "}]}}\n",
               "rehearsal");
  EXPECT_TRUE(job) << job.error().message;
  return *job;
}

Value pool_with(const std::string& spec, const std::string& group = "karpenter.k8s.aws") {
  const auto pool = simulator::read_yaml("kind: GpuPool\nmetadata: {name: p}\nspec: {nodeClassRef: {group: " + group +
                                         ", kind: K, name: n}, " + spec + "}\n");
  EXPECT_TRUE(pool) << pool.error().message;
  return *pool;
}

const Value& resources_of(const RehearsedJob& job) {
  return *find(simulator::array(job.object, {"spec", "template", "spec", "containers"})[0], {"resources"});
}

TEST(NodeConstraints, places_and_devices_are_left_out_and_gpus_stay) {
  RehearsedJob job = job_with("{limits: {nvidia.com/gpu: 4, rdma/ib: 1}, requests: {ephemeral-storage: 1Ti}}",
                              "nodeSelector: {team: x, reprise.dev/pool: p}, schedulerName: mine, affinity: "
                              "{nodeAffinity: {}, podAntiAffinity: {}}, ");
  EXPECT_EQ(job.gpus, 4) << "whole GPUs are GPUs, too";
  drop_node_constraints(job, instance_types_of(pool_with("gpu: {}")));
  const Value& pod = *find(job.object, {"spec", "template", "spec"});
  EXPECT_EQ(*find(pod, {"nodeSelector"}), Value(JsonObject{{"reprise.dev/pool", "p"}}));
  EXPECT_EQ(find(pod, {"schedulerName"}), nullptr);
  EXPECT_EQ(*find(pod, {"affinity"}), Value(JsonObject{{"podAntiAffinity", JsonObject{}}}));
  EXPECT_EQ(resources_of(job),
            Value(JsonObject{{"limits", JsonObject{{"nvidia.com/gpu", 4}}}, {"requests", JsonObject{}}}));
  EXPECT_THAT(job.notes, ElementsAre(HasSubstr("nodeAffinity, nodeSelector team, schedulerName"),
                                     HasSubstr("container t asks for ephemeral-storage, rdma/ib"),
                                     HasSubstr("the GPUs of this machine")));
}

TEST(NodeConstraints, cpu_and_memory_stay_where_a_node_has_them) {
  const auto types = instance_types_of(pool_with("gpu: {models: [t4]}"));
  for (const auto& [asked, stays] : {std::pair{"{limits: {reprise.dev/gpu: 1, cpu: 8, memory: 32Gi}}", true},
                                     {"{limits: {reprise.dev/gpu: 1, cpu: 8, memory: 320Gi}}", false},
                                     {"{limits: {reprise.dev/gpu: 1, cpu: 512}}", false},
                                     {"{limits: {reprise.dev/gpu: 1}, requests: {cpu: 512}}", false}}) {
    RehearsedJob job = job_with(asked);
    const Value before = resources_of(job);
    drop_node_constraints(job, types);
    EXPECT_EQ(resources_of(job) == before, stays) << asked;
    EXPECT_EQ(job.notes.empty(), stays) << asked;
  }
}

TEST(NodeConstraints, more_gpus_than_any_node_has_are_lowered) {
  RehearsedJob job = job_with("{limits: {nvidia.com/gpu: '16'}}");
  lower_gpus(job);
  EXPECT_EQ(job.gpus, 8);
  EXPECT_EQ(resources_of(job), Value(JsonObject{{"limits", JsonObject{{"nvidia.com/gpu", "8"}}}}));
  EXPECT_THAT(job.notes, ElementsAre(HasSubstr("container t asks for 16 of nvidia.com/gpu: taken as 8")));
}

TEST(PoolInstanceTypes, of_another_provider_are_played_by_those_with_such_gpus) {
  Value pool = pool_with(
      "gpu: {models: [h100], countsPerNode: [8]}, instanceTypes: [a3-highgpu-8g], requirements: [{key: "
      "cloud.google.com/gke-gpu, operator: Exists}], zones: [us-central1-a], allowedNamespaces: {}",
      "karpenter.k8s.gcp");
  EXPECT_THAT(translate_pool(pool, {"zone-a"}),
              ElementsAre(HasSubstr("GpuPool p: instance types of karpenter.k8s.gcp are played by those of AWS"),
                          HasSubstr("spec.instanceTypes, spec.requirements, spec.allowedNamespaces, spec.zones")));
  EXPECT_EQ(simulator::text(pool, {"spec", "nodeClassRef", "kind"}), "KWOKNodeClass");
  ASSERT_EQ(instance_types_of(pool).size(), 1U);
  EXPECT_EQ(instance_types_of(pool)[0].name, "p5.48xlarge");
}

TEST(PoolInstanceTypes, that_the_cloud_has_are_left_as_they_are) {
  Value pool = pool_with("gpu: {models: [t4], minMemoryMiB: 15000}, instanceTypes: [g4dn.xlarge], zones: [zone-a, b]");
  const Value before = pool;
  EXPECT_THAT(translate_pool(pool, {"zone-a"}), IsEmpty());
  EXPECT_EQ(pool, before);
  EXPECT_EQ(instance_types_of(pool).size(), 1U);
}

TEST(PoolInstanceTypes, unknown_gpus_are_played_by_any) {
  Value pool = pool_with("gpu: {models: [gb200], countsPerNode: [4]}");
  EXPECT_THAT(translate_pool(pool, {}), ElementsAre(HasSubstr("spec.gpu.countsPerNode, spec.gpu.models")));
  EXPECT_FALSE(instance_types_of(pool).empty());
}

TEST(PoolInstanceTypes, too_few_gpus_for_a_rank_are_reported_at_once) {
  Value pool = pool_with("gpu: {models: [t4], countsPerNode: [1]}");
  std::vector<RehearsedJob> jobs{job_with("{limits: {reprise.dev/gpu: 4}}")};
  const auto fitting = fit_to_instance_types(jobs, pool, true, {});
  ASSERT_FALSE(fitting);
  EXPECT_EQ(fitting.error().message,
            "ResumableJob a: found 4 GPUs for each rank, must be at most 1, the most that a node of GpuPool p has; "
            "ask for fewer, or see spec.gpu of the pool");
}

}  // namespace
}  // namespace reprise::rehearsal
