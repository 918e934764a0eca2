// A pool of nodes that are there already: which it takes, what it writes and what it says.
#include "controllers/gpupool/node_pools/existing_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/gpupool/decide/decide.h"
#include "controllers/testing/builders.h"
#include "controllers/testing/kstatus.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::kStart;
using controllers::testing::kstatus;
using controllers::testing::MakeNode;
using controllers::testing::MakePool;
using ::testing::HasSubstr;

const kube::StringMap kRack{{"example.com/rack", "7"}};

MakePool own(const std::string& name, kube::Time created = kStart) {
  return MakePool(name).with([&](auto& pool) {
    pool.meta.creation_timestamp = created;
    pool.spec.node_class_ref.reset();
    pool.spec.capacity.clear();
    pool.spec.existing_nodes = api::ExistingNodes{.selector = {.match_labels = kRack, .match_expressions = {}}};
    pool.status.resource_name = "";
  });
}

std::shared_ptr<const kube::Node> node(const std::string& name, const kube::StringMap& labels = kRack) {
  return MakeNode(name).with([&](auto& node) { node.meta.labels = labels; }).get();
}

Observation observe(MakePool pool, std::vector<std::shared_ptr<const kube::Node>> nodes) {
  Observation seen;
  seen.pool = pool.get();
  seen.now = kStart;
  seen.missing_kinds = "nodepools.karpenter.sh (v1)";
  seen.overlays_served = false;
  seen.candidates.nodes = std::move(nodes);
  seen.pools_of_existing_nodes = {seen.pool};
  return seen;
}

void carry_out(const Plan& plan, Observation& seen) {
  auto pool = std::make_shared<api::GpuPool>(*seen.pool);
  pool->status = plan.status;
  std::ranges::replace(seen.pools_of_existing_nodes, seen.pool, std::shared_ptr<const api::GpuPool>(pool));
  seen.pool = pool;
  for (const Action& action : plan.actions) {
    if (const auto* key = std::get_if<WriteDevicePluginKey>(&action)) {
      auto map = std::make_shared<kube::ConfigMap>();
      map->data[key->key] = key->content;
      seen.device_plugin_config = map;
    }
    const auto* label = std::get_if<LabelNode>(&action);
    if (label == nullptr) continue;
    for (auto& each : seen.candidates.nodes) {
      if (each->meta.name != std::string_view(label->node)) continue;
      auto changed = std::make_shared<kube::Node>(*each);
      for (const auto& [key, value] : label->labels) {
        if (value) {
          changed->meta.labels[key] = *value;
        } else {
          changed->meta.labels.erase(std::string_view(key));
        }
      }
      each = changed;
    }
  }
  seen.nodes.clear();
  for (const auto& each : seen.candidates.nodes) {
    if (each->meta.label("reprise.dev/pool") == std::string_view(seen.pool->meta.name)) seen.nodes.push_back(each);
  }
}

std::string state(const Plan& plan, std::string_view type) {
  const kube::Condition* found = find_condition(plan.status.conditions, type);
  if (found == nullptr) return "absent";
  return std::string(found->status == kube::ConditionStatus::True ? "True/" : "False/") + found->reason;
}

std::string message(const Plan& plan, std::string_view type) {
  return find_condition(plan.status.conditions, type)->message;
}

TEST(ExistingNodes, stay_where_the_selector_leaves_out_what_the_pool_puts_there_itself) {
  MakePool rack = own("rack").with([](auto& pool) {
    pool.spec.existing_nodes->selector.match_expressions = {
        {.key = "reprise.dev/pool", .op = "DoesNotExist", .values = {}}};
  });
  Observation seen = observe(rack, {node("a")});
  carry_out(decide(seen), seen);
  ASSERT_EQ(seen.candidates.nodes.front()->meta.label("reprise.dev/pool"), "rack");
  const Plan next = decide(seen);
  EXPECT_TRUE(
      std::ranges::none_of(next.actions, [](const Action& each) { return std::holds_alternative<LabelNode>(each); }));
}

// A kubelet may put records on its own node, and must not have others' labels taken off by that.
TEST(ExistingNodes, keep_labels_of_kubernetes_whatever_a_record_says) {
  CandidateNodes candidates;
  candidates.nodes = {node("a", {{"set.reprise.dev/by", "x"},
                                 {"set.reprise.dev/node-restriction.kubernetes.io_tier", "gold"},
                                 {"node-restriction.kubernetes.io/tier", "gold"}})};
  for (const LabelNode& change : release_nodes("x", candidates))
    for (const auto& [label, value] : change.labels) EXPECT_NE(label, "node-restriction.kubernetes.io/tier");
}

