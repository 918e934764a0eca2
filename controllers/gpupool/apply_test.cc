// What the shell makes of the API server's answers to a pool's actions.
#include "controllers/gpupool/apply.h"

#include <gtest/gtest.h>

#include <map>

#include "controllers/gpupool/node_pools.h"
#include "controllers/testing/builders.h"
#include "controllers/testing/scripted_context.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::MakePool;
using controllers::testing::ScriptedContext;
using runtime::ErrorClass;
using runtime::Result;

using Answers = std::map<std::string, ErrorClass, std::less<>>;

// Answers creations of some kinds with an error, takes all others.
void answers(ScriptedContext& context, Answers by_kind) {
  context.on_create = [by_kind = std::move(by_kind)](const kube::KindInfo& kind,
                                                     const std::string& body) -> Result<std::string> {
    const auto answer = by_kind.find(kind.kind);
    if (answer != by_kind.end()) return runtime::fail(answer->second, "the server's message");
    return body;
  };
}

Applied apply_all(ScriptedContext& context) {
  Observation seen;
  seen.pool = MakePool("t4").time_slicing(4).with([](auto& p) { p.spec.instance_types = {"g4dn.xlarge"}; }).get();
  Attempts attempts;
  return apply(context, {.device_plugin_namespace = "reprise-system"}, *seen.pool, decide(seen).actions, attempts);
}

std::vector<std::string> messages(const Applied& applied) {
  std::vector<std::string> all;
  for (const Obstacle& each : applied.obstacles) all.push_back(each.message);
  return all;
}

TEST(PoolApply, goes_on_with_the_rest_where_a_name_is_taken_or_an_object_is_rejected) {
  for (const ErrorClass rejection :
       {ErrorClass::AlreadyExists, ErrorClass::Invalid, ErrorClass::Forbidden, ErrorClass::Terminal}) {
    ScriptedContext context;
    answers(context, {{"NodeOverlay", rejection}, {"ConfigMap", rejection}});
    const Applied applied = apply_all(context);
    EXPECT_FALSE(applied.error) << runtime::name(rejection);
    EXPECT_EQ(messages(applied),
              (std::vector<std::string>{
                  "create NodeOverlay t4-g4dn.xlarge: the server's message",
                  "write key ts-4 of ConfigMap reprise-system/reprise-device-plugin: the server's message"}));
    EXPECT_EQ(context.requests,
              (std::vector<std::string>{"create NodePool", "create NodeOverlay", "create ConfigMap"}));
  }
}

TEST(PoolApply, goes_on_with_the_rest_after_what_may_pass_by_itself) {
  ScriptedContext context;
  answers(context, {{"NodePool", ErrorClass::Unavailable}});
  const Applied applied = apply_all(context);
  ASSERT_TRUE(applied.error);
  EXPECT_EQ(applied.error->error_class, ErrorClass::Unavailable);
  EXPECT_TRUE(applied.obstacles.empty());
  EXPECT_EQ(context.requests, (std::vector<std::string>{"create NodePool", "create NodeOverlay", "create ConfigMap"}));
}

TEST(PoolApply, writes_its_key_at_once_into_a_map_that_another_pool_has_just_made) {
  ScriptedContext context;
  answers(context, {{"ConfigMap", ErrorClass::AlreadyExists}});
  context.on_patch = [](const kube::KindInfo&, const std::string& body) -> Result<std::string> { return body; };
  const auto pool = MakePool("t4").time_slicing(4).get();
  Attempts attempts;
  WriteDevicePluginKey write{"reprise-device-plugin", "ts-4", "{}", true, {}};
  EXPECT_EQ(apply(context, {}, *pool, {write}, attempts).obstacles.size(), 1U);
  write.create = false;
  static_cast<void>(apply(context, {}, *pool, {write}, attempts));
  EXPECT_EQ(context.requests.size(), 2U);
}

TEST(PoolApply, ends_where_nothing_more_may_be_sent) {
  ScriptedContext context;
  answers(context, {{"NodePool", ErrorClass::NoPermit}});
  EXPECT_TRUE(apply_all(context).error);
  EXPECT_EQ(context.requests.size(), 1U);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
