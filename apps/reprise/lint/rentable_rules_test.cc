// Capacity that can never be rented, as people write it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/reprise/lint/check.h"
#include "apps/reprise/lint/output.h"
#include "apps/reprise/lint/samples_for_tests.h"

namespace reprise::apps::lint {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string pool_with(const std::string& spec) {
  return "apiVersion: reprise.dev/v1alpha1\nkind: GpuPool\nmetadata: {name: p}\nspec:\n"
         "  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n" +
         spec;
}

std::string job_in_p(const std::string& spec, const std::string& pod = "") {
  return exchanged(exchanged(kJob, "poolName: t4\n  parallelism: 2", "poolName: p\n  " + spec),
                   "      containers:", pod + "      containers:");
}

std::string found(const std::vector<File>& files) {
  return show(check_files(files), Format::Text);
}

TEST(LintRentable, a_pool_whose_fields_contradict_each_other_is_an_error_that_names_both) {
  const std::string cpus = pool_with(
      "  gpu: {models: [a100]}\n  capacity: [{type: Spot, maxGpus: 8}]\n"
      "  requirements: [{key: karpenter.k8s.aws/instance-cpu, operator: In, values: [\"2\", \"4\"]}]\n");
  EXPECT_THAT(
      found({{"p.yaml", cpus}}),
      AllOf(HasSubstr("p.yaml:8:18: error: GpuPool p: spec.requirements[0]: found karpenter.k8s.aws/instance-cpu "
                      "In [2, 4]"),
            HasSubstr("spec.gpu.models [a100]"), HasSubstr("[operator/NoInstanceType]")));
  const std::string type =
      pool_with("  gpu: {models: [a100]}\n  instanceTypes: [g4dn.xlarge]\n  capacity: [{type: Spot, maxGpus: 8}]\n");
  EXPECT_THAT(found({{"p.yaml", type}}), AllOf(HasSubstr("error"), HasSubstr("spec.instanceTypes: found [g4dn.xlarge]"),
                                               HasSubstr("p4d.24xlarge")));
  EXPECT_THAT(found({{"p.yaml", exchanged(type, "[g4dn.xlarge]", "[p4d.24xlarge, g4dn.xlarge]")}}),
              AllOf(HasSubstr("warning"), HasSubstr("[type-left-out]"), HasSubstr("its ")));
}

TEST(LintRentable, a_misspelt_model_is_mended) {
  for (const char* written : {"A10G", "nvidia-a10g"}) {
    const std::string text =
        pool_with("  gpu: {models: [" + std::string(written) + "]}\n  capacity: [{type: Spot, maxGpus: 8}]\n");
    EXPECT_THAT(found({{"p.yaml", text}}),
                AllOf(HasSubstr("error: GpuPool p: spec.gpu.models[0]: found " + std::string(written)),
                      HasSubstr("write a10g [model-name] (--fix)")));
    const std::string after = mended({{"p.yaml", text}}).files[0].text;
    EXPECT_THAT(after, HasSubstr("models: [a10g]"));
    EXPECT_EQ(found({{"p.yaml", after}}), "");
  }
}

TEST(LintRentable, a_model_that_lacks_its_last_letter_is_asked_about) {
  const std::string text = pool_with("  gpu: {models: [a10]}\n  capacity: [{type: Spot, maxGpus: 8}]\n");
  EXPECT_THAT(found({{"p.yaml", text}}), AllOf(HasSubstr("warning"), HasSubstr("is a10g meant? [model-name]\n")));
}

TEST(LintRentable, limits_are_counted_in_whole_machines) {
  const std::string pool =
      pool_with("  gpu: {models: [t4], countsPerNode: [4]}\n  capacity: [{type: Spot, maxGpus: 6}]\n");
  EXPECT_THAT(found({{"p.yaml", pool}}), AllOf(HasSubstr("warning"), HasSubstr("4 are rented at most; write 4 or 8")));
  EXPECT_THAT(found({{"p.yaml", pool}, {"j.yaml", job_in_p("parallelism: 6")}}),
              AllOf(HasSubstr("j.yaml:8:3: error: ResumableJob vision/finetune: spec.parallelism: found 6"),
                    HasSubstr("room for 4 ranks"), HasSubstr("[pool-too-small]")));
  EXPECT_EQ(found({{"p.yaml", exchanged(pool, "maxGpus: 6", "maxGpus: 8")}, {"j.yaml", job_in_p("parallelism: 6")}}),
            "");
  EXPECT_THAT(found({{"p.yaml", exchanged(pool, "[4]", "[8]")}}),
              AllOf(HasSubstr("error"), HasSubstr("nothing is rented"), HasSubstr("[operator/LimitBelowOneNode]")));
}

TEST(LintRentable, a_selector_on_a_label_that_comes_after_the_machine_is_a_warning) {
  const std::string pool = pool_with("  gpu: {models: [a10g]}\n  capacity: [{type: Spot, maxGpus: 8}]\n");
  const std::string selector = "      nodeSelector: {nvidia.com/gpu.product: NVIDIA-A10G}\n";
  EXPECT_THAT(found({{"p.yaml", pool}, {"j.yaml", job_in_p("parallelism: 2", selector)}}),
              AllOf(HasSubstr("warning"), HasSubstr("spec.template.spec.nodeSelector.nvidia.com/gpu.product"),
                    HasSubstr("[selector-comes-later]")));
  const std::string labelled = pool + "  labels: {nvidia.com/gpu.product: NVIDIA-A10G}\n";
  EXPECT_EQ(found({{"p.yaml", labelled}, {"j.yaml", job_in_p("parallelism: 2", selector)}}), "");
  const std::string zone = "      nodeSelector: {topology.kubernetes.io/zone: us-east-1c}\n";
  EXPECT_THAT(found({{"p.yaml", pool + "  zones: [us-east-1a]\n"}, {"j.yaml", job_in_p("parallelism: 2", zone)}}),
              AllOf(HasSubstr("error"), HasSubstr("have us-east-1a"), HasSubstr("[selector-against-pool]")));
  const std::string type = "      nodeSelector: {node.kubernetes.io/instance-type: p4d.24xlarge}\n";
  EXPECT_THAT(found({{"p.yaml", pool}, {"j.yaml", job_in_p("parallelism: 2", type)}}),
              AllOf(HasSubstr("error"), HasSubstr("[selector-against-pool]")));
}

TEST(LintRentable, a_node_pool_is_read_in_the_same_way) {
  const std::string fours =
      exchanged(kNodePool, "- {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [a10g]}",
                "- {key: karpenter.k8s.aws/instance-gpu-count, operator: In, values: [\"4\"]}");
  EXPECT_EQ(found({{"n.yaml", fours}}), "");
  EXPECT_THAT(found({{"n.yaml", exchanged(fours, "gpu: \"8\"", "gpu: \"6\"")}}),
              AllOf(HasSubstr("warning"), HasSubstr("spec.limits.nvidia.com/gpu"), HasSubstr("4 are rented at most")));
  EXPECT_THAT(found({{"n.yaml", exchanged(fours, "gpu: \"8\"", "gpu: \"3\"")}}), HasSubstr("nothing is rented"));
  const std::string azure =
      exchanged(exchanged(exchanged(fours, "karpenter.k8s.aws/instance-gpu-count", "karpenter.azure.com/sku-gpu-count"),
                          "group: karpenter.k8s.aws", "group: karpenter.azure.com"),
                "kind: EC2NodeClass", "kind: AKSNodeClass");
  EXPECT_THAT(found({{"n.yaml", exchanged(azure, "gpu: \"8\"", "gpu: \"6\"")}}), HasSubstr("4 are rented at most"));
  const std::string two = exchanged(kNodePool, "values: [a10g]}",
                                    "values: [a10g]}\n      - {key: node.kubernetes.io/instance-type, operator: In, "
                                    "values: [g4dn.xlarge]}");
  EXPECT_THAT(found({{"n.yaml", two}}),
              AllOf(HasSubstr("[no-machine-fits]"), HasSubstr("spec.template.spec.requirements[1]")));
  EXPECT_EQ(found({{"n.yaml", exchanged(two, "g4dn.xlarge", "g9.xlarge")}}), "");
}

TEST(LintRentable, a_node_pool_s_limit_of_nodes_is_read_beside_that_of_gpus) {
  const auto fours = [](const std::string& limits) {
    return found({{"n.yaml", exchanged(exchanged(kNodePool,
                                                 "- {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: "
                                                 "[a10g]}",
                                                 "- {key: karpenter.k8s.aws/instance-gpu-count, operator: In, values: "
                                                 "[\"4\"]}"),
                                       "{nvidia.com/gpu: \"8\"}", limits)}});
  };
  EXPECT_THAT(fours("{nvidia.com/gpu: \"8\", nodes: \"1\"}"),
              AllOf(HasSubstr("warning"), HasSubstr("spec.limits.nodes: found 1, and a machine has 4 GPUs at the most"),
                    HasSubstr("4 of the 8 of spec.limits.nvidia.com/gpu are rented; write 2 or more"),
                    HasSubstr("[limit-between-nodes]")));
  EXPECT_EQ(fours("{nvidia.com/gpu: \"8\", nodes: \"2\"}"), "");
  EXPECT_EQ(fours("{nvidia.com/gpu: \"8\", nodes: \"0\"}"), "") << "it is stopped on purpose";
  EXPECT_THAT(fours("{nvidia.com/gpu: \"6\", nodes: \"1\"}"), Not(HasSubstr("spec.limits.nodes")))
      << "6 is never reached anyway";
}

TEST(LintRentable, a_static_node_pool_rents_no_more_than_its_limit_of_nodes) {
  const auto of = [](const std::string& limit) {
    return found({{"n.yaml", exchanged(kNodePool, "  limits: {nvidia.com/gpu: \"8\"}\n",
                                       "  replicas: 3\n  limits: {nodes: \"" + limit + "\"}\n")}});
  };
  EXPECT_THAT(of("2"), AllOf(HasSubstr("warning"), HasSubstr("found 2, and spec.replicas is 3: 2 are rented"),
                             HasSubstr("[limit-below-replicas]")));
  EXPECT_EQ(of("3"), "");
}

TEST(LintRentable, a_node_pool_of_types_or_families_with_gpus_is_one_of_gpus) {
  const auto limited = [](const std::string& requirement) {
    return found({{"n.yaml", exchanged(exchanged(kNodePool,
                                                 "- {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: "
                                                 "[a10g]}",
                                                 requirement),
                                       "gpu: \"8\"", "gpu: \"6\"")}});
  };
  EXPECT_THAT(limited("- {key: node.kubernetes.io/instance-type, operator: In, values: [g5.12xlarge]}"),
              HasSubstr("4 are rented at most"));
  EXPECT_THAT(limited("- {key: karpenter.k8s.aws/instance-family, operator: In, values: [p4d]}"),
              HasSubstr("nothing is rented"));
  EXPECT_EQ(limited("- {key: karpenter.k8s.aws/instance-family, operator: In, values: [m7i, p4d]}"), "");
}

TEST(LintRentable, a_node_pool_that_keeps_gpus_out_is_told_of_no_taint) {
  const std::string bare =
      exchanged(kNodePool, "      taints:\n      - {key: nvidia.com/gpu, value: \"true\", effect: NoSchedule}\n", "");
  const auto with = [&](const std::string& requirement, const std::string& gpus) {
    return found({{"n.yaml", exchanged(exchanged(bare,
                                                 "- {key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: "
                                                 "[a10g]}",
                                                 requirement),
                                       "gpu: \"8\"", "gpu: \"" + gpus + "\"")}});
  };
  const std::string key = "- {key: karpenter.k8s.aws/instance-gpu-";
  for (const char* requirement : {"count, operator: DoesNotExist}", "count, operator: Lt, values: [\"1\"]}",
                                  "manufacturer, operator: NotIn, values: [nvidia]}"})
    EXPECT_THAT(with(key + requirement, "0"), Not(HasSubstr("node-pool-taint"))) << requirement;
  EXPECT_THAT(with(key + "count, operator: DoesNotExist}", "8"), Not(HasSubstr("node-pool-taint")));
  EXPECT_THAT(with(key + "count, operator: Exists}", "8"), HasSubstr("node-pool-taint"));
  EXPECT_THAT(with("- {key: karpenter.k8s.aws/instance-family, operator: In, values: [p4d]}", "0"),
              HasSubstr("node-pool-taint"));
}

TEST(LintRentable, a_job_is_held_against_the_last_of_the_pools_with_its_name) {
  const std::string large = exchanged(kPool, "maxGpus: 8", "maxGpus: 16");
  const std::string gang = exchanged(kJob, "parallelism: 2", "parallelism: 40");
  EXPECT_THAT(found({{"a.yaml", kPool}, {"b.yaml", large}, {"j.yaml", gang}}), Not(HasSubstr("pool-too-small")));
  EXPECT_THAT(found({{"a.yaml", large}, {"b.yaml", kPool}, {"j.yaml", gang}}), HasSubstr("pool-too-small"));
}

TEST(LintRentable, a_job_without_a_pool_is_held_against_the_node_pool_that_it_names) {
  const std::string job =
      exchanged(exchanged(kJob, "  poolName: t4\n", ""), "      containers:",
                "      nodeSelector: {karpenter.sh/nodepool: a10g, nvidia.com/gpu.product: NVIDIA-A10G}\n"
                "      containers:");
  const std::string whole = exchanged(job, "reprise.dev/gpu", "nvidia.com/gpu");
  EXPECT_THAT(found({{"n.yaml", kNodePool}, {"j.yaml", whole}}),
              AllOf(HasSubstr("[selector-comes-later]"), Not(HasSubstr("error"))));
}

TEST(LintRentable, a_type_whose_gpus_are_not_reported_is_a_warning_on_aws_alone) {
  const std::string pool = pool_with(
      "  gpu: {models: [h100], minMemoryMiB: 80000}\n  instanceTypes: [p5.4xlarge]\n"
      "  capacity: [{type: Spot, maxGpus: 8}]\n");
  EXPECT_THAT(found({{"p.yaml", pool}}), AllOf(HasSubstr("warning"), HasSubstr("p5.4xlarge"), HasSubstr("8368")));
  EXPECT_THAT(found({{"p.yaml", exchanged(exchanged(pool, "models: [h100], minMemoryMiB: 80000", "models: [l4]"),
                                          "p5.4xlarge", "g6f.xlarge")}}),
              AllOf(HasSubstr("warning"), HasSubstr("reports no whole GPU")));
  EXPECT_EQ(found({{"p.yaml", exchanged(exchanged(pool, "karpenter.k8s.aws", "karpenter.kwok.sh"), "EC2NodeClass",
                                        "KWOKNodeClass")}}),
            "");
}

TEST(LintRentable, of_what_the_table_lacks_nothing_is_said) {
  for (const char* spec :
       {"  gpu: {models: [b400]}\n  capacity: [{type: Spot, maxGpus: 8}]\n",
        "  gpu: {models: [a100]}\n  instanceTypes: [p9.48xlarge]\n  capacity: [{type: Spot, maxGpus: 1}]\n"})
    EXPECT_EQ(found({{"p.yaml", pool_with(spec)}}), "") << spec;
}

}  // namespace
}  // namespace reprise::apps::lint
