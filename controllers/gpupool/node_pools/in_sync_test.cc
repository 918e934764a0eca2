// A pool's objects are in sync once they are read back, however the API server and Karpenter store them: else each
// reconcile writes them again. For any pool that the CRD admits.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "api/testing/stored_object.h"
#include "controllers/gpupool/node_pools/node_pools.h"
#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using api::testing::LastWriter;
using api::testing::merge_patched;
using api::testing::stored_object;
using controllers::testing::MakePool;

template <class T>
std::vector<T> some_of(std::vector<T> all) {
  std::vector<T> chosen;
  for (T& each : all) {
    if (*rc::gen::arbitrary<bool>()) chosen.push_back(std::move(each));
  }
  return chosen;
}
std::int32_t up_to(std::int32_t low, std::int32_t high) {
  return *rc::gen::inRange(low, high + 1);
}
bool maybe() {
  return *rc::gen::arbitrary<bool>();
}

std::vector<api::DisruptionBudget> any_budgets() {
  std::vector<api::DisruptionBudget> budgets;
  for (int left = up_to(0, 3); left > 0; --left) {
    api::DisruptionBudget budget{.nodes = *rc::gen::element<std::string>("0", "3", "10%", "100%"),
                                 .reasons = some_of<std::string>({"Underutilized", "Empty", "Drifted"})};
    if (maybe()) {
      budget.schedule = *rc::gen::element<std::string>("@daily", "0 9 * * mon-fri");
      budget.duration_seconds =
          *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(60, 600), rc::gen::inRange<std::int64_t>(60, 31'536'001));
    }
    budgets.push_back(std::move(budget));
  }
  return budgets;
}

std::vector<api::NodeRequirement> any_requirements() {
  std::vector<api::NodeRequirement> requirements;
  for (int left = up_to(0, 3); left > 0; --left) {
    api::NodeRequirement one{.key = *rc::gen::element<std::string>("a/b", "kubernetes.io/arch"),
                             .op = *rc::gen::element<std::string>("In", "Exists", "Gt")};
    if (one.op == "In") one.values = {"y", "x"};
    if (one.op == "Gt") one.values = {"007"};
    if (one.op == "In" && maybe()) one.min_values = up_to(1, 2);
    requirements.push_back(std::move(one));
  }
  return requirements;
}

std::vector<kube::Taint> any_taints() {
  return some_of<kube::Taint>(
      {{.key = "a", .value = "", .effect = "NoSchedule"}, {.key = "b", .value = "true", .effect = "NoExecute"}});
}

std::vector<api::PoolCapacity> any_capacity() {
  std::vector<api::PoolCapacity> capacity;
  for (const auto type : {api::CapacityType::Spot, api::CapacityType::OnDemand, api::CapacityType::Reserved}) {
    if (type != api::CapacityType::Spot && maybe()) continue;
    api::PoolCapacity one{.type = type};
    if (maybe()) one.max_gpus = *rc::gen::oneOf(rc::gen::inRange(1, 100'001), rc::gen::element(1000, 25'000, 100'000));
    if (maybe()) one.notice_seconds = up_to(0, 86'400);
    capacity.push_back(one);
  }
  return capacity;
}

api::GpuPool any_pool() {
  api::GpuPool pool = *MakePool("t4").get();
  api::GpuPoolSpec& spec = pool.spec;
  spec.gpu.models = some_of<std::string>({"t4", "a10g", "l4"});
  spec.gpu.counts_per_node = some_of<std::int32_t>({4, 1, 8, 40});
  if (maybe()) spec.gpu.min_memory_mib = up_to(1, 16'777'216);
  spec.node_class_ref->group = *rc::gen::element<std::string>("karpenter.k8s.aws", "karpenter.kwok.sh");
  spec.capacity = any_capacity();
  if (maybe()) spec.sharing = {.mode = api::SharingMode::TimeSlicing, .replicas = up_to(2, 48)};
  spec.scale_down_idle_seconds = *rc::gen::element(0, 90, 300, 604'800);
  spec.zones = some_of<std::string>({"z-b", "z-a"});
  spec.instance_types = some_of<std::string>({"g5.xlarge", "g4dn.xlarge"});
  spec.requirements = any_requirements();
  for (const auto& key : some_of<std::string>({"team", "a.b/c"})) spec.labels[key] = maybe() ? "v" : "";
  for (const auto& key : some_of<std::string>({"note", "d"})) spec.annotations[key] = maybe() ? "said \"so\"\n" : "";
  spec.taints = any_taints();
  spec.startup_taints = any_taints();
  spec.disruption_budgets = any_budgets();
  return pool;
}

template <class T>
void expect_in_sync(const std::string& text, const T& wanted) {
  const auto read = kube::KindOf<T>::decode(text);
  RC_ASSERT(read.has_value());
  if (read->spec != wanted.spec) RC_FAIL("read back differs: " + text);
}

template <class T>
void expect_kept(const T& wanted) {
  for (const LastWriter last : {LastWriter::Sender, LastWriter::GoController})
    expect_in_sync(stored_object(api::encode(wanted), last), wanted);
}

template <class T>
void expect_changed(const T& before, const T& wanted) {
  const std::string there = stored_object(api::encode(before), maybe() ? LastWriter::GoController : LastWriter::Sender);
  const auto read = kube::KindOf<T>::decode(there);
  RC_ASSERT(read.has_value());
  const std::string patched = merge_patched(there, api::encode_spec_patch(wanted, *read));
  expect_in_sync(stored_object(patched, LastWriter::Sender), wanted);
}

RC_GTEST_PROP(PoolInSync, whatever_is_made_is_in_sync_once_it_is_read_back, ()) {
  const api::GpuPool pool = any_pool();
  const auto node_pools = desired_node_pools(pool);
  RC_ASSERT(node_pools.has_value());
  for (const api::NodePool& each : *node_pools) expect_kept(each);
  for (const api::NodeOverlay& each : desired_overlays(pool)) expect_kept(each);
}

RC_GTEST_PROP(PoolInSync, whatever_is_changed_is_in_sync_after_one_patch, ()) {
  const auto before = desired_node_pools(any_pool()), wanted = desired_node_pools(any_pool());
  RC_ASSERT(before.has_value() && wanted.has_value());
  expect_changed(before->front(), wanted->front());
}

TEST(PoolInSync, a_budget_of_ninety_seconds_lasts_two_minutes) {
  const auto node_pools = desired_node_pools(*MakePool("t4")
                                                  .with([](auto& p) {
                                                    p.spec.disruption_budgets = {
                                                        {.nodes = "1", .schedule = "@daily", .duration_seconds = 90}};
                                                  })
                                                  .get());
  ASSERT_TRUE(node_pools);
  EXPECT_EQ(node_pools->front().spec.budgets.front().duration_seconds, 120);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
