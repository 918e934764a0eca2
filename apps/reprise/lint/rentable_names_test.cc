// Names, labels and limits by which nothing is rented, and their mends.
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

std::string pool_of(const std::string& spec) {
  return "apiVersion: reprise.dev/v1alpha1\nkind: GpuPool\nmetadata: {name: p}\nspec:\n"
         "  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n"
         "  capacity: [{type: Spot, maxGpus: 8}]\n" +
         spec;
}

std::string job_beside(const std::string& spec, const std::string& pod = "") {
  return exchanged(exchanged(kJob, "poolName: t4\n  parallelism: 2", "poolName: p\n  " + spec),
                   "      containers:", pod + "      containers:");
}

std::string said(const std::vector<File>& files) {
  return show(check_files(files), Format::Text);
}

std::string mend_of_file(const std::string& name, const std::string& text) {
  return mended({{name, text}}).files[0].text;
}

TEST(LintRentableNames, a_model_within_a_requirement_is_mended_and_nothing_around_it) {
  const std::string flow =
      pool_of("  requirements: [{key: karpenter.k8s.aws/instance-gpu-name, operator: In, values: [A100]}]\n");
  EXPECT_THAT(said({{"p.yaml", flow}}), HasSubstr("spec.requirements[0].values[0]: found A100"));
  EXPECT_EQ(mend_of_file("p.yaml", flow), exchanged(flow, "A100", "a100"));
  const std::string json =
      R"({"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "metadata": {"name": "p"}, "spec": {)"
      R"("nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"}, )"
      R"("capacity": [{"type": "Spot", "maxGpus": 8}], )"
      R"("requirements": [{"key": "karpenter.k8s.aws/instance-gpu-name", "operator": "In", "values": ["A100"]}]}})";
  EXPECT_EQ(mend_of_file("p.json", json), exchanged(json, "A100", "a100"));
  const std::string node_pool = exchanged(kNodePool, "[a10g]", "[A10G]");
  EXPECT_EQ(mend_of_file("n.yaml", node_pool), kNodePool);
}

TEST(LintRentableNames, a_type_with_capitals_is_an_error_and_mended) {
  const std::string text = pool_of("  instanceTypes: [P4D.24xlarge]\n");
  EXPECT_THAT(said({{"p.yaml", text}}), AllOf(HasSubstr("error"), HasSubstr("write p4d.24xlarge [type-name] (--fix)")));
  EXPECT_EQ(mend_of_file("p.yaml", text), exchanged(text, "P4D", "p4d"));
}

TEST(LintRentableNames, gpus_of_another_maker_are_let_alone) {
  const std::string pool = pool_of(
      "  sharing: {mode: External, external: {preset: Custom, resourceName: amd.com/gpu, unitsPerGpu: 1}}\n"
      "  requirements: [{key: karpenter.k8s.aws/instance-gpu-manufacturer, operator: In, values: [amd]}]\n");
  EXPECT_EQ(said({{"p.yaml", pool}, {"j.yaml", job_beside("parallelism: 2")}}), "");
  for (const char* maker : {"amd", "habana"})
    EXPECT_EQ(
        said({{"n.yaml", exchanged(kNodePool, "instance-gpu-name, operator: In, values: [a10g]",
                                   "instance-gpu-manufacturer, operator: In, values: [" + std::string(maker) + "]")}}),
        "");
}

TEST(LintRentableNames, a_gang_is_held_against_the_capacity_and_the_zones_of_its_pool_once) {
  const std::string pool = exchanged(pool_of("  gpu: {models: [t4]}\n"
                                             "  requirements: [{key: topology.kubernetes.io/zone, operator: In, "
                                             "values: [zone-a]}]\n"),
                                     "type: Spot", "type: Reserved");
  const auto beside = [&](const std::string& placement) {
    return said({{"p.yaml", pool}, {"j.yaml", job_beside("parallelism: 2\n  placement: {" + placement + "}")}});
  };
  EXPECT_THAT(beside("capacity: OnDemandOnly"), HasSubstr("[no-such-capacity]"));
  EXPECT_THAT(beside("zones: [zone-b]"), HasSubstr("[no-such-zone]"));
  EXPECT_EQ(beside("zones: [zone-a]"), "");
  const std::string both = beside("zones: [zone-b]");
  EXPECT_EQ(both.find("no-such-zone"), both.rfind("no-such-zone"));
}

TEST(LintRentableNames, labels_of_other_clouds_and_node_groups_come_too_late) {
  const std::string pool = pool_of("  gpu: {models: [t4]}\n");
  for (const char* label :
       {"eks.amazonaws.com/nodegroup", "cloud.google.com/gke-accelerator", "kubernetes.io/hostname"})
    EXPECT_THAT(
        said({{"p.yaml", pool},
              {"j.yaml", job_beside("parallelism: 2", "      nodeSelector: {" + std::string(label) + ": x}\n")}}),
        AllOf(HasSubstr("warning"), HasSubstr("[selector-comes-later]")))
        << label;
  EXPECT_THAT(said({{"p.yaml", pool},
                    {"j.yaml", job_beside("parallelism: 2", "      nodeSelector: {kubernetes.io/os: windows}\n")}}),
              HasSubstr("run on linux"));
}

TEST(LintRentableNames, limits_of_a_node_pool_below_one_machine_are_named) {
  const auto limited = [](const std::string& limits) {
    return said(
        {{"n.yaml", exchanged(exchanged(kNodePool, "karpenter.k8s.aws/instance-gpu-name, operator: In, values: [a10g]",
                                        "node.kubernetes.io/instance-type, operator: In, values: "
                                        "[g4dn.12xlarge]"),
                              "limits: {nvidia.com/gpu: \"8\"}", "limits: {" + limits + "}")}});
  };
  EXPECT_THAT(limited("cpu: 40"), AllOf(HasSubstr("spec.limits.cpu: found 40"), HasSubstr("smallest machine has 48")));
  EXPECT_THAT(limited("memory: 100Gi"), HasSubstr("spec.limits.memory"));
  EXPECT_EQ(limited("cpu: 48, memory: 192Gi"), "");
  EXPECT_EQ(limited("cpu: 1k, memory: 180Gi"), "") << "Karpenter counts less memory than the machine has";
}

TEST(LintRentableNames, more_kinds_than_there_are_is_a_warning) {
  const std::string pool = pool_of(
      "  gpu: {models: [t4]}\n"
      "  requirements: [{key: karpenter.k8s.aws/instance-family, operator: Exists, minValues: 2}]\n");
  EXPECT_THAT(said({{"p.yaml", pool}}),
              AllOf(HasSubstr("warning"), HasSubstr("spec.requirements[0].minValues: found 2"), HasSubstr("have 1 of"),
                    HasSubstr("[min-values]")));
  EXPECT_EQ(said({{"p.yaml", exchanged(pool, "[t4]", "[t4, l4]")}}), "");
}

TEST(LintRentableNames, a_type_of_a_node_pool_is_found_where_it_stands) {
  EXPECT_THAT(
      said({{"n.yaml", exchanged(kNodePool, "karpenter.k8s.aws/instance-gpu-name, operator: In, values: [a10g]",
                                 "node.kubernetes.io/instance-type, operator: In, values: [p5.4xlarge]")}}),
      AllOf(HasSubstr("spec.template.spec.requirements[1]: found p5.4xlarge"), Not(HasSubstr("instanceTypes"))));
}

}  // namespace
}  // namespace reprise::apps::lint
