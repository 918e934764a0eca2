// What the shell makes of the API server's answers to a pool's actions.
#include "controllers/gpupool/apply.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "controllers/gpupool/node_pools.h"
#include "controllers/testing/builders.h"
#include "runtime/base/log.h"
#include "runtime/testing/virtual_clock.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::MakePool;
using runtime::ErrorClass;
using runtime::Result;

// Answers creations of some kinds with an error, takes all others.
class AnsweringContext final : public runtime::ReconcileContext {
 public:
  explicit AnsweringContext(std::map<std::string, ErrorClass, std::less<>> answers) : answers_(std::move(answers)) {}
  const runtime::Clock& clock() const override { return clock_; }
  runtime::Logger& logger() override { return *logger_; }
  Result<runtime::WritePermit> permit() override { return runtime::fail(ErrorClass::NoPermit, "not asked for here"); }
  runtime::EventRecorder& events() override { throw std::logic_error("no events here"); }
  runtime::Instant deadline() const override { return runtime::Instant::max(); }
  runtime::Client& client() override { throw std::logic_error("no client here"); }
  void set_owner(std::string_view) override {}
  const std::vector<std::string>& asked() const { return asked_; }

 protected:
  Result<std::string> create_json(const api::KindInfo& kind, const std::string&, std::string body) override {
    asked_.emplace_back(kind.kind);
    const auto answer = answers_.find(kind.kind);
    if (answer != answers_.end()) return runtime::fail(answer->second, "the server's words");
    return body;
  }
  Result<std::string> patch_json(const api::KindInfo&, const std::string&, const std::string&, runtime::PatchType,
                                 std::string, std::string_view) override {
    throw std::logic_error("nothing is changed here");
  }
  Result<void> remove_object(const api::KindInfo&, const api::ObjectMeta&, runtime::DeleteOptions) override {
    throw std::logic_error("nothing is removed here");
  }
  Result<std::string> get_json(const api::KindInfo&, const std::string&, const std::string&) override {
    throw std::logic_error("nothing is read here");
  }
  void remember_write(const api::KindInfo&, const std::string&, const std::string&) override {}

 private:
  std::map<std::string, ErrorClass, std::less<>> answers_;
  std::vector<std::string> asked_;
  runtime::testing::VirtualClock clock_;
  std::unique_ptr<runtime::Logger> logger_ = runtime::make_null_logger();
};

Applied apply_all(AnsweringContext& context) {
  Observation seen;
  seen.pool = MakePool("t4").time_slicing(4).with([](auto& p) { p.spec.instance_types = {"g4dn.xlarge"}; }).get();
  Attempts attempts;
  return apply(context, {.operator_namespace = "reprise-system"}, *seen.pool, decide(seen).actions, attempts);
}

std::vector<std::string> words(const Applied& applied) {
  std::vector<std::string> all;
  for (const Obstacle& each : applied.obstacles) all.push_back(each.words);
  return all;
}

TEST(PoolApply, goes_on_with_the_rest_where_a_name_is_taken_or_an_object_is_refused) {
  for (const ErrorClass refusal :
       {ErrorClass::AlreadyExists, ErrorClass::Invalid, ErrorClass::Forbidden, ErrorClass::Terminal}) {
    AnsweringContext context({{"NodeOverlay", refusal}, {"ConfigMap", refusal}});
    const Applied applied = apply_all(context);
    EXPECT_FALSE(applied.error) << runtime::name(refusal);
    EXPECT_EQ(words(applied),
              (std::vector<std::string>{
                  "create NodeOverlay t4-g4dn.xlarge: the server's words",
                  "write key ts-4 of ConfigMap reprise-system/reprise-device-plugin: the server's words"}));
    EXPECT_EQ(context.asked(), (std::vector<std::string>{"NodePool", "NodeOverlay", "ConfigMap"}));
  }
}

TEST(PoolApply, goes_on_with_the_rest_after_what_may_pass_by_itself) {
  AnsweringContext context({{"NodePool", ErrorClass::Unavailable}});
  const Applied applied = apply_all(context);
  ASSERT_TRUE(applied.error);
  EXPECT_EQ(applied.error->error_class, ErrorClass::Unavailable);
  EXPECT_TRUE(applied.obstacles.empty());
  EXPECT_EQ(context.asked(), (std::vector<std::string>{"NodePool", "NodeOverlay", "ConfigMap"}));
}

TEST(PoolApply, ends_where_nothing_more_may_be_sent) {
  AnsweringContext context({{"NodePool", ErrorClass::NoPermit}});
  EXPECT_TRUE(apply_all(context).error);
  EXPECT_EQ(context.asked().size(), 1U);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
