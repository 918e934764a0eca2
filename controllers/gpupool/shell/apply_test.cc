// The shell's reactions to the API server's answers to a pool's actions.
#include "controllers/gpupool/shell/apply.h"

#include <gtest/gtest.h>

#include <map>

#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/testing/builders.h"
#include "controllers/testing/scripted_context.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::MakePool;
using controllers::testing::ScriptedContext;
using runtime::ErrorClass;
using runtime::Result;

constexpr const char* kNodePoolOfT4 =
    R"({"metadata":{"name":"t4-spot","ownerReferences":[{"apiVersion":"reprise.dev/v1alpha1",)"
    R"("kind":"GpuPool","name":"t4","uid":"uid-pool-t4","controller":true}]}})";

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

TEST(PoolApply, a_limit_that_follows_the_machines_is_no_quarrel_and_one_that_is_written_again_as_it_was_is) {
  ScriptedContext context;
  context.on_patch = [](const kube::KindInfo&, const std::string& body) -> Result<std::string> { return body; };
  const auto pool = MakePool("t4").get();
  const api::NodePool current = desired_node_pools(*pool).value().front();
  Attempts attempts;
  const auto writes = [&](const char* limit) {
    api::NodePool wanted = current;
    wanted.spec.limits["nvidia.com/gpu"] = limit;
    attempts.begin(1);
    return messages(apply(context, {}, *pool, {UpdateNodePool{wanted, current}}, attempts));
  };
  EXPECT_TRUE(writes("4").empty());
  EXPECT_TRUE(writes("8").empty());
  const auto quarrel = writes("8");
  ASSERT_EQ(quarrel.size(), 1U);
  EXPECT_TRUE(quarrel.front().starts_with("change NodePool t4-spot: it was done")) << quarrel.front();
}

// A pause begins, a machine becomes useful, another pause begins, all within a minute.
TEST(PoolApply, a_limit_that_the_pool_itself_has_changed_meanwhile_is_no_quarrel) {
  ScriptedContext context;
  context.on_patch = [](const kube::KindInfo&, const std::string& body) -> Result<std::string> { return body; };
  const auto pool = MakePool("t4").get();
  api::NodePool current = desired_node_pools(*pool).value().front();
  Attempts attempts;
  for (const char* limit : {"0", "16", "0", "16"}) {
    api::NodePool wanted = current;
    wanted.spec.limits["nvidia.com/gpu"] = limit;
    attempts.begin(1);
    EXPECT_TRUE(messages(apply(context, {}, *pool, {UpdateNodePool{wanted, current}}, attempts)).empty()) << limit;
    attempts.end(context.clock().steady());
    current = wanted;
  }
}

TEST(PoolApply, ends_where_nothing_more_may_be_sent) {
  ScriptedContext context;
  answers(context, {{"NodePool", ErrorClass::NoPermit}});
  EXPECT_TRUE(apply_all(context).error);
  EXPECT_EQ(context.requests.size(), 1U);
}

TEST(PoolApply, a_node_whose_gpus_are_sound_again_when_they_are_asked_about_stays) {
  for (const bool broken : {true, false}) {
    ScriptedContext context;
    std::string removed;
    context.on_remove = [&](const kube::KindInfo&, const kube::ObjectMeta& meta) -> Result<void> {
      removed = meta.name;
      return {};
    };
    context.objects = {
        {"NodeClaim/claim", R"({"metadata":{"name":"claim","uid":"uid-claim","labels":{"reprise.dev/pool":"t4",)"
                            R"("karpenter.sh/nodepool":"t4-spot"}},"status":{"nodeName":"node"}})"},
        {"NodePool/t4-spot", kNodePoolOfT4},
        {"Node/node",
         std::string(R"({"metadata":{"name":"node"},"status":{"conditions":[{"type":"GpuMemWatch","status":)") +
             (broken ? R"("True")" : R"("False")") + "}]}}"}};
    Attempts attempts;
    const Applied applied = apply(context, {.device_plugin_namespace = "reprise-system"}, *MakePool("t4").get(),
                                  {ReplaceFaultyNode{"claim", "uid-claim", "node"}}, attempts);
    EXPECT_EQ(removed, broken ? "claim" : "");
    EXPECT_EQ(applied.error.has_value(), !broken);
  }
}

TEST(PoolApply, rolls_a_node_only_while_the_api_server_shows_it_drifted_and_nobody_asks_for_it_to_stay) {
  struct Case {
    const char *drifted, *of_claim, *of_node;
    bool goes, had_drifted = true;
  };
  for (const Case& row :
       {Case{"True", "{}", "{}", true}, Case{"False", "{}", "{}", false}, Case{"False", "{}", "{}", true, false},
        Case{"False", "{}", R"({"karpenter.sh/do-not-disrupt":"true"})", false, false},
        Case{"True", R"({"karpenter.sh/do-not-disrupt":"true"})", "{}", false},
        Case{"True", "{}", R"({"karpenter.sh/do-not-disrupt":"true"})", false}}) {
    ScriptedContext context;
    std::string removed;
    context.on_remove = [&](const kube::KindInfo&, const kube::ObjectMeta& meta) -> Result<void> {
      removed = meta.name;
      return {};
    };
    const std::string claim =
        R"({"metadata":{"name":"claim","uid":"uid-claim","labels":{"reprise.dev/pool":"t4","karpenter.sh/nodepool":"t4-spot"},)"
        R"("annotations":)" +
        std::string(row.of_claim) + R"(},"status":{"nodeName":"node","conditions":[{"type":"Drifted","status":")" +
        row.drifted + R"("}]}})";
    context.objects = {{"NodeClaim/claim", claim},
                       {"NodePool/t4-spot", kNodePoolOfT4},
                       {"Node/node", R"({"metadata":{"name":"node","annotations":)" + std::string(row.of_node) + "}}"}};
    Attempts attempts;
    const Applied applied =
        apply(context, {}, *MakePool("t4").get(), {RollNode{"claim", "uid-claim", "node", row.had_drifted}}, attempts);
    EXPECT_EQ(removed, row.goes ? "claim" : "") << row.drifted << row.of_claim << row.of_node;
    EXPECT_EQ(applied.error.has_value(), !row.goes);
  }
}

}  // namespace
}  // namespace reprise::controllers::gpupool
