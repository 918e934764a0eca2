#include "bench/micro/wire_samples.h"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string_view>

#include "bench/micro/sample_names.h"
#include "runtime/kube/internal/wire_for_tests.h"

namespace bench {
namespace {

namespace json = boost::json;
using Wire = reprise::kube::internal::WireWriter;

constexpr std::int64_t kTime = 1'795'251'600;

Wire managed_fields(std::size_t bytes) {
  const json::object nothing;
  json::object labels{{".", nothing}};
  const auto text = [&] { return json::serialize(json::object{{"f:metadata", json::object{{"f:labels", labels}}}}); };
  std::size_t size = text().size() - std::string_view("}}}").size();
  for (int i = 0; size < bytes; ++i) {
    const std::string name = fmt::format("f:field{}", i);
    labels[name] = nothing;
    size += name.size() + std::string_view(R"(,"":{})").size();
  }
  return Wire()
      .bytes(1, "reprise")
      .bytes(2, "Update")
      .bytes(3, "v1")
      .time(4, kTime)
      .bytes(6, "FieldsV1")
      .message(7, Wire().bytes(1, text()));
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

}  // namespace bench
