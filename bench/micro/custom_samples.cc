#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "bench/micro/object_text.h"
#include "bench/micro/sample_names.h"
#include "bench/micro/wire_samples.h"

namespace bench {
namespace {

namespace json = boost::json;

json::array conditions_json(std::initializer_list<std::string_view> types) {
  json::array all;
  for (const std::string_view type : types) {
    all.push_back(json::object{{"type", type},
                               {"status", "True"},
                               {"observedGeneration", 1},
                               {"lastTransitionTime", kTimeText},
                               {"reason", "AsWanted"},
                               {"message", fmt::format("all is as it should be with {}", type)}});
  }
  return all;
}

json::object meta_json(std::string_view name, std::string_view ns, std::string_view uid_text, int version,
                       json::object more) {
  json::object made{{"name", name}};
  if (!ns.empty()) made["namespace"] = ns;
  made["uid"] = uid_text;
  made["resourceVersion"] = std::to_string(41'000'000 + version);
  made["generation"] = 1;
  made["creationTimestamp"] = kTimeText;
  for (auto& [key, value] : more) made[key] = std::move(value);
  const json::object fields{{"f:spec", std::string(1500, 'f')}};
  made["managedFields"] = json::array{json::object{{"manager", "reprise"}, {"fieldsV1", fields}}};
  return made;
}

json::object template_json(int job, bool own_arguments) {
  json::array variables;
  for (int i = 0; i < 40; ++i) {
    variables.push_back(json::object{{"name", fmt::format("SOME_VARIABLE_OF_THE_TRAINING_{}", i)},
                                     {"value", "and what it is set to by the user"}});
  }
  const int seed = own_arguments ? job : 0, rate = own_arguments ? job * 31 % 1000 : 0;
  const json::object container{{"name", "trainer"},
                               {"image", "registry.example.com/team/trainer:2026.11.3"},
                               {"command", json::array{"python", "train.py"}},
                               {"args", json::array{fmt::format("--seed={}", seed), fmt::format("--rate=0.{}", rate)}},
                               {"env", std::move(variables)},
                               {"volumeMounts", json::array{json::object{{"name", "data"}, {"mountPath", "/data"}}}},
                               {"resources", json::object{{"requests", json::object{{"cpu", "4"}}},
                                                          {"limits", json::object{{"reprise.dev/gpu", "1"}}}}}};
  const json::object volume{{"name", "data"}, {"emptyDir", json::object{}}};
  return {{"metadata", json::object{{"labels", json::object{{"team", "vision"}}}}},
          {"spec", json::object{{"containers", json::array{container}}, {"volumes", json::array{volume}}}}};
}

std::string provider_id(int node) {
  return fmt::format("aws:///eu-central-1a/i-{:017d}", node);
}

json::array members_json(int job) {
  const int node = node_of(job);
  json::array all;
  for (int i = 0; i < kPodsPerJob; ++i) {
    const int pod = job * kPodsPerJob + i;
    all.push_back(json::object{{"index", i},
                               {"podName", pod_name(pod)},
                               {"podUID", pod_uid(pod)},
                               {"nodeName", node_name(node)},
                               {"nodeUID", node_uid(node)},
                               {"bootID", uid(5, node)},
                               {"providerID", provider_id(node)},
                               {"nodeClaimName", node_claim_name(node)},
                               {"nodeClaimUID", claim_uid(node)},
                               {"proof", "None"},
                               {"finished", false}});
  }
  return all;
}

json::object spec_json(int job, bool own_arguments) {
  const json::object claim_spec{{"accessModes", json::array{"ReadWriteMany"}},
                                {"resources", json::object{{"requests", json::object{{"storage", "50Gi"}}}}}};
  const json::object volume{{"access", "Shared"}, {"claimTemplate", json::object{{"spec", claim_spec}}}};
  const json::object checkpoint{
      {"path", "/checkpoints"}, {"volume", volume}, {"onNotice", json::object{{"signal", "SIGUSR1"}}}};
  return {{"poolName", "t4"},
          {"parallelism", 3},
          {"checkpoint", checkpoint},
          {"template", template_json(job, own_arguments)}};
}

json::object status_json(int job) {
  const std::string claim = job_name(job) + "-checkpoints";
  const json::object checkpoint{{"step", job * 10},       {"path", fmt::format("/checkpoints/step-{}", job * 10)},
                                {"time", kTimeText},      {"sizeBytes", 123456789},
                                {"verified", true},       {"claimName", claim},
                                {"claimUID", uid(8, job)}};
  const json::object progress{{"percentage", 37}, {"step", job * 10}, {"lastUpdatedTime", kTimeText}};
  return {{"observedGeneration", 1},
          {"conditions", conditions_json({"PodsReady", "CheckpointReady", "Suspended", "Interrupted", "OnSchedule"})},
          {"attempt", 1},
          {"startTime", kTimeText},
          {"active", 3},
          {"ready", 3},
          {"checkpoint", checkpoint},
          {"progress", progress},
          {"placement", json::object{{"capacity", "Spot"}, {"zone", "eu-central-1a"}}},
          {"members", members_json(job)},
          {"claims", json::array{json::object{{"name", claim}, {"uid", uid(8, job)}}}}};
}

}  // namespace

std::string running_job_json(int job, bool own_arguments) {
  const json::object labels{{"team", "vision"}, {"sweep", "first"}};
  return object_text("reprise.dev/v1alpha1", "ResumableJob",
                     meta_json(job_name(job), kNamespace, job_uid(job), job, {{"labels", labels}}),
                     spec_json(job, own_arguments), status_json(job));
}

std::string node_claim_json(int number) {
  const json::object labels{{"karpenter.sh/nodepool", "t4-spot"},
                            {"karpenter.sh/capacity-type", "spot"},
                            {"reprise.dev/pool", "t4"},
                            {"node.kubernetes.io/instance-type", "g4dn.xlarge"}};
  const json::object more{{"labels", labels},
                          {"annotations", json::object{{"karpenter.sh/nodepool-hash", "123456"}}},
                          {"finalizers", json::array{"karpenter.sh/termination"}}};
  const json::object spot{{"key", "karpenter.sh/capacity-type"}, {"operator", "In"}, {"values", json::array{"spot"}}};
  return object_text(
      "karpenter.sh/v1", "NodeClaim", meta_json(node_claim_name(number), "", claim_uid(number), number, more),
      {{"requirements", json::array{spot}}},
      {{"nodeName", node_name(number)},
       {"providerID", provider_id(number)},
       {"conditions", conditions_json({"Launched", "Registered", "Initialized", "Ready", "Consolidatable"})}});
}

std::string gpu_pool_json(int number) {
  const json::object node_class{{"group", "karpenter.k8s.aws"}, {"kind", "EC2NodeClass"}, {"name", "default"}};
  return object_text(
      "reprise.dev/v1alpha1", "GpuPool",
      meta_json(fmt::format("t4-{}", number), "", uid(0, 600'000 + number), number, {}),
      {{"gpu", json::object{{"models", json::array{"t4"}}}},
       {"nodeClassRef", node_class},
       {"capacity", json::array{json::object{{"type", "Spot"}}, json::object{{"type", "OnDemand"}}}},
       {"sharing", json::object{{"mode", "TimeSlicing"}, {"replicas", 4}}}},
      {{"conditions", conditions_json({"Ready", "NodePoolsSynced", "CapacityAvailable", "SharingConfigured"})}});
}

}  // namespace bench