TEST(ExistingNodes, become_ready_without_karpenter_and_then_nothing_is_written) {
  Observation seen = observe(own("rack").time_slicing(4), {node("a"), node("b")});
  for (int i = 0; i < 4; ++i) carry_out(decide(seen), seen);
  const Plan plan = decide(seen);
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(plan.status, seen.pool->status);
  EXPECT_EQ(state(plan, "Ready"), "True/Ready");
  EXPECT_EQ(state(plan, "NodePoolsSynced"), "True/NotNeeded");
  EXPECT_EQ(state(plan, "CapacityAvailable"), "True/NodesFound");
  EXPECT_EQ(state(plan, "SharingConfigured"), "True/Configured");
  EXPECT_EQ(kstatus(*seen.pool), "Current");
  EXPECT_EQ(plan.status.resource_name, "nvidia.com/gpu.shared");
  ASSERT_EQ(plan.status.capacity.size(), 1U);
  EXPECT_EQ(plan.status.capacity.front().nodes, 2);
  EXPECT_TRUE(plan.status.node_pools.empty());
}

TEST(ExistingNodes, read_a_key_of_the_device_plugin_only_when_it_is_there) {
  Observation seen = observe(own("rack").time_slicing(4), {node("a")});
  const Plan first = decide(seen);
  ASSERT_EQ(first.actions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<WriteDevicePluginKey>(first.actions.front()));
  carry_out(first, seen);
  const Plan second = decide(seen);
  ASSERT_EQ(second.actions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<LabelNode>(second.actions.front()));
}

TEST(ExistingNodes, are_counted_by_what_they_show_and_by_the_labels_of_their_cloud) {
  const auto labelled = [](std::string label, std::string value) {
    kube::StringMap labels = kRack;
    labels["reprise.dev/pool"] = "rack";
    labels["node.kubernetes.io/instance-type"] = "g4dn.xlarge";
    labels[label] = value;
    return labels;
  };
  Observation seen = observe(own("rack"), {node("spot", labelled("eks.amazonaws.com/capacityType", "SPOT")),
                                           node("bought", labelled("eks.amazonaws.com/capacityType", "ON_DEMAND"))});
  seen.nodes = seen.candidates.nodes;
  const Plan plan = decide(seen);
  ASSERT_EQ(plan.status.capacity.size(), 2U);
  for (const api::CapacityStatus& each : plan.status.capacity) EXPECT_EQ(each.gpus, 1) << api::name(each.type);
  EXPECT_NE(plan.status.cost.per_hour, "0");
}

TEST(ExistingNodes, that_two_pools_select_are_the_older_one_s_and_the_other_says_so) {
  const auto older = own("older", kStart).get();
  Observation seen = observe(own("younger", kStart + std::chrono::seconds(1)), {node("a")});
  seen.pools_of_existing_nodes.push_back(older);
  const Plan plan = decide(seen);
  EXPECT_TRUE(plan.actions.empty());
  EXPECT_EQ(state(plan, "CapacityAvailable"), "False/NodeOfAnotherPool");
  EXPECT_THAT(message(plan, "CapacityAvailable"), HasSubstr("node a: it is in GpuPool older"));
  EXPECT_EQ(state(plan, "Ready"), "False/NoNodes");
  ASSERT_EQ(plan.announcements.size(), 1U);
  carry_out(plan, seen);
  EXPECT_TRUE(decide(seen).announcements.empty()) << "told once";
}

TEST(ExistingNodes, of_each_node_one_pool_is_the_owner_in_whatever_order_they_are_seen) {
  std::vector<std::shared_ptr<const api::GpuPool>> pools{own("b", kStart).get(), own("a", kStart).get(),
                                                         own("c", kStart - std::chrono::seconds(1)).get()};
  std::ranges::sort(pools);
  do {
    EXPECT_EQ(owner_of(*node("n"), pools)->meta.name, "c");
  } while (std::ranges::next_permutation(pools).found);
  std::erase_if(pools, [](const auto& pool) { return pool->meta.name == "c"; });
  EXPECT_EQ(owner_of(*node("n"), pools)->meta.name, "a") << "of one age the first by name";
  EXPECT_EQ(owner_of(*node("n", {}), pools), nullptr);
}

