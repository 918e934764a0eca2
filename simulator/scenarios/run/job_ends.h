// Tells which jobs of a scenario have come to their end, or wait for a person as they may.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "simulator/api_server/api_server.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

class JobEnds {
 public:
  // `tampered`: the jobs whose checkpoints a fault has taken. `seen_to`: true when a person will see to the job's wait.
  // All outlive it.
  JobEnds(const ApiServer& api, const Workload& workload, std::function<std::set<std::string>()> tampered,
          std::function<bool(const Value& job)> seen_to);

  // True also when the job waits for a person because a fault has taken its checkpoints, or for the claim of such a
  // job.
  [[nodiscard]] bool ended(const Value& job) const;
  // True when all jobs of the workload exist and have ended.
  [[nodiscard]] bool all_ended() const;
  // Tells a sentence for each job that has not ended.
  void tell_who_has_not(const std::function<void(std::string)>& tell) const;

 private:
  // All jobs but a hostile tenant's.
  [[nodiscard]] std::vector<ObjectPtr> jobs() const;
  [[nodiscard]] bool goes_on(const Value& job) const;
  [[nodiscard]] std::set<std::string> lost_jobs(const std::set<std::string>& tampered) const;

  const ApiServer& api_;
  const Workload& workload_;
  ResourceId jobs_;
  std::function<std::set<std::string>()> tampered_;
  std::function<bool(const Value& job)> seen_to_;
};

}  // namespace reprise::simulator
