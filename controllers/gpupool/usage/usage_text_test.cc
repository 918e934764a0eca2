#include "controllers/gpupool/usage/usage_text.h"

#include <gtest/gtest.h>

#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::MakePool;

TEST(UsageText, is_what_a_pod_of_a_sliced_pool_writes) {
  const auto pool = MakePool("t4").time_slicing(4).with([](auto& p) { p.spec.runtime_class_name = "nvidia"; }).get();
  EXPECT_EQ(usage_text(*pool),
            "spec:\n"
            "  nodeSelector:\n"
            "    reprise.dev/pool: \"t4\"\n"
            "  runtimeClassName: \"nvidia\"\n"
            "  containers:\n"
            "  - name: server\n"
            "    resources:\n"
            "      limits:\n"
            "        nvidia.com/gpu.shared: 1\n"
            "  tolerations:\n"
            "  - {key: nvidia.com/gpu, operator: Exists}\n");
}

TEST(UsageText, tolerates_the_pool_s_own_taints_and_asks_other_systems_in_their_words) {
  const auto pool = MakePool("fractions")
                        .with([](auto& p) {
                          p.spec.taints = {{.key = "batch", .value = "on", .effect = "NoSchedule"}};
                          p.spec.sharing.mode = api::SharingMode::External;
                          p.spec.sharing.external =
                              api::ExternalSharing{.preset = api::ExternalPreset::KAI,
                                                   .units_per_gpu = 2,
                                                   .quantity_per_unit = {},
                                                   .memory_mib_per_unit = {},
                                                   .pod_labels = {{"kai.scheduler/queue", "a \"b\""}}};
                        })
                        .get();
  EXPECT_EQ(usage_text(*pool),
            "metadata:\n"
            "  labels:\n"
            "    kai.scheduler/queue: \"a \\\"b\\\"\"\n"
            "  annotations:\n"
            "    \"gpu-fraction\": \"0.50\"\n"
            "spec:\n"
            "  nodeSelector:\n"
            "    reprise.dev/pool: \"fractions\"\n"
            "  schedulerName: \"kai-scheduler\"\n"
            "  tolerations:\n"
            "  - {key: nvidia.com/gpu, operator: Exists}\n"
            "  - {key: \"batch\", operator: Equal, value: \"on\", effect: NoSchedule}\n");
}

// A status beyond its bound would be rejected, and the pool never be ready.
TEST(UsageText, stays_within_the_bound_of_its_field) {
  const auto pool = MakePool("t4")
                        .with([](auto& p) {
                          p.spec.sharing.mode = api::SharingMode::External;
                          p.spec.sharing.external.emplace();
                          for (int i = 0; i < 32; ++i) {
                            p.spec.taints.push_back({.key = kube::Text(std::string(300, 'k') + std::to_string(i)),
                                                     .value = kube::Text(std::string(63, '\n')),
                                                     .effect = "NoSchedule"});
                            p.spec.sharing.external->pod_annotations["a" + std::to_string(i)] = std::string(4096, '"');
                          }
                        })
                        .get();
  EXPECT_LE(usage_text(*pool).size(), 8192U);
  EXPECT_NE(usage_text(*pool).find("see the pool's spec"), std::string::npos);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
