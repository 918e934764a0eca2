#include "simulator/scenarios/workload/share_trainers.h"

#include <charconv>

namespace reprise::simulator {

std::int64_t attempt_of(const Value& pod) {
  const std::string_view label = text(pod, {"metadata", "labels", "reprise.dev/attempt"});
  std::int64_t attempt = 0;
  std::from_chars(label.data(), label.data() + label.size(), attempt);
  return attempt;
}

std::string_view job_uid_of(const Value& pod) {
  return text(pod, {"metadata", "labels", "reprise.dev/job-uid"});
}

bool runs(const Value& pod) {
  return text(pod, {"status", "phase"}) == "Running";
}

std::vector<ShareTrainer> trainers_on_shares(Actors& actors) {
  std::vector<ShareTrainer> found;
  for (const ObjectPtr& pod : actors.cluster.api.list(actors.kinds.pods)) {
    if (attempt_of(*pod) == 0 || !runs(*pod)) continue;
    for (const Value& each : array(*pod, {"spec", "volumes"})) {
      const std::string claim(text(each, {"persistentVolumeClaim", "claimName"}));
      const std::string volume = claim.empty() ? "" : actors.volume_of(std::string(namespace_of(*pod)), claim);
      if (!volume.empty() && actors.volumes.shared(volume))
        found.push_back({.job_uid = std::string(job_uid_of(*pod)),
                         .machine = std::string(text(*pod, {"spec", "nodeName"})),
                         .volume = volume,
                         .attempt = attempt_of(*pod)});
    }
  }
  return found;
}

}  // namespace reprise::simulator
