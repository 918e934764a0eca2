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
  context.on_create = [by_kind = std::move(by_kind)](const api::KindInfo& kind,
                                                     const std::string& body) -> Result<std::string> {
    const auto answer = by_kind.find(kind.kind);
    if (answer != by_kind.end()) return runtime::fail(answer->second, "the server's words");
    return body;
  };
}

Result<std::vector<std::string>> apply_all(ScriptedContext& context) {
  Observation seen;
  seen.pool = MakePool("t4").time_slicing(4).with([](auto& p) { p.spec.instance_types = {"g4dn.xlarge"}; }).get();
  return apply(context, {.operator_namespace = "reprise-system"}, decide(seen).actions);
}

TEST(PoolApply, goes_on_with_the_rest_where_a_name_is_taken_or_an_object_is_refused) {
  for (const ErrorClass refusal : {ErrorClass::AlreadyExists, ErrorClass::Invalid, ErrorClass::Forbidden}) {
    ScriptedContext context;
    answers(context, {{"NodeOverlay", refusal}, {"ConfigMap", refusal}});
    const auto refused = apply_all(context);
    ASSERT_TRUE(refused.has_value()) << runtime::name(refusal);
    EXPECT_EQ(*refused, (std::vector<std::string>{
                            "create NodeOverlay t4-g4dn.xlarge: the server's words",
                            "write key ts-4 of ConfigMap reprise-system/reprise-device-plugin: the server's words"}));
    EXPECT_EQ(context.asked, (std::vector<std::string>{"create NodePool", "create NodeOverlay", "create ConfigMap"}));
  }
}

TEST(PoolApply, ends_at_an_error_that_is_no_refusal) {
  ScriptedContext context;
  answers(context, {{"NodePool", ErrorClass::Unavailable}});
  EXPECT_FALSE(apply_all(context).has_value());
  EXPECT_EQ(context.asked.size(), 1U);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
