// Machines that stand still and go on as if nothing had been: a paused virtual machine, a live migration. Some are
// called off by a person as soon as the operator asks, and go on when the next attempt runs: the writer that the fence
// on the volume is for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "runtime/base/random.h"
#include "simulator/actors/actors.h"

namespace reprise::simulator {

class FrozenMachines {
 public:
  // Both outlive it.
  FrozenMachines(Actors& actors, runtime::Random& random);

  // The name of the machine; nothing where there is none.
  std::optional<std::string> strike();
  // All go on.
  void end();

 private:
  struct Case {
    std::string machine;
    std::int64_t attempt = 0;
    bool said = false;       // the person has spoken
    bool next_runs = false;  // the attempt that follows
  };
  std::optional<std::string> call_off();
  std::optional<std::string> freeze_any();
  void freeze(const std::string& machine, Duration for_so_long);
  void go_on(const std::string& machine);
  void speak(const std::string& machine);
  void see(const ObjectChange& change);
  void see_job(const Value& job, Case& of);
  void see_pod(const Value& pod, Case& of);
  [[nodiscard]] Duration seconds(double low, double high);

  Actors& actors_;
  runtime::Random& random_;
  ResourceId jobs_, pods_;
  std::map<std::string, Case, std::less<>> cases_;  // by uid of the job
  std::set<std::string> still_, silent_;
  Timers timers_;
  std::unique_ptr<ApiServer::Subscription> subscription_;
};

}  // namespace reprise::simulator
