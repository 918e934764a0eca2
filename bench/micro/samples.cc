#include "bench/micro/samples.h"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "bench/micro/object_text.h"

namespace bench {
namespace {

namespace json = boost::json;

constexpr std::string_view time = "2026-11-21T09:00:00Z";

std::string uid(int number) {
  return fmt::format("5a8e1c2f-6b7d-4e3a-9f10-{:012d}", number);
}

std::string job_name(int number) {
  return fmt::format("job-{:05d}", number);
}

// The managedFields that servers keep of who set which field: about `bytes` of it.
json::array managed_fields(std::size_t bytes) {
  const json::object field{{".", json::object{}}, {"f:name", json::object{}}, {"f:value", json::object{}}};
  const std::size_t each = json::serialize(field).size() + std::string_view(R"("":)").size();
  json::object fields;
  std::size_t size = 0;
  for (int i = 0; size < bytes; ++i) {
    const std::string name = fmt::format("f:field{}", i);
    fields[name] = field;
    size += each + name.size() + (i == 0 ? 0 : 1);
  }
  return {json::object{{"manager", "kube-controller-manager"},
                       {"operation", "Update"},
                       {"apiVersion", "v1"},
                       {"time", time},
                       {"fieldsType", "FieldsV1"},
                       {"fieldsV1", json::object{{"f:spec", std::move(fields)}}}}};
}

json::object meta(const std::string& name, const std::string& ns, int number, json::object more, std::size_t managed) {
  json::object made{{"name", name}};
  if (!ns.empty()) made["namespace"] = ns;
  made["uid"] = uid(number);
  made["resourceVersion"] = std::to_string(1000000 + number);
  made["generation"] = 1;
  made["creationTimestamp"] = time;
  for (auto& [key, value] : more) made[key] = std::move(value);
  made["managedFields"] = managed_fields(managed);
  return made;
}

json::array repeat(std::size_t times, const json::value& value) {
  return json::array(times, value);
}

json::array conditions(std::initializer_list<std::string_view> types) {
  json::array all;
  for (const std::string_view type : types) {
    all.push_back(json::object{
        {"type", type}, {"status", "True"}, {"reason", "AsWanted"}, {"message", ""}, {"lastTransitionTime", time}});
  }
  return all;
}

json::array owned_by(std::string_view api_version, std::string_view kind, int job) {
  return {json::object{{"apiVersion", api_version},
                       {"kind", kind},
                       {"name", job_name(job)},
                       {"uid", uid(job)},
                       {"controller", true},
                       {"blockOwnerDeletion", true}}};
}

json::array containers() {
  const json::object variable{{"name", "SOME_VARIABLE_OF_THE_TRAINING"}, {"value", "and what it is set to"}};
  const json::object mount{{"name", "checkpoints"}, {"mountPath", "/checkpoints"}};
  const json::object resources{{"requests", json::object{{"cpu", "4"}, {"nvidia.com/gpu", "1"}}},
                               {"limits", json::object{{"nvidia.com/gpu", "1"}}}};
  return {json::object{{"name", "trainer"},
                       {"image", "registry.example.com/team/trainer:2026.11.3"},
                       {"command", json::array{"python", "train.py"}},
                       {"env", repeat(30, variable)},
                       {"volumeMounts", repeat(6, mount)},
                       {"resources", resources}}};
}

json::object team() {
  return {{"labels", json::object{{"team", "vision"}}}};
}

}  // namespace

std::string pod_json(int number) {
  const int job = number / 3;
  const json::object labels{{"bench.reprise.dev/job", job_name(job)},
                            {"bench.reprise.dev/attempt", "0"},
                            {"reprise.dev/job", job_name(job)},
                            {"reprise.dev/job-uid", uid(job)},
                            {"reprise.dev/attempt", "0"},
                            {"batch.kubernetes.io/job-completion-index", std::to_string(number % 3)}};
  const json::object annotations{{"karpenter.sh/do-not-disrupt", "true"}, {"cni.example.com/address", "10.1.2.3/32"}};
  const json::object more{{"labels", labels},
                          {"annotations", annotations},
                          {"ownerReferences", owned_by("reprise.dev/v1alpha1", "ResumableJob", job)}};
  const json::object volume{
      {"name", "checkpoints"},
      {"persistentVolumeClaim", json::object{{"claimName", fmt::format("{}-checkpoints", job_name(job))}}}};
  const json::object running{{"name", "trainer"},
                             {"ready", true},
                             {"restartCount", 0},
                             {"image", "registry.example.com/team/trainer:2026.11.3"},
                             {"state", json::object{{"running", json::object{{"startedAt", time}}}}}};
  return object_text("v1", "Pod", meta(fmt::format("{}-0-{}", job_name(job), number % 3), "vision", number, more, 4000),
                     {{"nodeName", fmt::format("node-{:04d}", number / 30)},
                      {"nodeSelector", json::object{{"reprise.dev/pool", "t4"}}},
                      {"terminationGracePeriodSeconds", 120},
                      {"volumes", repeat(1, volume)},
                      {"containers", containers()}},
                     {{"phase", "Running"},
                      {"conditions", conditions({"PodScheduled", "Initialized", "ContainersReady", "Ready"})},
                      {"startTime", time},
                      {"containerStatuses", repeat(1, running)}});
}

std::string node_json(int number) {
  const json::object labels{{"reprise.dev/pool", "t4"},
                            {"karpenter.sh/nodepool", "t4-spot"},
                            {"karpenter.sh/capacity-type", "spot"},
                            {"topology.kubernetes.io/zone", "zone-a"},
                            {"node.kubernetes.io/instance-type", "g4dn.xlarge"},
                            {"kubernetes.io/arch", "amd64"},
                            {"kubernetes.io/os", "linux"}};
  const json::object taint{{"key", "nvidia.com/gpu"}, {"effect", "NoSchedule"}};
  const json::object image{{"names", json::array{"registry.example.com/some/image/with/a/path:v1.2.3"}},
                           {"sizeBytes", 123456789}};
  return object_text("v1", "Node", meta(fmt::format("node-{:04d}", number), "", number, {{"labels", labels}}, 1300),
                     {{"providerID", fmt::format("aws:///zone-a/i-{:08d}", number)}, {"taints", repeat(1, taint)}},
                     {{"allocatable", json::object{{"cpu", "4"}, {"nvidia.com/gpu", "1"}}},
                      {"conditions", conditions({"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"})},
                      {"nodeInfo", json::object{{"bootID", uid(number)}}},
                      {"images", repeat(30, image)}});
}

std::string job_json(int number) {
  const json::object pod_spec{{"containers", containers()}};
  return object_text("batch/v1", "Job",
                     meta(job_name(number) + "-0", "vision", number,
                          {{"ownerReferences", owned_by("bench.reprise.dev/v1", "BenchJob", number)}}, 700),
                     {{"template", json::object{{"spec", pod_spec}}}}, {});
}

std::string bench_job_json(int number) {
  const json::object healthy{{"type", "NodesHealthy"}, {"status", "True"},           {"reason", "Healthy"},
                             {"message", ""},          {"lastTransitionTime", time}, {"observedGeneration", 1}};
  return object_text("bench.reprise.dev/v1", "BenchJob", meta(job_name(number), "vision", number, team(), 1000),
                     {{"workers", 3}}, {{"attempt", 0}, {"pods", 3}, {"ready", 3}, {"conditions", repeat(1, healthy)}});
}

std::string resumable_job_json(int number) {
  const json::object claim_spec{{"accessModes", json::array{"ReadWriteMany"}},
                                {"resources", json::object{{"requests", json::object{{"storage", "50Gi"}}}}}};
  const json::object volume{{"access", "Shared"}, {"claimTemplate", json::object{{"spec", claim_spec}}}};
  const json::object pod_spec{{"containers", containers()}};
  return object_text(
      "reprise.dev/v1alpha1", "ResumableJob", meta(job_name(number), "vision", number, team(), 1000),
      {{"poolName", "t4"},
       {"parallelism", 3},
       {"checkpoint", json::object{{"path", "/checkpoints"}, {"volume", volume}}},
       {"template", json::object{{"spec", pod_spec}}}},
      {{"observedGeneration", 1}, {"attempt", 0}, {"conditions", conditions({"PodsReady", "CheckpointReady"})}});
}

}  // namespace bench
