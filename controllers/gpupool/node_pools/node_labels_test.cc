// Labels on nodes that Reprise has not made: it takes off what it has put there, and nothing else, whoever writes
// labels beside it.
#include "controllers/gpupool/node_pools/node_labels.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "controllers/testing/builders.h"

namespace reprise::controllers::gpupool {
namespace {

using controllers::testing::MakeNode;

const kube::StringMap kSliced{{"nvidia.com/device-plugin.config", "ts-4"}};
const std::string kNobody;
const std::string kTrainer = "vision/finetune-1-0";

kube::Node a_node(const kube::StringMap& labels = {}) {
  kube::Node node = *MakeNode("node-a").get();
  node.meta.labels = labels;
  return node;
}

// The node as the API server shows it after the write.
kube::Node written(kube::Node node, const NodeVerdict& verdict) {
  if (!verdict.change) return node;
  for (const auto& [label, value] : verdict.change->labels) {
    if (value) {
      node.meta.labels[label] = *value;
    } else {
      node.meta.labels.erase(kube::Text(label));
    }
  }
  return node;
}

TEST(NodeLabels, a_node_that_is_taken_and_released_is_as_it_was) {
  const kube::Node before = a_node({{"kubernetes.io/hostname", "node-a"}, {"nvidia.com/mig.config", "all-disabled"}});
  const kube::Node taken = written(before, take_node(before, "t4", kSliced, kNobody));
  EXPECT_EQ(taken.meta.label("reprise.dev/pool"), "t4");
  EXPECT_EQ(taken.meta.label("nvidia.com/device-plugin.config"), "ts-4");
  EXPECT_EQ(take_node(taken, "t4", kSliced, kNobody).state, NodeState::In);
  EXPECT_FALSE(take_node(taken, "t4", kSliced, kNobody).change) << "the second time nothing is written";
  const kube::Node after = written(taken, release_node(taken, "t4", kNobody));
  EXPECT_EQ(after.meta.labels, before.meta.labels);
  EXPECT_FALSE(release_node(after, "t4", kNobody).change);
}

TEST(NodeLabels, a_person_s_label_of_another_value_is_reported_and_never_touched) {
  const kube::Node node = a_node({{"nvidia.com/device-plugin.config", "mine"}});
  const NodeVerdict verdict = take_node(node, "t4", kSliced, kNobody);
  EXPECT_EQ(verdict.state, NodeState::LabelTaken);
  EXPECT_FALSE(verdict.change) << "not even the pool's label: pods would come that find no slices";
  EXPECT_NE(verdict.message.find("nvidia.com/device-plugin.config: found mine"), std::string::npos) << verdict.message;
}

TEST(NodeLabels, a_person_s_label_of_the_right_value_stays_when_the_node_leaves) {
  const kube::Node before = a_node({{"reprise.dev/pool", "t4"}, {"nvidia.com/device-plugin.config", "ts-4"}});
  EXPECT_EQ(take_node(before, "t4", kSliced, kNobody).state, NodeState::In);
  EXPECT_FALSE(release_node(before, "t4", kNobody).change);
}

TEST(NodeLabels, what_was_changed_after_it_was_put_there_stays_as_it_was_changed) {
  kube::Node node = written(a_node(), take_node(a_node(), "t4", kSliced, kNobody));
  node.meta.labels["nvidia.com/device-plugin.config"] = "mine";
  const kube::Node after = written(node, take_node(node, "t4", kSliced, kNobody));
  EXPECT_EQ(after.meta.labels, (kube::StringMap{{"nvidia.com/device-plugin.config", "mine"}}));
}

TEST(NodeLabels, how_gpus_are_shared_is_not_changed_under_a_pod_that_uses_them) {
  const kube::Node before = a_node();
  const NodeVerdict first = take_node(before, "t4", kSliced, kTrainer);
  EXPECT_EQ(first.state, NodeState::InUse);
  EXPECT_FALSE(first.change);
  EXPECT_NE(first.message.find(kTrainer), std::string::npos);

  const kube::Node taken = written(before, take_node(before, "t4", kSliced, kNobody));
  const kube::StringMap halved{{"nvidia.com/device-plugin.config", "ts-2"}};
  EXPECT_EQ(take_node(taken, "t4", halved, kTrainer).state, NodeState::InUse);
  EXPECT_EQ(take_node(taken, "t4", {}, kTrainer).state, NodeState::InUse) << "neither by taking the label off";
  const kube::Node changed = written(taken, take_node(taken, "t4", halved, kNobody));
  EXPECT_EQ(changed.meta.label("nvidia.com/device-plugin.config"), "ts-2");
}

TEST(NodeLabels, a_node_that_leaves_takes_no_more_pods_at_once_and_keeps_the_rest_until_it_is_free) {
  const kube::Node taken = written(a_node(), take_node(a_node(), "t4", kSliced, kNobody));
  const NodeVerdict leaving = release_node(taken, "t4", kTrainer);
  EXPECT_EQ(leaving.state, NodeState::Leaving);
  const kube::Node left = written(taken, leaving);
  EXPECT_EQ(left.meta.label("reprise.dev/pool"), "");
  EXPECT_EQ(left.meta.label("nvidia.com/device-plugin.config"), "ts-4");
  EXPECT_FALSE(release_node(left, "t4", kTrainer).change) << "waiting writes nothing";
  EXPECT_TRUE(written(left, release_node(left, "t4", kNobody)).meta.labels.empty());
}

TEST(NodeLabels, a_node_of_one_pool_is_not_another_s_before_it_is_released) {
  const kube::Node taken = written(a_node(), take_node(a_node(), "t4", kSliced, kNobody));
  EXPECT_EQ(take_node(taken, "old", {}, kNobody).state, NodeState::OtherPool);
  EXPECT_FALSE(take_node(taken, "old", {}, kNobody).change);
  EXPECT_FALSE(release_node(taken, "old", kNobody).change);
}

TEST(NodeLabels, the_record_of_a_label_is_a_label_itself) {
  EXPECT_EQ(record_of("nvidia.com/device-plugin.config"), "set.reprise.dev/nvidia.com_device-plugin.config");
  EXPECT_EQ(record_of("gpu"), "set.reprise.dev/0_gpu") << "a name does not begin with '_'";
}

kube::StringMap any_labels(const std::vector<std::string>& keys, const std::vector<std::string>& values) {
  kube::StringMap labels;
  for (const std::string& key : keys) {
    if (*rc::gen::arbitrary<bool>()) labels[key] = *rc::gen::elementOf(values);
  }
  return labels;
}

// Pools want anything of a node, in any order, while a person sets and takes off labels: the labels that the person has
// written last stand, and when all pools have let go nothing of theirs is left.
RC_GTEST_PROP(NodeLabels, of_a_person_stand_and_of_pools_none_stays, ()) {
  const std::vector<std::string> keys{"reprise.dev/pool", "nvidia.com/device-plugin.config", "gpu", "example.com/x_y"};
  const std::vector<std::string> values{"t4", "ts-4", "on", ""};
  kube::Node node = a_node(any_labels(keys, values));
  std::map<std::string, std::optional<std::string>> by_person;
  for (const auto& [key, value] : node.meta.labels) by_person[std::string(key)] = std::string(value);
  for (int left = *rc::gen::inRange(0, 12); left > 0; --left) {
    const std::string pool = *rc::gen::element<std::string>("t4", "old");
    const std::string user = *rc::gen::element<std::string>("", "vision/trainer");
    const int what = *rc::gen::inRange(0, 3);
    if (what == 0) {
      kube::StringMap wanted = any_labels(keys, values);
      wanted.erase(kube::Text("reprise.dev/pool"));
      const auto before = node.meta.labels;
      node = written(node, take_node(node, pool, wanted, user));
      for (const auto& [key, value] : by_person) {
        const auto there = node.meta.labels.find(key);
        if (value) RC_ASSERT(there != node.meta.labels.end() && std::string_view(there->second) == *value);
      }
    } else if (what == 1) {
      node = written(node, release_node(node, pool, user));
    } else {
      const std::string key = *rc::gen::elementOf(keys);
      const std::string record = record_of(key);
      const std::string value = *rc::gen::elementOf(values);
      // A value that is there already changes nothing, and nobody sees it written.
      const auto there = node.meta.labels.find(key);
      const bool same = there != node.meta.labels.end() && std::string_view(there->second) == value;
      node.meta.labels[key] = value;
      const auto recorded = node.meta.labels.find(record);
      const bool of_pool = recorded != node.meta.labels.end() && std::string_view(recorded->second) == value;
      if (!same || !of_pool) by_person[key] = value;
      if (of_pool) by_person.erase(key);
    }
  }
  for (const std::string pool : {"t4", "old"}) node = written(node, release_node(node, pool, ""));
  kube::StringMap wanted;
  for (const auto& [key, value] : by_person) {
    if (value) wanted[key] = *value;
  }
  RC_ASSERT(node.meta.labels == wanted);
}

}  // namespace
}  // namespace reprise::controllers::gpupool
