// Ends the process when a shutdown takes too long, or when it is asked for a second time.
#pragma once

#include <functional>
#include <string_view>
#include <thread>

#include "runtime/base/clock.h"

namespace reprise::runtime::internal {

class Watchdog {
 public:
  // `signals`: a descriptor that is readable when another signal has come; -1: none. `abort` runs once, on the
  // watchdog's thread; in a real process it does not return.
  Watchdog(Duration limit, int signals, std::function<void(std::string_view why)> abort);
  // The shutdown is over: nothing happens any more.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  int over_;
  std::thread thread_;
};

}  // namespace reprise::runtime::internal
