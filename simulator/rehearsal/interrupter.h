// Interruptions at a steady pace: so long after a job trains (again), one of its machines gets a notice.
#pragma once

#include <map>
#include <string>

#include "runtime/base/clock.h"

namespace reprise::simulator {

class Interrupter {
 public:
  // 0: never.
  explicit Interrupter(runtime::Duration every) : every_(every) {}

  // Told again and again how it stands; true once for each time that the job trains long enough.
  [[nodiscard]] bool due(const std::string& job, bool trains, runtime::Duration now);

 private:
  struct Seen {
    runtime::Duration since{0};
    bool trains = false, done = false;
  };
  runtime::Duration every_;
  std::map<std::string, Seen> jobs_;
};

}  // namespace reprise::simulator
