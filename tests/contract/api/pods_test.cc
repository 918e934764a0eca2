#include "tests/contract/api/world.h"

namespace reprise::contract {
namespace {

using Pods = Contract;

TEST_F(Pods, are_completed_with_defaults) {
  const Reply made = must_post(pods(), pod("a"));
  EXPECT_EQ(made.text({"spec", "restartPolicy"}), "Always");
  EXPECT_EQ(made.number({"spec", "terminationGracePeriodSeconds"}), 30);
  EXPECT_EQ(made.text({"spec", "dnsPolicy"}), "ClusterFirst");
  EXPECT_EQ(made.text({"spec", "schedulerName"}), "default-scheduler");
  EXPECT_TRUE(simulator::flag(made.body, {"spec", "enableServiceLinks"}));
  EXPECT_EQ(made.number({"spec", "priority"}), 0);
  EXPECT_EQ(made.text({"spec", "preemptionPolicy"}), "PreemptLowerPriority");
  EXPECT_EQ(made.text({"status", "phase"}), "Pending");
  EXPECT_EQ(made.text({"status", "qosClass"}), "BestEffort");
  EXPECT_EQ(made.number({"metadata", "generation"}), 1);
  const Value& container = simulator::array(made.body, {"spec", "containers"})[0];
  EXPECT_EQ(simulator::text(container, {"terminationMessagePath"}), "/dev/termination-log");
  EXPECT_EQ(simulator::text(container, {"terminationMessagePolicy"}), "File");
  EXPECT_EQ(simulator::text(container, {"imagePullPolicy"}), "IfNotPresent");
  EXPECT_EQ(encoded(*simulator::find(container, {"resources"})), "{}");
}

TEST_F(Pods, bear_bad_nodes_for_five_minutes) {
  const Reply made = must_post(pods(), pod("a"));
  const auto& tolerations = simulator::array(made.body, {"spec", "tolerations"});
  ASSERT_EQ(tolerations.size(), 2U);
  EXPECT_EQ(simulator::text(tolerations[0], {"key"}), "node.kubernetes.io/not-ready");
  EXPECT_EQ(simulator::text(tolerations[1], {"key"}), "node.kubernetes.io/unreachable");
  for (const Value& toleration : tolerations) {
    EXPECT_EQ(simulator::text(toleration, {"operator"}), "Exists");
    EXPECT_EQ(simulator::text(toleration, {"effect"}), "NoExecute");
    EXPECT_EQ(simulator::number(toleration, {"tolerationSeconds"}), 300);
  }
}

TEST_F(Pods, that_say_how_they_bear_bad_nodes_are_left_alone) {
  Value made = pod("a");
  simulator::set(made, {"spec", "tolerations"},
                 json(R"([{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute"}])"));
  const auto reply = must_post(pods(), made);
  EXPECT_EQ(simulator::array(reply.body, {"spec", "tolerations"}).size(), 2U);
}

TEST_F(Pods, have_a_class_of_service_by_what_they_ask_for) {
  const auto with = [&](std::string_view name, const char* resources) {
    Value made = pod(name);
    simulator::find(made, {"spec", "containers"})->get_array()[0].get_object()["resources"] = json(resources);
    return std::string(must_post(pods(), made).text({"status", "qosClass"}));
  };
  EXPECT_EQ(with("a", R"({"requests":{"cpu":"1"}})"), "Burstable");
  EXPECT_EQ(with("b", R"({"limits":{"cpu":"1","memory":"1Gi"}})"), "Guaranteed");
  EXPECT_EQ(with("c", R"({"limits":{"cpu":"1"}})"), "Burstable");
}

TEST_F(Pods, request_what_they_are_limited_to) {
  Value made = pod("a");
  simulator::find(made, {"spec", "containers"})->get_array()[0].get_object()["resources"] =
      json(R"({"limits":{"nvidia.com/gpu":"1"}})");
  const Reply reply = must_post(pods(), made);
  EXPECT_EQ(simulator::text(simulator::array(reply.body, {"spec", "containers"})[0],
                            {"resources", "requests", "nvidia.com/gpu"}),
            "1");
}

TEST_F(Pods, take_their_priority_from_its_class) {
  const std::string classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
  must_post(classes, json(R"({"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{"name":")" +
                          own("high") + R"("},"value":1000})"));
  Value made = pod("a");
  simulator::set(made, {"spec", "priorityClassName"}, own("high"));
  EXPECT_EQ(must_post(pods(), made).number({"spec", "priority"}), 1000);
  simulator::set(made, {"spec", "priorityClassName"}, own("none"));
  simulator::set(made, {"metadata", "name"}, "b");
  const Reply rejected = post(pods(), made);
  EXPECT_EQ(rejected.status, 403);
  EXPECT_EQ(rejected.message(), "pods \"b\" is forbidden: no PriorityClass with name " + own("none") + " was found");
  EXPECT_EQ(remove(classes + "/" + own("high")).status, 200);
}

TEST_F(Pods, need_a_container_with_a_name_and_an_image) {
  Value made = pod("a");
  simulator::set(made, {"spec", "containers"}, simulator::JsonArray{});
  const Reply rejected = post(pods(), made);
  EXPECT_EQ(rejected.status, 422);
  EXPECT_THAT(rejected.message(), testing::HasSubstr("Pod \"a\" is invalid: spec.containers: Required value"));
}

TEST_F(Pods, are_frozen_but_for_images_tolerations_and_the_deadline) {
  must_post(pods(), pod("a"));
  const Reply rejected = merge(pods("a"), R"({"spec":{"restartPolicy":"Never"}})");
  EXPECT_EQ(rejected.status, 422);
  EXPECT_EQ(rejected.reason(), "Invalid");
  EXPECT_THAT(rejected.message(), testing::HasSubstr("spec: Forbidden: pod updates may not change fields other than"));
  const Reply changed =
      json_patch(pods("a"), R"([{"op":"replace","path":"/spec/containers/0/image","value":"trainer:2"}])");
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.number({"metadata", "generation"}), 2);
  EXPECT_EQ(merge(pods("a"), R"({"spec":{"activeDeadlineSeconds":60}})").status, 200);
}

