#include "controllers/gpupool/rentable/selectors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reprise::controllers::rentable {
namespace {

using ::testing::HasSubstr;

api::GpuPoolSpec pool_of_a10g() {
  api::GpuPoolSpec spec;
  spec.gpu.models = {"a10g"};
  spec.node_class_ref = {"karpenter.k8s.aws", "EC2NodeClass", "default"};
  spec.capacity = {{.type = api::CapacityType::Spot, .max_gpus = 8, .notice_seconds = {}}};
  spec.zones = {"us-east-1a"};
  return spec;
}

std::string selected(const api::GpuPoolSpec& spec, std::string_view pod) {
  const auto found = selector_misfits("p", spec, demands_of_template(pod));
  return found.empty() ? "" : found.front().misfit.text();
}

TEST(Selectors, a_label_that_comes_after_the_machine_is_named) {
  EXPECT_EQ(selected(pool_of_a10g(), R"({"spec": {"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-A10G"}}})"),
            "spec.template.spec.nodeSelector.nvidia.com/gpu.product: found nvidia.com/gpu.product In [NVIDIA-A10G]: "
            "NVIDIA's feature discovery writes that label on a machine that runs, and Karpenter makes none for it; "
            "choose by spec.gpu.models of the pool, or write the label in the pool's spec.labels");
  for (const char* expression :
       {R"({"key": "nvidia.com/gpu.memory", "operator": "Gt", "values": ["20000"]})",
        R"({"key": "nvidia.com/mig.capable", "operator": "Exists"})",
        R"({"key": "feature.node.kubernetes.io/pci-10de.present", "operator": "In", "values": ["true"]})",
        R"({"key": "team", "operator": "In", "values": ["vision"]})"}) {
    const std::string pod =
        R"({"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": )"
        R"({"nodeSelectorTerms": [{"matchExpressions": [)" +
        std::string(expression) + "]}]}}}}}";
    EXPECT_THAT(selected(pool_of_a10g(), pod), HasSubstr("nodeSelectorTerms[0].matchExpressions[0]")) << expression;
  }
}

TEST(Selectors, a_label_that_the_pool_or_the_platform_writes_is_right) {
  const std::string pod = R"({"spec": {"nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-A10G"}}})";
  auto spec = pool_of_a10g();
  spec.labels["nvidia.com/gpu.product"] = "NVIDIA-A10G";
  EXPECT_EQ(selected(spec, pod), "");
  spec.labels["nvidia.com/gpu.product"] = "NVIDIA-L4";
  EXPECT_THAT(selected(spec, pod), HasSubstr("machines of GpuPool p have NVIDIA-L4"));
  spec = pool_of_a10g();
  spec.requirements = {{"nvidia.com/gpu.product", "Exists", {}, {}}};  // Karpenter writes what the pod wants
  EXPECT_EQ(selected(spec, pod), "");
  for (const char* right :
       {R"({"karpenter.k8s.aws/instance-family": "g5"})", R"({"kubernetes.io/os": "linux"})",
        R"({"reprise.dev/pool": "p"})", R"({"karpenter.sh/capacity-type": "spot"})",
        R"({"karpenter.sh/nodepool": "p-spot"})", R"({"topology.kubernetes.io/zone": "us-east-1a"})"})
    EXPECT_EQ(selected(pool_of_a10g(), R"({"spec": {"nodeSelector": )" + std::string(right) + "}}"), "") << right;
  EXPECT_EQ(selected(pool_of_a10g(), "{}"), "");
}

TEST(Selectors, what_the_pool_never_has_is_named) {
  EXPECT_THAT(selected(pool_of_a10g(), R"({"spec": {"nodeSelector": {"karpenter.sh/capacity-type": "on-demand"}}})"),
              HasSubstr("have spot"));
  EXPECT_THAT(selected(pool_of_a10g(), R"({"spec": {"nodeSelector": {"topology.kubernetes.io/zone": "us-east-1b"}}})"),
              HasSubstr("have us-east-1a"));
}

TEST(Selectors, what_a_machine_may_lack_and_one_term_of_several_is_enough) {
  const auto terms = [](const std::string& list) {
    return R"({"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": )"
           R"({"nodeSelectorTerms": [)" +
           list + "]}}}}}";
  };
  EXPECT_EQ(selected(pool_of_a10g(), terms(R"({"matchExpressions": [{"key": "broken", "operator": "DoesNotExist"}]})")),
            "");
  EXPECT_EQ(
      selected(pool_of_a10g(), terms(R"({"matchExpressions": [{"key": "nvidia.com/gpu.product", "operator": "NotIn", )"
                                     R"("values": ["T4"]}]})")),
      "");
  EXPECT_EQ(selected(pool_of_a10g(),
                     terms(R"({"matchExpressions": [{"key": "nvidia.com/gpu.product", "operator": "Exists"}]}, )"
                           R"({"matchExpressions": [{"key": "kubernetes.io/os", "operator": "Exists"}]})")),
            "");
}

TEST(Selectors, of_the_platform_s_labels_only_those_that_karpenter_knows_are_right) {
  const auto of_group = [](const char* group, const std::string& label) {
    auto spec = pool_of_a10g();
    spec.node_class_ref->group = group;
    return selected(spec, R"({"spec": {"nodeSelector": {")" + label + R"(": "x"}}})");
  };
  for (const char* late :
       {"eks.amazonaws.com/nodegroup", "k8s.amazonaws.com/accelerator", "cloud.google.com/gke-accelerator",
        "node-role.kubernetes.io/gpu", "kubernetes.io/hostname"}) {
    EXPECT_THAT(of_group("karpenter.k8s.aws", late), HasSubstr("Karpenter makes none for")) << late;
    EXPECT_TRUE(selector_misfits("p", pool_of_a10g(), {{{"f", {late, "In", {"x"}, {}}}}}).front().comes_later);
    auto spec = pool_of_a10g();
    spec.labels[late] = "x";
    EXPECT_EQ(selected(spec, R"({"spec": {"nodeSelector": {")" + std::string(late) + R"(": "x"}}})"), "") << late;
  }
  for (const char* known :
       {"karpenter.k8s.aws/instance-local-nvme", "karpenter.k8s.aws/ec2nodeclass", "topology.k8s.aws/zone-id",
        "topology.ebs.csi.aws.com/zone", "kubernetes.io/arch", "topology.kubernetes.io/region"})
    EXPECT_EQ(of_group("karpenter.k8s.aws", known), "") << known;
  EXPECT_EQ(of_group("karpenter.k8s.gcp", "cloud.google.com/gke-accelerator"), "");
  EXPECT_EQ(of_group("karpenter.azure.com", "kubernetes.azure.com/scalesetpriority"), "");
  for (const char* any : {"eks.amazonaws.com/instance-family", "cloud.google.com/gke-accelerator",
                          "node.kubernetes.io/anything", "eks.example.org/x"})
    EXPECT_EQ(of_group("eks.example.org", any), "") << any << ", of a provider that nobody knows here";
}

TEST(Selectors, a_node_by_its_name_and_another_system_are_named) {
  EXPECT_THAT(selected(pool_of_a10g(),
                       R"({"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": )"
                       R"({"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", )"
                       R"("values": ["ip-10-0-0-1"]}]}]}}}}})"),
              HasSubstr("nodeSelectorTerms[0].matchFields[0]: found metadata.name In [ip-10-0-0-1]"));
  EXPECT_THAT(selected(pool_of_a10g(), R"({"spec": {"nodeSelector": {"kubernetes.io/os": "windows"}}})"),
              HasSubstr("run on linux"));
}

}  // namespace
}  // namespace reprise::controllers::rentable
