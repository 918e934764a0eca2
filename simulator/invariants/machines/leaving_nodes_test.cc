// The invariant about nodes that are taken away objects to attempts that land there, and to nothing else.
#include <gmock/gmock.h>

#include <boost/json/parse.hpp>
#include <string>

#include "simulator/invariants/testing/invariant_bench.h"

namespace reprise::simulator {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class LeavingNodeInvariant : public testing::InvariantBench {
 protected:
  void add_node(const std::string& taints) {
    ASSERT_TRUE(api.create(
        api.resource("", "nodes"), boost::json::parse(R"({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
                               "spec": {"taints": )" + taints +
                                                      "}}")));
  }
  // A pod of that attempt is bound to the node; empty: a standby pod.
  std::vector<std::string> bind(Invariant& invariant, const std::string& attempt) {
    const std::string label = attempt.empty() ? "" : R"(, "reprise.dev/attempt": ")" + attempt + "\"";
    Value pod = boost::json::parse(R"({"metadata": {"name": "p", "labels": {"reprise.dev/job-uid": "job")" + label +
                                   R"(}}, "spec": {}})");
    const auto before = std::make_shared<const Value>(pod);
    set(pod, {"spec", "nodeName"}, "n");
    return reported(invariant, {.resource = api.resource("", "pods"),
                                .change = Change::Modified,
                                .object = std::make_shared<const Value>(pod),
                                .before = before});
  }
};

TEST_F(LeavingNodeInvariant, the_third_attempt_that_is_bound_there_is_one_too_many) {
  add_node(R"([{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}])");
  const auto invariant = few_land_on_leaving_nodes(api);
  EXPECT_THAT(bind(*invariant, "2"), IsEmpty());
  EXPECT_THAT(bind(*invariant, "3"), IsEmpty());
  EXPECT_THAT(bind(*invariant, "3"), IsEmpty()) << "another rank of the same attempt";
  EXPECT_THAT(bind(*invariant, ""), IsEmpty()) << "a standby pod";
  EXPECT_THAT(bind(*invariant, "4"), SizeIs(1));
}

TEST_F(LeavingNodeInvariant, attempts_come_back_to_a_node_that_stays) {
  add_node("[]");
  const auto invariant = few_land_on_leaving_nodes(api);
  for (const char* attempt : {"2", "3", "4"}) EXPECT_THAT(bind(*invariant, attempt), IsEmpty());
}

}  // namespace
}  // namespace reprise::simulator
