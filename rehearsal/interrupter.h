// Interruptions at a steady pace: so long after a job trains (again), one of its nodes gets a notice.
#pragma once

#include <map>
#include <string>

#include "runtime/base/clock.h"

namespace reprise::rehearsal {

class Interrupter {
 public:
  // Called again and again with the job's state; true once for each time that the job trains for `every`; 0: never.
  [[nodiscard]] bool due(const std::string& job, bool trains, runtime::Duration now, runtime::Duration every);

 private:
  struct Seen {
    runtime::Duration since{0};
    bool trains = false, done = false;
  };
  std::map<std::string, Seen> jobs_;
};

}  // namespace reprise::rehearsal
