#include "simulator/scenarios/people/forgeries.h"

#include <boost/json/serialize.hpp>
#include <utility>

namespace reprise::simulator {

std::string rank_name(const Value& job, std::int64_t attempt, std::int64_t index) {
  return std::string(name_of(job)) + "-" + std::to_string(attempt) + "-" + std::to_string(index);
}

JsonObject labels_of(const Value& job) {
  return {{"reprise.dev/job", name_of(job)}, {"reprise.dev/job-uid", uid_of(job)}};
}

JsonArray reference_to(const Value& job, bool controller) {
  return {JsonObject{{"apiVersion", "reprise.dev/v1alpha1"},
                     {"kind", "ResumableJob"},
                     {"name", name_of(job)},
                     {"uid", uid_of(job)},
                     {"controller", controller}}};
}

JsonObject forged_metadata(const Value& job, const std::string& name) {
  return {{"name", name}, {"labels", labels_of(job)}, {"annotations", JsonObject{{kForgedAnnotation, "true"}}}};
}

Value forged_pod(const Value& job, const std::string& name) {
  return JsonObject{{"apiVersion", "v1"},
                    {"kind", "Pod"},
                    {"metadata", forged_metadata(job, name)},
                    {"spec", JsonObject{{"nodeName", kNoMachine},
                                        {"restartPolicy", "Never"},
                                        {"containers", JsonArray{JsonObject{{"name", "trainer"}, {"image", "i"}}}}}}};
}

Value forged_status(bool ended) {
  JsonObject state{{"running", JsonObject{}}};
  if (ended) state = {{"terminated", JsonObject{{"exitCode", 0}, {"reason", "Completed"}}}};
  return JsonObject{{"phase", ended ? "Succeeded" : "Running"},
                    {"containerStatuses", JsonArray{JsonObject{{"name", "trainer"},
                                                               {"image", "i"},
                                                               {"imageID", ""},
                                                               {"ready", !ended},
                                                               {"restartCount", 0},
                                                               {"state", std::move(state)}}}}};
}

Value forged_service(const Value& job) {
  return JsonObject{{"apiVersion", "v1"},
                    {"kind", "Service"},
                    {"metadata", forged_metadata(job, std::string(name_of(job)) + "-rj")},
                    {"spec", JsonObject{{"clusterIP", "None"}, {"selector", labels_of(job)}}}};
}

Value forged_claim(const Value& job, const std::string& name) {
  Value claim =
      JsonObject{{"apiVersion", "v1"}, {"kind", "PersistentVolumeClaim"}, {"metadata", forged_metadata(job, name)}};
  const Value* spec = find(job, {"spec", "checkpoint", "volume", "claimTemplate", "spec"});
  set(claim, {"spec"}, spec != nullptr ? *spec : Value(JsonObject{{"accessModes", JsonArray{"ReadWriteMany"}}}));
  return claim;
}

Value forged_workload(const Value& job) {
  const std::string name =
      "resumablejob-" + std::string(name_of(job)) + "-" + std::string(uid_of(job).substr(0, std::size_t{8}));
  JsonObject metadata = forged_metadata(job, name);
  JsonObject container{{"name", "trainer"}, {"image", "i"}};
  JsonObject pod_set{{"name", "main"},
                     {"count", 1},
                     {"template", JsonObject{{"spec", JsonObject{{"containers", JsonArray{std::move(container)}}}}}}};
  return JsonObject{{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                    {"kind", "Workload"},
                    {"metadata", std::move(metadata)},
                    {"spec", JsonObject{{"queueName", "nobody-s"}, {"podSets", JsonArray{std::move(pod_set)}}}}};
}

Value forged_admission() {
  JsonArray conditions;
  for (const char* type : {"QuotaReserved", "Admitted"})
    conditions.push_back(JsonObject{{"type", type},
                                    {"status", "True"},
                                    {"reason", "Forged"},
                                    {"message", ""},
                                    {"lastTransitionTime", "2026-01-01T00:00:00Z"}});
  return JsonObject{{"conditions", std::move(conditions)}};
}

std::string forged_report(const Value& job) {
  return boost::json::serialize(Value(JsonObject{
      {"attempt", number(job, {"status", "attempt"})},
      {"index", 0},
      {"activity", "Training"},
      {"checkpoint", JsonObject{{"step", kForgedStep}, {"path", "forged"}, {"format", "Marker"}, {"ageSeconds", 1}}},
      {"progress", JsonObject{{"step", kForgedStep}, {"percentage", 99}, {"ageSeconds", 1}}}}));
}

}  // namespace reprise::simulator