TEST(ExistingNodes, that_leave_the_selection_are_released) {
  Observation seen = observe(own("rack"), {node("a")});
  carry_out(decide(seen), seen);
  auto moved = std::make_shared<kube::Node>(*seen.candidates.nodes.front());
  moved->meta.labels["example.com/rack"] = "8";
  seen.candidates.nodes = {moved};
  carry_out(decide(seen), seen);
  EXPECT_EQ(seen.candidates.nodes.front()->meta.labels, (kube::StringMap{{"example.com/rack", "8"}}));
}

TEST(ExistingNodes, of_a_pool_that_is_gone_are_released) {
  Observation seen = observe(own("rack").time_slicing(4), {node("a")});
  for (int i = 0; i < 2; ++i) carry_out(decide(seen), seen);
  const auto changes = release_nodes("rack", seen.candidates);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_TRUE(std::ranges::all_of(changes.front().labels, [](const auto& label) { return !label.second; }));
  EXPECT_EQ(changes.front().labels.size(), 5U) << "two labels, their records, and whose they are";
  EXPECT_TRUE(release_nodes("other", seen.candidates).empty());
}

TEST(ExistingNodes, stay_as_they_are_while_the_pool_is_blocked) {
  Observation seen = observe(own("rack").time_slicing(4), {node("a")});
  for (int i = 0; i < 2; ++i) carry_out(decide(seen), seen);
  auto blocked = std::make_shared<api::GpuPool>(*seen.pool);
  blocked->spec.warm_gpus = 1;
  blocked->spec.sharing.mode = api::SharingMode::Exclusive;
  seen.pool = blocked;
  const Plan plan = decide(seen);
  EXPECT_EQ(state(plan, "Stalled"), "True/NotSupported");
  EXPECT_TRUE(plan.actions.empty());
}

TEST(ExistingNodes, that_cannot_be_shared_as_the_pool_says_are_named_and_the_others_serve) {
  kube::StringMap labels = kRack;
  labels["nvidia.com/device-plugin.config"] = "mine";
  Observation seen = observe(own("rack").time_slicing(4), {node("a"), node("b", labels)});
  for (int i = 0; i < 3; ++i) carry_out(decide(seen), seen);
  const Plan taken = decide(seen);
  EXPECT_EQ(state(taken, "Ready"), "True/Ready");
  EXPECT_EQ(state(taken, "SharingConfigured"), "False/NodeLabelNotOwned");
  EXPECT_THAT(message(taken, "SharingConfigured"), HasSubstr("node b: label nvidia.com/device-plugin.config"));

  auto halved = std::make_shared<api::GpuPool>(*seen.pool);
  halved->spec.sharing.replicas = 2;
  seen.pool = halved;
  seen.candidates.nodes.pop_back();
  seen.candidates.users["a"] = "vision/finetune-1-0";
  carry_out(decide(seen), seen);
  const Plan used = decide(seen);
  EXPECT_TRUE(used.actions.empty());
  EXPECT_EQ(state(used, "SharingConfigured"), "False/NodesInUse");
  EXPECT_THAT(message(used, "SharingConfigured"), HasSubstr("pod vision/finetune-1-0"));
  EXPECT_EQ(state(used, "Ready"), "True/Ready") << "it serves as it was";
}

TEST(ExistingNodes, of_which_there_are_none_are_waited_for) {
  const Plan plan = decide(observe(own("rack"), {}));
  EXPECT_EQ(state(plan, "Ready"), "False/NoNodes");
  EXPECT_EQ(state(plan, "Reconciling"), "True/NoNodes");
  EXPECT_EQ(state(plan, "CapacityAvailable"), "False/NoNodes");
  EXPECT_EQ(state(plan, "Stalled"), "False/Progressing");
}

TEST(ExistingNodes, make_a_message_of_bounded_length_however_many_there_are) {
  std::vector<std::shared_ptr<const kube::Node>> nodes;
  kube::StringMap labels = kRack;
  labels["reprise.dev/pool"] = "of-a-person";
  for (int i = 0; i < 1000; ++i) nodes.push_back(node("node-" + std::to_string(i), labels));
  const Plan plan = decide(observe(own("rack"), nodes));
  EXPECT_LT(message(plan, "SharingConfigured").size(), 1000U);
  EXPECT_THAT(message(plan, "SharingConfigured"), HasSubstr("999 more of the nodes"));
}

}  // namespace
}  // namespace reprise::controllers::gpupool
