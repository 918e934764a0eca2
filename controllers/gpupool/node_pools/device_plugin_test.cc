// The device plugin's ConfigMap: a key for each way of sharing, and one that shares nothing for all other nodes.
#include "controllers/gpupool/node_pools/device_plugin.h"

#include <gtest/gtest.h>

#include "controllers/gpupool/shell/apply.h"
#include "controllers/testing/builders.h"
#include "controllers/testing/scripted_context.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::MakePool;
using controllers::testing::ScriptedContext;

Observation sharing_pool(const kube::StringMap& data, bool own = true) {
  Observation seen;
  seen.pool = MakePool("t4").time_slicing(4).get();
  seen.now = kStart;
  auto map = std::make_shared<kube::ConfigMap>();
  map->meta.name = kDefaultConfigMap;
  map->meta.resource_version = "5";
  if (own) map->meta.labels = {{"app.kubernetes.io/managed-by", "reprise"}};
  map->data = data;
  seen.device_plugin_config = map;
  return seen;
}

std::vector<std::string> written_keys(const Observation& seen) {
  Plan plan;
  EXPECT_FALSE(plan_device_plugin(seen, plan));
  std::vector<std::string> keys;
  for (const Action& action : plan.actions) keys.push_back(std::get<WriteDevicePluginKey>(action).key);
  return keys;
}

std::string key_of_pool(const Observation& seen) {
  Observation absent = seen;
  absent.device_plugin_config = nullptr;
  return written_keys(absent).at(0);
}

TEST(DevicePluginMap, is_made_with_a_default_that_shares_nothing) {
  ScriptedContext context;
  std::string made;
  context.on_create = [&](const kube::KindInfo& kind, const std::string& body) -> runtime::Result<std::string> {
    if (kind.kind == "ConfigMap") made = body;
    return body;
  };
  Attempts attempts;
  const auto pool = MakePool("t4").time_slicing(4).get();
  const WriteDevicePluginKey write{"reprise-device-plugin", "ts-4", "content", true, {}};
  static_cast<void>(apply(context, {.device_plugin_namespace = "reprise-system"}, *pool, {write}, attempts));
  EXPECT_NE(made.find(R"("default":"version: v1\n")"), std::string::npos) << made;
  EXPECT_NE(made.find(R"("ts-4":"content")"), std::string::npos) << made;
}

TEST(DevicePluginMap, of_an_older_operator_gets_the_default_before_anything_else) {
  EXPECT_EQ(written_keys(sharing_pool({{"mps-4", "x"}})), std::vector<std::string>{"default"});
  EXPECT_EQ(written_keys(sharing_pool({{"mps-4", "x"}, {"default", std::string(kSharesNothing)}})),
            std::vector<std::string>{key_of_pool(sharing_pool({}))});
}

TEST(DevicePluginMap, keeps_the_default_that_a_person_wrote_and_is_left_alone_where_it_is_somebody_else_s) {
  const std::string key = key_of_pool(sharing_pool({}));
  EXPECT_EQ(written_keys(sharing_pool({{"default", "version: v1\nflags: {}\n"}})), std::vector<std::string>{key});
  EXPECT_EQ(written_keys(sharing_pool({{"mine", "x"}}, false)), std::vector<std::string>{key});
}

TEST(DevicePluginMap, never_loses_its_default) {
  const Observation seen = sharing_pool({{"default", std::string(kSharesNothing)}});
  EXPECT_TRUE(unused_device_plugin_keys(*seen.device_plugin_config, {}).empty());
}

}  // namespace
}  // namespace reprise::controllers::gpupool
