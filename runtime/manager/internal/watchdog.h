// Ends the process when a shutdown takes too long, or when it is asked for a second time.
#pragma once

#include <thread>

#include "runtime/base/clock.h"
#include "runtime/base/log.h"

namespace reprise::runtime::internal {

class Watchdog {
 public:
  // `signals`: a descriptor that is readable when another signal has come; -1: none. `logger` outlives it.
  Watchdog(Duration limit, int signals, Logger& logger);
  // The shutdown is over: nothing happens any more.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  int over_;
  std::thread thread_;
};

}  // namespace reprise::runtime::internal
