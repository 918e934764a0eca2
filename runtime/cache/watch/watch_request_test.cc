#include "runtime/cache/watch/watch_request.h"

#include <gtest/gtest.h>

#include "runtime/kube/pod.h"

namespace reprise::runtime {
namespace {

using std::chrono::seconds;

WatchTarget pods_target() {
  WatchTarget target;
  target.kind = kube::KindOf<kube::Pod>::info();
  return target;
}
std::string accept(const Request& request) {
  return request.headers.at(0).second;
}
constexpr const char* kProtobuf = "application/vnd.kubernetes.protobuf";

TEST(WatchRequest, names_namespace_selectors_and_version) {
  WatchTarget target = pods_target();
  target.namespace_ = "vision";
  target.label_selector = "app=x,tier!=y";
  target.field_selector = "spec.nodeName=n";
  const Request request = watch_request(target, {"17", false, seconds(200), seconds(75), Encoding::Json});
  EXPECT_EQ(request.path_and_query,
            "/api/v1/namespaces/vision/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=200&resourceVersion=17"
            "&labelSelector=app%3Dx%2Ctier%21%3Dy&fieldSelector=spec.nodeName%3Dn");
  EXPECT_EQ(request.idle_timeout, seconds(75));
}

TEST(WatchRequest, a_streaming_list_may_ask_for_what_is_not_older) {
  const auto path =
      watch_request(pods_target(), {"17", true, seconds(200), seconds(75), Encoding::Json}).path_and_query;
  EXPECT_EQ(path,
            "/api/v1/pods?watch=true&allowWatchBookmarks=true&timeoutSeconds=200&sendInitialEvents=true"
            "&resourceVersionMatch=NotOlderThan&resourceVersion=17");
}

TEST(WatchRequest, pages_carry_their_token) {
  EXPECT_EQ(page_request(pods_target(), {"a/b", Encoding::Json}).path_and_query,
            "/api/v1/pods?limit=500&continue=a%2Fb");
}

TEST(WatchRequest, protobuf_is_asked_for_with_json_as_second_choice) {
  EXPECT_EQ(accept(watch_request(pods_target(), {"", true, seconds(1), seconds(75), Encoding::Protobuf})),
            std::string(kProtobuf) + ", application/json;q=0.9");
  EXPECT_EQ(accept(page_request(pods_target(), {"", Encoding::Protobuf})),
            std::string(kProtobuf) + ", application/json;q=0.9");
  EXPECT_EQ(accept(watch_request(pods_target(), {"", true, seconds(1), seconds(75), Encoding::Json})),
            "application/json");
}

TEST(WatchRequest, metadata_alone_is_asked_for_with_whole_objects_as_last_choice) {
  WatchTarget target = pods_target();
  target.metadata_only = true;
  const std::string as = ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
  EXPECT_EQ(accept(watch_request(target, {"", true, seconds(1), seconds(75), Encoding::Protobuf})),
            kProtobuf + as + ", application/json" + as + ";q=0.9, application/json;q=0.8");
  EXPECT_EQ(accept(watch_request(target, {"", true, seconds(1), seconds(75), Encoding::Json})),
            "application/json" + as + ", application/json;q=0.8");
  EXPECT_NE(accept(page_request(target, {"", Encoding::Protobuf})).find("as=PartialObjectMetadataList;"),
            std::string::npos);
}

}  // namespace
}  // namespace reprise::runtime
