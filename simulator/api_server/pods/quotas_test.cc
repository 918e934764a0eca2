// ResourceQuota, LimitRange and webhooks; a quota's first words are held against the real API server by tests/contract.
#include "simulator/api_server/pods/quotas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

#include "runtime/testing/virtual_clock.h"
#include "simulator/api_server/api_server.h"

namespace reprise::simulator {
namespace {

using runtime::ErrorClass;
using testing::HasSubstr;

class Limits : public testing::Test {
 protected:
  static Value pod(std::string_view name, std::string_view resources = "{}") {
    return boost::json::parse(R"({"metadata": {"name": ")" + std::string(name) +
                              R"(", "namespace": "default"}, "spec": {"containers": [{"name": "main", "image": "i",
                              "resources": )" +
                              std::string(resources) + "}]}}");
  }
  void add(const char* plural, const char* name, std::string_view spec) {
    ASSERT_TRUE(server.create(server.resource("", plural),
                              boost::json::parse(R"({"metadata": {"name": ")" + std::string(name) +
                                                 R"(", "namespace": "default"}, "spec": )" + std::string(spec) + "}")));
  }
  std::string rejected(const Value& object) {
    const auto made = server.create(pods, object);
    if (made) return {};
    EXPECT_EQ(made.error().error_class, ErrorClass::Forbidden);
    return made.error().message;
  }

  runtime::testing::VirtualClock clock;
  runtime::SeededRandom random{7};
  ApiServer server{clock, random};
  ResourceId pods = server.resource("", "pods");
};

TEST_F(Limits, a_quota_counts_what_has_not_ended) {
  add("resourcequotas", "q", R"({"hard": {"pods": "1"}})");
  EXPECT_EQ(rejected(pod("a")), "");
  EXPECT_EQ(rejected(pod("b")),
            "pods \"b\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1");
  ASSERT_TRUE(server.update(
      {pods, "default", "a"},
      [](Value& each) {
        set(each, {"status", "phase"}, "Failed");
      },
      "status"));
  EXPECT_EQ(rejected(pod("b")), "");
}

TEST_F(Limits, a_quota_on_devices_sums_what_containers_request) {
  add("resourcequotas", "q", R"({"hard": {"requests.nvidia.com/gpu": "4"}})");
  EXPECT_EQ(rejected(pod("a", R"({"limits": {"nvidia.com/gpu": 3}})")), "");
  EXPECT_THAT(rejected(pod("b", R"({"limits": {"nvidia.com/gpu": "2"}})")),
              HasSubstr("exceeded quota: q, requested: requests.nvidia.com/gpu=2, used: requests.nvidia.com/gpu=3, "
                        "limited: requests.nvidia.com/gpu=4"));
  EXPECT_EQ(rejected(pod("c")), "") << "it asks for none";
}

TEST_F(Limits, a_quota_on_cpu_demands_that_each_container_says_what_it_needs) {
  add("resourcequotas", "q", R"({"hard": {"requests.cpu": "4"}})");
  EXPECT_EQ(rejected(pod("a")), "pods \"a\" is forbidden: failed quota: q: must specify requests.cpu for: main");
  add("limitranges", "l", R"({"limits": [{"type": "Container", "defaultRequest": {"cpu": "3"}}]})");
  EXPECT_EQ(rejected(pod("a")), "");
  EXPECT_THAT(rejected(pod("b")), HasSubstr("exceeded quota: q, requested: requests.cpu=3"));
}

TEST_F(Limits, a_range_bounds_each_container) {
  add("limitranges", "l", R"({"limits": [{"type": "Container", "max": {"cpu": "2"}}]})");
  EXPECT_EQ(rejected(pod("a", R"({"limits": {"cpu": "3"}})")),
            "pods \"a\" is forbidden: maximum cpu usage per Container is 2, but limit is 3");
  EXPECT_EQ(rejected(pod("a", R"({"limits": {"cpu": "1500m"}})")), "");
}

TEST_F(Limits, a_webhook_that_gives_no_code_denies_with_400_and_no_reason) {
  server.set_webhook(
      [](const ResourceType&, const Value&) { return Denial{.code = 0, .reason = {}, .message = "no"}; });
  const auto made = server.create(pods, pod("a"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().error_class, ErrorClass::Invalid);
  server.set_webhook({});
  EXPECT_TRUE(server.create(pods, pod("a")));
}

}  // namespace
}  // namespace reprise::simulator
