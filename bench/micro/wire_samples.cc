#include "bench/micro/wire_samples.h"

#include <fmt/format.h>

#include <string_view>

#include "runtime/kube/internal/wire_for_tests.h"

namespace bench {
namespace {

using Wire = reprise::kube::internal::WireWriter;

constexpr std::int64_t kTime = 1'795'251'600;
constexpr std::string_view kTimeText = "2026-11-21T09:00:00Z";
constexpr std::string_view kNamespace = "vision";

std::string uid(int kind, int number) {
  return fmt::format("5a8e1c2f-6b7d-4e3a-9f1{}-{:012d}", kind, number);
}
std::string job_uid(int job) {
  return uid(1, job);
}
std::string pod_uid(int pod) {
  return uid(2, pod);
}
std::string node_uid(int node) {
  return uid(3, node);
}
std::string claim_uid(int node) {
  return uid(4, node);
}
std::string job_name(int job) {
  return fmt::format("finetune-{:05d}", job);
}
std::string pod_name(int pod) {
  return fmt::format("{}-1-{}", job_name(pod / kPodsPerJob), pod % kPodsPerJob);
}
std::string node_name(int node) {
  return fmt::format("ip-10-1-{}-{}.eu-central-1.compute.internal", node / 250, node % 250);
}
std::string node_claim_name(int node) {
  return fmt::format("t4-spot-{:05x}", node * 7919 % 1'048'576);
}
int node_of(int job) {
  return job / kJobsPerNode;
}

Wire managed_fields(std::size_t bytes) {
  std::string fields = R"({"f:metadata":{"f:labels":{".":{})";
  for (int i = 0; fields.size() < bytes; ++i) fields += fmt::format(R"(,"f:field{}":{{}})", i);
  return Wire()
      .bytes(1, "reprise")
      .bytes(2, "Update")
      .bytes(3, "v1")
      .time(4, kTime)
      .bytes(6, "FieldsV1")
      .message(7, Wire().bytes(1, fields + "}}}"));
}

Wire meta(std::string_view name, std::string_view ns, const std::string& uid_text, int version) {
  Wire wire;
  wire.bytes(1, name).bytes(2, "").bytes(3, ns).bytes(5, uid_text).bytes(6, std::to_string(41'000'000 + version));
  return wire.time(8, kTime);
}

Wire owner(int job) {
  Wire wire;
  wire.bytes(1, "ResumableJob").bytes(3, job_name(job)).bytes(4, job_uid(job)).bytes(5, "reprise.dev/v1alpha1");
  return wire.number(6, 1).number(7, 1);
}

Wire env(std::string_view name, std::string_view value) {
  return Wire().bytes(1, name).bytes(2, value);
}

Wire container(std::string_view name, int job, int variables) {
  Wire wire;
  wire.bytes(1, name).bytes(2, "registry.example.com/team/trainer:2026.11.3");
  for (const char* word : {"/reprise/reprise-agent", "run", "--", "python", "train.py"}) wire.bytes(3, word);
  wire.bytes(4, fmt::format("--seed={}", job));
  for (int i = 0; i < variables; ++i) {
    wire.message(7, env(fmt::format("SOME_VARIABLE_OF_THE_TRAINING_{}", i), "and what it is set to by the user"));
  }
  wire.message(8, Wire()
                      .quantity(1, "nvidia.com/gpu.shared", "1")
                      .quantity(2, "cpu", "4")
                      .quantity(2, "nvidia.com/gpu.shared", "1"));
  for (const char* mount : {"reprise-agent", "reprise-checkpoints", "reprise-podinfo", "data", "kube-api-access"}) {
    wire.message(9, Wire().bytes(1, mount).number(2, 0).bytes(3, fmt::format("/{}", mount)));
  }
  return wire.bytes(13, "/dev/termination-log").bytes(14, "IfNotPresent");
}

Wire pod_spec(int job) {
  Wire spec;
  spec.message(1, Wire()
                      .bytes(1, "reprise-checkpoints")
                      .message(2, Wire().message(10, Wire().bytes(1, job_name(job) + "-checkpoints"))));
  for (const char* volume : {"reprise-agent", "reprise-podinfo", "data", "kube-api-access"}) {
    spec.message(1, Wire().bytes(1, volume).message(2, Wire().message(2, Wire().bytes(1, ""))));
  }
  spec.message(2, container("trainer", job, 25)).message(2, container("metrics", job, 12));
  spec.bytes(3, "Never").number(4, 125).bytes(6, "ClusterFirst").entry(7, "reprise.dev/pool", "t4");
  spec.bytes(8, "default").bytes(10, node_name(node_of(job))).bytes(16, pod_name(job * kPodsPerJob));
  spec.message(20, container("reprise-agent-install", job, 0));
  for (const char* taint : {"nvidia.com/gpu", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    spec.message(22, Wire().bytes(1, taint).bytes(2, "Exists").bytes(4, "NoExecute").number(5, 300));
  }
  return spec;
}

Wire condition(std::string_view type, std::string_view status, std::string_view reason = "") {
  return Wire().bytes(1, type).bytes(2, status).time(3, kTime).time(4, kTime).bytes(5, reason).bytes(6, "");
}

Wire container_status(std::string_view name, const Wire& state, int number) {
  Wire wire;
  wire.bytes(1, name).message(2, state).number(4, 1).number(5, 0);
  wire.bytes(6, "registry.example.com/team/trainer:2026.11.3");
  wire.bytes(7, "registry.example.com/team/trainer@sha256:" + std::string(64, 'a'));
  return wire.bytes(8, fmt::format("containerd://{:064d}", number)).number(9, 1);
}

Wire pod_status(int number) {
  Wire status;
  status.bytes(1, "Running");
  for (const char* type : {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    status.message(2, condition(type, "True"));
  }
  status.bytes(5, "10.1.2.3").bytes(6, "10.4.5.6").time(7, kTime + number % 60);
  const Wire running = Wire().message(2, Wire().time(1, kTime + number % 90));
  status.message(8, container_status("trainer", running, number));
  status.message(8, container_status("metrics", running, number));
  Wire ended;
  ended.number(1, 0).number(2, 0).bytes(3, "Completed").time(5, kTime).time(6, kTime + number % 60);
  status.message(10, container_status("reprise-agent-install", Wire().message(3, ended), number));
  return status;
}

std::string conditions_json(std::initializer_list<std::string_view> types) {
  std::string all;
  for (const std::string_view type : types) {
    all +=
        fmt::format(R"({}{{"type":"{}","status":"True","observedGeneration":1,"lastTransitionTime":"{}","reason":"{}",)"
                    R"("message":"all is as it should be with {}"}})",
                    all.empty() ? "" : ",", type, kTimeText, "AsWanted", type);
  }
  return "[" + all + "]";
}

std::string meta_json(std::string_view name, std::string_view ns, const std::string& uid_text, int version,
                      std::string_view more) {
  return fmt::format(
      R"("metadata":{{"name":"{}",{}"uid":"{}","resourceVersion":"{}","generation":1,)"
      R"("creationTimestamp":"{}",{}"managedFields":[{{"manager":"reprise","fieldsV1":{{"f:spec":"{}"}}}}]}})",
      name, ns.empty() ? "" : fmt::format(R"("namespace":"{}",)", ns), uid_text, 41'000'000 + version, kTimeText, more,
      std::string(1500, 'f'));
}

std::string template_json(int job, bool own_arguments) {
  std::string variables;
  for (int i = 0; i < 40; ++i) {
    variables +=
        fmt::format(R"({}{{"name":"SOME_VARIABLE_OF_THE_TRAINING_{}","value":"and what it is set to by the user"}})",
                    i == 0 ? "" : ",", i);
  }
  return fmt::format(
      R"({{"metadata":{{"labels":{{"team":"vision"}}}},"spec":{{"containers":[{{"name":"trainer","image":)"
      R"("registry.example.com/team/trainer:2026.11.3","command":["python","train.py"],"args":["--seed={}","--rate=0.{}"],)"
      R"("env":[{}],"volumeMounts":[{{"name":"data","mountPath":"/data"}}],"resources":{{"requests":{{"cpu":"4"}},)"
      R"("limits":{{"reprise.dev/gpu":"1"}}}}}}],"volumes":[{{"name":"data","emptyDir":{{}}}}]}}}})",
      own_arguments ? job : 0, own_arguments ? job * 31 % 1000 : 0, variables);
}

std::string members_json(int job) {
  const int node = node_of(job);
  std::string all;
  for (int i = 0; i < kPodsPerJob; ++i) {
    const int pod = job * kPodsPerJob + i;
    all += fmt::format(
        R"({}{{"index":{},"podName":"{}","podUID":"{}","nodeName":"{}","nodeUID":"{}","bootID":"{}","providerID":)"
        R"("aws:///eu-central-1a/i-{:017d}","nodeClaimName":"{}","nodeClaimUID":"{}","proof":"None","finished":false}})",
        i == 0 ? "" : ",", i, pod_name(pod), pod_uid(pod), node_name(node), node_uid(node), uid(5, node), node,
        node_claim_name(node), claim_uid(node));
  }
  return all;
}

}  // namespace

std::string pod_wire(int number) {
  const int job = number / kPodsPerJob;
  Wire head = meta(pod_name(number), kNamespace, pod_uid(number), number);
  head.entry(11, "batch.kubernetes.io/job-completion-index", std::to_string(number % kPodsPerJob));
  head.entry(11, "reprise.dev/attempt", "1").entry(11, "reprise.dev/job", job_name(job));
  head.entry(11, "reprise.dev/job-uid", job_uid(job)).entry(11, "team", "vision");
  head.entry(12, "karpenter.sh/do-not-disrupt", "true").entry(12, "cni.example.com/address", "10.1.2.3/32");
  head.message(13, owner(job)).message(17, managed_fields(3000));
  return Wire().message(1, head).message(2, pod_spec(job)).message(3, pod_status(number)).str();
}

std::string node_wire(int number) {
  Wire head = meta(node_name(number), "", node_uid(number), number);
  for (int i = 0; i < 12; ++i) {
    head.entry(11, fmt::format("karpenter.k8s.aws/instance-property-{}", i), fmt::format("value-{}", i));
  }
  head.entry(11, "karpenter.sh/capacity-type", "spot").entry(11, "karpenter.sh/nodepool", "t4-spot");
  head.entry(11, "kubernetes.io/arch", "amd64").entry(11, "kubernetes.io/hostname", node_name(number));
  head.entry(11, "kubernetes.io/os", "linux").entry(11, "node.kubernetes.io/instance-type", "g4dn.xlarge");
  head.entry(11, "reprise.dev/pool", "t4").entry(11, "topology.kubernetes.io/zone", "eu-central-1a");
  head.entry(12, "node.alpha.kubernetes.io/ttl", "0").entry(12, "csi.volume.kubernetes.io/nodeid", "{}");
  head.bytes(14, "karpenter.sh/termination").message(17, managed_fields(1300));
  Wire spec;
  spec.bytes(3, fmt::format("aws:///eu-central-1a/i-{:017d}", number));
  spec.message(5, Wire().bytes(1, "nvidia.com/gpu").bytes(2, "").bytes(3, "NoSchedule"));
  Wire status;
  for (const char* resource : {"cpu", "memory", "pods", "ephemeral-storage", "nvidia.com/gpu.shared"}) {
    status.quantity(1, resource, "40").quantity(2, resource, "40");
  }
  status.message(4, condition("MemoryPressure", "False", "KubeletHasSufficientMemory"));
  status.message(4, condition("DiskPressure", "False", "KubeletHasNoDiskPressure"));
  status.message(4, condition("PIDPressure", "False", "KubeletHasSufficientPID"));
  status.message(4, condition("Ready", "True", "KubeletReady"));
  status.message(7, Wire().bytes(1, uid(6, number)).bytes(2, uid(7, number)).bytes(3, uid(5, number)));
  for (int i = 0; i < 30; ++i) {
    status.message(
        8, Wire().bytes(1, fmt::format("registry.example.com/some/image/with/a/path-{}:v1.2.3", i)).number(2, 1));
  }
  return Wire().message(1, head).message(2, spec).message(3, status).str();
}

std::string claim_wire(int job) {
  Wire head = meta(job_name(job) + "-checkpoints", kNamespace, uid(8, job), job);
  head.entry(11, "reprise.dev/job", job_name(job)).entry(11, "reprise.dev/job-uid", job_uid(job));
  head.entry(12, "pv.kubernetes.io/bind-completed", "yes").bytes(14, "kubernetes.io/pvc-protection");
  head.message(17, managed_fields(800));
  const Wire spec = Wire().bytes(1, "ReadWriteMany").bytes(3, "pvc-" + uid(8, job)).bytes(5, "efs");
  return Wire().message(1, head).message(2, spec).message(3, Wire().bytes(1, "Bound").bytes(2, "ReadWriteMany")).str();
}

std::string service_wire(int job) {
  Wire head = meta(job_name(job) + "-rj", kNamespace, uid(9, job), job);
  head.entry(11, "reprise.dev/job", job_name(job)).entry(11, "reprise.dev/job-uid", job_uid(job));
  head.message(13, owner(job)).message(17, managed_fields(700));
  return Wire().message(1, head).message(2, Wire().entry(2, "reprise.dev/job", job_name(job)).bytes(3, "None")).str();
}

std::string event_wire(int number) {
  const Wire head = meta(fmt::format("{}.{:016x}", node_name(number), number), "default", uid(0, number), number);
  Wire involved;
  involved.bytes(1, "Node").bytes(2, "").bytes(3, node_name(number)).bytes(4, node_name(number));
  Wire event;
  event.message(1, head).message(2, involved).bytes(3, "DisruptionBlocked");
  event.bytes(4, "Pod \"vision/" + pod_name(number * 30) + "\" has \"karpenter.sh/do-not-disrupt\" annotation");
  event.message(5, Wire().bytes(1, "karpenter")).time(6, kTime).time(7, kTime + number).number(8, 1);
  return event.bytes(9, "Normal").str();
}

std::string namespace_wire(int number) {
  Wire head = meta(fmt::format("team-{}", number), "", uid(0, 500'000 + number), number);
  head.entry(11, "kubernetes.io/metadata.name", fmt::format("team-{}", number)).entry(11, "team", "vision");
  return Wire().message(1, head).str();
}

std::string running_job_json(int job, bool own_arguments) {
  return fmt::format(
      R"({{"apiVersion":"reprise.dev/v1alpha1","kind":"ResumableJob",{},"spec":{{"poolName":"t4","parallelism":3,)"
      R"("checkpoint":{{"path":"/checkpoints","volume":{{"access":"Shared","claimTemplate":{{"spec":{{"accessModes":)"
      R"(["ReadWriteMany"],"resources":{{"requests":{{"storage":"50Gi"}}}}}}}}}},"onNotice":{{"signal":"SIGUSR1"}}}},)"
      R"("template":{}}},"status":{{"observedGeneration":1,"conditions":{},"attempt":1,"startTime":"{}","active":3,)"
      R"("ready":3,"checkpoint":{{"step":{},"path":"/checkpoints/step-{}","time":"{}","sizeBytes":123456789,"verified":true,)"
      R"("claimName":"{}-checkpoints","claimUID":"{}"}},"progress":{{"percentage":37,"step":{},"lastUpdatedTime":"{}"}},)"
      R"("placement":{{"capacity":"Spot","zone":"eu-central-1a"}},"members":[{}],"claims":[{{"name":"{}-checkpoints",)"
      R"("uid":"{}"}}]}}}})",
      meta_json(job_name(job), kNamespace, job_uid(job), job, R"("labels":{"team":"vision","sweep":"first"},)"),
      template_json(job, own_arguments),
      conditions_json({"PodsReady", "CheckpointReady", "Suspended", "Interrupted", "OnSchedule"}), kTimeText, job * 10,
      job * 10, kTimeText, job_name(job), uid(8, job), job * 10, kTimeText, members_json(job), job_name(job),
      uid(8, job));
}

std::string node_claim_json(int number) {
  return fmt::format(
      R"({{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim",{},"spec":{{"requirements":[{}]}},"status":{{"nodeName":"{}",)"
      R"("providerID":"aws:///eu-central-1a/i-{:017d}","conditions":{}}}}})",
      meta_json(
          node_claim_name(number), "", claim_uid(number), number,
          R"("labels":{"karpenter.sh/nodepool":"t4-spot","karpenter.sh/capacity-type":"spot","reprise.dev/pool":"t4",)"
          R"("node.kubernetes.io/instance-type":"g4dn.xlarge"},"annotations":{"karpenter.sh/nodepool-hash":"123456"},)"
          R"("finalizers":["karpenter.sh/termination"],)"),
      R"({"key":"karpenter.sh/capacity-type","operator":"In","values":["spot"]})", node_name(number), number,
      conditions_json({"Launched", "Registered", "Initialized", "Ready", "Consolidatable"}));
}

std::string gpu_pool_json(int number) {
  return fmt::format(
      R"({{"apiVersion":"reprise.dev/v1alpha1","kind":"GpuPool",{},"spec":{{"gpu":{{"models":["t4"]}},"nodeClassRef":)"
      R"({{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"default"}},"capacity":[{{"type":"Spot"}},)"
      R"({{"type":"OnDemand"}}],"sharing":{{"mode":"TimeSlicing","replicas":4}}}},"status":{{"conditions":{}}}}})",
      meta_json(fmt::format("t4-{}", number), "", uid(0, 600'000 + number), number, ""),
      conditions_json({"Ready", "NodePoolsSynced", "CapacityAvailable", "SharingConfigured"}));
}

}  // namespace bench
