// The slim views of Kubernetes' and Karpenter's kinds.
#include <gtest/gtest.h>

#include "api/karpenter.h"
#include "runtime/kube/core.h"
#include "runtime/kube/internal/tree.h"
#include "runtime/kube/node.h"
#include "runtime/kube/pod.h"

namespace reprise::api {
namespace {

constexpr const char* kPod = R"({
  "metadata": {"name": "finetune-3-0", "namespace": "vision", "uid": "u1", "resourceVersion": "9", "deletionTimestamp": "2026-11-21T09:00:20Z",
    "deletionGracePeriodSeconds": 20, "ownerReferences": [{"apiVersion": "reprise.dev/v1alpha1", "kind": "ResumableJob", "name": "finetune", "uid": "j1", "controller": true}]},
  "spec": {"nodeName": "node-9", "terminationGracePeriodSeconds": 60, "nodeSelector": {"a": "b"},
    "initContainers": [{"name": "reprise-agent-install"}],
    "containers": [
      {"name": "trainer", "resources": {"requests": {"cpu": "2", "nvidia.com/gpu.shared": "3", "example.com/fraction": "500m"}}},
      {"name": "sidecar", "resources": {"requests": {"nvidia.com/gpu.shared": "1"}}}],
    "volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "claim-a"}}, {"name": "b", "emptyDir": {}}]},
  "status": {"phase": "Running", "reason": "Evicted", "message": "m", "startTime": "2026-11-21T08:00:00Z",
    "conditions": [{"type": "Ready", "status": "True"}, {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager"}],
    "initContainerStatuses": [{"name": "reprise-agent-install", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}}],
    "containerStatuses": [
      {"name": "trainer", "ready": true, "state": {"running": {"startedAt": "2026-11-21T08:00:05Z"}}},
      {"name": "sidecar", "state": {"terminated": {"exitCode": 143, "reason": "Error", "message": "{}", "finishedAt": "2026-11-21T09:00:01Z"}}}]}})";

TEST(Pod, shows_what_decisions_need) {
  const auto pod = kube::KindOf<kube::Pod>::decode(kPod);
  ASSERT_TRUE(pod) << pod.error().path << pod.error().message;
  EXPECT_EQ(pod->meta.controller()->uid, "j1");
  EXPECT_EQ(pod->meta.deletion_grace_period_seconds, 20);
  EXPECT_EQ(pod->resource_requests, (kube::StringMap{{"nvidia.com/gpu.shared", "4"}}));
  EXPECT_EQ(pod->claim_names, std::vector<std::string>{"claim-a"});
  EXPECT_TRUE(pod->ready());
  EXPECT_EQ(pod->condition("DisruptionTarget")->reason, "DeletionByTaintManager");
  EXPECT_EQ(pod->phase, kube::PodPhase::Running);
  ASSERT_EQ(pod->container_statuses.size(), 3U);
  EXPECT_TRUE(pod->container_statuses[0].init);
  EXPECT_EQ(pod->container("sidecar")->exit_code, 143);
  EXPECT_EQ(pod->container("sidecar")->finished_at, kube::parse_time("2026-11-21T09:00:01Z"));
  EXPECT_EQ(pod->container("none"), nullptr);
}

TEST(Node, keeps_all_labels_since_a_pool_may_select_by_any) {
  const auto node = kube::KindOf<kube::Node>::decode(
      R"({"metadata":{"labels":{"any.example.com/rack":"7","kubernetes.io/os":"linux"},"annotations":{"a":"b"}}})");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->meta.labels.size(), 2U);
  EXPECT_TRUE(node->meta.annotations.empty());
}

TEST(NodeClaim, keeps_what_karpenter_and_reprise_say_and_how_its_gpus_are_shared) {
  const auto claim = kube::KindOf<NodeClaim>::decode(
      R"({"metadata":{"labels":{"reprise.dev/pool":"t4","kubernetes.io/arch":"amd64",)"
      R"("nvidia.com/device-plugin.config":"ts-4",)"
      R"("node.kubernetes.io/instance-type":"g4dn.xlarge","topology.kubernetes.io/zone":"z"},"annotations":{"a":"b",)"
      R"("karpenter.sh/nodeclaim-termination-timestamp":"2026-11-21T09:00:00Z"}}})");
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->meta.labels, (kube::StringMap{{"reprise.dev/pool", "t4"},
                                                 {"nvidia.com/device-plugin.config", "ts-4"},
                                                 {"node.kubernetes.io/instance-type", "g4dn.xlarge"},
                                                 {"topology.kubernetes.io/zone", "z"}}));
  EXPECT_EQ(claim->meta.annotation("karpenter.sh/nodeclaim-termination-timestamp"), "2026-11-21T09:00:00Z");
  EXPECT_EQ(claim->meta.annotation("a"), "");
}

