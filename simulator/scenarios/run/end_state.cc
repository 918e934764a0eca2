#include "simulator/scenarios/run/end_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "simulator/invariants/invariants.h"
#include "simulator/scenarios/workload/share_trainers.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {
namespace {

std::string_view job_of(const Value& object) {
  return text(object, {"metadata", "labels", "reprise.dev/job"});
}

// Pods are named after their attempt: job-a-7-0 is job-a-*-0.
std::string without_attempt(const Value& pod) {
  const std::string_view index = text(pod, {"metadata", "labels", "batch.kubernetes.io/job-completion-index"});
  return std::string(job_of(pod)) + "-*-" + std::string(index);
}

std::string conditions_of(const Value& object) {
  std::vector<std::string> held;
  for (const Value& each : array(object, {"status", "conditions"}))
    if (text(each, {"status"}) == "True") held.emplace_back(text(each, {"type"}));
  std::ranges::sort(held);
  std::string text;
  for (const std::string& type : held) text += " " + type;
  return text;
}

}  // namespace

std::vector<std::string> end_state(const ApiServer& api, const std::set<std::string>& without) {
  std::vector<std::string> lines;
  std::set<std::string, std::less<>> uids;
  for (const ObjectPtr& job : api.list(api.resource("reprise.dev", "resumablejobs"), kJobNamespace)) {
    uids.emplace(uid_of(*job));
    if (without.contains(std::string(name_of(*job)))) continue;
    const std::string end = condition(*job, "Complete") == "True" ? "Complete"
                            : condition(*job, "Failed") == "True" ? "Failed"
                                                                  : "not ended";
    // A defect is met or not, depending on how far its attempt comes.
    const auto said = [&](std::string_view key) {
      return !text(*job, {"spec", "template", "metadata", "annotations", key}).empty();
    };
    const bool may_fail =
        said("simulate.reprise.dev/fail-at-step") || said("simulate.reprise.dev/unhealthy-after-milliseconds");
    lines.push_back("job " + std::string(name_of(*job)) + ": " + end +
                    (may_fail ? "" : ", failures " + std::to_string(number(*job, {"status", "failures"}))));
  }
  bool keeps_gpus_ready = false;
  for (const ObjectPtr& pool : api.list(api.resource("reprise.dev", "gpupools")))
    keeps_gpus_ready = keeps_gpus_ready || number(*pool, {"spec", "warm", "gpus"}) > 0;
  const auto of_left_out_job = [&](const Value& object) { return without.contains(std::string(job_of(object))); };
  // Left behind by a deleted job; a claim stays for the next one.
  const auto of_no_job = [&](const Value& object) {
    const std::string_view uid = job_uid_of(object);
    return !uid.empty() && !uids.contains(uid);
  };
  // Ended pods go with their node, and chance decides which one a pool keeps for a GPU that is to be ready.
  const auto may_stay = [&](const Value& pod) {
    const std::string_view phase = text(pod, {"status", "phase"});
    return keeps_gpus_ready && (phase == "Succeeded" || phase == "Failed");
  };
  for (const ObjectPtr& pod : api.list(api.resource("", "pods"), kJobNamespace))
    if (!may_stay(*pod) && !of_left_out_job(*pod) && !of_no_job(*pod))
      lines.push_back("pod " + without_attempt(*pod) + ": " + std::string(text(*pod, {"status", "phase"})));
  for (const char* plural : {"persistentvolumeclaims", "services"})
    for (const ObjectPtr& object : api.list(api.resource("", plural), kJobNamespace))
      if (!of_left_out_job(*object)) lines.push_back(std::string(plural) + " " + std::string(name_of(*object)));
  for (const ObjectPtr& pool : api.list(api.resource("reprise.dev", "gpupools")))
    lines.push_back("pool " + std::string(name_of(*pool)) + ":" + conditions_of(*pool));
  // A job that is left out may still train, and a job that waits for its quota begins late.
  std::set<std::string, std::less<>> nodes_of_left_out;
  for (const ObjectPtr& pod : api.list(api.resource("", "pods"), kJobNamespace))
    if (of_left_out_job(*pod) && text(*pod, {"status", "phase"}) == "Running")
      nodes_of_left_out.emplace(text(*pod, {"spec", "nodeName"}));
  const auto machines =
      std::ranges::count_if(api.list(api.resource("karpenter.sh", "nodeclaims")), [&](const ObjectPtr& claim) {
        return !nodes_of_left_out.contains(text(*claim, {"status", "nodeName"}));
      });
  lines.push_back("machines " + std::to_string(machines));
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> difference(const std::vector<std::string>& wanted, const std::vector<std::string>& found) {
  std::vector<std::string> missing, surplus, lines;
  std::ranges::set_difference(wanted, found, std::back_inserter(missing));
  std::ranges::set_difference(found, wanted, std::back_inserter(surplus));
  for (const std::string& line : missing) lines.push_back("- " + line);
  for (const std::string& line : surplus) lines.push_back("+ " + line);
  return lines;
}

}  // namespace reprise::simulator
