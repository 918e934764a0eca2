#include "runtime/kube/meta.h"

#include <gtest/gtest.h>

#include "api/gpu_pool.h"
#include "api/resumable_job.h"
#include "runtime/kube/core.h"
#include "runtime/kube/metadata.h"
#include "runtime/kube/pod.h"

namespace reprise::api {
namespace {

TEST(ObjectMeta, is_kept_without_the_copy_that_kubectl_makes_of_a_manifest) {
  const auto meta = kube::decode_metadata(
      R"({"metadata":{"name":"a","annotations":{"a":"1","kubectl.kubernetes.io/last-applied-configuration":"{}"}}})");
  ASSERT_TRUE(meta.has_value());
  EXPECT_EQ(meta->annotations, (kube::StringMap{{"a", "1"}}));
}

TEST(KindInfo, names_the_place_of_an_object) {
  EXPECT_EQ(kube::KindOf<kube::Pod>::info().api_version(), "v1");
  EXPECT_EQ(kube::KindOf<GpuPool>::info().api_version(), "reprise.dev/v1alpha1");
  EXPECT_EQ(kube::KindOf<kube::Pod>::info().path("vision", "a", ""), "/api/v1/namespaces/vision/pods/a");
  EXPECT_EQ(kube::KindOf<kube::Pod>::info().path("", "", ""), "/api/v1/pods");
  EXPECT_EQ(kube::KindOf<GpuPool>::info().path("ignored", "t4", "status"),
            "/apis/reprise.dev/v1alpha1/gpupools/t4/status");
}

TEST(KindInfo, no_name_leaves_its_segment) {
  const auto path = [](std::string_view name) { return kube::KindOf<kube::Pod>::info().path("n", name, ""); };
  EXPECT_EQ(path("a/../../secrets"), "/api/v1/namespaces/n/pods/a%2F..%2F..%2Fsecrets");
  EXPECT_EQ(path("a?watch=1#x"), "/api/v1/namespaces/n/pods/a%3Fwatch%3D1%23x");
  EXPECT_EQ(path("a\r\nHost: b"), "/api/v1/namespaces/n/pods/a%0D%0AHost:%20b");
  EXPECT_EQ(path("\xC3\xA4%41"), "/api/v1/namespaces/n/pods/%C3%A4%2541");
  EXPECT_EQ(path(".."), "");
  EXPECT_EQ(path("."), "");
  EXPECT_EQ(kube::KindOf<kube::Pod>::info().path("..", "a", ""), "");
  EXPECT_EQ(kube::KindOf<kube::Pod>::info().path("n", "a", ".."), "");
}

TEST(ObjectMeta, finds_controller_finalizer_label_and_annotation) {
  kube::ObjectMeta meta;
  meta.owner_references = {{.api_version = "v1", .kind = "Node", .name = "n", .uid = "1"},
                           {.api_version = "v1", .kind = "Job", .name = "j", .uid = "2", .controller = true}};
  meta.finalizers = {"a", "b"};
  meta.labels = {{"team", "vision"}};
  meta.annotations = {{"note", "x"}};
  ASSERT_NE(meta.controller(), nullptr);
  EXPECT_EQ(meta.controller()->uid, "2");
  EXPECT_TRUE(meta.has_finalizer("b"));
  EXPECT_FALSE(meta.has_finalizer("c"));
  EXPECT_EQ(meta.label("team"), "vision");
  EXPECT_EQ(meta.label("none"), "");
  EXPECT_EQ(meta.annotation("note"), "x");
  EXPECT_EQ(kube::ObjectMeta{}.controller(), nullptr);
}

TEST(LabelSelector, reads_as_kubernetes_reads_it) {
  const kube::StringMap labels{{"team", "vision"}, {"stage", "dev"}};
  EXPECT_TRUE(kube::LabelSelector{}.matches(labels));
  EXPECT_TRUE((kube::LabelSelector{.match_labels = {{"team", "vision"}}, .match_expressions = {}}.matches(labels)));
  EXPECT_FALSE((kube::LabelSelector{.match_labels = {{"team", "audio"}}, .match_expressions = {}}.matches(labels)));
  const auto one = [&](const char* key, const char* op, std::vector<std::string> values) {
    return kube::LabelSelector{.match_labels = {}, .match_expressions = {{key, op, std::move(values)}}}.matches(labels);
  };
  EXPECT_TRUE(one("stage", "In", {"prod", "dev"}));
  EXPECT_FALSE(one("stage", "In", {"prod"}));
  EXPECT_FALSE(one("absent", "In", {"prod"}));
  EXPECT_TRUE(one("absent", "NotIn", {"prod"}));
  EXPECT_FALSE(one("stage", "NotIn", {"dev"}));
  EXPECT_TRUE(one("stage", "Exists", {}));
  EXPECT_FALSE(one("absent", "Exists", {}));
  EXPECT_TRUE(one("absent", "DoesNotExist", {}));
  EXPECT_FALSE(one("stage", "DoesNotExist", {}));
  EXPECT_FALSE(one("stage", "Matches", {"dev"}));
}

}  // namespace
}  // namespace reprise::api