TEST(Pod, has_ended_only_when_every_container_is_seen_terminated) {
  const auto decode = [](const char* spec, const char* status) {
    return kube::KindOf<kube::Pod>::decode(std::string(R"({"spec":)") + spec + R"(,"status":)" + status + "}")
        .value()
        .all_containers_terminated();
  };
  const char* const two = R"({"containers":[{"name":"a"},{"name":"b"}]})";
  EXPECT_TRUE(decode(
      two,
      R"({"containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0}}},{"name":"b","state":{"terminated":{"exitCode":1}}}]})"));
  EXPECT_FALSE(decode(two, R"({"phase":"Failed"})"));
  EXPECT_FALSE(decode(two, R"({"containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0}}}]})"));
  EXPECT_FALSE(decode(
      two,
      R"({"containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0}}},{"name":"b","state":{"running":{}}}]})"));
  EXPECT_FALSE(decode(
      two,
      R"({"containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0}}},{"name":"b","state":{"waiting":{"reason":"x"}}}]})"));
  EXPECT_FALSE(decode(R"({"containers":[{"name":"a"}],"initContainers":[{"name":"i"}]})",
                      R"({"containerStatuses":[{"name":"a","state":{"terminated":{"exitCode":0}}}]})"));
  EXPECT_FALSE(decode("{}", "{}"));
}

TEST(Pod, was_rejected_only_by_the_message_of_the_kubelet_s_admission) {
  const auto rejected = [](const std::string& status) {
    return kube::KindOf<kube::Pod>::decode(R"({"spec":{"nodeName":"n","containers":[{"name":"a"}]},"status":)" +
                                           status + "}")
        .value()
        .rejected_by_kubelet();
  };
  EXPECT_TRUE(rejected(R"({"phase":"Failed","reason":"OutOfnvidia.com/gpu","message":"Pod was rejected: x"})"));
  EXPECT_TRUE(
      rejected(R"({"phase":"Failed","reason":"Evicted","message":"Pod was rejected: The node had condition"})"));
  EXPECT_FALSE(rejected(R"({"phase":"Failed","reason":"Evicted","message":"The node was low on resource: memory"})"));
  EXPECT_FALSE(rejected(R"({"phase":"Running","reason":"OutOfcpu","message":"Pod was rejected: x"})"));
  EXPECT_TRUE(rejected(R"({"phase":"Failed","reason":"OfALaterKubelet","message":"Pod was rejected: x"})"));
  EXPECT_FALSE(
      rejected(R"({"phase":"Failed","reason":"NodeLost","message":"Node n which was running pod a is lost"})"));
  EXPECT_FALSE(rejected(R"({"phase":"Failed","reason":"DeadlineExceeded","message":"Pod was active on the node"})"));
  EXPECT_FALSE(rejected(R"({"phase":"Failed","reason":"OutOfcpu","message":"Pod was rejected: x","containerStatuses":)"
                        R"([{"name":"a","state":{"terminated":{"exitCode":0}}}]})"));
}

TEST(Pod, a_phase_nobody_knows_is_unknown) {
  EXPECT_EQ(kube::KindOf<kube::Pod>::decode(R"({"status":{"phase":"Resting"}})")->phase, kube::PodPhase::Unknown);
}

