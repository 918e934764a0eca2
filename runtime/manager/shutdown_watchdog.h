// Private to this folder: bounds the time that shutting down may take.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>

#include "runtime/base/clock.h"

namespace reprise::runtime {

// Aborts, from a thread of its own, when it is not destroyed in time.
class ShutdownWatchdog {
 public:
  ShutdownWatchdog(Duration limit, std::function<void(std::string_view why)> abort)
      : thread_([this, limit, abort = std::move(abort)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          if (wake_.wait_for(lock, stop, limit, [] { return false; }) || stop.stop_requested()) return;
          abort("Shutdown took too long: ending the process");
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace reprise::runtime
