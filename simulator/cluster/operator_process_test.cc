// The operator as it ships, alone in a cluster: no scheduler and no kubelet acts on its objects.
#include "simulator/cluster/operator_process.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulator/cluster/installation.h"

namespace reprise::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class Operator : public testing::Test {
 protected:
  Operator() {
    EXPECT_TRUE(install(api, {"team"}));
    EXPECT_TRUE(api.create(api.resource("", "persistentvolumeclaims"),
                           boost::json::parse(R"({"metadata": {"name": "data", "namespace": "team"},
        "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}}})")));
    process.emplace(cluster, wire_faults, OperatorSettings{});
  }
  ResourceId resource_of_jobs() {
    serve(api, read_own_kinds().value());
    return api.resource("reprise.dev", "resumablejobs");
  }
  void apply(const std::string& name, const std::string& more = {}) {
    const auto made = api.create(jobs, boost::json::parse(R"({"metadata": {"namespace": "team", "name": ")" + name +
                                                          R"("}, "spec": {)" + more + R"("checkpoint": {
        "path": "/checkpoints", "volume": {"claimName": "data"}}, "template": {"spec": {"containers": [
        {"name": "trainer", "image": "i", "command": ["train"]}]}}}})"));
    ASSERT_TRUE(made) << made.error().message;
  }
  bool becomes(Duration within, const std::function<bool()>& so) {
    const Duration end = loop.now() + within;
    while (!so()) {
      const auto next = loop.next();
      if (!next || *next > end) return false;
      loop.step();
    }
    return true;
  }
  [[nodiscard]] std::vector<std::string> with_pods() const {
    std::vector<std::string> names;
    for (const ObjectPtr& pod : api.list(api.resource("", "pods")))
      names.emplace_back(text(*pod, {"metadata", "labels", "reprise.dev/job"}));
    return names;
  }
  [[nodiscard]] bool holds(const std::string& name, std::string_view condition, std::string_view reason) const {
    for (const Value& each : array(*api.get({jobs, "team", name}), {"status", "conditions"}))
      if (text(each, {"type"}) == condition) return text(each, {"reason"}) == reason;
    return false;
  }

  EventLoop loop;
  runtime::SeededRandom random{1};
  ApiServer api{loop, random};
  ResourceId jobs = resource_of_jobs();
  EventLog log{loop};
  Cluster cluster{loop, random, api, log};
  NoFaults wire_faults;
  std::optional<OperatorProcess> process;
};

TEST_F(Operator, lets_one_of_two_jobs_on_a_claim_go_first_and_the_other_when_that_one_is_suspended) {
  apply("aa");
  apply("zz");
  ASSERT_TRUE(becomes(minutes(1), [this] { return !with_pods().empty(); }));
  loop.run_until(loop.now() + minutes(1));
  ASSERT_EQ(with_pods().size(), 1U);
  const std::string first = with_pods().front(), second = first == "aa" ? "zz" : "aa";
  EXPECT_TRUE(holds(second, "PodsReady", "ClaimInUse"));
  ASSERT_TRUE(api.update({jobs, "team", first}, [](Value& job) { set(job, {"spec", "suspend"}, Value(true)); }));
  EXPECT_TRUE(becomes(minutes(1), [&] { return with_pods() == std::vector{second}; }));
}

TEST_F(Operator, makes_pods_when_a_webhook_has_changed_its_mind_and_keeps_the_deadline_meanwhile) {
  api.set_webhook([](const ResourceType& type, const Value&) -> std::optional<Denial> {
    if (type.plural != "pods") return std::nullopt;
    return Denial{.code = 0, .reason = {}, .message = "not now"};
  });
  apply("late", R"("activeDeadlineSeconds": 1201, )");
  ASSERT_TRUE(becomes(minutes(1), [this] { return holds("late", "Stalled", "FailedCreate"); }));
  EXPECT_FALSE(becomes(minutes(19), [this] { return holds("late", "Failed", "DeadlineExceeded"); }));
  EXPECT_TRUE(becomes(seconds(100), [this] { return holds("late", "Failed", "DeadlineExceeded"); }));
  apply("waiting");
  ASSERT_TRUE(becomes(minutes(1), [this] { return holds("waiting", "Stalled", "FailedCreate"); }));
  loop.run_until(loop.now() + minutes(20));
  api.set_webhook({});
  EXPECT_TRUE(becomes(minutes(5) + seconds(1), [this] { return !with_pods().empty(); }));
}

// The uid of a pod without a node may wait longest: no machine ends with the process that held it.
TEST_F(Operator, writes_what_it_holds_back_and_gives_its_lease_back_when_it_is_stopped_in_order) {
  apply("job");
  ASSERT_TRUE(becomes(minutes(1), [this] { return !with_pods().empty(); }));
  loop.run_until(loop.now() + seconds(10));
  const auto recorded = [this] {
    const auto members = array(*api.get({jobs, "team", "job"}), {"status", "members"});
    return std::ranges::any_of(members, [](const Value& rank) { return !text(rank, {"podUID"}).empty(); });
  };
  ASSERT_FALSE(recorded());
  std::vector<bool> recorded_at_release;
  const auto leases = api.resource("coordination.k8s.io", "leases");
  const auto subscription = api.subscribe(leases, [&](const ObjectChange& change) {
    if (text(*change.object, {"spec", "holderIdentity"}).empty()) recorded_at_release.push_back(recorded());
  });
  process->stop_in_order();
  loop.run_until(loop.now() + seconds(1));
  EXPECT_EQ(recorded_at_release, std::vector<bool>{true});
  EXPECT_FALSE(process->working());
  process.reset();
  OperatorProcess next(cluster, wire_faults, {.identity = "operator-1"});
  EXPECT_TRUE(becomes(seconds(10), [&] { return next.working(); })) << "a lease that runs out takes longer";
}

// Another operator that stands still inside a call keeps its keeper from looking, for minutes.
TEST_F(Operator, is_dead_when_it_took_the_lease_over_and_gave_up_while_nobody_looked) {
  ASSERT_TRUE(api.create(api.resource("coordination.k8s.io", "leases"),
                         boost::json::parse(R"({"metadata": {"namespace": "reprise-system", "name": "reprise-operator"},
      "spec": {"holderIdentity": "other", "leaseDurationSeconds": 15}})")));
  loop.run_until(loop.now() + seconds(10));
  EXPECT_FALSE(process->dead());
  process->wire().hold_watches("/api/v1/nodes?", minutes(10));
  loop.run_until(loop.now() + minutes(3));
  EXPECT_TRUE(process->dead());
}

}  // namespace
}  // namespace reprise::simulator