TEST(Node, shows_identity_taints_and_extended_resources) {
  const auto node = kube::KindOf<kube::Node>::decode(R"({"metadata":{"name":"n","uid":"nu"},
    "spec":{"providerID":"aws:///a/i-1","unschedulable":true,"taints":[{"key":"karpenter.sh/disrupted","effect":"NoSchedule"}]},
    "status":{"nodeInfo":{"bootID":"b1"},"allocatable":{"cpu":"4","memory":"16Gi","nvidia.com/gpu.shared":"4"},
      "conditions":[{"type":"Ready","status":"Unknown"}]}})");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->provider_id, "aws:///a/i-1");
  EXPECT_EQ(node->boot_id, "b1");
  EXPECT_TRUE(node->unschedulable);
  EXPECT_FALSE(node->ready());
  EXPECT_EQ(node->taint("karpenter.sh/disrupted")->effect, "NoSchedule");
  EXPECT_EQ(node->taint("none"), nullptr);
  EXPECT_EQ(node->allocatable, (kube::StringMap{{"nvidia.com/gpu.shared", "4"}}));
}

TEST(Event, takes_the_newest_of_the_times_of_both_apis) {
  const auto event = kube::KindOf<kube::Event>::decode(
      R"({"metadata":{"creationTimestamp":"2026-11-21T09:00:00.5Z"},"involvedObject":{"kind":"NodeClaim","name":"c","uid":"1"},"reason":"SpotInterrupted","type":"Warning",
    "reportingComponent":"karpenter","lastTimestamp":null,"eventTime":"2026-11-21T09:00:00.5Z","series":{"lastObservedTime":"2026-11-21T09:00:02.25Z"}})");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->source, "karpenter");
  EXPECT_EQ(event->last_timestamp, kube::parse_time("2026-11-21T09:00:02.25Z"));
}

// The reporter has a clock of its own: its times tell an age, and no more.
TEST(Event, was_seen_last_by_the_clock_of_the_api_server_that_stamped_its_creation) {
  for (const char* times :
       {R"("firstTimestamp":"2026-11-21T11:30:00Z","lastTimestamp":"2026-11-21T11:30:07Z")",
        R"("eventTime":"2026-11-21T07:30:00Z","series":{"lastObservedTime":"2026-11-21T07:30:07Z"})"}) {
    const auto event = kube::KindOf<kube::Event>::decode(
        R"({"metadata":{"creationTimestamp":"2026-11-21T09:00:00Z"},)" + std::string(times) + "}");
    ASSERT_TRUE(event);
    EXPECT_EQ(event->last_timestamp, kube::parse_time("2026-11-21T09:00:07Z")) << times;
  }
}

TEST(Lease, comes_back_with_microseconds) {
  kube::Lease lease;
  lease.meta.name = "reprise";
  lease.holder_identity = "a_1";
  lease.lease_duration_seconds = 15;
  lease.lease_transitions = 2;
  lease.renew_time = kube::parse_time("2026-11-21T09:00:00.123456Z");
  const auto back = kube::KindOf<kube::Lease>::decode(encode(lease));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->renew_time, lease.renew_time);
  EXPECT_EQ(back->lease_transitions, 2);
  EXPECT_EQ(back->acquire_time, std::nullopt);
}

TEST(Core, claims_services_and_config_maps_are_written_whole) {
  kube::ObjectMeta meta;
  meta.name = "finetune-rj";
  meta.namespace_ = "vision";
  EXPECT_EQ(
      kube::encode_headless_service(meta, {{"reprise.dev/job", "finetune"}}),
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"finetune-rj","namespace":"vision"},)"
      R"("spec":{"clusterIP":"None","publishNotReadyAddresses":true,"selector":{"reprise.dev/job":"finetune"}}})");
  EXPECT_EQ(
      encode_claim(meta, R"({"accessModes":["ReadWriteMany"]})"),
      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"finetune-rj","namespace":"vision"},)"
      R"("spec":{"accessModes":["ReadWriteMany"]}})");
  const auto map =
      kube::KindOf<kube::ConfigMap>::decode(encode(kube::ConfigMap{.meta = meta, .data = {{"k", "line\n\"q\""}}}));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->data.at("k"), "line\n\"q\"");
}

