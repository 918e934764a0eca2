#include "apps/kubectl-reprise/why/reading/fetch_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "simulator/api_server/patch/yaml.h"

namespace reprise::plugin::why {
namespace {

// Answers with the given objects, and remembers the questions.
class GivenObjects final : public ObjectSource {
 public:
  std::map<std::string, std::vector<std::string>> objects;  // by kind, YAML
  std::map<std::string, runtime::ErrorClass> failing;       // by kind
  std::vector<std::string> asked;                           // "Pod vision reprise.dev/job=finetune"

  runtime::Result<boost::json::value> get(const kube::KindInfo& kind, std::string_view ns,
                                          std::string_view name) override {
    auto all = list(kind, ns, {});
    if (!all) return std::unexpected(std::move(all).error());
    for (const auto& each : *all) {
      if (simulator::name_of(each) == name) return each;
    }
    return runtime::fail(runtime::ErrorClass::NotFound, "not found");
  }
  runtime::Result<std::vector<boost::json::value>> list(const kube::KindInfo& kind, std::string_view ns,
                                                        runtime::ListOptions options) override {
    asked.push_back(std::string(kind.kind) + " " + std::string(ns) + " " + options.label_selector +
                    options.field_selector);
    if (const auto found = failing.find(std::string(kind.kind)); found != failing.end()) {
      return runtime::fail(found->second, std::string(kind.kind) + " cannot be read");
    }
    std::vector<boost::json::value> all;
    for (const std::string& text : objects[std::string(kind.kind)]) all.push_back(simulator::read_yaml(text).value());
    return all;
  }
};

GivenObjects small_cluster() {
  GivenObjects given;
  given.objects["ResumableJob"] = {
      "{metadata: {name: finetune, namespace: vision, uid: job-1}, spec: {poolName: t4}, status: {attempt: 1}}"};
  given.objects["GpuPool"] = {"{metadata: {name: t4}, status: {nodePools: [{name: t4-spot}, {name: t4-on-demand}]}}"};
  given.objects["NodePool"] = {"{metadata: {name: t4-spot}}"};
  given.objects["Pod"] = {"{metadata: {name: finetune-1-0}, spec: {nodeName: gpu-1}}"};
  given.objects["Node"] = {"{metadata: {name: gpu-1}}", "{metadata: {name: of-others}}"};
  return given;
}

}  // namespace

TEST(FetchObjects, a_job_comes_with_its_pods_their_nodes_and_what_its_pool_is_made_of) {
  GivenObjects given = small_cluster();
  const auto objects = fetch_for_job(given, "vision", "finetune");
  ASSERT_TRUE(objects.has_value());
  ASSERT_TRUE(objects->job.has_value());
  ASSERT_TRUE(objects->pool.has_value());
  EXPECT_EQ(objects->pods.size(), 1U);
  ASSERT_EQ(objects->nodes.size(), 1U);
  EXPECT_EQ(objects->nodes.front().meta.name, "gpu-1");
  EXPECT_EQ(objects->node_pools.size(), 1U);
  EXPECT_TRUE(objects->unseen.empty());
  EXPECT_THAT(given.asked, ::testing::Contains("Pod vision reprise.dev/job=finetune"));
  EXPECT_THAT(given.asked, ::testing::Contains("NodeClaim  karpenter.sh/nodepool in (t4-spot,t4-on-demand)"));
}

TEST(FetchObjects, what_the_user_may_not_read_is_named_once_and_the_rest_is_fetched) {
  GivenObjects given = small_cluster();
  given.failing = {{"Lease", runtime::ErrorClass::Forbidden}, {"NodePool", runtime::ErrorClass::Forbidden}};
  const auto objects = fetch_for_job(given, "vision", "finetune");
  ASSERT_TRUE(objects.has_value());
  EXPECT_FALSE(objects->saw("Lease"));
  EXPECT_FALSE(objects->saw("NodePool"));
  EXPECT_EQ(objects->unseen.size(), 2U);
  EXPECT_EQ(objects->pods.size(), 1U);
}

TEST(FetchObjects, a_kind_that_is_not_served_is_unseen) {
  GivenObjects given = small_cluster();
  given.failing = {{"NodeClaim", runtime::ErrorClass::NotFound}};
  const auto objects = fetch_for_job(given, "vision", "finetune");
  ASSERT_TRUE(objects.has_value());
  EXPECT_FALSE(objects->saw("NodeClaim"));
}

TEST(FetchObjects, a_job_that_is_not_there_and_a_server_that_does_not_answer_are_errors) {
  GivenObjects given = small_cluster();
  const auto nothing = fetch_for_job(given, "vision", "other");
  ASSERT_FALSE(nothing.has_value());
  EXPECT_EQ(nothing.error().error_class, runtime::ErrorClass::NotFound);
  given.failing = {{"Pod", runtime::ErrorClass::Unavailable}};
  const auto silent = fetch_for_job(given, "vision", "finetune");
  ASSERT_FALSE(silent.has_value());
  EXPECT_EQ(silent.error().error_class, runtime::ErrorClass::Unavailable);
}

TEST(FetchObjects, a_pool_comes_without_any_job) {
  GivenObjects given = small_cluster();
  const auto objects = fetch_for_pool(given, "t4");
  ASSERT_TRUE(objects.has_value());
  EXPECT_FALSE(objects->job.has_value());
  EXPECT_EQ(objects->node_pools.size(), 1U);
  EXPECT_EQ(objects->subject.text(), "GpuPool t4");
}

}  // namespace reprise::plugin::why
