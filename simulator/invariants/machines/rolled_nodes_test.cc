// The invariant about nodes that have drifted objects to violations and to nothing else.
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "crds/embedded.h"
#include "simulator/invariants/invariants.h"

namespace reprise::simulator {
namespace {

class RolledNodes : public ::testing::Test {
 protected:
  RolledNodes() {
    EXPECT_TRUE(api.add_custom_resource(crds::resumable_jobs()));
    EXPECT_TRUE(api.add_custom_resource(crds::gpu_pools()));
    EXPECT_TRUE(
        api.create(api.resource("", "namespaces"),
                   boost::json::parse(R"({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})")));
    const auto claim = api.create(
        api.resource("karpenter.sh", "nodeclaims"),
        boost::json::parse(R"({"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "metadata": {"name": "c"}})"));
    EXPECT_TRUE(claim);
    claim_uid = std::string(uid_of(**claim));
    EXPECT_TRUE(api.create(api.resource("", "pods"),
                           boost::json::parse(
                               R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "team"},
            "spec": {"containers": [{"name": "t", "image": "i"}]}})")));
    pod_says("Running");
    invariant = rolls_no_trainer(api, loop);
    subscription = api.subscribe([this](const ObjectChange& change) {
      invariant->on_change(change, [](const std::string& what) { ADD_FAILURE() << what; });
    });
    EXPECT_TRUE(api.create(
        api.resource("reprise.dev", "resumablejobs"),
        boost::json::parse(
            R"({"apiVersion": "reprise.dev/v1alpha1", "kind": "ResumableJob", "metadata": {"name": "j", "namespace": "team"},
                "spec": {"checkpoint": {"path": "/c", "volume": {"claimName": "v"}}, "poolName": "t4", "template":
                {"spec": {"containers": [{"name": "t", "image": "i", "command": ["c"]}]}}}})")));
  }
  void job_says(const std::string& status) {
    EXPECT_TRUE(api.update(
        {api.resource("reprise.dev", "resumablejobs"), "team", "j"},
        [&](Value& job) { set(job, {"status"}, boost::json::parse(status)); }, "status"));
    loop.run_until(loop.now() + Duration{120'000});
  }
  void pod_says(const char* phase) {
    EXPECT_TRUE(api.update(
        {api.resource("", "pods"), "team", "p"},
        [&](Value& pod) {
          set(pod, {"status", "phase"}, Value(phase));
        },
        "status"));
  }
  void claim_says(const char* drifted) {
    EXPECT_TRUE(api.update(
        {api.resource("karpenter.sh", "nodeclaims"), "", "c"},
        [&](Value& claim) {
          set(claim, {"status", "conditions"},
              boost::json::parse(std::string(R"([{"type": "Drifted", "status": ")") + drifted + "\"}]"));
        },
        "status"));
  }
  [[nodiscard]] std::string members(const std::string& proof = "None") const {
    return R"("members": [{"index": 0, "podName": "p", "podUID": "pod", "nodeClaimUID": ")" + claim_uid +
           R"(", "proof": ")" + proof + "\"}]";
  }
  void saves(bool durable) {
    const auto job = api.get({api.resource("reprise.dev", "resumablejobs"), "team", "j"});
    Disks disks;
    disks["v"].checkpoints[10] = {.step = 10,
                                  .complete = true,
                                  .unsynced_on = durable ? "" : "machine",
                                  .by = {.job_uid = std::string(uid_of(*job))},
                                  .time = loop.now()};
    invariant->on_step(disks, {}, [](const std::string& what) { ADD_FAILURE() << what; });
  }
  std::size_t rolls() {
    std::size_t objections = 0;
    invariant->on_request("a",
                          {.method = runtime::Method::Delete, .path_and_query = "/apis/karpenter.sh/v1/nodeclaims/c"},
                          [&](const std::string&) { ++objections; });
    return objections;
  }

  EventLoop loop;
  runtime::SeededRandom random{1};
  ApiServer api{loop, random};
  std::string claim_uid;
  std::unique_ptr<Invariant> invariant;
  std::unique_ptr<ApiServer::Subscription> subscription;
};

TEST_F(RolledNodes, are_not_those_on_which_a_job_trains) {
  claim_says("True");
  EXPECT_EQ(rolls(), 0U) << "nobody is there";
  job_says(R"({"attempt": 1, "readyAttempt": 1, )" + members() + "}");
  EXPECT_EQ(rolls(), 1U);
  job_says(R"({"attempt": 1, "readyAttempt": 1, )" + members("KubeletReport") + "}");
  EXPECT_EQ(rolls(), 0U) << "its rank there has ended";
  job_says(R"({"attempt": 1, "readyAttempt": 1, )" + members() + "}");
  pod_says("Succeeded");
  EXPECT_EQ(rolls(), 0U) << "it has ended, though nobody has written it down yet";
  pod_says("Running");
  job_says(R"({"attempt": 2, "readyAttempt": 1, )" + members() + "}");
  EXPECT_EQ(rolls(), 0U) << "it does not train yet";
}

TEST_F(RolledNodes, may_be_those_of_a_job_that_has_just_saved_and_reported_it) {
  const std::string trains = R"({"attempt": 1, "readyAttempt": 1, )" + members();
  claim_says("True");
  job_says(trains + R"(, "progress": {"checkpoint": {"step": 10}}})");
  EXPECT_EQ(rolls(), 1U) << "it has reported what others have made";
  saves(false);
  EXPECT_EQ(rolls(), 1U) << "what is not durable is lost with its machine";
  saves(true);
  EXPECT_EQ(rolls(), 0U);
  job_says(trains + "}");
  EXPECT_EQ(rolls(), 1U) << "it has not reported it";
  job_says(trains + R"(, "progress": {"checkpoint": {"step": 11}}})");
  EXPECT_EQ(rolls(), 1U) << "four minutes ago is not just now";
}

TEST_F(RolledNodes, may_be_those_of_a_job_whose_volume_was_replaced_since_it_saved) {
  claim_says("True");
  job_says(R"({"attempt": 1, "readyAttempt": 1, )" + members() + R"(, "progress": {"checkpoint": {"step": 10}}})");
  saves(false);
  EXPECT_EQ(rolls(), 1U);
  invariant->on_step(Disks{}, {}, [](const std::string& what) { ADD_FAILURE() << what; });
  EXPECT_EQ(rolls(), 0U);
}

TEST_F(RolledNodes, are_those_that_have_drifted_or_that_their_pool_has_written_down) {
  claim_says("False");
  job_says(R"({"attempt": 1, "readyAttempt": 1, )" + members() + "}");
  EXPECT_EQ(rolls(), 0U) << "why it goes is told by other invariants";
  const auto pools = api.resource("reprise.dev", "gpupools");
  ASSERT_TRUE(api.create(pools, boost::json::parse(R"({"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool",
      "metadata": {"name": "t4"}, "spec": {"existingNodes": {"selector": {"matchLabels": {"a": "b"}}}}})")));
  ASSERT_TRUE(api.update(
      {pools, "", "t4"},
      [](Value& pool) {
        set(pool, {"status", "drift", "rolled"},
            boost::json::parse(R"([{"nodeClaim": "c", "node": "n", "time": "2026-01-01T00:00:00Z"}])"));
      },
      "status"));
  EXPECT_EQ(rolls(), 1U);
}

}  // namespace
}  // namespace reprise::simulator