NodePool a_node_pool() {
  NodePool pool;
  pool.meta.name = "t4-spot";
  pool.spec.weight = 100;
  pool.spec.limits = {{"nvidia.com/gpu", "16"}};
  pool.spec.consolidation_policy = "WhenEmpty";
  pool.spec.consolidate_after = "300s";
  pool.spec.budgets = {{.nodes = "0", .reasons = {"Drifted"}, .schedule = "", .duration_seconds = {}},
                       {.nodes = "10%", .reasons = {}, .schedule = "@daily", .duration_seconds = 5400}};
  pool.spec.labels = {{"reprise.dev/pool", "t4"}};
  pool.spec.node_class_ref = {.group = "karpenter.k8s.aws", .kind = "EC2NodeClass", .name = "default"};
  pool.spec.expire_after = "Never";
  pool.spec.termination_grace_period = "120s";
  pool.spec.taints = {{.key = "nvidia.com/gpu", .value = "", .effect = "NoSchedule"}};
  pool.spec.requirements = {{.key = "karpenter.sh/capacity-type", .op = "In", .values = {"spot"}, .min_values = {}}};
  return pool;
}

TEST(NodePool, comes_back_as_it_was_written) {
  const NodePool pool = a_node_pool();
  const auto back = kube::KindOf<NodePool>::decode(encode(pool));
  ASSERT_TRUE(back) << back.error().path << back.error().message;
  EXPECT_EQ(back->spec, pool.spec);
  EXPECT_NE(encode(pool).find(R"("duration":"1h30m")"), std::string::npos);
}

TEST(NodePool, a_patch_removes_what_is_unset_and_the_keys_that_are_gone) {
  NodePool have = a_node_pool();
  have.meta.resource_version = "5";
  have.spec.labels["old"] = "x";
  have.spec.startup_taints = {{.key = "s", .value = "", .effect = "NoSchedule"}};
  const auto patch = kube::internal::parse_tree(encode_spec_patch(a_node_pool(), have)).value();
  EXPECT_EQ(patch["metadata"]["resourceVersion"], "5");
  const auto& node = patch["spec"]["template"];
  EXPECT_TRUE(node["spec"].isMember("startupTaints") && node["spec"]["startupTaints"].isNull());
  EXPECT_TRUE(node["metadata"]["labels"].isMember("old") && node["metadata"]["labels"]["old"].isNull());
  EXPECT_EQ(node["metadata"]["labels"]["reprise.dev/pool"], "t4");
  EXPECT_TRUE(node["metadata"]["annotations"].isNull());
}

TEST(NodeOverlay, comes_back_as_it_was_written) {
  NodeOverlay overlay;
  overlay.spec = {
      .weight = 10,
      .requirements = {{.key = "karpenter.sh/nodepool", .op = "In", .values = {"t4-spot"}, .min_values = {}}},
      .capacity = {{"nvidia.com/gpu.shared", "4"}}};
  const auto back = kube::KindOf<NodeOverlay>::decode(encode(overlay));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->spec, overlay.spec);
}

TEST(NodeClaim, shows_node_devices_and_conditions) {
  const auto claim =
      kube::KindOf<NodeClaim>::decode(R"({"metadata":{"name":"c","uid":"1"},"status":{"nodeName":"n","providerID":"p",
    "capacity":{"cpu":"4","nvidia.com/gpu":"1"},"conditions":[{"type":"Initialized","status":"True"}]}})");
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->node_name, "n");
  EXPECT_EQ(claim->capacity, (kube::StringMap{{"nvidia.com/gpu", "1"}}));
  EXPECT_EQ(claim->condition("Initialized")->status, "True");
  EXPECT_EQ(claim->condition("Drifted"), nullptr);
  const auto made =
      kube::KindOf<NodeClaim>::decode(R"({"spec":{"resources":{"requests":{"cpu":"1","nvidia.com/gpu":"2"}}}})");
  EXPECT_EQ(made->capacity, (kube::StringMap{{"nvidia.com/gpu", "2"}})) << "what it was made for";
}

}  // namespace
}  // namespace reprise::api
