#include "api/training_container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace reprise::api {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Asks {
  const char* name;
  std::initializer_list<std::pair<const char*, const char*>> limits = {}, requests = {};
};

ResumableJob job_of(const std::vector<Asks>& containers, const char* pool = "t4") {
  ResumableJob job;
  job.spec.pool_name = pool;
  std::vector<TemplateContainer> all;
  for (const Asks& asks : containers) {
    TemplateContainer& container = all.emplace_back();
    container.name = asks.name;
    for (const auto& [resource, amount] : asks.limits) container.limits[resource] = amount;
    for (const auto& [resource, amount] : asks.requests) container.requests[resource] = amount;
  }
  job.spec.pod_template.containers = all;
  return job;
}

std::string chosen(const ResumableJob& job) {
  const TemplateContainer* found = training_container(job);
  return found == nullptr ? std::string("none") : std::string(found->name);
}

TEST(TrainingContainer, is_the_only_one_whatever_it_asks_for) {
  EXPECT_EQ(chosen(job_of({{"trainer"}})), "trainer");
  EXPECT_EQ(chosen(job_of({{"trainer"}}, "")), "trainer");
}

TEST(TrainingContainer, is_the_one_that_asks_for_units_wherever_it_stands) {
  for (const char* resource : {"reprise.dev/gpu", "nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb",
                               "volcano.sh/vgpu-number", "volcano.sh/vgpu-memory", "vke.volcengine.com/mgpu-core",
                               "aliyun.com/gpu-mem", "amd.com/gpu", "habana.ai/gaudi"}) {
    const Asks trainer{"trainer", {{resource, "1"}}};
    const Asks by_request{"trainer", {}, {{resource, "1"}}};
    const Asks proxy{"proxy", {{"cpu", "1"}, {"ephemeral-storage", "1Gi"}}};
    for (const char* pool : {"t4", ""}) {
      EXPECT_EQ(chosen(job_of({proxy, trainer}, pool)), "trainer") << resource;
      EXPECT_EQ(chosen(job_of({proxy, by_request, {"logs"}}, pool)), "trainer") << resource;
      EXPECT_EQ(chosen(job_of({trainer, proxy}, pool)), "trainer") << resource;
    }
  }
  EXPECT_EQ(chosen(job_of({{"proxy", {{"reprise.dev/gpu", "0"}}}, {"trainer", {{"reprise.dev/gpu", "2"}}}})),
            "trainer");
}

TEST(TrainingContainer, memory_and_cores_of_a_gpu_are_no_number_of_devices) {
  for (const char* number : {"nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "volcano.sh/vgpu-number",
                             "aws.amazon.com/neuroncore", "google.com/tpu"})
    EXPECT_TRUE(is_device_resource(number)) << number;
  for (const char* amount : {"nvidia.com/gpumem", "nvidia.com/gpucores", "volcano.sh/vgpu-memory", "aliyun.com/gpu-mem",
                             "vke.volcengine.com/mgpu-core", "memory", "example.org/fpga"})
    EXPECT_FALSE(is_device_resource(amount)) << amount;
}

TEST(TrainingContainer, is_the_one_that_is_named_whatever_others_ask_for) {
  ResumableJob job = job_of({{"proxy"}, {"trainer", {{"reprise.dev/gpu", "1"}}}});
  job.spec.container = "proxy";
  EXPECT_EQ(chosen(job), "proxy");
  job.spec.container = "absent";
  EXPECT_EQ(chosen(job), "none");
  EXPECT_THAT(choose_training_container(job).problem, AllOf(HasSubstr("spec.container"), HasSubstr("\"absent\"")));
}

TEST(TrainingContainer, is_none_in_a_pool_where_none_or_several_ask) {
  EXPECT_EQ(chosen(job_of({{"a"}, {"b"}})), "none");
  EXPECT_THAT(choose_training_container(job_of({{"a"}, {"b"}})).problem,
              AllOf(HasSubstr("none of the 2 containers"), HasSubstr("reprise.dev/gpu")));
  const ResumableJob several = job_of(
      {{"a", {{"reprise.dev/gpu", "1"}}}, {"b", {{"nvidia.com/gpu", "1"}}}, {"c", {}, {{"reprise.dev/gpu", "1"}}}});
  EXPECT_EQ(chosen(several), "none");
  EXPECT_THAT(choose_training_container(several).problem, HasSubstr("containers a, b and c ask for GPUs"));
}

TEST(TrainingContainer, is_the_first_without_a_pool_where_none_or_several_ask) {
  EXPECT_EQ(chosen(job_of({{"a"}, {"b"}}, "")), "a");
  EXPECT_EQ(chosen(job_of({{"a"}, {"b", {{"nvidia.com/gpu", "1"}}}, {"c", {{"amd.com/gpu", "1"}}}}, "")), "a");
}

TEST(TrainingContainer, is_none_of_an_empty_template) {
  EXPECT_EQ(chosen(job_of({})), "none");
  EXPECT_THAT(choose_training_container(job_of({})).problem, HasSubstr("spec.template.spec.containers"));
}

}  // namespace
}  // namespace reprise::api
