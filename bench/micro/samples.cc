#include "bench/micro/samples.h"

#include <fmt/format.h>

#include <string_view>

namespace bench {
namespace {

constexpr std::string_view time = "2026-11-21T09:00:00Z";

std::string uid(int number) {
  return fmt::format("5a8e1c2f-6b7d-4e3a-9f10-{:012d}", number);
}

// What servers keep of who set which field: about `bytes` of it.
std::string managed_fields(std::size_t bytes) {
  std::string fields;
  for (int i = 0; fields.size() < bytes; ++i) {
    fields += fmt::format(R"({}"f:field{}":{{".":{{}},"f:name":{{}},"f:value":{{}}}})", i == 0 ? "" : ",", i);
  }
  return fmt::format(R"("managedFields":[{{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1",)"
                     R"("time":"{}","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{{}}}}}}}])",
                     time, fields);
}

std::string meta(const std::string& name, const std::string& ns, int number, const std::string& more,
                 std::size_t managed) {
  const std::string place = ns.empty() ? "" : fmt::format(R"("namespace":"{}",)", ns);
  return fmt::format(R"("metadata":{{"name":"{}",{}"uid":"{}","resourceVersion":"{}","generation":1,)"
                     R"("creationTimestamp":"{}",{},{}}})",
                     name, place, uid(number), 1000000 + number, time, more, managed_fields(managed));
}

std::string repeat(int times, std::string_view text) {
  std::string all;
  for (int i = 0; i < times; ++i) {
    all += i == 0 ? "" : ",";
    all += text;
  }
  return all;
}

std::string conditions(std::initializer_list<std::string_view> types) {
  std::string all;
  for (const std::string_view type : types) {
    all +=
        fmt::format(R"({}{{"type":"{}","status":"True","reason":"AsWanted","message":"","lastTransitionTime":"{}"}})",
                    all.empty() ? "" : ",", type, time);
  }
  return "\"conditions\":[" + all + "]";
}

const std::string& containers() {
  static const std::string text = fmt::format(
      R"([{{"name":"trainer","image":"registry.example.com/team/trainer:2026.11.3","command":["python","train.py"],)"
      R"("env":[{}],"volumeMounts":[{}],"resources":{{"requests":{{"cpu":"4","nvidia.com/gpu":"1"}},)"
      R"("limits":{{"nvidia.com/gpu":"1"}}}}}}])",
      repeat(30, R"({"name":"SOME_VARIABLE_OF_THE_TRAINING","value":"and what it is set to"})"),
      repeat(6, R"({"name":"checkpoints","mountPath":"/checkpoints"})"));
  return text;
}

}  // namespace

std::string pod_json(int number) {
  const int job = number / 3;
  const std::string labels = fmt::format(
      R"("labels":{{"bench.reprise.dev/job":"job-{0:05d}","bench.reprise.dev/attempt":"0","reprise.dev/job":"job-{0:05d}",)"
      R"("reprise.dev/job-uid":"{1}","reprise.dev/attempt":"0","batch.kubernetes.io/job-completion-index":"{2}"}},)"
      R"("annotations":{{"karpenter.sh/do-not-disrupt":"true","cni.example.com/address":"10.1.2.3/32"}},)"
      R"("ownerReferences":[{{"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob","name":"job-{0:05d}",)"
      R"("uid":"{1}","controller":true,"blockOwnerDeletion":true}}])",
      job, uid(job), number % 3);
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod",{},"spec":{{"nodeName":"node-{:04d}","nodeSelector":{{"reprise.dev/pool":"t4"}},)"
      R"("terminationGracePeriodSeconds":120,"volumes":[{{"name":"checkpoints","persistentVolumeClaim":)"
      R"({{"claimName":"job-{:05d}-checkpoints"}}}}],"containers":{}}},"status":{{"phase":"Running",{},)"
      R"("startTime":"{}","containerStatuses":[{{"name":"trainer","ready":true,"restartCount":0,)"
      R"("image":"registry.example.com/team/trainer:2026.11.3","state":{{"running":{{"startedAt":"{}"}}}}}}]}}}})",
      meta(fmt::format("job-{:05d}-0-{}", job, number % 3), "vision", number, labels, 4000), number / 30, job,
      containers(), conditions({"PodScheduled", "Initialized", "ContainersReady", "Ready"}), time, time);
}

std::string node_json(int number) {
  const std::string labels =
      R"("labels":{"reprise.dev/pool":"t4","karpenter.sh/nodepool":"t4-spot","karpenter.sh/capacity-type":"spot",)"
      R"("topology.kubernetes.io/zone":"zone-a","node.kubernetes.io/instance-type":"g4dn.xlarge",)"
      R"("kubernetes.io/arch":"amd64","kubernetes.io/os":"linux"})";
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Node",{},"spec":{{"providerID":"aws:///zone-a/i-{:08d}","taints":[{{)"
      R"("key":"nvidia.com/gpu","effect":"NoSchedule"}}]}},"status":{{"allocatable":{{"cpu":"4","nvidia.com/gpu":"1"}},)"
      R"({},"nodeInfo":{{"bootID":"{}"}},"images":[{}]}}}})",
      meta(fmt::format("node-{:04d}", number), "", number, labels, 1300), number,
      conditions({"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}), uid(number),
      repeat(30, R"({"names":["registry.example.com/some/image/with/a/path:v1.2.3"],"sizeBytes":123456789})"));
}

std::string job_json(int number) {
  const std::string owner = fmt::format(
      R"("ownerReferences":[{{"apiVersion":"bench.reprise.dev/v1","kind":"BenchJob","name":"job-{:05d}","uid":"{}",)"
      R"("controller":true,"blockOwnerDeletion":true}}])",
      number, uid(number));
  return fmt::format(
      R"({{"apiVersion":"batch/v1","kind":"Job",{},"spec":{{"template":{{"spec":{{"containers":{}}}}}}},)"
      R"("status":{{}}}})",
      meta(fmt::format("job-{:05d}-0", number), "vision", number, owner, 700), containers());
}

std::string bench_job_json(int number) {
  return fmt::format(
      R"({{"apiVersion":"bench.reprise.dev/v1","kind":"BenchJob",{},"spec":{{"workers":3}},"status":{{"attempt":0,)"
      R"("pods":3,"ready":3,"conditions":[{{"type":"NodesHealthy","status":"True","reason":"Healthy","message":"",)"
      R"("lastTransitionTime":"{}","observedGeneration":1}}]}}}})",
      meta(fmt::format("job-{:05d}", number), "vision", number, R"("labels":{"team":"vision"})", 1000), time);
}

std::string resumable_job_json(int number) {
  return fmt::format(
      R"({{"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob",{},"spec":{{"poolName":"t4","parallelism":3,)"
      R"("checkpoint":{{"path":"/checkpoints","volume":{{"access":"Shared","claimTemplate":{{"spec":{{"accessModes":)"
      R"(["ReadWriteMany"],"resources":{{"requests":{{"storage":"50Gi"}}}}}}}}}}}},"template":{{"spec":{{)"
      R"("containers":{}}}}}}},"status":{{"observedGeneration":1,"attempt":0,{}}}}})",
      meta(fmt::format("job-{:05d}", number), "vision", number, R"("labels":{"team":"vision"})", 1000), containers(),
      conditions({"PodsReady", "CheckpointReady"}));
}

}  // namespace bench
