// Jobs with a rank on a machine that is not as it seems: a person confirms its end a moment after the operator asks,
// and the next attempt begins.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"
#include "simulator/faults/fault_kind.h"

namespace reprise::simulator {

class ManualConfirmations {
 public:
  // `fault`: the fault that the person's log lines name. The others outlive it.
  ManualConfirmations(Cluster& cluster, runtime::Random& random, FaultKind fault);

  // `next_runs`: called once, when a pod of a later attempt than this one runs.
  void add(const std::string& job_uid, std::int64_t attempt, std::function<void()> next_runs);
  void remove(const std::string& job_uid) { cases_.erase(job_uid); }
  [[nodiscard]] bool contains(const std::string& job_uid) const { return cases_.contains(job_uid); }
  // Forgets all cases: nobody confirms any more.
  void end();

 private:
  struct Case {
    std::int64_t attempt = 0;
    std::function<void()> next_runs;  // none: it was called
    bool said = false;                // the person has spoken
  };
  void see(const ObjectChange& change);
  void see_job(const Value& job, Case& of);
  static void see_pod(const Value& pod, Case& of);

  Cluster& cluster_;
  runtime::Random& random_;
  FaultKind fault_;
  ResourceId jobs_, pods_;
  std::map<std::string, Case, std::less<>> cases_;  // by uid of the job
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
