// Requests and limits of containers, and which of them trains.
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

std::string found(const std::string& job) {
  return show(check_files({{"job.yaml", job}, {"pool.yaml", kPool}}), Format::Text);
}
std::string fixed(const std::string& job) {
  return mended({{"job.yaml", job}, {"pool.yaml", kPool}}).files[0].text;
}
std::string with_resources(const std::string& resources) {
  return exchanged(kJob, "          limits: {reprise.dev/gpu: 1, memory: 8Gi}\n", resources);
}

TEST(LintResources, a_request_without_its_limit_is_an_error_and_mended) {
  const std::string alone = with_resources("          requests: {reprise.dev/gpu: 1, memory: 8Gi}\n");
  EXPECT_THAT(found(alone), AllOf(HasSubstr("error"), HasSubstr("[request-without-limit] (--fix)")));
  EXPECT_THAT(fixed(alone), HasSubstr("limits:"));
  EXPECT_EQ(found(fixed(alone)), "") << fixed(alone);
  const std::string other = with_resources(
      "          requests: {example.com/fpga: 1, cpu: 4}\n          limits: {reprise.dev/gpu: 1, memory: 8Gi}\n");
  EXPECT_THAT(found(other), HasSubstr("example.com/fpga"));
  EXPECT_EQ(found(fixed(other)), "") << fixed(other);
}

TEST(LintResources, two_requests_of_one_container_without_limits_are_mended_in_one_run) {
  const std::string two =
      with_resources("          requests: {reprise.dev/gpu: 1, example.com/fpga: 2, memory: 8Gi}\n");
  const Mending mending = mended({{"job.yaml", two}, {"pool.yaml", kPool}});
  EXPECT_EQ(found(mending.files[0].text), "") << mending.files[0].text;
  EXPECT_TRUE(mending.refused.empty());
}

TEST(LintResources, a_request_unlike_its_limit_is_an_error_and_mended) {
  const std::string unlike =
      with_resources("          requests: {reprise.dev/gpu: 2}\n          limits: {reprise.dev/gpu: 1, memory: 8Gi}\n");
  EXPECT_THAT(found(unlike), AllOf(HasSubstr("error"), HasSubstr("[request-unlike-limit] (--fix)")));
  EXPECT_THAT(fixed(unlike), HasSubstr("requests: {reprise.dev/gpu: 1}"));
  EXPECT_EQ(found(with_resources("          requests: {reprise.dev/gpu: \"1\", cpu: 1}\n"
                                 "          limits: {reprise.dev/gpu: 1, cpu: 4, memory: 8Gi}\n")),
            "");
}

TEST(LintResources, several_slices_by_their_own_name_are_an_error) {
  EXPECT_THAT(found(with_resources("          limits: {nvidia.com/gpu.shared: 2, memory: 8Gi}\n")),
              AllOf(HasSubstr("error"), HasSubstr("[several-slices]"), HasSubstr("refuses the pod")));
  EXPECT_THAT(found(with_resources("          limits: {nvidia.com/gpu.shared: 1, memory: 8Gi}\n")),
              Not(HasSubstr("several-slices")));
  EXPECT_THAT(found(exchanged(with_resources("          limits: {nvidia.com/gpu.shared: 2, memory: 8Gi}\n"),
                              "  poolName: t4\n", "")),
              AllOf(HasSubstr("error"), HasSubstr("[several-slices]")));
}

TEST(LintResources, the_container_that_asks_for_the_gpu_is_the_one_that_trains) {
  const std::string proxy =
      exchanged(kJob, "      - name: trainer\n",
                "      - name: proxy\n        image: example.org/proxy:1\n        command: [proxy]\n"
                "      - name: trainer\n");
  EXPECT_THAT(found(proxy), Not(HasSubstr("no-gpu")));
  EXPECT_EQ(fixed(proxy), proxy);
  const std::string none = exchanged(proxy, "reprise.dev/gpu: 1, ", "");
  EXPECT_THAT(found(none), AllOf(HasSubstr("ContainerNotFound"), HasSubstr("spec.container")));
  EXPECT_EQ(fixed(none), none) << "a proxy is given no GPU";
  EXPECT_THAT(found(exchanged(proxy, "reprise.dev/gpu: 1, ", "volcano.sh/vgpu-number: 1, ")),
              Not(HasSubstr("ContainerNotFound")));
}

TEST(LintResources, a_container_that_asks_for_no_gpu_or_for_another_thing_leaves_the_trainer_the_one_that_trains) {
  const std::string piped = exchanged(kJob, "[python, train.py]", "[sh, -c, \"python train.py | tee log\"]");
  for (const char* asked : {"nvidia.com/gpu: 0", "nvidia.com/gpu: \"0\"", "example.com/telemetry-gpu: 1"})
    EXPECT_THAT(found(exchanged(piped, "      - name: trainer\n",
                                "      - name: proxy\n        image: example.org/proxy:1\n        command: [proxy]\n"
                                "        resources: {limits: {" +
                                    std::string(asked) + "}}\n      - name: trainer\n")),
                HasSubstr("shell-exit-code"))
        << asked;
}

}  // namespace
}  // namespace reprise::apps::lint
