// A person deletes a job and makes it anew under its name, on its claim, while trainers of the former one may run:
// deleted with --cascade=orphan, its pods stay behind until somebody tidies up; deleted in the foreground, a pod on a
// machine that cannot be reached goes on.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"
#include "simulator/scenarios/workload/workload.h"

namespace reprise::simulator {

class JobsMadeAnew {
 public:
  // All outlive it.
  JobsMadeAnew(Actors& actors, runtime::Random& random, const Workload& workload);

  // Names the deleted job and the way; empty when no job runs.
  std::optional<std::string> inject();
  // Reaches machines again, and makes deleted jobs now. People go on tidying up.
  void end();

 private:
  struct Chance {
    std::string name, uid, machine;  // one of its trainers' machine
  };
  [[nodiscard]] std::vector<Chance> chances() const;
  void cut_off(const std::string& machine);
  void make(const std::string& name);
  void tidy_up(const std::string& job_uid);
  [[nodiscard]] ObjectPtr find(const std::string& name) const;

  Actors& actors_;
  runtime::Random& random_;
  const Workload& workload_;
  ResourceId jobs_;
  std::set<std::string> to_make_, silent_;
  Timers timers_, people_;
};

}  // namespace reprise::simulator