TEST_F(Pods, keep_their_tolerations) {
  Value made = pod("a");
  simulator::set(made, {"spec", "tolerations"}, json(R"([{"key":"x.dev/a","operator":"Exists"}])"));
  must_post(pods(), made);
  EXPECT_EQ(json_patch(pods("a"), R"([{"op":"remove","path":"/spec/tolerations/0"}])").status, 422);
  EXPECT_EQ(json_patch(pods("a"), R"([{"op":"add","path":"/spec/tolerations/-","value":{"key":"x.dev/b",
    "operator":"Exists"}}])")
                .status,
            200);
  // The default tolerations that every pod has are put back at once.
  EXPECT_EQ(json_patch(pods("a"), R"([{"op":"remove","path":"/spec/tolerations/1"}])").status, 200);
  EXPECT_EQ(simulator::array(get(pods("a")).body, {"spec", "tolerations"}).size(), 4U);
}

TEST_F(Pods, may_be_labelled_with_their_status) {
  must_post(pods(), pod("a"));
  const Reply written = merge(pods("a/status"), R"({"metadata":{"labels":{"x":"y"},"annotations":{"x.dev/a":"b"}},
    "status":{"phase":"Running"}})");
  EXPECT_EQ(written.text({"metadata", "labels", "x"}), "y");
  EXPECT_EQ(written.text({"metadata", "annotations", "x.dev/a"}), "b");
}

TEST_F(Pods, run_as_the_default_account) {
  const Reply made = must_post(pods(), pod("a"));
  EXPECT_EQ(made.text({"spec", "serviceAccountName"}), "default");
  EXPECT_EQ(made.text({"spec", "serviceAccount"}), "default");
}

