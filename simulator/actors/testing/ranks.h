// Pods of attempts as the operator makes them (controllers/resumablejob/pods/pod_builder.cc), on machines without GPUs.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "agent/core/record/record.h"
#include "simulator/actors/testing/scene.h"

namespace reprise::simulator::testing {

struct Rank {
  int attempt = 1, index = 0, parallelism = 1;
  std::string claim = "data", job_uid = "job-1";
  std::map<std::string, std::string> env = {};          // beside what every rank has
  std::map<std::string, std::string> annotations = {};  // simulate.reprise.dev/... without the prefix
  std::int64_t grace = 120;
  std::string node = {};  // bound there; empty: the scheduler chooses

  [[nodiscard]] std::string name() const { return "fit-" + std::to_string(attempt) + "-" + std::to_string(index); }
};

inline std::string quoted(const std::string& text) {
  return "\"" + text + "\"";
}

inline ObjectPtr start(Scene& scene, const Rank& rank) {
  std::map<std::string, std::string> env{{"REPRISE_JOB_UID", rank.job_uid},
                                         {"REPRISE_ATTEMPT", std::to_string(rank.attempt)},
                                         {"JOB_COMPLETION_INDEX", std::to_string(rank.index)},
                                         {"REPRISE_PARALLELISM", std::to_string(rank.parallelism)},
                                         {"REPRISE_CHECKPOINT_DIR", "/checkpoints"},
                                         {"REPRISE_VOLUME_ACCESS", "Shared"},
                                         {"REPRISE_CHECKPOINT_PERIOD_SECONDS", "600"},
                                         {"REPRISE_CHECKPOINT_GRACE_SECONDS", "110"},
                                         {"REPRISE_CHECKPOINT_KEEP", "2"},
                                         {"REPRISE_NOTICE_SIGNAL", "SIGUSR1"},
                                         {"REPRISE_ANNOTATIONS_FILE", "/reprise-podinfo/annotations"}};
  for (const auto& [name, value] : rank.env) env[name] = value;
  std::string variables = R"({"name":"REPRISE_POD_UID","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}})";
  for (const auto& [name, value] : env)
    variables += R"(,{"name":)" + quoted(name) + R"(,"value":)" + quoted(value) + "}";
  std::string annotations;
  for (const auto& [name, value] : rank.annotations)
    annotations += (annotations.empty() ? "" : ",") + quoted("simulate.reprise.dev/" + name) + ":" + quoted(value);
  const std::string placed = rank.node.empty() ? "" : R"("nodeName":)" + quoted(rank.node) + ",";
  return scene.pod(rank.name(),
                   placed + R"("terminationGracePeriodSeconds":)" + std::to_string(rank.grace) +
                       R"(,"initContainers":[{"name":"reprise-agent-install","image":"agent",
             "command":["/reprise-agent","install","/reprise"]}],
             "containers":[{"name":"trainer","image":"trainer","command":["/reprise/reprise-agent","run","--","train"],
             "env":[)" +
                       variables + R"(],"volumeMounts":[{"name":"reprise-checkpoints","mountPath":"/checkpoints"}]}],
             "volumes":[{"name":"reprise-checkpoints","persistentVolumeClaim":{"claimName":)" +
                       quoted(rank.claim) + "}}]",
                   R"(,"annotations":{)" + annotations + "}");
}

// The record of the training container; empty while it runs.
inline std::optional<agent::Record> record_of(const Value& pod) {
  for (const Value& each : array(pod, {"status", "containerStatuses"}))
    if (auto record = agent::decode_record(text(each, {"state", "terminated", "message"}))) return record;
  return std::nullopt;
}

inline int exit_code_of(const Value& pod) {
  for (const Value& each : array(pod, {"status", "containerStatuses"}))
    return static_cast<int>(number(each, {"state", "terminated", "exitCode"}, -1));
  return -1;
}

inline Disk& disk_of(Scene& scene, std::string_view claim = "data") {
  return *scene.actors->volumes.disk(scene.actors->volume_of("default", std::string(claim)));
}

// The last state of a pod that went: from the store's history.
inline ObjectPtr last_seen(const Scene& scene, const std::string& name) {
  ObjectPtr found;
  for (const ObjectChange& change : scene.api.changes_after(0))
    if (change.resource == scene.kinds.pods && name_of(*change.object) == name) found = change.object;
  return found;
}

}  // namespace reprise::simulator::testing
