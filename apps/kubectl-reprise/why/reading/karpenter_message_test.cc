// Karpenter's message about a pod names each NodePool of the cluster, in another order each time.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "apps/kubectl-reprise/why/testing/world.h"

namespace reprise::plugin::why::testing {
namespace {

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
  std::string all;
  for (const std::string& line : lines) all += (all.empty() ? "" : "; ") + line;
  return all;
}

// One NodePool's words: an opening, and a list in random order.
struct Refused {
  std::string opening;
  Lines listed;
};

const Lines kKeysOfAnother = {
    "key karpenter.sh/capacity-type, karpenter.sh/capacity-type In [spot] not in karpenter.sh/capacity-type In "
    "[on-demand]",
    "key reprise.dev/pool, reprise.dev/pool In [t4] not in reprise.dev/pool In [other]"};
const std::vector<Refused> kNeighbours = {
    {"incompatible requirements, ", {"label \"reprise.dev/pool\" does not have known values"}},
    {"incompatible requirements, ", {"label \"reprise.dev/pool\" does not have known values (typo of \"pool\"?)"}},
    {"incompatible requirements, ", {"label \"example.com/team\" does not have known values"}},
    {"incompatible requirements, ", kKeysOfAnother},
    {"", {"did not tolerate taint (taint=dedicated=web:NoSchedule)", "did not tolerate taint (taint=late:NoExecute)"}},
    {"", {"node limits have been exhausted for nodepool (NodePool=other-spot)"}},
};

struct Own {
  std::string sentence;
  std::vector<Refused> refused;
  Cause cause;
  Lines found;
};
const std::vector<Own> kOwn = {
    {"no instance type that Karpenter knows is as the pool says", {}, Cause::NoInstanceTypeFits, {"other pools alone"}},
    {"its own requirements",
     {{"incompatible requirements, ",
       {"key topology.kubernetes.io/zone, topology.kubernetes.io/zone In [a] not in topology.kubernetes.io/zone In [b]",
        "key kubernetes.io/arch, kubernetes.io/arch In [arm64] not in kubernetes.io/arch In [amd64]"}}},
     Cause::NodeSelectorMatchesNone,
     {"topology.kubernetes.io/zone In [a]", "kubernetes.io/arch In [arm64]"}},
    {"a label that its own lacks",
     {{"incompatible requirements, ", {"label \"example.com/rack\" does not have known values"}}},
     Cause::NodeSelectorMatchesNone,
     {"example.com/rack"}},
    {"a taint of its own",
     {{"", {"did not tolerate taint (taint=example.com/a=b:NoSchedule)"}}},
     Cause::TaintNotTolerated,
     {"example.com/a=b"}},
    {"a limit of its own",
     {{"", {"all available instance types exceed limits for nodepool (NodePool=t4-spot)"}}},
     Cause::NodePoolLimitReached,
     {"4 of 4 are used"}},
};

const std::string kOwnNodePool =
    "{kind: NodePool, metadata: {name: t4-spot}, spec: {limits: {nvidia.com/gpu: \"4\"}, template: {metadata: {labels: "
    "{reprise.dev/pool: t4, example.com/team: a}}, spec: {taints: [{key: nvidia.com/gpu, value: \"true\", effect: "
    "NoSchedule}, {key: example.com/a, value: b, effect: NoSchedule}], nodeClassRef: {kind: EC2NodeClass, name: "
    "default}}}}, status: {resources: {nvidia.com/gpu: \"4\"}, conditions: [" +
    condition("Ready", "True", "Ready", "") + "]}}";

std::optional<Finding> told(const std::string& message) {
  return explain_at_noon(world({unscheduled("0/3 nodes are available: 3 Insufficient nvidia.com/gpu."), kOwnNodePool,
                                event("Pod", "finetune-1-1", "FailedScheduling", "Failed to schedule pod, " + message,
                                      "karpenter")}))
      .finding;
}

// Orders of the NodePools, each with its list forwards and backwards.
void in_each_order(const std::vector<Refused>& all, const std::function<void(const std::string&)>& see) {
  constexpr int kOrders = 60;
  std::minstd_rand random(33);
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), 0);
  for (int i = 0; i < kOrders; ++i, std::ranges::shuffle(order, random)) {
    for (const bool backwards : {false, true}) {
      Lines lines;
      for (const std::size_t at : order) {
        Lines listed = all[at].listed;
        if (backwards) std::ranges::reverse(listed);
        lines.push_back(all[at].opening + joined(listed));
      }
      see(joined(lines));
    }
  }
}

TEST(KarpenterMessage, in_whatever_order_the_pool_s_own_words_are_found) {
  for (const Own& own : kOwn) {
    SCOPED_TRACE(own.sentence);
    std::vector<Refused> all = own.refused;
    all.insert(all.end(), kNeighbours.begin(), kNeighbours.end());
    int wrong = 0;
    in_each_order(all, [&](const std::string& message) {
      const auto finding = told(message);
      const bool right =
          finding && finding->cause == own.cause && std::ranges::all_of(own.found, [&](const auto& each) {
            return finding->found.find(each) != std::string::npos;
          });
      if (!right && ++wrong == 1)
        ADD_FAILURE() << message << "\n  is told as " << (finding ? text_of(finding->cause).name : "nothing") << ": "
                      << (finding ? finding->found : "");
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST(KarpenterMessage, each_neighbour_alone_is_none_of_the_pool_s) {
  for (const Refused& neighbour : kNeighbours)
    in_each_order({neighbour}, [&](const std::string& message) {
      const auto finding = told(message);
      ASSERT_TRUE(finding);
      EXPECT_EQ(text_of(finding->cause).name, text_of(Cause::NoInstanceTypeFits).name) << message;
    });
}

TEST(KarpenterMessage, who_may_not_read_node_pools_hears_of_a_plain_one_as_of_another_pool_s) {
  Objects objects =
      world({unscheduled("0/3 nodes are available: 3 Insufficient nvidia.com/gpu."),
             event("Pod", "finetune-1-1", "FailedScheduling",
                   "Failed to schedule pod, " + kNeighbours[0].opening + joined(kNeighbours[0].listed), "karpenter")},
            {"NodePool"});
  objects.unseen = {{"NodePool", "forbidden"}};
  const Explanation said = explain_at_noon(objects);
  ASSERT_TRUE(said.finding);
  EXPECT_EQ(said.finding->cause, Cause::NoInstanceTypeFits);
}

TEST(KarpenterMessage, of_two_parts_that_weigh_the_same_one_is_told_each_time) {
  std::set<std::string> said;
  in_each_order({{"incompatible requirements, ", {"label \"example.com/rack\" does not have known values"}},
                 {"incompatible requirements, ", {"label \"example.com/row\" does not have known values"}}},
                [&](const std::string& message) { said.insert(told(message)->found); });
  EXPECT_EQ(said.size(), 1U);
}

}  // namespace
}  // namespace reprise::plugin::why::testing