TEST_F(Pods, that_are_bound_keep_their_generation) {
  must_post(pods(), pod("a"));
  bind("a");
  EXPECT_EQ(get(pods("a")).number({"metadata", "generation"}), 1);
}

TEST_F(Pods, are_bound_once) {
  must_post(pods(), pod("a"));
  bind("a", "node-a");
  const Reply bound = get(pods("a"));
  EXPECT_EQ(bound.text({"spec", "nodeName"}), "node-a");
  const auto& conditions = simulator::array(bound.body, {"status", "conditions"});
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(simulator::text(conditions[0], {"type"}), "PodScheduled");
  EXPECT_EQ(simulator::text(conditions[0], {"status"}), "True");
  const Reply again = post(pods("a/binding"), json(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"},
    "target":{"apiVersion":"v1","kind":"Node","name":"node-b"}})"));
  EXPECT_EQ(again.status, 409);
  EXPECT_EQ(again.reason(), "Conflict");
  EXPECT_THAT(again.message(), testing::HasSubstr("pod a is already assigned to node \"node-a\""));
}

TEST_F(Pods, that_are_bound_stay_until_a_deletion_without_grace) {
  must_post(pods(), pod("a"));
  bind("a");
  const Reply before = get(pods("a"));
  const Reply going = remove(pods("a"));
  EXPECT_EQ(going.status, 200);
  EXPECT_EQ(going.text({"kind"}), "Pod");
  EXPECT_EQ(going.number({"metadata", "deletionGracePeriodSeconds"}), 30);
  EXPECT_TRUE(going.has({"metadata", "deletionTimestamp"}));
  EXPECT_EQ(going.number({"metadata", "generation"}), before.number({"metadata", "generation"}) + 1);
  EXPECT_EQ(remove(pods("a"), R"({"gracePeriodSeconds":0})").status, 200);
  EXPECT_EQ(get(pods("a")).status, 404);
}

TEST_F(Pods, may_be_hurried_but_not_delayed) {
  must_post(pods(), pod("a"));
  bind("a");
  const Reply first = remove(pods("a"), R"({"gracePeriodSeconds":100})");
  const Reply longer = remove(pods("a"), R"({"gracePeriodSeconds":200})");
  EXPECT_EQ(longer.version(), first.version());
  EXPECT_EQ(longer.number({"metadata", "deletionGracePeriodSeconds"}), 100);
  EXPECT_EQ(remove(pods("a")).number({"metadata", "deletionGracePeriodSeconds"}), 100);
  const Reply shorter = remove(pods("a"), R"({"gracePeriodSeconds":10})");
  EXPECT_EQ(shorter.number({"metadata", "deletionGracePeriodSeconds"}), 10);
  EXPECT_LT(shorter.text({"metadata", "deletionTimestamp"}), first.text({"metadata", "deletionTimestamp"}));
  EXPECT_EQ(shorter.number({"metadata", "generation"}), first.number({"metadata", "generation"}));
}

TEST_F(Pods, that_run_nowhere_go_at_once) {
  must_post(pods(), pod("a"));
  EXPECT_EQ(remove(pods("a"), R"({"gracePeriodSeconds":100})").text({"kind"}), "Pod");
  EXPECT_EQ(get(pods("a")).status, 404);
}

TEST_F(Pods, that_have_ended_go_at_once) {
  must_post(pods(), pod("a"));
  bind("a");
  ASSERT_EQ(merge(pods("a/status"), R"({"status":{"phase":"Succeeded"}})").status, 200);
  remove(pods("a"));
  EXPECT_EQ(get(pods("a")).status, 404);
}

