// A node is asked to go only when the API server itself says whose it is.
#include <gtest/gtest.h>

#include "api/karpenter.h"
#include "controllers/resumablejob/shell/apply.h"
#include "controllers/testing/scripted_context.h"

namespace reprise::controllers::resumablejob {
namespace {

using controllers::testing::ScriptedContext;
using runtime::Result;

constexpr const char* kClaim =
    R"({"metadata":{"name":"c","uid":"uid-c","labels":{"reprise.dev/pool":"t4","karpenter.sh/nodepool":"t4-spot"}}})";
constexpr const char* kNodePool =
    R"({"metadata":{"name":"t4-spot","uid":"np","ownerReferences":[{"apiVersion":"reprise.dev/v1alpha1",)"
    R"("kind":"GpuPool","name":"t4","uid":"uid-pool-t4","controller":true}]}})";

Result<void> remove_claim(ScriptedContext& context) {
  context.on_remove = [](const auto&, const auto&) { return Result<void>{}; };
  api::ResumableJob job;
  std::string rejection;
  return apply(context, job, {DeleteNodeClaim{"c", "uid-c", "t4", "uid-pool-t4"}}, rejection);
}

TEST(DeleteNodeClaim, of_the_pool_is_carried_out) {
  ScriptedContext context;
  context.objects = {{"NodeClaim/c", kClaim}, {"NodePool/t4-spot", kNodePool}};
  EXPECT_TRUE(remove_claim(context));
  EXPECT_EQ(context.times("remove NodeClaim/c"), 1U);
}

TEST(DeleteNodeClaim, is_not_carried_out_when_the_api_server_shows_another_owner) {
  ScriptedContext context;
  std::string stranger = kNodePool;
  stranger.replace(stranger.find("uid-pool-t4"), 11, "uid-another");
  context.objects = {{"NodeClaim/c", kClaim}, {"NodePool/t4-spot", stranger}};
  EXPECT_FALSE(remove_claim(context));
  std::string relabelled = kClaim;
  relabelled.replace(relabelled.find(R"("t4")"), 4, R"("a1")");
  context.objects = {{"NodeClaim/c", relabelled}, {"NodePool/t4-spot", kNodePool}};
  EXPECT_FALSE(remove_claim(context));
  context.objects = {{"NodeClaim/c", kClaim}};
  EXPECT_FALSE(remove_claim(context)) << "its NodePool is gone: nobody can say whose it is";
  EXPECT_EQ(context.times("remove NodeClaim/c"), 0U);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
