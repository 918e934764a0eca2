// A machine is asked to go only when the API server itself says whose it is.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "api/kubernetes/karpenter.h"
#include "controllers/resumablejob/apply.h"
#include "runtime/base/log.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::controllers::resumablejob {
namespace {

using runtime::ErrorClass;
using runtime::Result;

class LiveObjects final : public runtime::ReconcileContext {
 public:
  const runtime::Clock& clock() const override { return clock_; }
  runtime::Logger& logger() override { return *logger_; }
  Result<runtime::WritePermit> permit() override { return runtime::fail(ErrorClass::NoPermit, "not asked for here"); }
  runtime::EventRecorder& events() override { throw std::logic_error("no events here"); }
  runtime::Instant deadline() const override { return runtime::Instant::max(); }
  runtime::Client& client() override { throw std::logic_error("no client here"); }
  void set_owner(std::string_view) override {}

  std::map<std::string, std::string> objects;  // by kind
  int removed = 0;

 protected:
  Result<std::string> create_json(const api::KindInfo&, const std::string&, std::string) override {
    throw std::logic_error("nothing is created here");
  }
  Result<std::string> patch_json(const api::KindInfo&, const std::string&, const std::string&, runtime::PatchType,
                                 std::string, std::string_view) override {
    throw std::logic_error("nothing is patched here");
  }
  Result<void> remove_object(const api::KindInfo&, const api::ObjectMeta&, runtime::DeleteOptions) override {
    ++removed;
    return {};
  }
  Result<std::string> get_json(const api::KindInfo& kind, const std::string&, const std::string&) override {
    const auto found = objects.find(std::string(kind.kind));
    if (found == objects.end()) return runtime::fail(ErrorClass::NotFound, "no such object");
    return found->second;
  }
  void remember_write(const api::KindInfo&, const std::string&, const std::string&) override {}

 private:
  runtime::testing::VirtualClock clock_;
  std::unique_ptr<runtime::Logger> logger_ = runtime::make_null_logger();
};

constexpr const char* kClaim =
    R"({"metadata":{"name":"c","uid":"uid-c","labels":{"reprise.dev/pool":"t4","karpenter.sh/nodepool":"t4-spot"}}})";
constexpr const char* kNodePool =
    R"({"metadata":{"name":"t4-spot","uid":"np","ownerReferences":[{"apiVersion":"reprise.dev/v1alpha1",)"
    R"("kind":"GpuPool","name":"t4","uid":"uid-pool-t4","controller":true}]}})";

Result<void> remove_claim(LiveObjects& context) {
  api::ResumableJob job;
  std::string refusal;
  return apply(context, job, {DeleteNodeClaim{"c", "uid-c", "t4", "uid-pool-t4"}}, refusal);
}

TEST(DeleteNodeClaim, of_the_pool_is_carried_out) {
  LiveObjects context;
  context.objects = {{"NodeClaim", kClaim}, {"NodePool", kNodePool}};
  EXPECT_TRUE(remove_claim(context));
  EXPECT_EQ(context.removed, 1);
}

TEST(DeleteNodeClaim, is_not_carried_out_when_the_api_server_shows_another_owner) {
  LiveObjects context;
  std::string stranger = kNodePool;
  stranger.replace(stranger.find("uid-pool-t4"), 11, "uid-another");
  context.objects = {{"NodeClaim", kClaim}, {"NodePool", stranger}};
  EXPECT_FALSE(remove_claim(context));
  std::string relabelled = kClaim;
  relabelled.replace(relabelled.find(R"("t4")"), 4, R"("a1")");
  context.objects = {{"NodeClaim", relabelled}, {"NodePool", kNodePool}};
  EXPECT_FALSE(remove_claim(context));
  context.objects = {{"NodeClaim", kClaim}};
  EXPECT_FALSE(remove_claim(context)) << "its NodePool is gone: nobody can say whose it is";
  EXPECT_EQ(context.removed, 0);
}

}  // namespace
}  // namespace reprise::controllers::resumablejob