TEST_F(Pods, with_finalizers_stay_without_grace) {
  Value made = pod("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/a"});
  must_post(pods(), made);
  const Reply going = remove(pods("a"), R"({"gracePeriodSeconds":0})");
  EXPECT_EQ(going.number({"metadata", "deletionGracePeriodSeconds"}), 0);
  EXPECT_EQ(get(pods("a")).status, 200);
  EXPECT_EQ(merge(pods("a"), R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(get(pods("a")).status, 404);
}

TEST_F(Pods, that_are_bound_and_lose_their_finalizers_still_have_their_grace) {
  Value made = pod("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/a"});
  must_post(pods(), made);
  bind("a");
  EXPECT_EQ(remove(pods("a")).number({"metadata", "deletionGracePeriodSeconds"}), 30);
  EXPECT_EQ(merge(pods("a"), R"({"metadata":{"finalizers":null}})").status, 200);
  EXPECT_EQ(get(pods("a")).status, 200);
  remove(pods("a"), R"({"gracePeriodSeconds":0})");
  EXPECT_EQ(get(pods("a")).status, 404);
}

TEST_F(Pods, are_not_bound_while_they_go) {
  Value made = pod("a");
  simulator::set(made, {"metadata", "finalizers"}, simulator::JsonArray{"x.dev/a"});
  must_post(pods(), made);
  remove(pods("a"));
  const Reply rejected = post(pods("a/binding"), json(R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"a"},
    "target":{"apiVersion":"v1","kind":"Node","name":"node-b"}})"));
  EXPECT_EQ(rejected.status, 409);
  EXPECT_THAT(rejected.message(), testing::HasSubstr("pod a is being deleted, cannot be assigned to a host"));
  merge(pods("a"), R"({"metadata":{"finalizers":null}})");
}

TEST_F(Pods, are_written_by_their_kubelet_through_status) {
  const Reply made = must_post(pods(), pod("a"));
  bind("a");
  const Reply running = merge(pods("a/status"), R"({"status":{"phase":"Running","podIP":"10.0.0.1",
    "podIPs":[{"ip":"10.0.0.1"}],"startTime":"2026-01-01T00:00:00Z"}})");
  EXPECT_EQ(running.status, 200) << running.raw;
  EXPECT_EQ(running.text({"status", "phase"}), "Running");
  EXPECT_EQ(running.text({"status", "qosClass"}), "BestEffort");
  EXPECT_EQ(running.number({"metadata", "generation"}), get(pods("a")).number({"metadata", "generation"}));
  EXPECT_EQ(merge(pods("a"), R"({"status":{"phase":"Failed"}})").text({"status", "phase"}), "Running");
}

TEST_F(Pods, are_evicted_with_their_grace) {
  must_post(pods(), pod("a"));
  bind("a");
  const Reply evicted =
      post(pods("a/eviction"), json(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"}})"));
  EXPECT_EQ(evicted.status, 201) << evicted.raw;
  EXPECT_EQ(evicted.text({"status"}), "Success");
  EXPECT_EQ(get(pods("a")).number({"metadata", "deletionGracePeriodSeconds"}), 30);
  remove(pods("a"), R"({"gracePeriodSeconds":0})");
}

TEST_F(Pods, that_work_are_not_evicted_against_a_budget) {
  Value made = pod("a");
  simulator::set(made, {"metadata", "labels", "app"}, "x");
  must_post(pods(), made);
  bind("a");
  ASSERT_EQ(merge(pods("a/status"), R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})")
                .status,
            200);
  const std::string budgets = "/apis/policy/v1/namespaces/" + ns + "/poddisruptionbudgets";
  const Reply budget = must_post(budgets, json(R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":
    {"name":"b"},"spec":{"maxUnavailable":0,"selector":{"matchLabels":{"app":"x"}}}})"));
  ASSERT_EQ(merge(budgets + "/b/status", R"({"status":{"observedGeneration":1,"disruptionsAllowed":0,
    "currentHealthy":1,"desiredHealthy":1,"expectedPods":1}})")
                .status,
            200);
  const Reply rejected =
      post(pods("a/eviction"), json(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"a"}})"));
  EXPECT_EQ(rejected.status, 429);
  EXPECT_EQ(rejected.reason(), "TooManyRequests");
  EXPECT_THAT(rejected.message(), testing::HasSubstr("disruption budget"));
  remove(pods("a"), R"({"gracePeriodSeconds":0})");
}

}  // namespace
}  // namespace reprise::contract
