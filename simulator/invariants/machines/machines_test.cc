// The invariants about machines that operators ask to go object to violations and to nothing else.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "crds/embedded.h"
#include "simulator/cluster/event_loop.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

class MachineInvariants : public ::testing::Test {
 protected:
  MachineInvariants() {
    EXPECT_TRUE(api.add_custom_resource(crds::resumable_jobs()));
    EXPECT_TRUE(
        api.create(api.resource("", "namespaces"),
                   boost::json::parse(R"({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})")));
    const auto claim = api.create(api.resource("karpenter.sh", "nodeclaims"),
                                  boost::json::parse(R"({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
                       "metadata": {"name": "c", "labels": {"reprise.dev/pool": "t4"}}})"));
    EXPECT_TRUE(claim);
    claim_uid = std::string(uid_of(**claim));
  }

  void waits_for_pod(const std::string& pool) {
    const std::string spec =
        R"({"checkpoint": {"path": "/c", "volume": {"claimName": "v"}}, "poolName": ")" + pool +
        R"(", "template": {"spec": {"containers": [{"name": "t", "image": "i", "command": ["c"]}]}}})";
    const auto made = api.create(api.resource("reprise.dev", "resumablejobs"),
                                 boost::json::parse(R"({"apiVersion": "reprise.dev/v1alpha1", "kind": "ResumableJob",
            "metadata": {"name": "j", "namespace": "team"}, "spec": )" +
                                                    spec + "}"));
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_TRUE(api.update(
        {api.resource("reprise.dev", "resumablejobs"), "team", "j"},
        [&](Value& job) {
          set(job, {"status", "members"},
              boost::json::parse(R"([{"index": 0, "podName": "p", "podUID": "pod", "nodeClaimUID": ")" + claim_uid +
                                 "\"}]"));
        },
        "status"));
  }
  void shows(Invariant& invariant, const std::string& status) const {
    const Value pod = boost::json::parse(R"({"metadata": {"name": "p", "uid": "pod"}, "status": )" + status + "}");
    invariant.on_change({.resource = api.resource("", "pods"),
                         .change = Change::Modified,
                         .object = std::make_shared<const Value>(pod),
                         .before = std::make_shared<const Value>(pod)},
                        [](const std::string& what) { ADD_FAILURE() << what; });
  }
  static std::size_t asks(Invariant& invariant, runtime::Method method, const std::string& path) {
    std::size_t objections = 0;
    invariant.on_request("a", {.method = method, .path_and_query = path}, [&](const std::string&) { ++objections; });
    return objections;
  }
  static std::size_t ends_machine(Invariant& invariant) {
    return asks(invariant, runtime::Method::Delete, "/apis/karpenter.sh/v1/nodeclaims/c");
  }

  EventLoop loop;
  runtime::SeededRandom random{1};
  ApiServer api{loop, random};
  std::string claim_uid;
};

constexpr const char* rejected = R"({"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected: no room"})";

TEST_F(MachineInvariants, a_machine_is_not_asked_to_go_for_a_pod_that_is_known_to_have_never_run) {
  waits_for_pod("t4");
  const auto invariant = spares_sound_machines(api);
  EXPECT_EQ(ends_machine(*invariant), 0U) << "nobody knows of that pod";
  shows(*invariant, rejected);
  EXPECT_EQ(ends_machine(*invariant), 1U);
  EXPECT_EQ(asks(*invariant, runtime::Method::Get, "/api/v1/pods?watch=true&resourceVersion=5"), 0U);
  EXPECT_EQ(ends_machine(*invariant), 1U) << "a watch that goes on has shown everything";
  EXPECT_EQ(asks(*invariant, runtime::Method::Get, "/api/v1/pods?watch=true&sendInitialEvents=true"), 0U);
  EXPECT_EQ(ends_machine(*invariant), 0U) << "who lists anew may have missed it";
}

TEST_F(MachineInvariants, a_pod_that_ran_before_it_was_rejected_may_cost_its_machine) {
  waits_for_pod("t4");
  const auto invariant = spares_sound_machines(api);
  shows(*invariant, R"({"phase": "Running", "containerStatuses": [{"name": "t", "state": {"running": {}}}]})");
  shows(*invariant, rejected);
  EXPECT_EQ(ends_machine(*invariant), 0U);
}

TEST_F(MachineInvariants, only_a_job_of_the_pool_has_its_machines_ended) {
  const auto invariant = ends_own_machines(api);
  EXPECT_EQ(ends_machine(*invariant), 0U) << "for no job's sake: the pool's own affair";
  waits_for_pod("a100");
  EXPECT_EQ(ends_machine(*invariant), 1U);
  ASSERT_TRUE(api.update({api.resource("reprise.dev", "resumablejobs"), "team", "j"}, [](Value& job) {
    set(job, {"spec", "poolName"}, "t4");
  }));
  EXPECT_EQ(ends_machine(*invariant), 0U);
}

}  // namespace
}  // namespace reprise::simulator
