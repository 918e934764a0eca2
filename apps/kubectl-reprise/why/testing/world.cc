#include "apps/kubectl-reprise/why/testing/world.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "apps/kubectl-reprise/why/reading/read_objects.h"
#include "simulator/api_server/patch/yaml.h"

namespace reprise::plugin::why::testing {
namespace {

const std::string kReady = condition("Ready", "True", "PodReady", "");

std::string ready_pod(int index) {
  return fmt::format(
      "{{kind: Pod, metadata: {{name: finetune-1-{}, namespace: vision, creationTimestamp: \"2026-11-23T11:50:00Z\", "
      "labels: {{reprise.dev/job-uid: job-1, reprise.dev/attempt: \"1\"}}}}, spec: {{nodeName: gpu-1}}, "
      "status: {{phase: Running, conditions: [{}]}}}}",
      index, kReady);
}

std::vector<std::string> usual() {
  return {
      "{kind: Deployment, metadata: {name: reprise, namespace: reprise-system}, spec: {replicas: 2}, "
      "status: {readyReplicas: 2}}",
      "{kind: Lease, metadata: {name: reprise-operator, namespace: reprise-system}, spec: {holderIdentity: one, "
      "leaseDurationSeconds: 15, renewTime: \"2026-11-23T11:59:55.000000Z\"}}",
      waiting("WaitForStart", "1 of 2 pods are not ready"),
      pool(condition("Ready", "True", "Ready", "1 of 1 NodePools are ready")),
      node_pool(condition("Ready", "True", "Ready", "")),
      "{kind: Node, metadata: {name: gpu-1}, status: {conditions: [" + condition("Ready", "True", "KubeletReady", "") +
          "]}}",
      claim("storageClassName: standard, volumeName: pv-1", "Bound"),
      "{kind: StorageClass, metadata: {name: standard}}",
      ready_pod(0),
      ready_pod(1),
  };
}

struct Entry {
  std::string kind;
  simulator::Value object;
};

Objects put_all(const std::vector<std::string>& texts, const std::vector<std::string>& without) {
  std::map<std::string, Entry> entries;  // by kind and name: the last of a name stays
  for (const std::string& text : texts) {
    auto read = simulator::read_yaml(text);
    if (!read) {
      ADD_FAILURE() << read.error().message << " in " << text;
      continue;
    }
    std::string kind(simulator::text(*read, {"kind"}));
    std::string key = kind + "/" + std::string(simulator::name_of(*read));
    entries.insert_or_assign(std::move(key), Entry{std::move(kind), std::move(*read)});
  }
  Objects objects;
  for (const auto& [key, entry] : entries) {
    if (std::ranges::find(without, entry.kind) == without.end()) put(entry.kind, entry.object, objects);
  }
  return objects;
}

void expect(const Row& row) {
  SCOPED_TRACE(row.sentence);
  const Explanation explanation = explain_at_noon(world(row.objects, row.without));
  ASSERT_TRUE(explanation.finding.has_value());
  EXPECT_EQ(text_of(explanation.finding->cause).name, text_of(row.cause).name) << explanation.finding->found;
  EXPECT_EQ(explanation.finding->object.text(), row.object);
  EXPECT_THAT(explanation.finding->found, ::testing::HasSubstr(row.found));
  EXPECT_THAT(explanation.finding->to_do, ::testing::Contains(::testing::HasSubstr(row.to_do)));
  EXPECT_EQ(explanation.blocked(), text_of(row.cause).weight == Weight::NeedsPerson);
}

}  // namespace

Objects world(const std::vector<std::string>& objects, const std::vector<std::string>& without) {
  std::vector<std::string> texts = usual();
  texts.insert(texts.end(), objects.begin(), objects.end());
  Objects all = put_all(texts, without);
  all.subject = {.kind = "ResumableJob", .namespace_ = "vision", .name = "finetune"};
  return all;
}

Objects world_of_pool(const std::vector<std::string>& objects) {
  Objects all = world(objects, {"ResumableJob", "Pod"});
  all.subject = {.kind = "GpuPool", .namespace_ = {}, .name = "t4"};
  return all;
}

Explanation explain_at_noon(const Objects& objects) {
  return explain(objects, *kube::parse_time(kNow));
}

void expect_all(const std::vector<Row>& rows) {
  for (const Row& row : rows) expect(row);
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string condition(std::string_view type, std::string_view status, std::string_view reason,
                      std::string_view message) {
  return fmt::format(
      "{{type: {}, status: \"{}\", reason: {}, message: {}, lastTransitionTime: \"2026-11-23T11:00:00Z\"}}", type,
      status, in_quotes(reason), in_quotes(message));
}

std::string job(const std::string& conditions, const std::string& more_status) {
  return fmt::format(
      "{{kind: ResumableJob, metadata: {{name: finetune, namespace: vision, uid: job-1, generation: 1, "
      "creationTimestamp: \"2026-11-23T10:00:00Z\"}}, spec: {{poolName: t4, parallelism: 2, checkpoint: "
      "{{periodSeconds: 600}}}}, status: {{observedGeneration: 1, attempt: 1, conditions: [{}]{}{}}}}}",
      conditions, more_status.empty() ? "" : ", ", more_status);
}

std::string stalled(std::string_view reason, std::string_view message) {
  return job(condition("Stalled", "True", reason, message));
}

std::string waiting(std::string_view reason, std::string_view message) {
  return job(condition("PodsReady", "False", reason, message));
}

std::string running(const std::string& more_status) {
  return job(condition("PodsReady", "True", "Started", "attempt 1 runs"), more_status);
}

std::string pool(const std::string& conditions) {
  return "{kind: GpuPool, metadata: {name: t4, generation: 1, creationTimestamp: \"2026-11-23T10:00:00Z\"}, status: "
         "{observedGeneration: 1, resourceName: nvidia.com/gpu, nodePools: [{name: t4-spot, ready: true}], "
         "conditions: [" +
         conditions + "]}}";
}

std::string pod(const std::string& status, const std::string& spec, const std::string& meta) {
  return fmt::format(
      "{{kind: Pod, metadata: {{name: finetune-1-1, namespace: vision{}{}, labels: {{reprise.dev/job-uid: job-1, "
      "reprise.dev/attempt: \"1\"}}}}, spec: {{{}}}, status: {{{}}}}}",
      meta.empty() ? ", creationTimestamp: \"2026-11-23T11:50:00Z\"" : ", ", meta, spec, status);
}

std::string waiting_container(std::string_view reason, std::string_view message) {
  return fmt::format(
      "phase: Pending, containerStatuses: [{{name: trainer, state: {{waiting: {{reason: {}, message: {}}}}}}}]", reason,
      in_quotes(message));
}

std::string ended_container(std::string_view list, std::string_view name, int exit_code, std::string_view reason) {
  return fmt::format("phase: Failed, {}: [{{name: {}, state: {{terminated: {{exitCode: {}, reason: {}}}}}}}]", list,
                     name, exit_code, reason);
}

std::string unscheduled(std::string_view message, std::string_view created) {
  return pod("phase: Pending, conditions: [" + condition("PodScheduled", "False", "Unschedulable", message) + "]",
             "schedulerName: default-scheduler, volumes: [{name: c, persistentVolumeClaim: {claimName: "
             "finetune-checkpoints}}]",
             fmt::format("creationTimestamp: \"{}\"", created));
}

std::string event(std::string_view kind, std::string_view name, std::string_view reason, std::string_view message,
                  std::string_view source, std::string_view last) {
  return fmt::format(
      "{{kind: Event, metadata: {{name: {}.{}}}, involvedObject: {{kind: {}, name: {}}}, reason: {}, message: {}, "
      "type: Warning, source: {{component: {}}}, lastTimestamp: \"{}\"}}",
      name, reason, kind, name, reason, in_quotes(message), source, last);
}

std::string claim(const std::string& spec, std::string_view phase, const std::string& meta) {
  return fmt::format(
      "{{kind: PersistentVolumeClaim, metadata: {{name: finetune-checkpoints, namespace: vision{}{}}}, spec: {{{}}}, "
      "status: {{phase: {}}}}}",
      meta.empty() ? "" : ", ", meta, spec, phase);
}

std::string node_claim(std::string_view created, const std::string& conditions) {
  return fmt::format(
      "{{kind: NodeClaim, metadata: {{name: t4-spot-x7k2, creationTimestamp: \"{}\", labels: {{karpenter.sh/nodepool: "
      "t4-spot}}}}, status: {{nodeName: gpu-2, conditions: [{}]}}}}",
      created, conditions);
}

std::string node_pool(const std::string& conditions, std::string_view used, std::string_view name) {
  return fmt::format(
      "{{kind: NodePool, metadata: {{name: {}}}, spec: {{limits: {{nvidia.com/gpu: \"4\"}}, template: {{spec: "
      "{{nodeClassRef: {{kind: EC2NodeClass, name: default}}}}}}}}, status: {{resources: {{nvidia.com/gpu: \"{}\"}}, "
      "conditions: [{}]}}}}",
      name, used, conditions);
}

}  // namespace reprise::plugin::why::testing
